/*
 * layout_text.h - what listings rest on, for people.
 */
#ifndef MQD_DUMP_SHOW_LAYOUT_TEXT_H
#define MQD_DUMP_SHOW_LAYOUT_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"

/*
 * What the listings rest on, in detail, for a terminal of 80 columns: processes for which that is the same come
 * together. The listings are in the order of ranks; those that have no details are left out.
 */
void layout_print(FILE *to, const struct listing *const *listings, size_t n);

/* The lines above a process's queues that say which Open MPI it has and which layout is in force. */
void layout_print_summary(FILE *to, const struct mqd_layout_summary *layout);

#endif
