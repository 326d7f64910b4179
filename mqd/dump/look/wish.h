/*
 * wish.h - what is wished for: how ranks are read, and what of them is to be told.
 *
 * The command line fills it. From there it goes unchanged to all who read ranks, on this machine and on others.
 */
#ifndef MQD_DUMP_LOOK_WISH_H
#define MQD_DUMP_LOOK_WISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What --limit has set; 0: no limit. What it has not set grows with the number of processes. */
struct limit_choice {
    bool has_memory, has_cpu, has_time, has_host;
    uint64_t memory;               /* bytes of each collector */
    uint64_t cpu, time;            /* seconds: of processor time, and after which it is given up */
    uint64_t host;                 /* seconds after which another machine is given up */
};

/* Texts are the caller's. */
struct wish {
    bool queues;                   /* communicators and operations */
    bool internal;                 /* those of the MPI library too */
    bool layout;                   /* what the listings rest on, in detail */
    bool why;                      /* where the ranks are and why they wait, as far as that can be found out */
    bool needs_why;                /* nothing else will do: the debugging library must be able to tell */
    bool stacks;                   /* why: the whole stacks too */
    bool no_stop;                  /* the ranks are read while they run */
    const char *dll;               /* the debugging library; NULL: mqdump's own */
    const char *sysroot;           /* below which the files are that cores name; NULL: where they say */
    const char **executables;      /* of cores, in place of those that they name */
    size_t n_executables;
    struct limit_choice limits;
};

#endif
