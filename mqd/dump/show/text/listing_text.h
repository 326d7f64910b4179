/*
 * listing_text.h - listings as tables for people.
 */
#ifndef MQD_DUMP_SHOW_LISTING_TEXT_H
#define MQD_DUMP_SHOW_LISTING_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"

/*
 * Print tables that fit the terminal. Leave out processes of which nothing is known. text_print shows of operations
 * that differ only in what runs on regularly the first and the last, and of ranks with equal queues one;
 * text_print_all shows all of them.
 */
void text_print(FILE *to, const struct listing *const *listings, size_t n);
void text_print_all(FILE *to, const struct listing *const *listings, size_t n);

#endif
