/*
 * vector.h - growing arrays in the debugger's memory, and sorting.
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
static inline void *mqd_vector_at(const struct mqd_vector *vector, size_t i)
{
    return vector->items + i * vector->item_size;
}
void mqd_vector_release(struct mqd_vector *vector);

/*
 * Sorts in n log n steps. Where the items are in order, or parts of them in the reverse one, n steps and no memory are
 * enough; else it takes as much again as the vector has (glibc's qsort allocates too). On MQD_RC_no_memory all items are
 * there, in any order. `before` is a strict order.
 */
typedef bool mqd_before(const void *a, const void *b);
enum mqd_rc mqd_vector_sort(struct mqd_vector *vector, mqd_before *before) MQD_CHECKED;

/*
 * Brings the items of each group (0 to n_groups - 1) together; those of one stay in their order. Memory as above, unless
 * they are together already. On failure nothing is changed.
 */
typedef size_t mqd_group_of(const void *item);
enum mqd_rc mqd_vector_group(struct mqd_vector *vector, size_t n_groups, mqd_group_of *group_of) MQD_CHECKED;

/*
 * For items that begin with a uint64_t, their key: _sort_by_key sorts them in ascending order. In a vector that is so
 * sorted _find returns the item with this key, NULL if there is none.
 */
enum mqd_rc mqd_vector_sort_by_key(struct mqd_vector *vector) MQD_CHECKED;
void *mqd_vector_find(const struct mqd_vector *vector, uint64_t key);

#endif
