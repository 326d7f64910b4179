/*
 * printable.h - text from elsewhere, made fit for a terminal.
 */
#ifndef MQD_DUMP_BASE_PRINTABLE_H
#define MQD_DUMP_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A copy of the text for free() in which everything that the locale cannot print (control characters, broken
 * characters), and what controls the direction of text, is written as \xHH. With n_columns not 0, a text that
 * needs more columns is cut and ends in "..."; n_columns is then at least 3.
 */
char *printable(const char *text, size_t n_columns);

/*
 * Does this character of Unicode only change the direction in which others are shown? A name could use it to look like
 * another, or to turn the rest of the line around.
 */
bool is_direction_control(uint32_t character);

/* How many bytes the UTF-8 character at the start of a text has; 0 if there is no valid one. */
size_t utf8_length(const unsigned char *text, uint32_t *found);

/* How many bytes of a printable text, in whole characters, fit into so many columns. */
size_t bytes_that_fit(const char *text, size_t n_columns);

/* How many columns a printable text takes. */
size_t columns_of(const char *text);

#endif
