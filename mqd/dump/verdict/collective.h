/*
 * collective.h - concludes why ranks in collective operations wait for each other.
 */
#ifndef MQD_DUMP_VERDICT_COLLECTIVE_H
#define MQD_DUMP_VERDICT_COLLECTIVE_H

#include "mqd/dump/verdict/circle.h"

/* Adds a finding about the collective operations in which ranks of the group wait. Returns whether there are some. */
bool conclude_collectives(struct conclusion *conclusion, const struct group *group);

#endif
