/*
 * present.h - listings for people and for programs.
 */
#ifndef MQD_DUMP_PRESENT_H
#define MQD_DUMP_PRESENT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/listing.h"
#include "mqd/dump/report.h"

/*
 * One line with one JSON document. It is valid UTF-8 whatever the listings hold: bytes that are none become U+FFFD.
 * What is not known is null.
 */
void json_print(FILE *to, const struct listing *const *listings, size_t n);

/* The same with what was concluded from them; the verdict may be NULL. */
void json_print_with_verdict(FILE *to, const struct listing *const *listings, size_t n, const struct verdict *verdict);

/* The same as tables that fit the terminal. Processes of which nothing is known are left out. */
void text_print(FILE *to, const struct listing *const *listings, size_t n);

/*
 * What the listings rest on, in detail, for a terminal of 80 columns: processes for which that is the same come
 * together. The listings are in the order of ranks; those that have no details are left out.
 */
void layout_print(FILE *to, const struct listing *const *listings, size_t n);

/* The lines above a process's queues that say which Open MPI it has and which layout is in force. */
void layout_print_summary(FILE *to, const struct mqd_layout_summary *layout);

/* Text from elsewhere as a paragraph for a terminal: its first line, and those that follow, begin at these columns. */
void text_print_paragraph(FILE *to, size_t first_indent, size_t indent, const char *text);

/* A string as JSON has it, with its quotation marks. */
void json_print_string(FILE *to, const char *text);

#endif
