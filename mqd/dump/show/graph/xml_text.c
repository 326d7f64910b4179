/*
 * xml_text.c - text in XML and HTML.
 */
#include "mqd/dump/show/graph/xml_text.h"

#include "mqd/dump/base/printable.h"

bool xml_can_print(uint32_t character)
{
    bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);

    return !is_control && !is_direction_control(character) && character != 0xfffe && character != 0xffff;
}

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
