/*
 * hold.h - has processes held while they are read.
 *
 * A process of mqdump's own, the holder, attaches to them, keeps the time and lets them go: see holder.h. The caller
 * reads them. Whatever becomes of the caller or of the holder, the processes go on.
 */
#ifndef MQD_DUMP_COLLECT_HOLD_HOLD_H
#define MQD_DUMP_COLLECT_HOLD_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/process.h"

struct hold {
    pid_t holder;              /* 0: none */
    int socket;                /* to it; -1: it has ended */
    bool holds;                /* something may be held */
    double seconds, seconds_per_process;   /* how long processes are held at most */
    double seconds_to_answer;              /* a holder that takes longer, besides these for each process, is ended */
    double deadline;                       /* of the answer that is awaited */
    double for_another;        /* until then another mqdump that has a process is waited for; 0: SECONDS_FOR_ANOTHER */
    bool gave_up;              /* one was waited for in vain: at the next look it is not, unless it has let go */
};

/*
 * Starts a holder, as a child of the caller, for these n processes and no others; for any if `only` is NULL. It has
 * nothing open of what the caller has. This is for the beginning of a program, before it opens anything on behalf of a
 * process. On failure returns false, with the reason in *why.
 */
bool hold_start(struct hold *hold, const struct process_id *only, size_t n, char **why);

/* Ends the holder, which lets go what it holds. */
void hold_end(struct hold *hold);

/* A process to be held; *why is set, to a text about "it", if it cannot be. */
struct hold_wish {
    struct process *process;
    char **why;
};

/*
 * Stops all threads of the processes, and fills process->threads and ->reader. What cannot be held has a reason then,
 * and no threads; another process that has the pid now is not read. hold_let_go must follow in every case. For a core,
 * and for a process that is read while it runs, nothing is done. Nor is a process touched all of whose threads another
 * debugger has stopped: it is read as it stands there, and hold_stood_still must follow.
 */
void hold_processes(struct hold *hold, const struct hold_wish *wishes, size_t n);

/*
 * Has a process that another debugger holds not run since hold_processes? Else what was read of it is of no one moment:
 * false, with the reason in *why. Of all other processes true. To be asked while those are still held.
 */
bool hold_stood_still(const struct process *process, char **why);

/*
 * Lets all processes go on. Returns false, with the reason in *why, if they may have gone on before: then nothing that
 * was read since hold_processes is known to be of one moment.
 */
bool hold_let_go(struct hold *hold, char **why);

#endif
