/*
 * join.h - the looks of several records as one: each rank once.
 */
#ifndef MQD_DUMP_JOIN_H
#define MQD_DUMP_JOIN_H

#include "mqd/dump/look/records.h"

/*
 * Fills in looks, sources, witnesses and listings of records that were read. A record that is not complete says so in
 * its last look; one of which nothing could be read gets a look for that. Looks are sorted by host and time, and ranks
 * by looks: in which order and in how many records they come makes no difference.
 */
void records_join(struct records *records);

/*
 * Reads records from files; "-" is standard input. Says on standard error what is wrong with each. Release the result
 * with records_clear in any case. A look that says itself that it is not whole makes them not complete.
 */
void records_read(struct records *records, const char *const *paths, size_t n);

#endif
