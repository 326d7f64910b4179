/*
 * near_miss.h - what comes nearest to a message that does not come.
 */
#ifndef MQD_DUMP_VERDICT_NEAR_MISS_H
#define MQD_DUMP_VERDICT_NEAR_MISS_H

#include <stdbool.h>

#include "mqd/dump/verdict/conclusion.h"

/*
 * Findings about one operation of the program's own that a group of ranks keeps from coming: the message that comes
 * nearest or, in a group that also waits in collective operations, that there is none; certain if the group certainly
 * waits for itself. Those at the same place are put together by near_misses_finish.
 */
void near_misses_find(struct conclusion *conclusion, const struct wait *wait, bool collective, bool certain);
void near_misses_finish(struct conclusion *conclusion);

#endif
