/*
 * attendance.h - which ranks are in collective operations, and on which communicators.
 */
#ifndef MQD_DUMP_VERDICT_ATTENDANCE_H
#define MQD_DUMP_VERDICT_ATTENDANCE_H

#include "mqd/dump/verdict/collective_call.h"
#include "mqd/dump/verdict/model.h"

/* A rank in a collective operation on a communicator. */
struct attendance {
    uint32_t rank;                 /* index in the model */
    uint32_t operation;            /* of the rank: an open send or receive for the collective operation */
    const struct call *call;       /* that waits for it, or where the rank is instead; NULL: not known */
    const char *function;          /* the collective call; NULL: a nonblocking operation */
    unsigned long number;          /* of the nonblocking operation; 0: not known, or none */
    size_t gathering;
    bool polled;                   /* it is known only from what ranks test for */
};

/* All ranks in collective operations on one communicator: `n` from `first` on, by rank. */
struct gathering {
    const struct communicator *communicator;   /* of the first rank's listing */
    size_t first, n;
    size_t *sorts;                             /* positions of the first attendances that agree with none before */
    size_t n_sorts, sort_room;
};

struct attendances {
    struct attendance *all;        /* by gathering and rank; a rank is in a gathering once */
    size_t n, room;
    struct gathering *gatherings;
    size_t n_gatherings, gathering_room;
    struct communicator_index communicators;   /* of the gatherings */
    size_t *of_ranks;              /* positions of attendances by rank, and of those by gathering */
    size_t *first_of_rank;         /* of the number of ranks and one: where those of a rank begin */
    size_t *waits;                 /* the waits for operations of collectives, by the rank of these */
    size_t *first_wait;            /* the same: where those of a rank begin */
};

void attendances_find(struct attendances *attendances, const struct model *model);
void attendances_clear(struct attendances *attendances);

/* The attendance of a rank in a gathering; NULL: it is not known to be in it. */
const struct attendance *attendance_of(const struct attendances *attendances, size_t gathering, uint32_t rank);

bool attends_any(const struct attendances *attendances, uint32_t rank);

/* The gathering to which an operation of a collective belongs; SIZE_MAX: to none. */
size_t gathering_of(const struct attendances *attendances, const struct model *model,
                    const struct operation *operation);

/* Is the rank in a function that no rank leaves before all have entered it? Those of intercommunicators are none. */
bool attendance_is_together(const struct attendance *attendance, const struct model *model);

/* Are both in the same function, or in the nonblocking operation with the same number? */
bool attendances_agree(const struct attendance *a, const struct attendance *b);

/* Do all ranks of the gathering do the same, as far as that is known? */
bool gathering_agrees(const struct attendances *attendances, size_t gathering);

#endif
