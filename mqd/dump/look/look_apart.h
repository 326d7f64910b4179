/*
 * look_apart.h - a look that a process of its own takes, so that the caller can answer its terminal meanwhile.
 *
 * That process is a copy of the caller. It takes one look as the caller would, and its report is a record. All that the
 * look has needed is released by its end, whatever that was.
 */
#ifndef MQD_DUMP_LOOK_LOOK_APART_H
#define MQD_DUMP_LOOK_LOOK_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <signal.h>
#include <sys/types.h>

#include "mqd/dump/look/records.h"

/* Takes the look: writes a record to standard output, and what else there is to say to standard error. */
typedef bool look_taker(const void *context);

struct look_apart {
    pid_t pid;                     /* 0: it does not run */
    int result;                    /* the record, or what was written to standard output in its place */
    int messages;                  /* what it says on standard error, to wait for; -1: nothing more comes */
    char *said;                    /* so far; or NULL */
    size_t n_said, room;
    bool broken;                   /* a signal has ended it: that it has seen nothing shows nothing */
};
#define NO_LOOK ((struct look_apart){.result = -1, .messages = -1})

/*
 * Starts it, with the signals blocked that *mask has. With the caller it is ended. Nothing that is typed reaches it.
 * Returns false, with the reason in *why, if it cannot be started.
 */
bool look_start(struct look_apart *look, look_taker *take, const void *context, const sigset_t *mask, char **why);

/* Takes what it has said. */
void look_listen(struct look_apart *look);

/* Has it ended? Then pid is 0, and the result is there. */
bool look_has_ended(struct look_apart *look);

/*
 * Fills *records with what was seen, for records_clear; there are no witnesses if nothing was. The result is there
 * until look_clear.
 */
void look_read(const struct look_apart *look, struct records *records);

/* Writes the result to standard output as it is, unless it is a record. */
void look_pass_text(const struct look_apart *look);

/* Ends it, if it runs, and waits for that. */
void look_clear(struct look_apart *look);

#endif
