/*
 * gather.h - has processes and cores looked at by collectors, and puts together what they have seen.
 */
#ifndef MQD_DUMP_GATHER_H
#define MQD_DUMP_GATHER_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/collect/child/request.h"
#include "mqd/dump/collect/job/missing_rank.h"
#include "mqd/dump/look/records.h"

/* What is to be looked at, and how. */
struct gather_wish {
    struct request request;        /* processes or cores of all owners, and how they are read */
    struct limit_choice limits;
    const struct missing_rank *missing;   /* ranks that are not there any more, and belong to the same report */
    size_t n_missing;
};

/*
 * Fills *records with what was seen: one record for each collector, and all processes in the order of the request. What
 * could not be read has an error that says why. Start times in the request are filled in. Returns false if nothing
 * could be done at all; a message has said why. Release with records_clear in any case.
 */
bool gather(struct records *records, struct gather_wish *wish);

#endif
