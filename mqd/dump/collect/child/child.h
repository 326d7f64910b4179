/*
 * child.h - processes that mqdump starts, and how they end.
 *
 * A child is mqdump again, started anew, so that it has nothing of the caller: no memory, no descriptors, and of the
 * environment no more than it needs. It answers through a pipe. Who reads memory and files of others may crash, take
 * for ever, or be kept waiting by the kernel, where no signal ends it. The caller waits, but not longer than that makes
 * sense, and knows why there is no answer.
 *
 * Or it is another program, by which mqdump is started on another machine. It may start others, and is ended together
 * with them, also if the caller is killed. It is asked to end before: then it can end what it has started elsewhere.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_CHILD_H
#define MQD_DUMP_COLLECT_CHILD_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/child/start.h"

/* How long is waited for a child, and for how many at once. */
struct patience {
    double to_run;             /* seconds for which it may wait without ever having run; 0: there is no limit */
    double after_expiry;       /* seconds for which watch_expired() may hold: what it reads has no worth any more */
    size_t at_once;            /* children that may run at the same time; 0: some */
    const char *counted;       /* what a child stands for, "hosts": progress shows how many have ended. NULL: it shows
                                  how far they are with the ranks that they read */
};

extern const struct patience child_patience;

/* Takes n bytes that a child has written. Returns false if the rest is of no use. */
typedef bool child_taker(void *context, const char *bytes, size_t n);

/* Takes a line of a child's standard error, of any origin, without its end. */
typedef void child_listener(void *context, const char *line);

struct child {
    /* Set before it is started. */
    const char *program;       /* searched as a shell does; NULL: it is mqdump itself */
    char *const *arguments;    /* after the name of the program; NULL at the end */
    const char *input;         /* what its standard input has; NULL: nothing */
    bool is_other;             /* it becomes another user */
    bool is_bare;              /* as others, it gets nothing of the environment but what it needs */
    bool (*keeps)(const char *variable);   /* does it get this "NAME=VALUE" of the environment? NULL: it gets all */
    const struct owner *owner; /* another program: whom it becomes; NULL: it stays who starts it */
    double seconds;            /* it must end in this time; 0: there is no limit */
    const char *limit;         /* what users know this limit as, as in "--limit time"; NULL: "time" */
    uint64_t max_bytes;        /* that it may write; 0: there is no limit */
    child_taker *take;
    child_listener *say;       /* NULL: its lines are written to standard error, safe for a terminal */
    void *context;             /* of both */

    /* What has become of it. */
    char *problem;             /* why it has not done its work, about "mqdump's process"; NULL: it has. For free() */
    bool refused;              /* it has said why on standard error */
    int status;                /* its exit status; -1: it has none */
    pid_t culprit;             /* the process that it was reading then; 0: unknown */

    /* Used by children_run. */
    pid_t pid;                 /* 0: it has been collected, or left behind */
    int output, messages;
    struct watch *watch;
    double start, ended_at;    /* the second: killed, or collected; 0: it runs */
    double left_at;            /* since when another program has left those alone that it has started; 0: it runs */
    double waits_since;        /* in the kernel, without having run; 0: it does not */
    uint64_t switches;
    double expired_since;
    uint64_t n_bytes;              /* that it has written */
    uint64_t n_read;               /* the same, and what it has said */
    char *line;                /* the start of a message whose end has not come */
    size_t line_length, n_message_bytes;
};

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
