/*
 * stack_text.h - the stacks of all ranks for people, as a tree that shows where they part.
 */
#ifndef MQD_DUMP_SHOW_STACK_TEXT_H
#define MQD_DUMP_SHOW_STACK_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"

/* Prints the stacks that the listings have, under a heading. */
void stacks_print(FILE *to, const struct listing *const *listings, size_t n);

/* Which of their stacks are not known, or not to the end, for free(); NULL: all are. */
char *stacks_say_doubt(const struct listing *const *listings, size_t n);

#endif
