/*
 * printable.h - makes text of any origin safe to print on a terminal.
 */
#ifndef MQD_DUMP_BASE_PRINTABLE_H
#define MQD_DUMP_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
