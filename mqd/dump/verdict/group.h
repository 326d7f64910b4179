/*
 * group.h - groups of ranks that wait for themselves.
 */
#ifndef MQD_DUMP_VERDICT_GROUP_H
#define MQD_DUMP_VERDICT_GROUP_H

#include "mqd/dump/verdict/conclusion.h"

/* Findings about groups of ranks that wait for themselves, and about what their ranks have missed. */
void conclude_groups(struct conclusion *conclusion);

#endif
