/*
 * records.h - several records as one look: which ranks are in them, and who has moved from one to the next.
 */
#ifndef MQD_DUMP_RECORDS_H
#define MQD_DUMP_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/record.h"
#include "mqd/dump/show/source.h"
#include "mqd/dump/verdict/verdict.h"

struct records {
    struct record *records;
    size_t n;
    struct witness *witnesses;     /* of all of them together, each rank once: as the latest record shows it */
    struct listing **listings;     /* of each witness */
    size_t n_witnesses;
    struct source *sources;        /* of each record; NULL: they were made just now, by gather.h */
    bool complete;                 /* all could be read to the end */
};

/*
 * Reads records from files; "-" is standard input. Says on standard error what is wrong with each. Release the result
 * with records_clear in any case.
 */
void records_read(struct records *records, const char *const *paths, size_t n);

/* Fills in the rest of records that are there. */
void records_join(struct records *records);

/* Do all records that could be read have it? Of a look that was taken just now, does one? */
bool records_have_why(const struct records *records);
bool records_have_layout(const struct records *records);
bool records_have_internal(const struct records *records);
bool records_have_queues(const struct records *records);

/* What all looks together have cost. */
struct record_statistics records_statistics(const struct records *records);

/* Adds to the verdict that records were cut. */
void records_doubt(const struct records *records, struct verdict *verdict);

void records_clear(struct records *records);

#endif
