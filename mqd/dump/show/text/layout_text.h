/*
 * layout_text.h - layouts in force, for people.
 */
#ifndef MQD_DUMP_SHOW_LAYOUT_TEXT_H
#define MQD_DUMP_SHOW_LAYOUT_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"

/*
 * Prints the layouts of the listings in detail, for a terminal of 80 columns. Processes with the same layout are shown
 * together. The listings must be in the order of ranks; listings without details are left out.
 */
void layout_print(FILE *to, const struct listing *const *listings, size_t n);

/*
 * Prints the lines above a process's queues that say which Open MPI it has and which layout is in force, and the same of
 * other libraries that keep its operations.
 */
void layout_print_summary(FILE *to, const struct listing *listing);

#endif
