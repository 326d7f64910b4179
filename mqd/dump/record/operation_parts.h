/*
 * operation_parts.h - the structures that tell of an operation, and where an operation's object or columns have them.
 */
#ifndef MQD_DUMP_RECORD_OPERATION_PARTS_H
#define MQD_DUMP_RECORD_OPERATION_PARTS_H

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/record/column.h"

enum { MAX_OPERATION_PARTS = 7 };

struct operation_part {
    const char *key;               /* of an object of its own; NULL: its members are those of the operation itself */
    const struct field_table *table;
    struct column_place place;
};

/* Fills in the parts of n operations from `first` on. Returns how many there are: fewer if nothing describes them. */
size_t operation_parts(const struct queue *queue, size_t first, size_t n, bool described,
                       struct operation_part parts[MAX_OPERATION_PARTS]);

#endif
