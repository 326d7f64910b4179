/*
 * hash.c - an index by name: open addressing with linear probing, never more than half full.
 */
#include "mqd/dump/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

/*
 * SipHash-1-3 with a key that nobody can know: names come from files of others, who could choose them so that all have
 * one slot.
 */
struct sip {
    uint64_t v[4];
};

static const uint64_t *random_key(void)
{
    static uint64_t key[2];
    static bool made;

    /* Without random numbers the address of memory has to do. */
    if (!made && getrandom(key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key)
        key[0] = (uint64_t)(uintptr_t)&made;
    made = true;
    return key;
}

static uint64_t rotate(uint64_t word, int n)
{
    return word << n | word >> (64 - n);
}

static void mix(struct sip *sip)
{
    uint64_t *v = sip->v;

    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static void take_word(struct sip *sip, uint64_t word)
{
    sip->v[3] ^= word;
    mix(sip);
    sip->v[0] ^= word;
}

static uint64_t hash_of(const char *name, size_t length)
{
    const uint64_t *key = random_key();
    struct sip sip = {{key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                       key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u}};
    uint64_t word = 0;
    size_t at = 0;

    for (; at + sizeof word <= length; at += sizeof word) {
        memcpy(&word, name + at, sizeof word);
        take_word(&sip, word);
    }
    word = 0;
    memcpy(&word, name + at, length - at);
    take_word(&sip, word ^ (uint64_t)length << 56);
    sip.v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        mix(&sip);
    return sip.v[0] ^ sip.v[1] ^ sip.v[2] ^ sip.v[3];
}

/* The slot that has the name, or the free slot where it has to be added. */
static struct name_slot *slot_of(const struct name_index *index, const char *name, uint32_t hash)
{
    size_t mask = index->n_slots - 1;
    size_t at = hash & mask;

    while (index->slots[at].name != NULL &&
           (index->slots[at].hash != hash || strcmp(index->slots[at].name, name) != 0))
        at = (at + 1) & mask;
    return &index->slots[at];
}

/* The names are different: they need not be compared again. */
static void put(const struct name_index *index, const struct name_slot *slot)
{
    size_t mask = index->n_slots - 1, at = slot->hash & mask;

    while (index->slots[at].name != NULL)
        at = (at + 1) & mask;
    index->slots[at] = *slot;
}

static void enlarge(struct name_index *index)
{
    struct name_index larger = {.n_slots = index->n_slots > 0 ? 2 * index->n_slots : 256, .n_used = index->n_used,
                                .any_length = index->any_length};

    larger.slots = allocate_array(larger.n_slots, sizeof *larger.slots);
    for (size_t i = 0; i < index->n_slots; i++)
        if (index->slots[i].name != NULL)
            put(&larger, &index->slots[i]);
    free(index->slots);
    *index = larger;
}

/* Puts the length of a name into *length. False if it is too long for the index. */
static bool measure(const struct name_index *index, const char *name, size_t *length)
{
    *length = index->any_length ? strlen(name) : strnlen(name, MAX_INDEXED_NAME + 1);
    return index->any_length || *length <= MAX_INDEXED_NAME;
}

bool name_index_add(struct name_index *index, const char *name, uint32_t position)
{
    struct name_slot *slot;
    size_t length;
    uint32_t hash;

    if (!measure(index, name, &length))
        return false;
    if (2 * (index->n_used + 1) > index->n_slots)
        enlarge(index);
    hash = (uint32_t)hash_of(name, length);
    slot = slot_of(index, name, hash);
    if (slot->name != NULL)
        return false;
    *slot = (struct name_slot){name, position, hash};
    index->n_used++;
    return true;
}

bool name_index_find(const struct name_index *index, const char *name, uint32_t *position)
{
    const struct name_slot *slot;
    size_t length;

    if (index->n_slots == 0 || !measure(index, name, &length))
        return false;
    slot = slot_of(index, name, (uint32_t)hash_of(name, length));
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

/* Dictionaries. */

bool dictionary_find(const struct dictionary *dictionary, const char *text, uint32_t *number)
{
    return name_index_find(&dictionary->index, text, number);
}

size_t dictionary_number(struct dictionary *dictionary, char *text, bool *is_new)
{
    uint32_t known;
    bool is_known;

    /* Layouts and groups may be longer than any name. */
    dictionary->index.any_length = true;
    is_known = dictionary_find(dictionary, text, &known);
    if (is_new != NULL)
        *is_new = !is_known;
    if (is_known) {
        free(text);
        return known;
    }
    name_index_add(&dictionary->index, text, (uint32_t)dictionary->n);
    APPEND(dictionary->texts, dictionary->n, dictionary->room, text);
    return dictionary->n - 1;
}

void dictionary_clear(struct dictionary *dictionary)
{
    for (size_t i = 0; i < dictionary->n; i++)
        free(dictionary->texts[i]);
    free(dictionary->texts);
    name_index_clear(&dictionary->index);
    *dictionary = (struct dictionary){0};
}

/* Groups. */

void text_groups_add(struct text_groups *groups, char *text, size_t member)
{
    struct text_group *group;
    bool is_new;
    size_t at = dictionary_number(&groups->texts, text, &is_new);

    if (is_new)
        APPEND(groups->groups, groups->n, groups->room, (struct text_group){.text = groups->texts.texts[at]});
    group = &groups->groups[at];
    APPEND(group->members, group->n, group->room, member);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const struct text_group *)a)->text, ((const struct text_group *)b)->text);
}

void text_groups_sort_by_text(struct text_groups *groups)
{
    SORT(groups->groups, groups->n, compare_texts);
}

void text_groups_clear(struct text_groups *groups)
{
    for (size_t i = 0; i < groups->n; i++)
        free(groups->groups[i].members);
    free(groups->groups);
    dictionary_clear(&groups->texts);
    *groups = (struct text_groups){0};
}
