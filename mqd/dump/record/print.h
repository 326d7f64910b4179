/*
 * print.h - structures as JSON for programs, by the lists that records are written by.
 */
#ifndef MQD_DUMP_RECORD_PRINT_H
#define MQD_DUMP_RECORD_PRINT_H

#include <stdio.h>

#include "mqd/dump/record/field.h"

/*
 * Prints the members of a structure from one place to another, with commas between them, "a":1,"b":2; and before them,
 * unless they begin at the first place. The places tell the order.
 */
void fields_print(FILE *to, const struct field_table *table, const void *of, int first, int last);

/* All of them as an object. */
void fields_print_object(FILE *to, const struct field_table *table, const void *of);

/* Prints the structures of an array as a list of objects. */
void fields_print_list(FILE *to, const struct field_table *table, const void *array, size_t n);

/* Values for rows of fields.c: `of` is the structure. */

/* Of struct queued. */
void value_status(FILE *to, const void *of);
void value_extra_text(FILE *to, const void *of);

/* Of struct handle. */
void value_facts(FILE *to, const void *of);

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
