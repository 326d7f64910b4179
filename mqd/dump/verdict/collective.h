/*
 * collective.h - which ranks are in collective operations, and on which communicators.
 */
#ifndef MQD_DUMP_VERDICT_COLLECTIVE_H
#define MQD_DUMP_VERDICT_COLLECTIVE_H

#include "mqd/dump/base/buckets.h"
#include "mqd/dump/verdict/call.h"
#include "mqd/dump/verdict/finding.h"
#include "mqd/dump/verdict/model.h"

/* A rank in a collective operation on a communicator. */
struct participant {
    uint32_t rank;                 /* index in the model */
    uint32_t operation;            /* of the rank: an open send or receive for the collective operation */
    const struct communicator *communicator;   /* of the rank's listing */
    const struct call *call;       /* that waits for it, or where the rank is instead; NULL: not known */
    const char *function;          /* the collective call; NULL: a nonblocking operation */
    unsigned long number;          /* of the nonblocking operation; 0: not known, or none */
    size_t collective;
    bool is_together;              /* no rank leaves the function before all have entered it: not on intercommunicators */
    bool polled;                   /* it is known only from what ranks test for */
};

/* All ranks in collective operations on one communicator. */
struct collective {
    const struct participant *participants;    /* `n`, by rank */
    size_t n;
    const struct participant **kinds;          /* the first ones that agree with none before. One: all ranks do the
                                                  same, as far as that is known */
    size_t n_kinds, kind_room;
};

struct collectives {
    const struct model *model;
    struct participant *all;        /* by collective and rank; a rank is in a collective once */
    size_t n, room;
    struct collective *operations;
    size_t n_operations, operation_room;
    size_t *of_communicators;      /* by their numbers: the collective, SIZE_MAX: there is none */
    struct buckets of_ranks;       /* positions of participants by rank, and of those by collective */
    struct buckets waits;          /* the waits for operations of collectives, by the rank of these */
};

void collectives_find(struct collectives *collectives, const struct model *model);
void collectives_clear(struct collectives *collectives);

/* The participant of a rank in a collective; NULL: it is not known to be in it. */
const struct participant *participant_of(const struct collective *collective, uint32_t rank);

bool participates_in_any(const struct collectives *collectives, uint32_t rank);

/* The collective to which an operation of a collective belongs; SIZE_MAX: to none. */
size_t collective_of(const struct collectives *collectives, const struct operation *operation);

/* Are both in the same function, or in the nonblocking operation with the same number? */
bool participants_agree(const struct participant *a, const struct participant *b);

/* The most that is known. */
enum scope {
    SCOPE_UNKNOWN,         /* the call may be on another one: the library makes communicators for windows and files */
    SCOPE_FILE,            /* it is the call's file's, which may use others too */
    SCOPE_CALL             /* the call is on it, or on its window */
};

/* What is known of all ranks of a collective. */
enum scope collective_scope(const struct collectives *collectives, const struct collective *collective);

/*
 * The ids of the ranks whose part is missing there, in order. Ranks that may be done with their part, and ranks of
 * which too little is known, are not among them.
 */
struct rank_set collective_missing(const struct collectives *collectives, const struct collective *collective);

#endif
