/*
 * search.c - things that begin with an address.
 */
#include "mqd/dump/base/search.h"

#include <string.h>

#include "mqd/dump/base/sort.h"

static uint64_t start_of(const void *thing)
{
    uint64_t start;

    memcpy(&start, thing, sizeof start);
    return start;
}

int compare_starts(const void *a, const void *b)
{
    return ORDER(start_of(a), start_of(b));
}

/* An address is above what begins there. */
static int is_above(const void *address, const void *thing)
{
    return start_of(thing) <= *(const uint64_t *)address;
}

size_t count_up_to(uint64_t address, const void *things, size_t n, size_t size)
{
    return search_first(&address, things, n, size, is_above);
}
