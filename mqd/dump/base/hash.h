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
    uint32_t hash;         /* a part of the name's, which tells most other names from it */
};
struct name_index {
    struct name_slot *slots;
    size_t n_slots, n_used;
    bool any_length;       /* names of each length are in it: the caller has checked that they are no parts of others */
};

/* Longer names are in no other index. They are as long as paths can be; the names of symbols are shorter. */
enum { MAX_INDEXED_NAME = 4096 };

/*
 * Adds a name, unless the index has it already: the first position of a name stays. Returns whether it was added. The
 * index keeps the pointer, not a copy. A zeroed index is empty. The time is that of reading the names, also if somebody
 * has chosen them for it to be long.
 */
bool name_index_add(struct name_index *index, const char *name, uint32_t position);
bool name_index_find(const struct name_index *index, const char *name, uint32_t *position);
void name_index_clear(struct name_index *index);

#endif
