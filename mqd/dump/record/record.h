/*
 * record.h - a record that was read: one look at some ranks, or several.
 */
#ifndef MQD_DUMP_RECORD_RECORD_H
#define MQD_DUMP_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/header.h"
#include "mqd/dump/record/witness.h"

struct record_group {
    int *members;                  /* of shared.h */
    size_t n;
};
struct record_peers {
    struct mqd_process_name *members; /* of shared.h */
    size_t n;
};

struct record_stack {
    const char **frames;           /* of the record's */
    size_t n;
};

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

    struct record_group *groups;   /* by their numbers; so are the others */
    size_t n_groups, group_room;
    struct record_peers *peers;
    size_t n_peers, peers_room;
    struct listing *layouts;       /* of these what a layout is */
    size_t n_layouts, layout_room;
    struct call *places;           /* of these what a place is */
    size_t n_places, place_room;
    char **frames;
    size_t n_frames, frame_room;
    struct record_stack *stacks;
    size_t n_stacks, stack_room;
};

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
