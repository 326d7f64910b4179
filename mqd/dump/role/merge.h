/*
 * merge.h - several records as one record.
 */
#ifndef MQD_DUMP_MERGE_H
#define MQD_DUMP_MERGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a record that says what all records of these names say, to a file that is replaced as a whole; "-" is standard
 * input and standard output. A report of it is that of the records, however they are grouped and in whatever order they
 * come. One record at a time is in memory, and what ranks
 * have in common, once. Of one that is not complete the rest is taken, and its last look says what is
 * wrong; what is no record gets a look that says so. Returns false, with messages, if there are such, or on failure.
 */
bool merge_records(const char *const *paths, size_t n, const char *save);

#endif
