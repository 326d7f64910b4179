/*
 * members.h - arrays of ranks and of processes in a record, as runs: most groups are short that way.
 */
#ifndef MQD_DUMP_RECORD_MEMBERS_H
#define MQD_DUMP_RECORD_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "include/mqd_extension.h"
#include "mqd/dump/base/hash.h"

/*
 * Ranks, as int: runs [FIRST, COUNT, STEP], of which COUNT and STEP are left away where they are 1; and of struct
 * mqd_process_name: runs [JOB, FIRST, COUNT] of ranks that follow each other.
 */
enum member_kind { MEMBERS_group, MEMBERS_peers, N_MEMBER_KINDS };
struct members {
    void *all;                     /* of shared.h; NULL: not known */
    size_t n;
};

/* The name of a kind in records. */
extern const char *const member_kinds[N_MEMBER_KINDS];

/* The bytes that one of them has. */
size_t member_size(enum member_kind kind);

json_t *members_write(enum member_kind kind, const struct members *members);

/* Reads a list of runs with at most `most` members. False, with the reason in *why, on failure; then there are none. */
bool members_read(enum member_kind kind, const json_t *runs, size_t most, struct members *members, char **why);

/* Members of communicators that several records name, in the same words: they are in memory once. */

struct member_pool {
    struct dictionary texts;       /* what a record says of them */
    struct members *all;           /* by the numbers of the texts */
    size_t room;
};

/* Those of all records of a report. A zeroed one is empty. */
struct record_pool {
    struct member_pool members[N_MEMBER_KINDS];
    uint64_t memory;               /* that all records need, about, in bytes */
    uint64_t max_memory;           /* the reader whose record would need more ends; 0: there is no limit */
};

/*
 * Returns the place of what the value says. The first time its members are NULL: the caller reads them and adds himself
 * as one more user for the pool. The place stays where it is until the next one is asked for.
 */
struct members *member_pool_place(struct member_pool *pool, const json_t *value);

void record_pool_clear(struct record_pool *pool);

#endif
