/*
 * call.h - what MPI functions wait for.
 */
#ifndef MQD_DUMP_VERDICT_CALL_H
#define MQD_DUMP_VERDICT_CALL_H

#include <stdbool.h>

#include "mqd/dump/collect/target/stack/stack.h"

/* What a thread in an MPI function waits for. */
enum call_kind {
    CALL_LOCAL,            /* nothing that can be told: it will return, or is not understood */
    CALL_RECEIVE,
    CALL_SEND,
    CALL_SENDRECV,
    CALL_PROBE,
    CALL_WAIT,
    CALL_WAIT_ALL,
    CALL_WAIT_ANY,
    CALL_COLLECTIVE,
    CALL_WINDOW,           /* a lock, a call of another rank on the window, or its part in accesses to it */
    CALL_FINALIZE
};
enum call_kind call_kind_of(const char *function);

/* Does this function test for messages or for the ends of operations, and return also without one? */
bool call_polls(const char *function);

/* Does it test for messages of which the program has no request? */
bool call_polls_for_any(const char *function);

/* Does it return whatever other processes do? If not, that is not known of it. */
bool call_never_waits(const char *function);

/* Does it wait for a program that may not have been started? */
bool call_awaits_program(const char *function);

/* May this function wait for a standard or ready send that it has started itself, without a request of the program? */
bool call_may_hide_send(const char *function);

/* Are two calls at the same place, as far as that is known? */
bool is_same_place(const struct call *a, const struct call *b);

/* What a rank that has left a collective function shows about the others. */
enum collective_kind {
    COLLECTIVE_NONE,       /* the function is not collective, or it starts an operation only */
    COLLECTIVE_TOGETHER,   /* no rank leaves it before all ranks have entered it */
    COLLECTIVE_ROOTED,     /* a rank leaves it when its own part is done, and one rank is the root */
    COLLECTIVE_PARTS       /* a rank leaves it when its own part is done */
};
enum collective_kind collective_kind_of(const char *function);

/*
 * Does it make a communicator? Then its messages may have the tags of a nonblocking operation: the ranks agree on a
 * number in such a one.
 */
bool call_makes_communicator(const char *function);

/* Does it send messages on communicators that it has made itself? */
bool call_uses_what_it_makes(const char *function);

/*
 * The collective function that the program has called, as in struct call; NULL if the call is in none. Of a file's
 * function that calls others it is the file's; but what a callback of the program calls is an operation of its own.
 */
const char *call_collective(const struct call *call);

/* The same as the program names it. */
const char *call_collective_shown(const struct call *call);

#endif
