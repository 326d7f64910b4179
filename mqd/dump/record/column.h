/*
 * column.h - one member of many structures as a list of runs: [VALUE, COUNT], or [VALUE, COUNT, STEP] of values that
 * grow by STEP from one structure to the next. What grows in a text is an address at its end: "request 0x7f00".
 */
#ifndef MQD_DUMP_RECORD_COLUMN_H
#define MQD_DUMP_RECORD_COLUMN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/field.h"

/* A part of each of n structures. The first part is at `first`, the next one is `stride` bytes further. */
struct column_place {
    char *first;
    size_t stride, n;
};

/* Adds the runs of all members that some part has to the object. None is a string, or a real number. */
void columns_write(json_t *object, const struct field_table *table, const struct column_place *place);

/*
 * Reads the runs of all members from the object into parts that are zeroed. NULL: all members are absent. False, with the
 * reason in *why, if a value is wrong, or if the runs of a member have another length together.
 */
bool columns_read(const json_t *object, const struct field_table *table, const struct column_place *place, char **why);

#endif
