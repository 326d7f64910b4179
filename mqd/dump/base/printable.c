/*
 * printable.c - makes text of any origin safe to print on a terminal, and in JSON.
 */
#include "mqd/dump/base/printable.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <wchar.h>

#include "mqd/dump/base/memory.h"

bool is_direction_control(uint32_t character)
{
    return character == 0x061c || character == 0x200e || character == 0x200f ||
           (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

size_t utf8_length(const unsigned char *text, uint32_t *found)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80 ? 1 : (text[0] & 0xe0) == 0xc0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3
                  : (text[0] & 0xf8) == 0xf0 ? 4 : 0;
    uint32_t character = length > 1 ? text[0] & (0x7fu >> length) : text[0];

    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (text[i] & 0x3fu);
    }
    if (length == 0 || character < least[length] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
        return 0;
    *found = character;
    return length;
}

/* The next piece of a text: a character that can be printed, or one byte that cannot. */
struct piece {
    size_t n_bytes;            /* of the text; 0: the text is at its end */
    size_t n_columns;
    char escaped[5];           /* "": it is printed as it is */
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
    char *result = allocate_array(4 * strlen(text) + sizeof dots, 1);
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

/* Returns how many bytes fit into so many columns, and how many columns these take. */
static size_t measure(const char *text, size_t n_columns, size_t *used)
{
    const char *at = text;
    struct piece piece;

    *used = 0;
    for (; (piece = next_piece(at)).n_bytes > 0 && piece.n_columns <= n_columns - *used; at += piece.n_bytes)
        *used += piece.n_columns;
    return (size_t)(at - text);
}

size_t columns_of(const char *text)
{
    size_t used;

    measure(text, SIZE_MAX, &used);
    return used;
}

size_t bytes_that_fit(const char *text, size_t n_columns)
{
    size_t used;

    return measure(text, n_columns, &used);
}

void print_line(FILE *to, const char *fmt, ...)
{
    OWNED char *line = NULL, *text = NULL;
    va_list list;

    va_start(list, fmt);
    line = format_list(fmt, list);
    va_end(list);
    text = printable(line, 0);
    fprintf(to, "%s\n", text);
}

/* JSON. */

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
