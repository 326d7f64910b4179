/*
 * hash.h - an index by name: the position of a name in an array that belongs to the caller.
 */
#ifndef MQD_DUMP_BASE_HASH_H
#define MQD_DUMP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_slot {
    const char *name;      /* NULL: free */
    uint32_t position;
};
struct name_index {
    struct name_slot *slots;
    size_t n_slots, n_used;
};

/*
 * Adds a name, unless the index has it already: the first position of a name stays. Returns whether it was added. The
 * index keeps the pointer, not a copy. A zeroed index is empty.
 */
bool name_index_add(struct name_index *index, const char *name, uint32_t position);
bool name_index_find(const struct name_index *index, const char *name, uint32_t *position);
void name_index_clear(struct name_index *index);

#endif
