/*
 * buckets.c - things by what they belong to.
 */
#include "mqd/dump/base/buckets.h"

#include "mqd/dump/base/memory.h"

struct buckets buckets_make(const uint32_t *of, size_t n, size_t n_buckets)
{
    struct buckets buckets = {.members = allocate_array(n + 1, sizeof *buckets.members),
                              .first = allocate_array(n_buckets + 2, sizeof *buckets.first)};
    uint32_t *next = buckets.first + 1;    /* where the next of each comes: in the end, where those of the next begin */

    for (size_t i = 0; i < n; i++)
        if (of[i] != UINT32_MAX)
            next[of[i] + 1]++;
    for (size_t i = 1; i <= n_buckets; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < n; i++)
        if (of[i] != UINT32_MAX)
            buckets.members[next[of[i]]++] = i;
    return buckets;
}

void buckets_clear(struct buckets *buckets)
{
    FREE_ALL(buckets->members, buckets->first);
    *buckets = (struct buckets){0};
}
