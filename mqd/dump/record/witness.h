/*
 * witness.h - what is known of one process, for verdicts.
 */
#ifndef MQD_DUMP_RECORD_WITNESS_H
#define MQD_DUMP_RECORD_WITNESS_H

#include <stdbool.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/job/missing_rank.h"
#include "mqd/dump/collect/target/activity.h"
#include "mqd/dump/collect/target/stack/stack.h"

/* What is known of one process. */
struct witness {
    const struct listing *listing;     /* with the MPI library's own operations */
    const struct calls *calls;         /* NULL: not known */
    const char *job;                   /* processes of other jobs have the same ranks; NULL: the launcher gave no name */
    long user;                         /* whose process it is, which it cannot choose as it can `job`; -1: not known */
    const char *job_number;            /* Open MPI's number of its job as a text, if listing->has_name; else NULL */
    const struct activity *activity;   /* what it does in the kernel; NULL: not known */
    bool stopped;                      /* a signal has stopped it: what it seems to wait for may be there */
    bool stays_stopped;                /* job control or a debugger has kept it from running in each look */
    bool stuck;                        /* it is proved not to have left an uninterruptible wait for some time */
    bool ended;                        /* there is no such process any more */
    bool crashed;                      /* it was killed by a signal, listing->signal, for an error of its own */
    bool once;                         /* there is no second look, which would show what was on its way at the first */
    const struct missing_rank *missing;           /* it was not found where it was started; NULL: it was */
    bool moved;                        /* it is seen to have done something since the first look, or is starved */
    bool moved_last;                   /* it may have done something since the look before this one */
    bool starved;                      /* it had no processor time between two looks to find a message that has come */
    bool went_on;                      /* it was in another call of MPI at the look before; that alone is no move */
    int look;                          /* that it is of: those of one look were looked at together. Others were not */
    const char *host;                  /* the machine where it was looked at; NULL: not known */
    bool tested;                       /* it has tested for messages since, as MPI_Iprobe does; that is no move */
    bool outdated;                     /* it could not be read again: the listing and the calls are of an earlier look */
};

/* A process, with all that its witness tells of. */
struct record_rank {
    struct witness witness;        /* its pointers are to the rest, or NULL */
    struct listing listing;
    struct calls calls;
    struct activity activity;
    struct missing_rank missing;
    char job_number[24];
};

/* Lets the witness say what the listing does, and the listing point to what the witness knows. */
void record_rank_connect(struct record_rank *rank);

#endif
