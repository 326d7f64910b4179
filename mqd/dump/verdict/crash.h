/*
 * crash.h - ranks that were killed by an error of their own.
 */
#ifndef MQD_DUMP_VERDICT_CRASH_H
#define MQD_DUMP_VERDICT_CRASH_H

#include "mqd/dump/verdict/conclusion.h"

/* Adds findings about ranks that were killed by an error of their own. */
void conclude_crashes(struct conclusion *conclusion);

#endif
