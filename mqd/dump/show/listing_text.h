/*
 * listing_text.h - listings as tables for people.
 */
#ifndef MQD_DUMP_SHOW_LISTING_TEXT_H
#define MQD_DUMP_SHOW_LISTING_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"

/* Prints tables that fit the terminal. Leaves out processes of which nothing is known. */
void text_print(FILE *to, const struct listing *const *listings, size_t n);

#endif
