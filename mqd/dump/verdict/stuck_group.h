/*
 * stuck_group.h - concludes why the ranks of a group wait for each other: in a circle, or in collective operations.
 */
#ifndef MQD_DUMP_VERDICT_STUCK_GROUP_H
#define MQD_DUMP_VERDICT_STUCK_GROUP_H

#include "mqd/dump/verdict/conclusion.h"

/* Ranks each of which waits for all others, directly or through others. */
struct group {
    uint32_t component;
    struct rank_set ranks;         /* ids of its ranks */
    uint32_t *nodes;               /* their indices, rising */
    size_t n_nodes;
    uint32_t start;                /* of the nodes the first that waits in a call on a window, else 0: a position */
    bool collective;               /* some wait in a collective operation */
    bool in_window;                /* some wait in a call on a window */
    bool certain;                  /* that it is stuck: what its ranks wait for is known, and not on its way */
};

/* Adds a finding about a shortest circle of the group, from group->start on. */
void conclude_circle(struct conclusion *conclusion, struct group *group);

/* Adds a finding about the collective operations in which ranks of the group wait. Returns whether there are some. */
bool conclude_collectives(struct conclusion *conclusion, const struct group *group);

#endif
