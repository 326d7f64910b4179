/*
 * xml_text.c - text in XML and HTML.
 */
#include "mqd/dump/show/xml_text.h"

void xml_character(FILE *to, char character)
{
    switch (character) {
    case '&':
        fputs("&amp;", to);
        break;
    case '<':
        fputs("&lt;", to);
        break;
    case '>':
        fputs("&gt;", to);
        break;
    case '"':
        fputs("&quot;", to);
        break;
    case '\'':
        fputs("&#39;", to);
        break;
    default:
        putc(character, to);
    }
}

void xml_text(FILE *to, const char *text)
{
    for (; *text != '\0'; text++)
        xml_character(to, *text);
}
