/*
 * printable.c - text from elsewhere, made fit for a terminal.
 */
#include "mqd/dump/printable.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "mqd/dump/common.h"

bool is_direction_control(uint32_t character)
{
    return character == 0x061c || character == 0x200e || character == 0x200f ||
           (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

/* The next piece of a text: a character that can be printed, or one byte that cannot. */
struct piece {
    size_t n_bytes;            /* of the text; 0: the text is at its end */
    size_t n_columns;
    char escaped[5];           /* "": it stands for itself */
};

static struct piece next_piece(const char *text)
{
    struct piece piece = {.n_bytes = 1, .n_columns = 4};
    mbstate_t state = {0};
    wchar_t character;
    size_t n = mbrtowc(&character, text, strnlen(text, MB_LEN_MAX - 1) + 1, &state);
    int width;

    if (n == 0)
        return (struct piece){0};
    if (n != (size_t)-1 && n != (size_t)-2 && !is_direction_control((uint32_t)character) &&
        (width = wcwidth(character)) >= 0) {
        piece.n_bytes = n;
        piece.n_columns = (size_t)width;
        return piece;
    }
    snprintf(piece.escaped, sizeof piece.escaped, "\\x%02x", (unsigned)(unsigned char)*text);
    return piece;
}

/* Appends a piece to a text of *length bytes that has room for it. */
static void append(char *to, size_t *length, const char *from, const struct piece *piece)
{
    const char *bytes = piece->escaped[0] != '\0' ? piece->escaped : from;
    size_t n = piece->escaped[0] != '\0' ? strlen(piece->escaped) : piece->n_bytes;

    memcpy(to + *length, bytes, n);
    *length += n;
    to[*length] = '\0';
}

char *printable(const char *text, size_t n_columns)
{
    static const char dots[] = "...";
    size_t dots_columns = sizeof dots - 1;
    char *result = allocate(4 * strlen(text) + sizeof dots, 1);
    size_t length = 0, used = 0;
    size_t length_before_dots = 0;
    struct piece piece;

    for (; (piece = next_piece(text)).n_bytes > 0; text += piece.n_bytes) {
        if (n_columns > 0 && used + piece.n_columns > n_columns) {
            memcpy(result + length_before_dots, dots, sizeof dots);
            return result;
        }
        append(result, &length, text, &piece);
        used += piece.n_columns;
        if (used + dots_columns <= n_columns)
            length_before_dots = length;
    }
    return result;
}

size_t columns_of(const char *text)
{
    size_t used = 0;
    struct piece piece;

    for (; (piece = next_piece(text)).n_bytes > 0; text += piece.n_bytes)
        used += piece.n_columns;
    return used;
}

size_t bytes_that_fit(const char *text, size_t n_columns)
{
    const char *at = text;
    size_t used = 0;
    struct piece piece;

    for (; (piece = next_piece(at)).n_bytes > 0 && used + piece.n_columns <= n_columns; at += piece.n_bytes)
        used += piece.n_columns;
    return (size_t)(at - text);
}
