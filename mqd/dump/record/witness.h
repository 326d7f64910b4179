/*
 * witness.h - what is known of one process, for verdicts, and of the look that has shown it.
 */
#ifndef MQD_DUMP_RECORD_WITNESS_H
#define MQD_DUMP_RECORD_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/job/absent_ranks.h"
#include "mqd/dump/collect/openmp/facts.h"
#include "mqd/dump/collect/target/activity.h"
#include "mqd/dump/collect/target/stack/stack.h"

/* What was asked for, and is there of all ranks that could be read. */
struct record_content {
    bool why;                      /* it was looked why they wait, as often as that needs */
    bool internal;                 /* the MPI library's own operations are there too */
    bool layout;                   /* what the listings rest on is there in detail */
    bool queues;                   /* communicators and operations are there */
    bool stacks;                   /* the whole stacks of all threads are there */
};

/*
 * A look. A record may have several, each of some of its ranks. A machine that could not be looked at has one too,
 * without a time and without ranks, whose problem says why.
 */
struct record_look {
    char *mqdump;                  /* the version of the program; NULL: unknown */
    char *host;                    /* its machine's name; NULL: unknown */
    char taken[32];                /* "2024-05-31T17:08:59.123456Z": of two, the later one is the larger string. Clocks
                                      of two machines may differ. "": it was not, or nothing of it is known */
    size_t n_processes;            /* that were looked at: so many lines are to come */
    struct record_content has;
    char *problem;                 /* why it is not whole; NULL: it is */
};

/* What a look has cost. How long the debugging library took is in each listing. */
struct record_statistics {
    uint64_t n_reads, n_bytes;     /* of the memory of processes and cores */
};

/* What is known of one process. */
struct witness {
    const struct listing *listing;     /* with the MPI library's own operations */
    const struct calls *calls;         /* NULL: not known */
    const struct openmp *openmp;       /* what OpenMP's runtimes know of its threads; NULL: it has none */
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
    bool threads_moved;                /* since the first look a thread has come to wait for another one of its process:
                                          that alone is no move */
    int look;                          /* that it is of: those of one look were looked at together. Others were not */
    const char *host;                  /* the machine where it was looked at; NULL: not known */
    bool tested;                       /* it has tested for messages since, as MPI_Iprobe does; that is no move */
    bool outdated;                     /* it could not be read again: the listing and the calls are of an earlier look */
};

/*
 * Is it held by another debugger, and was it read there? As of a core there is no look that would show what has come
 * since it was stopped.
 */
static inline bool witness_is_held(const struct witness *witness)
{
    return witness->stopped && !witness->outdated && witness->calls != NULL && witness->activity != NULL &&
           witness->activity->state == 't';
}

/* A process, with all that its witness tells of. */
struct record_rank {
    struct witness witness;        /* its pointers are to the rest, or NULL */
    struct listing listing;
    struct calls calls;
    struct openmp openmp;
    struct activity activity;
    struct missing_rank missing;
    char job_number[24];
};

/* Lets the witness say what the listing does, and the listing point to what the witness knows. */
void record_rank_connect(struct record_rank *rank);

#endif
