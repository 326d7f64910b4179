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

/* The same of one byte. */
void xml_character(FILE *to, char character);

#endif
