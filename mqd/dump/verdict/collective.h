/*
 * collective.h - which ranks are in collective operations, and on which communicators.
 */
#ifndef MQD_DUMP_VERDICT_COLLECTIVE_H
#define MQD_DUMP_VERDICT_COLLECTIVE_H

#include "mqd/dump/verdict/call.h"
#include "mqd/dump/verdict/finding.h"
#include "mqd/dump/verdict/model.h"

/* A rank in a collective operation on a communicator. */
struct participant {
    uint32_t rank;                 /* index in the model */
    uint32_t operation;            /* of the rank: an open send or receive for the collective operation */
    const struct call *call;       /* that waits for it, or where the rank is instead; NULL: not known */
    const char *function;          /* the collective call; NULL: a nonblocking operation */
    unsigned long number;          /* of the nonblocking operation; 0: not known, or none */
    size_t collective;
    bool polled;                   /* it is known only from what ranks test for */
};

/* All ranks in collective operations on one communicator: `n` from `first` on, by rank. */
struct collective {
    const struct communicator *communicator;   /* of the first rank's listing */
    size_t first, n;
    size_t *kinds;                             /* positions of the first collectives that agree with none before */
    size_t n_kinds, kind_room;
};

struct collectives {
    struct participant *all;        /* by collective and rank; a rank is in a collective once */
    size_t n, room;
    struct collective *operations;
    size_t n_operations, operation_room;
    struct communicator_index communicators;   /* of the operations */
    size_t *of_ranks;              /* positions of collectives by rank, and of those by collective */
    size_t *first_of_rank;         /* of the number of ranks and one: where those of a rank begin */
    size_t *waits;                 /* the waits for operations of collectives, by the rank of these */
    size_t *first_wait;            /* the same: where those of a rank begin */
};

void collectives_find(struct collectives *collectives, const struct model *model);
void collectives_clear(struct collectives *collectives);

/* The participant of a rank in a collective; NULL: it is not known to be in it. */
const struct participant *participant_of(const struct collectives *collectives, size_t collective, uint32_t rank);

bool participates_in_any(const struct collectives *collectives, uint32_t rank);

/* The collective to which an operation of a collective belongs; SIZE_MAX: to none. */
size_t collective_of(const struct collectives *collectives, const struct model *model,
                    const struct operation *operation);

/* Is the rank in a function that no rank leaves before all have entered it? Those of intercommunicators are none. */
bool participant_is_together(const struct participant *participant, const struct model *model);

/* Do all ranks of the collective do the same, as far as that is known? */
bool collective_agrees(const struct collectives *collectives, size_t collective);

/* The most that is known. */
enum scope {
    SCOPE_UNKNOWN,         /* the call may be on another one: the library makes communicators for windows and files */
    SCOPE_FILE,            /* it is the call's file's, which may use others too */
    SCOPE_CALL             /* the call is on it, or on its window */
};

/* What is known of all ranks of a collective. */
enum scope collective_scope(const struct collectives *collectives, const struct model *model, size_t collective);

/*
 * The ids of the ranks whose part is missing there, in order. Ranks that may be done with their part, and ranks of
 * which too little is known, are not among them.
 */
struct rank_set collective_missing(const struct collectives *collectives, const struct model *model, size_t collective);

/* For free(): "3 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 1 is missing." */
char *say_collective_missing(const struct collectives *collectives, const struct model *model, size_t collective);

#endif
