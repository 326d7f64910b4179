/*
 * html_text.h - text of any origin in a page.
 */
#ifndef MQD_DUMP_SHOW_HTML_TEXT_H
#define MQD_DUMP_SHOW_HTML_TEXT_H

#include <stdio.h>

/*
 * Prints a text as UTF-8 so that it is text, between tags and in attributes with double quotes. What cannot be printed,
 * and what controls the direction of text, is \xHH.
 */
void html_text(FILE *to, const char *text);

/* The same with printf's format for all of the text. */
void html_format(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text with lists of ranks cut that are too long to be read, "1,3,5,7,...", for free(). */
char *html_shorten_lists(const char *text);

#endif
