/*
 * observe.h - reads all ranks of a job together.
 */
#ifndef MQD_DUMP_OBSERVE_H
#define MQD_DUMP_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/child/process_owner.h"
#include "mqd/dump/collect/client/dll.h"
#include "mqd/dump/collect/client/host.h"
#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/target/activity.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/collect/target/stack/unwind.h"
#include "mqd/dump/look/wish.h"
#include "mqd/dump/verdict/verdict.h"

/* All about one process. It takes part in further steps as long as listing.error is NULL. */
struct rank {
    struct process process;
    mqs_image image;
    mqs_process host;
    struct listing listing;        /* of the last look */
    const struct listing *before;  /* while a further look is taken: that of the look before; else NULL */
    struct stacks stacks;
    struct calls calls;
    bool moved;                    /* it did something between looks, or may have; or could not be looked at again */
    bool moved_last;               /* the same between the last two looks */
    bool starved;                  /* it had no processor time between looks; it counts as moved, but has not been seen to */
    bool went_on;                  /* it was in other calls of MPI at the look before */
    bool tested;                   /* it has tested for messages between looks, of which it has no request */
    bool outdated;                 /* it could not be read in the last look: the listing is of an earlier one */
    bool failed;                   /* it was there in the last look, but could not be read, or not wholly */
    bool gone;                     /* it could not be read in any look, and had ended while the others were stopped */
    struct activity activity;      /* as it was just before the last look; zeroed: not known */
    bool stopped;                  /* by job control or another debugger, before mqdump came; in the last look */
    bool stays_stopped;            /* the same in all looks */
    char job_number[24];           /* if listing.has_name: what stands for a job that has no name */
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
 * listing.error has the reason.
 */
void rank_take_up(struct rank *rank, struct process_id id, const struct core_source *core, bool running,
                  const struct view *view);

/* Makes a rank of a process that is not to be opened. It takes over the reason. */
void rank_refuse(struct rank *rank, struct process_id id, char *why);

/* What is known of the ranks, for free(). It refers to the ranks. */
struct witness *ranks_witnesses(struct rank *ranks, size_t n);

/*
 * Stops all ranks, reads them and lets them go. With view->why it does so again as often as it takes to tell whether
 * what one look shows holds.
 */
void ranks_observe(struct rank *ranks, size_t n, const struct view *view);

void rank_release(struct rank *rank, const struct dll *dll);

#endif
