/*
 * worker.h - does work in a process of its own, which can be left behind.
 *
 * A process that reads memory and files of others may be kept waiting by the kernel, and cannot be killed then. The
 * caller waits for it, but not longer than that makes sense, and says what it was reading.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_WORKER_H
#define MQD_DUMP_COLLECT_CHILD_WORKER_H

#include <sys/types.h>

/* Returns the exit status of the process in which it is called. */
typedef int worker_function(void *context);

/* How long is waited for a worker. */
struct patience {
    double in_kernel;          /* seconds for which it may wait uninterruptibly without ever having run */
    double after_expiry;       /* seconds for which watch_expired() may hold: what it reads has no worth any more */
    double after_signal;       /* seconds in which it must end after a signal that ends programs */
};

extern const struct patience worker_patience;

/*
 * Calls the function in a process of its own and waits for its end. Signals that end programs are passed on to it. If
 * one ends it, the caller too is ended by that signal, so that who has started it sees the same. The worker ends if the
 * caller does.
 *
 * Returns the exit status; `failure`, with a message, if there could be no worker, if it crashed, or if it was left
 * behind.
 */
int worker_run(worker_function *work, void *context, const struct patience *patience, int failure);

#endif
