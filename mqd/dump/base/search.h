/*
 * search.h - things that begin with an address, as their first member, of type uint64_t.
 */
#ifndef MQD_DUMP_BASE_SEARCH_H
#define MQD_DUMP_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Compares two by their addresses, for qsort. */
int compare_starts(const void *a, const void *b);

/* How many of n things of `size` bytes, sorted by their addresses, have this address or a lower one. */
size_t count_up_to(uint64_t address, const void *things, size_t n, size_t size);

#endif
