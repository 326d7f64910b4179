/*
 * local.h - has processes and cores looked at by collectors, and puts together what they have seen.
 */
#ifndef MQD_DUMP_ASK_LOCAL_H
#define MQD_DUMP_ASK_LOCAL_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/job/missing_rank.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/look/wish.h"

/* What is looked at: processes or cores of all owners. */
struct targets {
    struct process_id *processes;  /* each once */
    size_t n_processes;
    struct words cores;            /* files, in place of processes */
    const struct missing_rank *missing;   /* ranks that are not there any more, and belong to the same report */
    size_t n_missing;
    bool among_others;             /* there are ranks besides these */
};

/*
 * Fills *records with what was seen: one record for each collector, and all targets in their order. What could not be
 * read has an error that says why. Start times of processes are filled in. Returns false if nothing could be done at
 * all; a message has said why. Release with records_clear in any case.
 */
bool ask_local(struct records *records, const struct wish *wish, const struct targets *targets);

#endif
