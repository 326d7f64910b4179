/* text.c - cutting texts and putting them together. */
#include "mqd/dll/text.h"

#include <string.h>

#include "mqd/dll/banned.h"

/* The number of bytes of the UTF-8 character that begins with this one; 1 if none does. */
static size_t character_bytes(char first)
{
    unsigned char byte = (unsigned char)first;

    return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

/* n without the bytes of an incomplete last character. */
static size_t whole_characters(const char *text, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++)
        if (character_bytes(text[n - back]) > back)
            return n - back;
    return n;
}

size_t mqd_copy_text(char *to, size_t n_room, const char *from, size_t n_from)
{
    const char *nul = memchr(from, '\0', n_from);
    size_t n = nul != NULL ? (size_t)(nul - from) : n_from;

    if (n >= n_room - 1)
        n = whole_characters(from, n_room - 1);
    memcpy(to, from, n);
    to[n] = '\0';
    return n;
}

struct mqd_line mqd_line_in(char *text, size_t n_room)
{
    text[0] = '\0';
    return (struct mqd_line){.text = text, .n = 0, .n_room = n_room};
}

void mqd_add(struct mqd_line *line, const char *text)
{
    line->n += mqd_copy_text(line->text + line->n, line->n_room - line->n, text, line->n_room);
}

static void add_digits(struct mqd_line *line, uint64_t number, unsigned base)
{
    char digits[24];
    size_t i = sizeof digits - 1;

    digits[i] = '\0';
    do {
        digits[--i] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    mqd_add(line, digits + i);
}

void mqd_add_number(struct mqd_line *line, uint64_t number)
{
    add_digits(line, number, 10);
}

void mqd_add_address(struct mqd_line *line, uint64_t address)
{
    mqd_add(line, "0x");
    add_digits(line, address, 16);
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
