/*
 * save.h - writes what was seen as a record.
 */
#ifndef MQD_DUMP_SAVE_H
#define MQD_DUMP_SAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/look/records.h"
#include "mqd/dump/record/header.h"
#include "mqd/dump/record/witness.h"

/*
 * Writes a record of one look that was taken here to a file, which is replaced as a whole; "-" is standard output. The
 * look has what was asked for; witness->look is 0. Warnings that were given go with it. Returns false, with a
 * message, on failure.
 */
bool save_record(const char *path, const struct record_look *look, const struct witness *witnesses, size_t n,
                 const struct record_statistics *statistics);

/* The same with all looks of a report. */
bool save_records(const char *path, const struct records *records);

#endif
