/*
 * write.h - writes a record line by line.
 */
#ifndef MQD_DUMP_RECORD_WRITE_H
#define MQD_DUMP_RECORD_WRITE_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/record/record.h"
#include "mqd/dump/record/like.h"
#include "mqd/dump/record/witness.h"

/* A record that is being written. */
struct record_writer {
    FILE *to;                      /* the caller's, who looks for its errors */
    size_t n_lines, n_ranks;
    struct dictionary layouts, places, frames, stacks; /* that were defined, as the rest */
    struct known_members {
        struct dictionary texts, arrays;
        struct known_array {
            void *array;           /* of shared.h, used here: nothing else can be at its address */
            size_t number;         /* of the definition */
        } *all;                    /* by the numbers of the arrays */
        size_t room;
    } members[N_MEMBER_KINDS];
    struct likes likes;
};

/*
 * Writes the header, with what the first look says. Then come all processes, in any order, each after its look; then
 * warnings. Lines are written as soon as they are known: the caller flushes if somebody waits for them.
 */
void record_begin(struct record_writer *writer, FILE *to, const struct record_look *first);

/* Writes another look, which gets the next number: 1, 2, ... */
void record_write_look(struct record_writer *writer, const struct record_look *look);

/* witness->look is the number of a look that was written: 0 is the first one. Its host is that of the look. */
void record_write_witness(struct record_writer *writer, const struct witness *witness);
void record_write_warning(struct record_writer *writer, const char *text);

/* Writes the last line, and releases the writer. */
void record_end(struct record_writer *writer, const struct record_statistics *statistics);

#endif
