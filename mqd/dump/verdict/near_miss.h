/*
 * near_miss.h - finds the message that comes nearest to one that does not come.
 */
#ifndef MQD_DUMP_VERDICT_NEAR_MISS_H
#define MQD_DUMP_VERDICT_NEAR_MISS_H

#include <stdbool.h>

#include "mqd/dump/verdict/conclusion.h"

/*
 * Adds findings about one operation of the program whose message a group of stuck ranks will not send: the message that
 * comes nearest or, in a group that also waits in collective operations, that there is none. They are certain if it is
 * certain that the group is stuck. near_misses_finish joins findings that are at the same place.
 */
void near_misses_find(struct conclusion *conclusion, const struct wait *wait, bool collective, bool certain);
void near_misses_finish(struct conclusion *conclusion);

#endif
