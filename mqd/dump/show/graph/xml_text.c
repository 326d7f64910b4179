/*
 * xml_text.c - text in XML and HTML.
 */
#include "mqd/dump/show/graph/xml_text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/text_stream.h"

/*
 * May the character be in XML or HTML as it is? Control characters and what controls the direction of text may not, and
 * two that XML cannot have, not even as escapes.
 */
static bool can_print(uint32_t character)
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

static void print_clean(FILE *to, const char *text, bool escaped)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        uint32_t character = 0;
        size_t length = utf8_length(at, &character);
        bool good = length > 0 && can_print(character);

        for (size_t left = length > 0 ? length : 1; left > 0; left--, at++) {
            if (!good)
                fprintf(to, "\\x%02x", *at);
            else if (escaped && length == 1)
                print_character(to, (char)*at);
            else
                putc(*at, to);
        }
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
    print_clean(to, text, true);
}

char *clean_text(const char *text)
{
    return TEXT_OF(print_clean(text_to, text, false));
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
