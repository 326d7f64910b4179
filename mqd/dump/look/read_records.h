/*
 * read_records.h - several records from files as one report.
 */
#ifndef MQD_DUMP_READ_RECORDS_H
#define MQD_DUMP_READ_RECORDS_H

#include <stddef.h>

#include "mqd/dump/look/records.h"

/*
 * Reads records from files; "-" is standard input. Says on standard error what is wrong with each. Release the result
 * with records_clear in any case. A look that says itself that it is not whole makes them not complete.
 */
void records_read(struct records *records, const char *const *paths, size_t n);

#endif
