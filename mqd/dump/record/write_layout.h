/*
 * write_layout.h - what the listing of a process rests on, in a record.
 */
#ifndef MQD_DUMP_RECORD_WRITE_LAYOUT_H
#define MQD_DUMP_RECORD_WRITE_LAYOUT_H

#include "mqd/dump/record/writer.h"

/* Returns the number of the listing's layout, which is written if it is new. */
size_t record_define_layout(struct record_writer *writer, const struct listing *listing);

#endif
