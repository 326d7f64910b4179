/*
 * movement.h - what a process has done between two looks.
 */
#ifndef MQD_DUMP_VERDICT_MOVEMENT_H
#define MQD_DUMP_VERDICT_MOVEMENT_H

#include <stdbool.h>

#include "mqd/dump/record/witness.h"

/*
 * Has the process done something between two looks? Computing outside of MPI does not count, and testing again for a
 * message does not count.
 */
bool witness_has_moved(const struct witness *before, const struct witness *after);

/* The same, but that a stack cannot be told at one of the looks is no movement: it proves neither that nor rest. */
bool witness_is_seen_to_move(const struct witness *before, const struct witness *after);

/*
 * Has the process tested for messages of which it has no request (MPI_Iprobe, MPI_Improbe) between two looks, and done
 * nothing else?
 */
bool witness_has_tested(const struct witness *before, const struct witness *after);

/* Is a thread in another call of MPI than before, of whatever kind, or not in MPI any more? */
bool witness_has_gone_on(const struct witness *before, const struct witness *after);

/* Does a thread wait in OpenMP, or for a mutex, for something else than before? */
bool witness_threads_have_moved(const struct witness *before, const struct witness *after);

/* Is it another process than before, or has it moved? For two records, between which any time may have passed. */
bool witness_has_changed(const struct witness *before, const struct witness *after);

/*
 * Is it in a collective operation of which it has no send and no receive? If it stays there the operation does not run
 * over messages, but over memory that the ranks share, or a library. These are not counted.
 */
bool witness_waits_uncounted(const struct witness *witness);

/* Does its main thread wait for an operation that is counted? Then it has not come back since it started that. */
bool witness_waits_counted(const struct witness *witness);

/*
 * Does it show where the process is, and not where it was at an earlier look? In MPI_Finalize there are at some time
 * no communicators any more.
 */
bool witness_is_shown(const struct witness *witness);

/* What two records together prove. */
enum movement {
    MOVEMENT_UNKNOWN,      /* one of them does not show where the process is */
    MOVEMENT_FOUND,        /* it is another process, or it has moved */
    MOVEMENT_NOT_SEEN,     /* both show the same, which a process that moves and comes back would show too */
    MOVEMENT_NONE          /* what it has started is counted, and it has started nothing */
};
enum movement witness_movement(const struct witness *before, const struct witness *after);

#endif
