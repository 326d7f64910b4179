/*
 * wish.h - what is wished for: how ranks are read, and what of them is to be told.
 *
 * The command line fills it. From there it goes unchanged to all who read ranks, on this machine and on others.
 */
#ifndef MQD_DUMP_LOOK_WISH_H
#define MQD_DUMP_LOOK_WISH_H

#include <stdbool.h>
#include <stdint.h>

#include "mqd/dump/base/words.h"
#include "mqd/dump/record/witness.h"

/* Of questions about handles in one wish. */
enum { MAX_QUESTIONS = 64 };

/* What --limit has set. What it has not set grows with the number of processes. */
struct limit {
    bool is_set;
    uint64_t value;                /* 0: there is no limit */
};
struct limit_choice {
    struct limit memory;           /* bytes of each collector */
    struct limit cpu, time;        /* seconds: of processor time, and after which it is given up */
    struct limit host;             /* seconds after which another machine is given up */
};

struct wish {
    bool queues;                   /* communicators and operations */
    bool internal;                 /* those of the MPI library too */
    bool layout;                   /* what the listings rest on, in detail */
    struct words questions;        /* about handles, as in collect/client/handle.h */
    bool why;                      /* where the ranks are and why they wait, as far as that can be found out */
    bool needs_why;                /* nothing else will do: the debugging library must be able to tell */
    bool stacks;                   /* why: the whole stacks too */
    bool no_stop;                  /* the ranks are read while they run */
    char *dll;                     /* the debugging library; NULL: mqdump's own */
    char *sysroot;                 /* below which the files are that cores name; NULL: where they say */
    struct words executables;      /* of cores, in place of those that they name */
    struct limit_choice limits;
};

/* What a record of such a look has, if it can be found out why ranks wait, or not. */
static inline struct record_content wish_content(const struct wish *wish, bool why)
{
    return (struct record_content){.why = why, .internal = why || wish->internal, .layout = wish->layout,
                                   .queues = wish->queues, .stacks = why && wish->stacks};
}

#endif
