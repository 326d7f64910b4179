/*
 * start.h - starts a child that gets nothing of its caller but what is meant for it, and ends what it has left running.
 *
 * A program that mqdump starts may start others, which the kernel does not end with it. The guard is a process that
 * waits for nothing but the end of its caller, however that was, and then ends the groups of processes that are left.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_START_H
#define MQD_DUMP_COLLECT_CHILD_START_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/child/process_owner.h"

/* Exit statuses of a child; 0: it has done its work. */
enum {
    CHILD_REFUSES = 3,         /* it has said on standard error why it does nothing */
    CHILD_WITHOUT_MEMORY = 4
};

/* Under this descriptor a child finds the page in which it shows what it is at. */
enum { CHILD_WATCH = 3 };

/* Takes n bytes that a child has written. Returns false if the rest is of no use. */
typedef bool child_taker(void *context, const char *bytes, size_t n);

/* Takes a line of a child's standard error, of any origin, without its end. */
typedef void child_listener(void *context, const char *line);

struct child {
    /* Set before it is started. */
    int (*work)(void *context);    /* what a copy does, which returns its status; NULL: it is a program */
    const char *program;       /* searched as a shell does; NULL: it is mqdump itself */
    char *const *arguments;    /* after the name of the program; NULL at the end */
    const char *input;         /* what its standard input has; NULL: nothing */
    bool (*keeps)(const char *variable);   /* does it get this "NAME=VALUE" of the environment? NULL: it gets all */
    const struct owner *owner; /* another program: whom it becomes; NULL: it stays who starts it */
    double seconds;            /* it must end in this time; 0: there is no limit */
    double silent_seconds;     /* for which it may write nothing; 0: there is no limit */
    const char *limit;         /* what users know this limit as, as in "--limit time"; NULL: "time" */
    uint64_t max_bytes;        /* that it may write; 0: there is no limit */
    child_taker *take;
    child_listener *say;       /* NULL: its lines are written to standard error, safe for a terminal */
    void *context;             /* of these, and of the work */

    /* What has become of it. */
    char *problem;             /* why it has not done its work, about "mqdump's process"; NULL: it has. For free() */
    bool not_started;          /* that is why */
    bool refused;              /* it has said why on standard error */
    int status;                /* its exit status; -1: it has none */
    pid_t culprit;             /* the process that it was reading then; 0: unknown */

    /* Used by children_run. */
    pid_t pid;                 /* 0: it has been collected, or left behind */
    int output, messages;
    struct watch *watch;
    double start, heard_at;    /* the second: when it has written something */
    double ended_at;           /* killed, or collected; 0: it runs */
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
 * What a program needs to start and to speak the user's language, and what those need who test it. Other variables may
 * be secrets of the caller: one that becomes another user must not have them.
 */
bool variable_is_harmless(const char *variable);

struct guard {
    pid_t pid;
    int to;                        /* its pipe; the guard ends when nobody has it any more. -1: there is none */
};

/* Starts the guard of the calling process. If it cannot be started the other functions do without. */
void guard_start(struct guard *guard);

/* The group is not ended any more. Its leader must not have been waited for: until then its number is nobody else's. */
void guard_leave(const struct guard *guard, pid_t group);

/* Ends the groups that are left, and the guard. */
void guard_end(struct guard *guard);

/*
 * Starts a child, for which the signals of *mask are blocked. Another program than mqdump gets a session of its own, so
 * that it cannot use the terminal of the caller; it is the leader of its process group, which is ended with the caller.
 * If a program cannot be executed the process says why on its standard error, and ends with status CHILD_REFUSES. If no
 * process can be started, child->problem says why.
 */
void child_start(struct child *child, const struct guard *guard, const sigset_t *mask);

#endif
