/*
 * json_string.c - quoting.
 */
#include "mqd/dump/base/json_string.h"

#include <stdint.h>

#include "mqd/dump/base/printable.h"

void json_print_string(FILE *to, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    putc('"', to);
    while (*at != '\0') {
        uint32_t character = 0;
        size_t length = utf8_length(at, &character);

        if (length == 0)
            fputs("\\ufffd", to);
        else if (*at == '"' || *at == '\\')
            fprintf(to, "\\%c", *at);
        else if (character < 0x20 || (character >= 0x7f && character < 0xa0) || is_direction_control(character))
            fprintf(to, "\\u%04x", (unsigned)character);
        else
            fwrite(at, 1, length, to);
        at += length > 0 ? length : 1;
    }
    putc('"', to);
}

void json_print_string_or_null(FILE *to, const char *text)
{
    if (text != NULL && *text != '\0')
        json_print_string(to, text);
    else
        fputs("null", to);
}

void json_print_text(FILE *to, const char *key, const char *text)
{
    fprintf(to, ",\"%s\":", key);
    json_print_string_or_null(to, text);
}
