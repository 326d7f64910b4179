/*
 * communicator_index.h - finds communicators that may be the same as one of another rank.
 */
#ifndef MQD_DUMP_VERDICT_COMMUNICATOR_INDEX_H
#define MQD_DUMP_VERDICT_COMMUNICATOR_INDEX_H

#include <stdint.h>

#include "mqd/dump/collect/client/listing.h"

struct communicator_slot {
    uint32_t hash;
    uint32_t position;             /* in an array that belongs to the caller */
    uint32_t next;                 /* of the same head, and one; 0: it is the last */
};

/* A zeroed index is empty. */
struct communicator_index {
    struct communicator_slot *slots;
    size_t n, room;
    uint32_t *heads;               /* a slot, and one; 0: none */
    size_t n_heads;                /* a power of two, or 0 */
};

void communicator_index_add(struct communicator_index *index, const struct communicator *communicator,
                            uint32_t position);
void communicator_index_clear(struct communicator_index *index);

/*
 * Returns the first slot, and the one after a slot, of those with a communicator that may be the same; NULL: there is
 * none. Whichever model_same_communicator says is the same is among them. A later one comes before an earlier one.
 */
const struct communicator_slot *communicator_index_first(const struct communicator_index *index,
                                                         const struct communicator *communicator);
const struct communicator_slot *communicator_index_next(const struct communicator_index *index,
                                                        const struct communicator_slot *slot);

#endif
