/*
 * buckets.h - things by what they belong to.
 */
#ifndef MQD_DUMP_BASE_BUCKETS_H
#define MQD_DUMP_BASE_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

/* The positions of those that belong to b are members[first[b]] to members[first[b + 1] - 1], in order. */
struct buckets {
    uint32_t *members;
    uint32_t *first;
};

/* Each of n things belongs to what `of` says, below n_buckets; UINT32_MAX: to nothing. The time is linear. */
struct buckets buckets_make(const uint32_t *of, size_t n, size_t n_buckets);
void buckets_clear(struct buckets *buckets);

#endif
