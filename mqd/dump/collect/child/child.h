/*
 * child.h - processes of mqdump's own that read others, and how they end.
 *
 * A child is mqdump again, started anew, so that it has nothing of the caller: no memory, no descriptors, and of the
 * environment no more than it needs. It answers through a pipe. Who reads memory and files of others may crash, take
 * for ever, or be kept waiting by the kernel, where no signal ends it. The caller waits, but not longer than that makes
 * sense, and knows why there is no answer.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_CHILD_H
#define MQD_DUMP_COLLECT_CHILD_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/base/watch.h"

/* Exit statuses of a child; 0: it has done its work. */
enum {
    CHILD_REFUSES = 3,         /* it has said on standard error why it does nothing */
    CHILD_WITHOUT_MEMORY = 4
};

/* Under this descriptor a child finds the page in which it shows what it is at. */
enum { CHILD_WATCH = 3 };

/* How long is waited for a child. */
struct patience {
    double to_run;             /* seconds for which it may wait without ever having run */
    double after_expiry;       /* seconds for which watch_expired() may hold: what it reads has no worth any more */
};

extern const struct patience child_patience;

/* Takes n bytes that a child has written. Returns false if the rest is of no use. */
typedef bool child_taker(void *context, const char *bytes, size_t n);

struct child {
    /* Set before it is started. */
    char *const *arguments;    /* after the name of the program; NULL at the end */
    bool is_other;             /* it becomes another user, and gets nothing of the environment but what it needs */
    double seconds;            /* it must end in this time; 0: there is no limit */
    uint64_t max_bytes;        /* that it may write; 0: there is no limit */
    child_taker *take;
    void *context;

    /* What has become of it. */
    char *problem;             /* why it has not done its work, about "mqdump's process"; NULL: it has. For free() */
    bool refused;              /* it has said why on standard error */
    pid_t culprit;             /* the process that it was reading then; 0: unknown */

    /* Used by children_run. */
    pid_t pid;                 /* 0: it has been collected, or left behind */
    int output, messages;
    struct watch *watch;
    double start, ended_at;    /* the second: killed, or collected; 0: it runs */
    double waits_since;        /* in the kernel, without having run; 0: it does not */
    uint64_t switches;
    double expired_since;
    uint64_t n_bytes;
    char *line;                /* the start of a message whose end has not come */
    size_t line_length, n_message_bytes;
};

/*
 * Starts the children, several at a time, takes what they write until all have ended or have been given up, and shows
 * their progress. What they write to standard error is written there line by line, safe for a terminal. Signals that
 * end programs end the children and then the caller.
 */
void children_run(struct child *children, size_t n, const struct patience *patience);

void child_clear(struct child *child);

#endif
