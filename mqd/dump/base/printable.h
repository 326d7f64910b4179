/*
 * printable.h - makes text of any origin safe to print on a terminal, and in JSON.
 */
#ifndef MQD_DUMP_BASE_PRINTABLE_H
#define MQD_DUMP_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Returns a copy of the text for free(). It writes as \xHH everything that the locale cannot print (control characters,
 * broken characters) and everything that controls the direction of text. If n_columns is not 0 it must be at least 3: a
 * text that needs more columns is cut and ends in "...".
 */
char *printable(const char *text, size_t n_columns);

/*
 * Does this character of Unicode only change the direction in which others are shown? With it a name could look like
 * another name, or reverse the rest of the line.
 */
bool is_direction_control(uint32_t character);

/* How many bytes the UTF-8 character at the start of a text has; 0 if there is no valid one. */
size_t utf8_length(const unsigned char *text, uint32_t *found);

/* How many bytes of a printable text, in whole characters, fit into so many columns. */
size_t bytes_that_fit(const char *text, size_t n_columns);

/* How many columns a printable text takes. */
size_t columns_of(const char *text);

/* Prints a line of any text so that it is one line, and safe for a terminal. */
void print_line(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints a JSON string with its quotation marks. It is valid UTF-8 whatever the text has. */
void json_print_string(FILE *to, const char *text);

/* Prints a string, null if the text is NULL or empty; _text as the value of a member, which is not the first. */
void json_print_string_or_null(FILE *to, const char *text);
void json_print_text(FILE *to, const char *key, const char *text);

#endif
