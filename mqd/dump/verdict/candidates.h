/*
 * candidates.h - which of a rank's operations a call waits for.
 */
#ifndef MQD_DUMP_VERDICT_CANDIDATES_H
#define MQD_DUMP_VERDICT_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/verdict/model.h"

/*
 * Adds the operations for which a rank's call may wait, and says whether all of them must complete, and whether the call
 * may wait for others. *found has only `call` before.
 */
void candidates_find(const struct model *model, const struct model_rank *rank, struct waiting_call *found);

/* The same of what a rank may test for: all its operations that are not complete, the program's and the library's. */
void candidates_find_open(const struct model *model, const struct model_rank *rank, struct waiting_call *found);

/* May the call wait for an operation that is not listed? */
bool call_may_be_hidden(const struct model_rank *rank, const struct call *call);

/* Are both open parts of one nonblocking collective operation? */
bool is_part_of_same(const struct operation *part, const struct operation *other);

/* The first one of a rank's parts of the same operation; UINT32_MAX: it has none, or none any more. */
uint32_t find_part(const struct model *model, size_t rank, const struct operation *part);

/* Has the rank a part of the same operation of which nothing is open, and which goes on in a moment? */
bool has_complete_part(const struct model *model, size_t rank, const struct operation *part);

#endif
