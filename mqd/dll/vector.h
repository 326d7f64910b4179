/*
 * vector.h - growing arrays in the debugger's memory, and sorting without allocation.
 */
#ifndef MQD_DLL_VECTOR_H
#define MQD_DLL_VECTOR_H

#include "mqd/dll/debugger.h"

/* n_items items of item_size bytes each. All zero but item_size: an empty one. Its owner releases it. */
struct mqd_vector {
    unsigned char *items;
    size_t item_size, n_items, n_room;
};

/* A new item at the end, zeroed, valid until the next call; NULL if there is no memory, the vector as it was. */
void *mqd_vector_append(struct mqd_vector *vector);
void *mqd_vector_at(const struct mqd_vector *vector, size_t i);
void mqd_vector_release(struct mqd_vector *vector);

/* The largest item that can be sorted. */
#define MQD_SORT_BYTES 256

/*
 * Sorts in place, n log n always (heapsort: glibc's qsort allocates). `before` is a strict order; items that it does
 * not order end up in any order, so it had better order all.
 */
void mqd_vector_sort(struct mqd_vector *vector, bool (*before)(const void *a, const void *b));

/* Items that begin with a key of uint64_t: in ascending order of it; then the one that has it, NULL if none does. */
void mqd_vector_sort_by_key(struct mqd_vector *vector);
void *mqd_vector_find(const struct mqd_vector *vector, uint64_t key);

#endif
