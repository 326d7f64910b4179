/*
 * print.h - structures as JSON for programs, by the lists that records are written by.
 */
#ifndef MQD_DUMP_RECORD_PRINT_H
#define MQD_DUMP_RECORD_PRINT_H

#include <stdio.h>

#include "mqd/dump/record/field.h"

/* A structure, or a part of one. */
struct printed {
    const struct field_table *table;
    const void *of;
};

/*
 * Prints the members of structures that are one object, from one place to another, with commas between them: "a":1,"b":2.
 * The places tell the order.
 */
void fields_print(FILE *to, const struct printed *parts, size_t n, int first, int last);

/* The same of one structure, all of it. */
void fields_print_all(FILE *to, const struct field_table *table, const void *of);

/* Prints the structures of an array as a list of objects. */
void fields_print_list(FILE *to, const struct field_table *table, const void *array, size_t n);

#endif
