/*
 * xml_text.c - text in XML and HTML.
 */
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/graph/xml_text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"

bool xml_can_print(uint32_t character)
{
    bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);

    return !is_control && !is_direction_control(character) && character != 0xfffe && character != 0xffff;
}

static void print_character(FILE *to, char character)
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
        print_character(to, *text);
}

/* Most of a page is such text: it is not copied for that. */
void html_text(FILE *to, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        uint32_t character = 0;
        size_t length = utf8_length(at, &character);

        if (length == 1 && xml_can_print(character)) {
            print_character(to, (char)*at++);
            continue;
        }
        for (size_t left = length > 0 ? length : 1; left > 0; left--, at++)
            fprintf(to, length > 0 && xml_can_print(character) ? "%c" : "\\x%02x", *at);
    }
}

void html_element(FILE *to, const char *before, const char *text, const char *after)
{
    fputs(before, to);
    html_text(to, text);
    fputs(after, to);
}

void html_format(FILE *to, const char *format, ...)
{
    va_list list;
    OWNED char *text = NULL;

    va_start(list, format);
    text = format_list(format, list);
    va_end(list);
    html_text(to, text);
}
