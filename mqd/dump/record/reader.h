/*
 * reader.h - a record that is being read, for those who read its lines.
 */
#ifndef MQD_DUMP_RECORD_READER_H
#define MQD_DUMP_RECORD_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/record/like.h"
#include "mqd/dump/record/dictionary.h"
#include "mqd/dump/record/record.h"

struct record_reader {
    struct record *record;         /* the caller's */
    struct record_pool *pool;      /* the caller's; NULL: there is none */
    char *line;                    /* what has come of the next line */
    size_t length, room;
    int format;                    /* that the header says */
    size_t n_lines;                /* that were read */
    size_t n_members;              /* of all groups */
    uint64_t memory, max_memory;   /* that the record needs, about, and may need, in bytes; 0: there is no limit */
    struct listing pending;        /* communicators and windows of a process whose own line has not come */
    struct likes likes;            /* lines that others may be like */
    bool ended;                    /* the last line was read */
};

/* Counts what the record needs in memory. What other records have already is not counted for all records together. */
void record_reader_charge(struct record_reader *reader, uint64_t bytes, bool shared);

#endif
