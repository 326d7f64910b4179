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
