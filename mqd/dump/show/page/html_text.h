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

/* Longer lists of ranks in a page unfold. */
enum { HTML_MAX_LIST = 60 };

#endif
