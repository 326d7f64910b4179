/*
 * search.c - things that begin with an address.
 */
#include "mqd/dump/base/search.h"

#include <string.h>

static uint64_t start_of(const void *thing)
{
    uint64_t start;

    memcpy(&start, thing, sizeof start);
    return start;
}

int compare_starts(const void *a, const void *b)
{
    return (start_of(a) > start_of(b)) - (start_of(a) < start_of(b));
}

size_t count_up_to(uint64_t address, const void *things, size_t n, size_t size)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (start_of((const char *)things + middle * size) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
