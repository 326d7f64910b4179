/*
 * child.h - processes that mqdump starts, and how they end.
 *
 * A child is mqdump again, started anew, so that it has nothing of the caller: no memory, no descriptors, and of the
 * environment no more than it needs. It answers through a pipe. Who reads memory and files of others may crash, take
 * for ever, or be kept waiting by the kernel, where no signal ends it. The caller waits, but not longer than that makes
 * sense, and knows why there is no answer.
 *
 * Or it is a copy of the caller that does some work, for what needs no other rights. Or it is another program, by which
 * mqdump is started on another machine. It may start others, and is ended together with them, also if the caller is
 * killed. It is asked to end before: then it can end what it has started elsewhere.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_CHILD_H
#define MQD_DUMP_COLLECT_CHILD_CHILD_H

#include <stddef.h>

#include "mqd/dump/collect/child/start.h"

/* How long is waited for a child, and for how many at once. */
struct patience {
    double to_run;             /* seconds for which it may wait without ever having run; 0: there is no limit */
    double after_expiry;       /* seconds for which it may read on what has been let go: that has no worth any more */
    size_t at_once;            /* children that may run at the same time; 0: some */
    const char *counted;       /* what a child stands for, "hosts": progress shows how many have ended. NULL: it shows
                                  how far they are with the ranks that they read */
};

extern const struct patience child_patience;

/*
 * Starts the children, several at a time, takes what they write until all have ended or have been given up, and shows
 * their progress. Signals that end programs end the children and then the caller.
 */
void children_run(struct child *children, size_t n, const struct patience *patience);

/*
 * Ends the calling program, by SIGPIPE, if nobody reads what is written to this descriptor; from now on children_run does
 * so too, and ends its children.
 */
void children_end_with_reader(int descriptor);

void child_clear(struct child *child);

#endif
