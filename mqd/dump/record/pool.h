/*
 * pool.h - members of communicators that several records name: they are in memory once.
 */
#ifndef MQD_DUMP_RECORD_POOL_H
#define MQD_DUMP_RECORD_POOL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/record/dictionary.h"

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
