/*
 * dictionary.h - what was written once and is referred to by number.
 */
#ifndef MQD_DUMP_RECORD_DICTIONARY_H
#define MQD_DUMP_RECORD_DICTIONARY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/base/hash.h"

/* A zeroed one is empty. */
struct dictionary {
    char **texts;
    size_t n, room;
    struct name_index index;
};

/* Returns the number of a text, which is taken over. *is_new: it was not there, and is now. */
size_t dictionary_number(struct dictionary *dictionary, char *text, bool *is_new);
void dictionary_clear(struct dictionary *dictionary);

/* Arrays of shared.h that have a number, which is found without looking at all their elements. */

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

/* Members of communicators that several records name, in the same words: they are in memory once. */

/* Arrays of shared.h, by what a record says of them. */
struct pooled {
    void *members;                 /* NULL: it could not be read */
    size_t n;
};
struct member_pool {
    struct dictionary texts;
    struct pooled *all;            /* by the numbers of the texts */
    size_t room;
};

/* Those of all records of a report. A zeroed one is empty. */
struct record_pool {
    struct member_pool groups, peers;
    uint64_t memory;               /* that all records need, about, in bytes */
    uint64_t max_memory;           /* the reader whose record would need more ends; 0: there is no limit */
};

/*
 * Returns the place of what the value says. The first time its members are NULL: the caller reads them and adds himself
 * as one more user for the pool. The place stays where it is until the next one is asked for.
 */
struct pooled *member_pool_place(struct member_pool *pool, const json_t *value);

void record_pool_clear(struct record_pool *pool);

#endif
