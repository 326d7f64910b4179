/*
 * rank.h - one look at all ranks of a job.
 */
#ifndef MQD_DUMP_LOOK_RANK_H
#define MQD_DUMP_LOOK_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/child/process_owner.h"
#include "mqd/dump/collect/client/dll.h"
#include "mqd/dump/collect/client/host.h"
#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/collect/target/stack/unwind.h"
#include "mqd/dump/look/wish.h"
#include "mqd/dump/record/witness.h"

/* All about one process. It takes part in further steps as long as seen.listing.error is NULL. */
struct rank {
    struct process process;
    mqs_image image;
    mqs_process host;
    struct stacks stacks;
    struct record_rank seen;       /* what the last look, and all looks together, have shown */
    const struct listing *before;  /* while a further look is taken: that of the look before; else NULL */
    bool failed;                   /* it was there in the last look, but could not be read, or not wholly */
};

/* How the ranks are read, and what for. */
struct view {
    const struct dll *dll;
    struct files *files;
    struct hold *hold;             /* stops the live ones */
    const struct owner *owner;     /* no files are opened for processes of others; NULL: that is known otherwise */
    const struct wish *wish;
    bool why;                      /* it wants to know why, and that can be found out. Then the MPI library's own
                                      operations are listed in any case */
    bool thorough;                 /* there are ranks besides these: what holds of these alone decides nothing */
};

/*
 * Opens a live process or, if `core` is not NULL, a core file, which must outlive the rank. Does everything that
 * can be done while the process runs. With `running` the process will not be stopped later. After a failure
 * seen.listing.error has the reason.
 */
void rank_take_up(struct rank *rank, struct process_id id, const struct core_source *core, bool running,
                  const struct view *view);

/* Makes a rank of a process that is not to be opened. It takes over the reason. */
void rank_refuse(struct rank *rank, struct process_id id, char *why);

/* Is one of them no core? A second look at a core shows nothing new. */
bool ranks_any_live(const struct rank *ranks, size_t n);

/* Stops all ranks, reads them and lets them go. */
void ranks_read(struct rank *ranks, size_t n, const struct view *view);

/* Nothing more is read: releases what is needed for that, so that there is room for what is done with the rest. */
void rank_end_looks(struct rank *rank, const struct dll *dll);

/* Releases the rest. */
void rank_release(struct rank *rank);

#endif
