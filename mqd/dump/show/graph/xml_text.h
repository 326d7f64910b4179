/*
 * xml_text.h - text in XML and HTML.
 */
#ifndef MQD_DUMP_SHOW_XML_TEXT_H
#define MQD_DUMP_SHOW_XML_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * May the character be in XML or HTML as it is? Control characters and what controls the direction of text may not, and
 * two that XML cannot have, not even as escapes.
 */
bool xml_can_print(uint32_t character);

/* Prints text so that it is text, between tags and in attributes. It has no characters that XML cannot have. */
void xml_text(FILE *to, const char *text);

/* A page. */

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
