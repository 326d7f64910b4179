/*
 * listing_text.h - listings as tables for people.
 */
#ifndef MQD_DUMP_SHOW_LISTING_TEXT_H
#define MQD_DUMP_SHOW_LISTING_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"

/*
 * Prints tables that fit the terminal. Leaves out processes of which nothing is known. Of operations that differ only
 * in what runs on regularly the first and the last are shown, and of ranks with equal queues one; with `each` all of
 * them. If there are questions about handles their answers take the place of the tables.
 */
void text_print(FILE *to, const struct listing *const *listings, size_t n, const struct words *questions, bool each);

#endif
