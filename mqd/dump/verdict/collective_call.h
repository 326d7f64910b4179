/*
 * collective_call.h - MPI's collective functions, and when a rank may leave them.
 */
#ifndef MQD_DUMP_VERDICT_COLLECTIVE_CALL_H
#define MQD_DUMP_VERDICT_COLLECTIVE_CALL_H

#include "mqd/dump/collect/target/stack/stack.h"

/* What a rank that has left a collective function shows about the others. */
enum collective_sort {
    SORT_NONE,             /* the function is not collective, or it starts an operation only */
    SORT_TOGETHER,         /* no rank leaves it before all ranks have entered it */
    SORT_ROOTED,           /* a rank leaves it when its own part is done, and one rank is the root */
    SORT_PARTS             /* a rank leaves it when its own part is done */
};
enum collective_sort call_sort_of(const char *function);

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
