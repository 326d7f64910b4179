/*
 * vector.h - growing arrays in the debugger's memory, and sorting without allocation.
 */
#ifndef MQD_DLL_VECTOR_H
#define MQD_DLL_VECTOR_H

#include "mqd/dll/debugger.h"

/* n_items items of item_size bytes each. An empty vector is all zero but for item_size. Its owner releases it. */
struct mqd_vector {
    unsigned char *items;
    size_t item_size, n_items, n_room;
};

/*
 * _append adds a zeroed item at the end; the pointer is valid until the next _append. It returns NULL if there is no
 * memory; the vector is then unchanged.
 */
void *mqd_vector_append(struct mqd_vector *vector);
void *mqd_vector_at(const struct mqd_vector *vector, size_t i);
void mqd_vector_release(struct mqd_vector *vector);

/* The largest item that can be sorted. */
#define MQD_SORT_BYTES 256

/*
 * Sorts in place, always in n log n steps (heapsort: glibc's qsort allocates). `before` must be a strict total order:
 * the sort is not stable.
 */
void mqd_vector_sort(struct mqd_vector *vector, bool (*before)(const void *a, const void *b));

/*
 * For items that begin with a uint64_t, their key: _sort_by_key sorts them in ascending order. In a vector that is so
 * sorted _find returns the item with this key, NULL if there is none.
 */
void mqd_vector_sort_by_key(struct mqd_vector *vector);
void *mqd_vector_find(const struct mqd_vector *vector, uint64_t key);

#endif
