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

/* Values for rows of fields.c: `of` is the structure. */

/* Of struct queued. */
void value_status(FILE *to, const void *of);
void value_peer(FILE *to, const void *of);
void value_found_at(FILE *to, const void *of);
void value_extra_text(FILE *to, const void *of);

/* Of struct mqd_layout_summary, and of struct mqd_library_summary. */
void value_classes(FILE *to, const void *of);
void value_types(FILE *to, const void *of);
void value_library_types(FILE *to, const void *of);

/* Of struct call. */
void value_function(FILE *to, const void *of);
void value_chain(FILE *to, const void *of);

/* Of struct named_stack. */
void value_frames(FILE *to, const void *of);

/* Of struct activity. */
void value_state(FILE *to, const void *of);
void value_system_call(FILE *to, const void *of);
void value_stuck(FILE *to, const void *of);
void value_share(FILE *to, const void *of);

#endif
