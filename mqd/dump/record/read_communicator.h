/*
 * read_communicator.h - communicators with their operations, and windows, of a record.
 */
#ifndef MQD_DUMP_RECORD_READ_COMMUNICATOR_H
#define MQD_DUMP_RECORD_READ_COMMUNICATOR_H

#include "mqd/dump/record/reader.h"

/* They add to what is pending for the next process. */
bool communicator_line_read(struct record_reader *reader, const json_t *line, char **why);
bool operations_line_read(struct record_reader *reader, const json_t *line, char **why);
bool window_line_read(struct record_reader *reader, const json_t *line, char **why);

#endif
