/*
 * html_text.c - text of any origin in a page.
 */
#include "mqd/dump/show/html_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/show/picture.h"
#include "mqd/dump/show/xml_text.h"

void html_text(FILE *to, const char *text)
{
    char *clean = picture_text(text);

    xml_text(to, clean);
    free(clean);
}

void html_format(FILE *to, const char *format, ...)
{
    va_list list;
    char *text;

    va_start(list, format);
    text = format_list(format, list);
    va_end(list);
    html_text(to, text);
    free(text);
}

/* More of a list of ranks are not read. */
enum { MAX_LIST = 60 };

/* How much of a list is shown: up to a comma. */
static size_t cut_list(const char *list, size_t length)
{
    if (length <= MAX_LIST)
        return length;
    length = MAX_LIST;
    while (length > 0 && list[length - 1] != ',')
        length--;
    /* Without a comma it is no list, but a name. */
    return length > 0 ? length : strspn(list, "0123456789,-");
}

char *html_shorten_lists(const char *text)
{
    char *result = allocate_array(2 * strlen(text) + 1, 1), *end = result;

    while (*text != '\0') {
        size_t length = strspn(text, "0123456789,-"), shown = cut_list(text, length);

        if (length == 0)
            length = shown = 1;
        memcpy(end, text, shown);
        end += shown;
        if (shown > 0 && shown < length) {
            strcpy(end, "...");
            end += strlen("...");
        }
        text += length;
    }
    *end = '\0';
    return result;
}
