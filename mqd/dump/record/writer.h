/*
 * writer.h - a record that is being written, for those who write its lines.
 */
#ifndef MQD_DUMP_RECORD_WRITER_H
#define MQD_DUMP_RECORD_WRITER_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/record/array_index.h"
#include "mqd/dump/record/dictionary.h"
#include "mqd/dump/record/like.h"
#include "mqd/dump/record/witness.h"

struct record_writer {
    FILE *to;                      /* the caller's, who looks for its errors */
    size_t n_lines, n_ranks;
    struct dictionary groups, peers, layouts, places, frames, stacks;
    struct likes likes;
    struct array_index group_arrays, peer_arrays;  /* that were defined */
};

/* Writes a line of a kind, and frees it. */
void record_write_line(struct record_writer *writer, const char *kind, json_t *line);

/* Returns the number of a definition, which is written if it is new, and freed. */
size_t record_define(struct record_writer *writer, struct dictionary *dictionary, const char *kind, json_t *definition);

#endif
