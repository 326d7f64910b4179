/*
 * start.h - starts a program that gets nothing of its caller but what is meant for it.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_START_H
#define MQD_DUMP_COLLECT_CHILD_START_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "mqd/dump/collect/child/guard.h"
#include "mqd/dump/collect/child/process_owner.h"

/* Exit statuses of a child; 0: it has done its work. */
enum {
    CHILD_REFUSES = 3,         /* it has said on standard error why it does nothing */
    CHILD_WITHOUT_MEMORY = 4
};

/* Under this descriptor a child finds the page in which it shows what it is at. */
enum { CHILD_WATCH = 3 };

struct start {
    const char *program;           /* searched as a shell does; NULL: mqdump itself */
    char *const *arguments;        /* after the name of the program; NULL at the end */
    bool (*keeps)(const char *variable);   /* does it get this "NAME=VALUE" of the environment? NULL: it gets all */
    const struct owner *owner;     /* of another program: whom it becomes; NULL: it stays who starts it */
    int input;                     /* a descriptor for its standard input; -1: that is empty */
    int output, messages;          /* the same for its standard output and error */
    int watch;                     /* for CHILD_WATCH; -1: none */
    const struct guard *guard;     /* of another program's group */
    const sigset_t *mask;          /* signals that are blocked for it */
};

/*
 * What a program needs to start and to speak the user's language, and what those need who test it. Other variables may
 * be secrets of the caller.
 */
bool variable_is_harmless(const char *variable);

/*
 * Returns its process id; -1, with the reason in errno, if it cannot be started. Another program than mqdump gets a
 * session of its own, so that it cannot use the terminal of the caller; it is the leader of its process group, and the
 * kernel ends it with the caller. If the program cannot be executed the process says why on its standard error, and
 * ends with status CHILD_REFUSES.
 */
pid_t start_program(const struct start *start);

#endif
