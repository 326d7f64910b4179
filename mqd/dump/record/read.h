/*
 * read.h - reads a record line by line.
 *
 * A record may come from anybody. No number in it becomes a length, an index or a size before it is compared with a
 * maximum; what would need much memory is refused; and what is wrong is told with the name of the file and the number
 * of the line. What came before that line is kept, as of a record that was cut.
 */
#ifndef MQD_DUMP_RECORD_READ_H
#define MQD_DUMP_RECORD_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/record/reader.h"

/* The record must be zeroed. `name` is the file's, for messages. */
void record_reader_start(struct record_reader *reader, struct record *record, const char *name);

/*
 * Lets records that are read with the same pool, one after the other or at once, have each group in memory once. The
 * pool is zeroed before the first one, and stays until the last one is read.
 */
void record_reader_share(struct record_reader *reader, struct record_pool *pool);

/*
 * Bounds what the record may need in memory, in bytes, beyond what is needed for a line; 0: there is no limit. What a
 * record says in few bytes may need many.
 */
void record_reader_limit(struct record_reader *reader, uint64_t max_memory);

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

#endif
