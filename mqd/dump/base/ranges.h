/*
 * ranges.h - ranks as people write them.
 */
#ifndef MQD_DUMP_BASE_RANGES_H
#define MQD_DUMP_BASE_RANGES_H

#include <stddef.h>

/* Sorts the ranks and removes duplicates. Returns how many are left. */
size_t ranks_sort(long *ranks, size_t n);

/* Returns sorted ranks as ranges, "0-511,514", for free(). A range has three ranks at least. */
char *ranks_fold(const long *ranks, size_t n);

/* The same for people, with a separator: five ranks or more at equal distances are "0,2,...,62". */
char *ranks_list(const long *ranks, size_t n, const char *separator);

/* The same with the noun and a verb after it: "rank 3 waits", "ranks 0-2,5 wait"; `verb` is as for one rank. */
char *ranks_phrase(const long *ranks, size_t n, const char *verb_for_one, const char *verb_for_many);

/*
 * Returns a text with those lists of ranks cut that are longer than `most` bytes: "3,17,29 and 409 others", for free().
 * Lists are as ranks_list makes them with ",".
 */
char *ranks_shorten(const char *text, size_t most);

#endif
