/*
 * hash.c - an index by name: open addressing with linear probing, never more than half full.
 */
#include "mqd/dump/base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

/* FNV-1a: a short function that distributes identifiers well. */
static size_t hash_of(const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot that has the name, or the free slot where it has to be added. */
static struct name_slot *slot_of(const struct name_index *index, const char *name)
{
    size_t mask = index->n_slots - 1;
    size_t at = hash_of(name) & mask;

    while (index->slots[at].name != NULL && strcmp(index->slots[at].name, name) != 0)
        at = (at + 1) & mask;
    return &index->slots[at];
}

static void enlarge(struct name_index *index)
{
    struct name_index larger = {.n_slots = index->n_slots > 0 ? 2 * index->n_slots : 256, .n_used = index->n_used};

    larger.slots = allocate_array(larger.n_slots, sizeof *larger.slots);
    for (size_t i = 0; i < index->n_slots; i++)
        if (index->slots[i].name != NULL)
            *slot_of(&larger, index->slots[i].name) = index->slots[i];
    free(index->slots);
    *index = larger;
}

bool name_index_add(struct name_index *index, const char *name, uint32_t position)
{
    struct name_slot *slot;

    if (2 * (index->n_used + 1) > index->n_slots)
        enlarge(index);
    slot = slot_of(index, name);
    if (slot->name != NULL)
        return false;
    *slot = (struct name_slot){name, position};
    index->n_used++;
    return true;
}

bool name_index_find(const struct name_index *index, const char *name, uint32_t *position)
{
    const struct name_slot *slot;

    if (index->n_slots == 0)
        return false;
    slot = slot_of(index, name);
    if (slot->name == NULL)
        return false;
    *position = slot->position;
    return true;
}

void name_index_clear(struct name_index *index)
{
    free(index->slots);
    *index = (struct name_index){0};
}
