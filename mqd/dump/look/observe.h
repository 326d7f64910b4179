/*
 * observe.h - how often, and when, ranks are read.
 */
#ifndef MQD_DUMP_LOOK_OBSERVE_H
#define MQD_DUMP_LOOK_OBSERVE_H

#include "mqd/dump/look/rank.h"

/*
 * Reads all ranks. With view->why it does so again as often as it takes to tell whether what one look shows holds. Then
 * all that is only needed for reading is released.
 */
void ranks_observe(struct rank *ranks, size_t n, const struct view *view);

/* What is known of the ranks, for free(). It refers to the ranks. */
struct witness *ranks_witnesses(struct rank *ranks, size_t n);

#endif
