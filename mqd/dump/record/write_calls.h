/*
 * write_calls.h - where the threads of a process are, and what it does in the kernel, in a record.
 */
#ifndef MQD_DUMP_RECORD_WRITE_CALLS_H
#define MQD_DUMP_RECORD_WRITE_CALLS_H

#include "mqd/dump/record/writer.h"

/* Places that are new are written as lines of their own. */
json_t *calls_write(struct record_writer *writer, const struct calls *calls);
json_t *activity_write(const struct activity *activity);

#endif
