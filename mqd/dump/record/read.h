/*
 * read.h - reads a record line by line.
 *
 * A record may come from anybody. No number in it becomes a length, an index or a size before it is compared with a
 * maximum; what would need much memory is refused; and what is wrong is told with the name of the file and the number
 * of the line. What came before that line is kept, as of a record that was cut.
 */
#ifndef MQD_DUMP_RECORD_READ_H
#define MQD_DUMP_RECORD_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/record/like.h"
#include "mqd/dump/record/record.h"

/* A record that is being read. */
struct record_reader {
    struct record *record;         /* the caller's */
    struct record_pool *pool;      /* the caller's; NULL: there is none */
    uint64_t memory, max_memory;   /* that the record needs, about, and may need, in bytes; 0: there is no limit. What a
                                      record says in few bytes may need many */
    char *line;                    /* what has come of the next line */
    size_t length, room;
    int format;                    /* that the header says */
    size_t n_lines;                /* that were read */
    size_t n_members;              /* of all groups */
    struct listing pending;        /* communicators, windows and answers of a process whose own line has not come */
    struct likes likes;            /* lines that others may be like */
    bool ended;                    /* the last line was read */
};

/*
 * The record must be zeroed. `name` is the file's, for messages. Records that are read with the same pool, one after the
 * other or at once, have each group in memory once: it is zeroed before the first one, and stays until the last one is
 * read. It may be NULL. Then the caller may set reader->max_memory.
 */
void record_reader_start(struct record_reader *reader, struct record *record, const char *name,
                         struct record_pool *pool);

/*
 * Takes the next bytes, in pieces of any size: processes are in the record as soon as their lines are complete. Returns
 * false if something is wrong: record->problem says what, and the rest is not needed.
 */
bool record_reader_take(struct record_reader *reader, const char *bytes, size_t n);

/* Nothing more comes. Says in the record whether it is complete, and releases the reader. */
void record_reader_finish(struct record_reader *reader);

/*
 * Reads a file, "-" is standard input. The pool may be NULL. Returns false if nothing of the record is known;
 * record->problem says why.
 */
bool record_read_file(struct record *record, const char *path, struct record_pool *pool);

/* For those who read its lines. */

/* Counts what the record needs in memory. What other records have already is not counted for all records together. */
void record_reader_charge(struct record_reader *reader, uint64_t bytes, bool shared);

/* Reads a line of a kind. False, with the reason in *why, if something is wrong; what was read before is kept. */
typedef bool line_reader(struct record_reader *reader, const json_t *line, char **why);

/* What comes before the line of its process: read_communicator.c. */
line_reader communicator_line_read, operations_line_read, window_line_read, answer_line_read, handle_line_read;

/* Definitions, to which other lines refer, and the process: read_rank.c. */
line_reader members_line_read, layout_line_read, place_line_read, frame_line_read, stack_line_read, rank_line_read;

#endif
