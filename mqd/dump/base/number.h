/*
 * number.h - numbers as people read them, and as programs write them.
 *
 * What is counted, in messages, bytes, ranks or threads, and tags have a comma between thousands, wherever people read
 * them. Ranks, process ids and other names have none: there are commas between them.
 */
#ifndef MQD_DUMP_BASE_NUMBER_H
#define MQD_DUMP_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Reads the decimal digits at *text, of a number of at most `most`, and moves behind them. False, with nothing changed,
 * if there are none, or the number is larger.
 */
bool number_take(const char **text, int64_t most, int64_t *number);

/* The number that a whole text is, at most `most`; -1: it is none. */
int64_t number_of(const char *text, int64_t most);

/* Room for any number. */
typedef char number_chars[32];

/* Writes the number with its commas, "99,990", and returns it. */
const char *number_write(number_chars text, long number);

/* The same, of any type, as an argument: it lasts to the end of the block. No number here is beyond a long. */
#define NUMBER(number) number_write((number_chars){""}, (long)(number))

/* The same of a sum; "too many" if it is beyond the numbers that a double has exactly, and more than any memory. */
const char *sum_write(number_chars text, double sum);
#define SUM(sum) sum_write((number_chars){""}, (sum))

/* The unsigned number that `size` bytes, 8 or 4, of this machine's order are. */
static inline uint64_t word_of(const void *bytes, size_t size)
{
    uint64_t word = 0;
    uint32_t half = 0;

    if (size == sizeof word)
        memcpy(&word, bytes, sizeof word);
    else
        memcpy(&half, bytes, sizeof half);
    return word + half;
}

#endif
