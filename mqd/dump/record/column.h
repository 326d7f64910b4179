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

/* A member of each of n structures, or the structures. The first is at `first`, the next one `stride` bytes further. */
struct column_place {
    char *first;
    size_t stride, n;
};

/* An object with the runs of all members that some structure has. None is a string, a real number, or read elsewhere. */
json_t *columns_write(const struct field_table *table, const struct column_place *place);

/*
 * Reads the runs of all members from the object into structures that are zeroed, and adds their texts to *texts. A member
 * without runs is absent from all. False, with the reason in *why, if a value is wrong, or if the runs of a member have
 * another length together.
 */
bool columns_read(const json_t *object, const struct field_table *table, const struct column_place *place,
                  struct texts **texts, char **why);

#endif
