/*
 * record.h - looks at some ranks, and a record of them that was read.
 */
#ifndef MQD_DUMP_RECORD_RECORD_H
#define MQD_DUMP_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/members.h"
#include "mqd/dump/record/witness.h"

struct record_stack {
    const char **frames;           /* of the record's */
    size_t n;
};

#define DEFINED(type) struct { type *all; size_t n, room; }

struct record {
    char *name;                    /* of the file, for messages */
    struct record_look *looks;     /* by their numbers. There is none if the header could not be read */
    size_t n_looks, look_room;
    struct record_statistics statistics;
    struct record_rank **ranks;    /* in the order of their lines. witness.look is one of the looks. What is the same in
                                      several belongs to the record: groups, layouts, the texts of calls and stacks */
    size_t n, room;
    bool complete;                 /* the last line is there, and nothing is wrong with the others */
    char *problem;                 /* why not, with the number of a line; NULL: it is complete */
    char **warnings;
    size_t n_warnings, warning_room;

    /* What lines have defined, by its number. */
    DEFINED(struct members) members[N_MEMBER_KINDS];
    DEFINED(struct listing) layouts;   /* of these what a layout is */
    DEFINED(struct call) places;       /* of these what a place is */
    DEFINED(char *) frames;
    DEFINED(struct record_stack) stacks;
};

/* Fills in what is not asked for: program, host and time. Release with record_look_clear. */
void record_look_set_here(struct record_look *look);

/* Returns a look with strings of its own. Release it with record_look_clear. */
struct record_look record_look_copy(const struct record_look *look);
void record_look_clear(struct record_look *look);

/* Is it such a time? */
bool record_time_is_valid(const char *taken);

/* Frees a process of a record. */
void record_rank_free(struct record_rank *rank);

/*
 * Adds a copy of a look, which has the next number. One without a time needs a problem, as that of a machine that could
 * not be looked at: else a record with it could not be read.
 */
void record_add_look(struct record *record, const struct record_look *look);

/* What the first look says; nothing if there is none. */
const struct record_look *record_first_look(const struct record *record);

/*
 * What is wrong with the record is said of the look that was read last, if nothing is said of it; of a record without a
 * look one gets it.
 */
void record_settle_problem(struct record *record);

/* Gives back what its arrays have in reserve: nothing more comes, and there may be many records. */
void record_trim(struct record *record);

/* Removes all looks. */
void record_clear_looks(struct record *record);

/* Releases what it has. */
void record_clear(struct record *record);

#endif
