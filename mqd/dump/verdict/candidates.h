/*
 * candidates.h - which of a rank's operations a call waits for.
 */
#ifndef MQD_DUMP_VERDICT_CANDIDATES_H
#define MQD_DUMP_VERDICT_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/verdict/model.h"

/* The positions of operations that a call may be waiting for. */
struct candidates {
    uint32_t *operations;
    size_t n, room;
};


void candidates_add(struct candidates *candidates, uint32_t operation);
void candidates_clear(struct candidates *candidates);

/* Adds all operations of the rank that are not complete, the program's and the library's. */
void candidates_add_open(const struct model *model, const struct model_rank *rank, struct candidates *candidates);

/*
 * Adds the operations of a call to *candidates, which is empty before; the caller releases `operations` with free().
 * Returns whether all of them must complete; *guessed: it may wait for others.
 */
bool candidates_find(const struct model *model, const struct model_rank *rank, const struct call *call,
                     struct candidates *candidates, bool *guessed);

/* May the call wait for an operation that is not listed? */
bool call_may_be_hidden(const struct model_rank *rank, const struct call *call);

/* Are both open parts of one nonblocking collective operation? */
bool is_part_of_same(const struct model *model, const struct operation *part, const struct operation *other);

/* The first one of a rank's parts of the same operation; UINT32_MAX: it has none, or none any more. */
uint32_t find_part(const struct model *model, size_t rank, const struct operation *part);

/* Has the rank a part of the same operation of which nothing is open, and which goes on in a moment? */
bool has_complete_part(const struct model *model, size_t rank, const struct operation *part);

#endif
