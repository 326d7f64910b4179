/*
 * group.h - conclusions about groups of ranks that wait for each other.
 */
#ifndef MQD_DUMP_VERDICT_GROUP_H
#define MQD_DUMP_VERDICT_GROUP_H

#include "mqd/dump/verdict/conclusion.h"

/* Adds findings about groups of ranks that wait for each other, and about the messages that come nearest. */
void conclude_groups(struct conclusion *conclusion);

/* The same for collective operations if ranks that only test for messages do nothing before one comes. */
void conclude_polling_collectives(struct conclusion *conclusion);

#endif
