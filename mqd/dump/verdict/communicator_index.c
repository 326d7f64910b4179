/*
 * communicator_index.c - communicators by what ranks that share one say of it. Open MPI's number is not enough: all
 * that one MPI_Comm_split makes have the same.
 */
#include "mqd/dump/verdict/communicator_index.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/*
 * The two sides of an intercommunicator have different groups, and of members of several jobs groups are not compared:
 * of these the number alone counts.
 */
static uint32_t hash_of(const struct communicator *communicator)
{
    uint64_t hash = mix(0, communicator->unique_id);

    if (!communicator_is_inter(communicator) && communicator->peers == NULL && communicator->group != NULL &&
        communicator->size > 0) {
        hash = mix(hash, (uint64_t)communicator->size);
        hash = mix(hash, (uint64_t)communicator->group[0]);
    }
    return (uint32_t)hash;
}

static void put(struct communicator_index *index, size_t slot)
{
    uint32_t *head = &index->heads[index->slots[slot].hash & (index->n_heads - 1)];

    index->slots[slot].next = *head;
    *head = (uint32_t)slot + 1;
}

static void widen(struct communicator_index *index)
{
    index->n_heads = index->n_heads > 0 ? 2 * index->n_heads : 16;
    free(index->heads);
    index->heads = allocate_array(index->n_heads, sizeof *index->heads);
    for (size_t i = 0; i < index->n; i++)
        put(index, i);
}

void communicator_index_add(struct communicator_index *index, const struct communicator *communicator,
                            uint32_t position)
{
    if (index->n == index->n_heads)
        widen(index);
    index->slots = grow_array(index->slots, index->n, &index->room, sizeof *index->slots);
    index->slots[index->n] = (struct communicator_slot){.hash = hash_of(communicator), .position = position};
    put(index, index->n++);
}

void communicator_index_clear(struct communicator_index *index)
{
    free(index->slots);
    free(index->heads);
    *index = (struct communicator_index){0};
}

static const struct communicator_slot *find(const struct communicator_index *index, uint32_t slot, uint32_t hash)
{
    while (slot != 0 && index->slots[slot - 1].hash != hash)
        slot = index->slots[slot - 1].next;
    return slot != 0 ? &index->slots[slot - 1] : NULL;
}

const struct communicator_slot *communicator_index_first(const struct communicator_index *index,
                                                         const struct communicator *communicator)
{
    uint32_t hash = hash_of(communicator);

    return index->n_heads > 0 ? find(index, index->heads[hash & (index->n_heads - 1)], hash) : NULL;
}

const struct communicator_slot *communicator_index_next(const struct communicator_index *index,
                                                        const struct communicator_slot *slot)
{
    return find(index, slot->next, slot->hash);
}
