/*
 * xml_text.h - text in XML and HTML.
 */
#ifndef MQD_DUMP_SHOW_XML_TEXT_H
#define MQD_DUMP_SHOW_XML_TEXT_H

#include <stdio.h>

/* Prints text so that it is text, between tags and in attributes. It has no characters that XML cannot have. */
void xml_text(FILE *to, const char *text);

/* The same of one byte. */
void xml_character(FILE *to, char character);

#endif
