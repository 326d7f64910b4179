/*
 * records.h - several records as one report: which ranks are in them, and who has moved from one look to the next.
 */
#ifndef MQD_DUMP_RECORDS_H
#define MQD_DUMP_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/record.h"
#include "mqd/dump/record/source.h"
#include "mqd/dump/record/witness.h"

/* Release them with records_clear. */
struct records {
    struct record *records;
    size_t n;
    const struct record_look **looks;  /* of all of them together: a witness's `look` is the position here */
    size_t n_looks;
    struct source *sources;        /* of each look; NULL: they were taken just now on this machine, by ask/local.h */
    struct witness *witnesses;     /* of all looks together, each rank once: as the latest look shows it */
    struct listing **listings;     /* of each witness */
    size_t n_witnesses;
    bool now;                      /* they were made just now: no file has them */
    struct record_pool pool;       /* of groups that several records name */
    bool complete;                 /* all could be read to the end */
};

/*
 * Fills in looks, sources, witnesses and listings of records that were read. A record that is not complete says so in
 * its last look; one of which nothing could be read gets a look for that. Looks are sorted by host and time, and ranks
 * by looks: in which order and in how many records they come makes no difference.
 */
void records_join(struct records *records);

/* Adds a witness of a look, by its position. There is room for it and for its listing, which is told with it. */
void records_add_witness(struct records *records, const struct witness *witness, size_t look);

/*
 * Reads records from files; "-" is standard input. Says on standard error what is wrong with each. Release the result
 * with records_clear in any case. A look that says itself that it is not whole makes them not complete.
 */
void records_read(struct records *records, const char *const *paths, size_t n);

/* What all looks that were taken have; of those that were taken just now, what one of them has. */
struct record_content records_content(const struct records *records);

/* What all looks together have cost. */
struct record_statistics records_statistics(const struct records *records);

/*
 * Sets `host` of all listings to that of their witnesses if there are ranks, or looks, of several machines; else to
 * NULL: a report about one machine does not name it. The names stay the records'.
 */
void records_name_hosts(struct records *records);

void records_clear(struct records *records);

#endif
