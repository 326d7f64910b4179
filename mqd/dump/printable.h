/*
 * printable.h - text from elsewhere, made fit for a terminal.
 */
#ifndef MQD_DUMP_PRINTABLE_H
#define MQD_DUMP_PRINTABLE_H

#include <stddef.h>

/*
 * A copy of the text for free() in which everything that the locale cannot print (control characters, broken
 * characters) is written as \xHH. With n_columns not 0, a text that needs more columns is cut and ends in "...";
 * n_columns is then at least 3.
 */
char *printable(const char *text, size_t n_columns);

/* How many bytes of a printable text, in whole characters, fit into so many columns. */
size_t bytes_that_fit(const char *text, size_t n_columns);

/* How many columns a printable text takes. */
size_t columns_of(const char *text);

#endif
