/*
 * html_text.c - text of any origin in a page.
 */
#include "mqd/dump/show/page/html_text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/show/graph/xml_text.h"

/* Most of a page is such text: it is not copied for that. */
void html_text(FILE *to, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        uint32_t character = 0;
        size_t length = utf8_length(at, &character);

        if (length == 1 && xml_can_print(character)) {
            xml_character(to, (char)*at++);
            continue;
        }
        for (size_t left = length > 0 ? length : 1; left > 0; left--, at++)
            fprintf(to, length > 0 && xml_can_print(character) ? "%c" : "\\x%02x", *at);
    }
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
