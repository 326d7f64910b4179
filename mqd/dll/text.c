/* text.c - cutting and formatting. */
#include "mqd/dll/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mqd/dll/banned.h"

/* The largest n' <= n such that text[n'] begins a character; at most three bytes of one can stand before it. */
static size_t character_boundary(const char *text, size_t n)
{
    for (size_t back = 0; back < 4 && back <= n; back++)
        if (((unsigned char)text[n - back] & 0xc0) != 0x80)
            return n - back;
    return n;
}

void mqd_copy_text(char *to, size_t n_room, const char *from, size_t n_from)
{
    const char *nul = memchr(from, '\0', n_from);
    size_t n = nul != NULL ? (size_t)(nul - from) : n_from;

    if (n >= n_room)
        n = character_boundary(from, n_room - 1);
    memcpy(to, from, n);
    to[n] = '\0';
}

void mqd_format(char *to, size_t n_room, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mqd_copy_text(to, n_room, text, sizeof text);
}

void mqd_make_harmless(char *text)
{
    for (; *text != '\0'; text++) {
        char c = *text;

        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '+' ||
              c == '-' || c == '_'))
            *text = '?';
    }
}
