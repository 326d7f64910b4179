/*
 * dump_record.h - records in memory, for tests.
 */
#ifndef DUMP_RECORD_H
#define DUMP_RECORD_H

#include <stdio.h>

#include "mqd/dump/record/record.h"

/* Writes a record of so many looks, of which the witnesses tell the numbers. NULL: no warning, some statistics. */
void record_put(FILE *to, const struct record_look *looks, size_t n_looks, const struct witness *witnesses, size_t n,
                const char *warning, const struct record_statistics *statistics);

/* The same with the looks that the witnesses are of. The first one of each names its machine. */
void record_put_job(FILE *to, const struct witness *witnesses, size_t n);

/* What a record of the witnesses says, for free(). All was asked for. */
char *record_text(const struct witness *witnesses, size_t n);

/* Writes a file with a record of what was seen on a host at that second of its clock. */
void record_save(const char *path, const char *host, int second, const struct witness *witnesses, size_t n);

/* Reads a text of that length in pieces of so many bytes. The record is zeroed before. */
void record_take(struct record *record, const char *text, size_t length, size_t piece);

/*
 * A process that has a value, other than that of absent ones, in every member of every structure; with so many sends.
 */
struct full_rank {
    struct witness witness;
    struct listing listing;
    struct calls calls;
    struct openmp openmp;
    struct activity activity;
    struct missing_rank missing;
};
struct full_rank *full_rank_make(size_t n_sends);

/* The next process is made with the values that the first one had, but for so many further. */
void full_rank_restart(size_t further);
void full_rank_free(struct full_rank *rank);

#endif
