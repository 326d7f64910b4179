/*
 * same_queues.h - ranks that have equal queues, as those of a regular program do.
 */
#ifndef MQD_DUMP_SHOW_SAME_QUEUES_H
#define MQD_DUMP_SHOW_SAME_QUEUES_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/show/text/process_text.h"

/* Ranks of one job that have the same queues, but for addresses. */
struct same_queues {
    size_t *members;               /* positions of their listings, in this order */
    size_t n;
    bool around;                   /* their peers are as far from each of them; else they are the same ranks */
};

/*
 * Returns groups of the listings, in the order of their first members; each listing is in one. With view->each each is
 * alone. Two listings are of one group only if all is equal that would be shown of them. Release with same_queues_free.
 */
struct same_queues *same_queues_find(const struct listing *const *listings, size_t n, const struct process_view *view,
                                     size_t *n_groups);
void same_queues_free(struct same_queues *groups, size_t n);

/* What ranks of a group `around` have to do with their peers, for free(): "to its right neighbour", as the first shows. */
char *say_neighbours(const struct listing *first);

#endif
