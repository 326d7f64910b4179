/*
 * header.h - when and where a look was taken, and what was asked for.
 */
#ifndef MQD_DUMP_RECORD_HEADER_H
#define MQD_DUMP_RECORD_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Fills in what is not asked for: program, host and time. Release with record_look_clear. */
void record_look_set_here(struct record_look *look);

/* Returns a look with strings of its own. Release it with record_look_clear. */
struct record_look record_look_copy(const struct record_look *look);
void record_look_clear(struct record_look *look);

/* Is it such a time? */
bool record_time_is_valid(const char *taken);

#endif
