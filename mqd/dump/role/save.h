/*
 * save.h - writes records of what was seen, or of what records say.
 */
#ifndef MQD_DUMP_SAVE_H
#define MQD_DUMP_SAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/look/records.h"
#include "mqd/dump/record/witness.h"

/*
 * Writes a record of one look that was taken here to standard output. The look has what was asked for; witness->look is
 * 0. Warnings that were given go with it. Returns false, with a message, on failure.
 */
bool save_look(const struct record_look *look, const struct witness *witnesses, size_t n,
               const struct record_statistics *statistics);

/* The same with all looks of a report, to a file that is replaced as a whole; "-" is standard output. */
bool save_records(const char *path, const struct records *records);

/*
 * Writes a record that says what all records of these names say, to such a file; of the names "-" is standard input. A
 * report of it is that of the records, however they are grouped and in whatever order they come. One record at a time is
 * in memory, and what ranks have in common, once. Of one that is not complete the rest is taken, and its last look says
 * what is wrong; what is no record gets a look that says so. Returns false, with messages, if there are such, or on
 * failure.
 */
bool merge_records(const char *const *paths, size_t n, const char *path);

#endif
