/*
 * border_stacks.h - stacks that have only what is known without whole ones: the MPI function that a thread is in, and
 * the places on the way there at borders of libraries.
 */
#ifndef MQD_DUMP_SHOW_BORDER_STACKS_H
#define MQD_DUMP_SHOW_BORDER_STACKS_H

#include <stddef.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/show/text/stack_tree.h"

struct border_stacks {
    struct rank_stack *stacks;
    size_t n;
    struct named_stack *named;     /* those that `stacks` refers to */
    const char **frames;           /* of all of them; the texts are the listings' */
};

/*
 * Makes the stacks of those listings that have no whole ones. Where a call is not known there is none. Release with
 * border_stacks_clear; the listings must live as long.
 */
void border_stacks_find(struct border_stacks *found, const struct listing *const *listings, size_t n);
void border_stacks_clear(struct border_stacks *found);

/* Is a whole stack of the process known? */
bool has_whole_stack(const struct listing *listing);

#endif
