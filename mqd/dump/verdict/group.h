/*
 * group.h - groups of ranks that wait for themselves.
 */
#ifndef MQD_DUMP_VERDICT_GROUP_H
#define MQD_DUMP_VERDICT_GROUP_H

#include <stdint.h>

#include "mqd/dump/verdict/conclusion.h"

/* Findings about a group of ranks that waits for itself. */
void conclude_group(struct conclusion *conclusion, uint32_t component);

#endif
