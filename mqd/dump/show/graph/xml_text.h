/*
 * xml_text.h - text in XML and HTML.
 */
#ifndef MQD_DUMP_SHOW_XML_TEXT_H
#define MQD_DUMP_SHOW_XML_TEXT_H

#include <stdio.h>

/* Returns a text of any origin as UTF-8 for free(), with \xHH for what cannot be printed. */
char *clean_text(const char *text);

/* Prints clean text, and line feeds, so that it is text between tags and in attributes. */
void xml_text(FILE *to, const char *text);

/*
 * Prints a text of any origin as UTF-8 so that it is text, between tags and in attributes with double quotes. What cannot
 * be printed, and what controls the direction of text, is \xHH.
 */
void html_text(FILE *to, const char *text);

/* The same between two pieces of the page. */
void html_element(FILE *to, const char *before, const char *text, const char *after);

/* The same with printf's format for all of the text. */
void html_format(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Longer lists of ranks in a page unfold. */
enum { HTML_MAX_LIST = 60 };

#endif
