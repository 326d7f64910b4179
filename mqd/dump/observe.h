/*
 * observe.h - all ranks of a job, looked at together.
 */
#ifndef MQD_DUMP_OBSERVE_H
#define MQD_DUMP_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/client/dll.h"
#include "mqd/dump/collect/client/host.h"
#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/stack.h"
#include "mqd/dump/collect/target/unwind.h"
#include "mqd/dump/show/picture.h"
#include "mqd/dump/verdict/verdict.h"

/* All about one process. It takes part in further steps as long as listing.error is NULL. */
struct rank {
    struct process process;
    mqs_image image;
    mqs_process host;
    struct listing listing;        /* of the last look */
    struct stacks stacks;
    struct calls calls;
    bool moved;                    /* it did something between looks, or could not be looked at again */
    bool stopped;                  /* by job control, before mqdump came */
    const struct missing_rank *missing;       /* it was not there any more when mqdump came; NULL: it was */
    double cpu_seconds;            /* that it had used when it was let go */
};

/* With what the ranks are looked at, and for what. */
struct view {
    const struct dll *dll;
    struct files *files;
    struct wishes wishes;
    bool why;                      /* where the ranks are and why they wait is to be found out too */
    struct picture *picture;       /* zeroed: who waits for whom at the last look is to be drawn; NULL: not wanted */
};

/*
 * Takes up a live process or, if `core` is not NULL, a core file, whose name must outlive the rank: everything that can
 * be done while it runs. With `running` it will not be stopped. Why that failed is in listing.error.
 */
void rank_take_up(struct rank *rank, struct process_id id, const char *core, bool running, const struct view *view);

/* Takes up a rank that is gone, which must outlive it: listing.error says so. */
void rank_take_missing(struct rank *rank, const struct missing_rank *missing);

/*
 * Stops all ranks, reads them and lets them go, and once or twice more if something is to be concluded that must hold
 * then too. True if there is a verdict: view->why is set, and at least one rank could be listed. *verdict, zeroed
 * before, is the caller's to clear.
 */
bool ranks_observe(struct rank *ranks, size_t n, const struct view *view, struct verdict *verdict);

void rank_release(struct rank *rank, const struct dll *dll);

#endif
