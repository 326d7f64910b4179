/*
 * group.h - conclusions about groups of ranks that wait for each other.
 */
#ifndef MQD_DUMP_VERDICT_GROUP_H
#define MQD_DUMP_VERDICT_GROUP_H

#include <stdint.h>

#include "mqd/dump/verdict/conclusion.h"

/* Adds findings about a group of ranks that wait for each other. */
void conclude_group(struct conclusion *conclusion, uint32_t component);

#endif
