/*
 * write_communicator.h - communicators with their operations, and windows, in a record.
 */
#ifndef MQD_DUMP_RECORD_WRITE_COMMUNICATOR_H
#define MQD_DUMP_RECORD_WRITE_COMMUNICATOR_H

#include "mqd/dump/record/writer.h"

/* Write lines of the process whose "rank" line follows. */
void record_write_communicator(struct record_writer *writer, const struct communicator *communicator);
void record_write_window(struct record_writer *writer, const struct window *window);

#endif
