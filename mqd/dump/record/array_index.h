/*
 * array_index.h - arrays of shared.h that have a number, which is found without looking at all their elements.
 */
#ifndef MQD_DUMP_RECORD_ARRAY_INDEX_H
#define MQD_DUMP_RECORD_ARRAY_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/base/hash.h"

struct numbered_array {
    char *key;
    void *array;                   /* the index is one of its users: nothing else can be at its address */
};

/* A zeroed one is empty. */
struct array_index {
    struct numbered_array *all;
    size_t n, room;
    struct name_index index;
};

bool array_index_find(const struct array_index *index, const void *array, size_t n, size_t *number);

/* Adds an array of n elements that is not in it. */
void array_index_add(struct array_index *index, void *array, size_t n, size_t number);
void array_index_clear(struct array_index *index);

#endif
