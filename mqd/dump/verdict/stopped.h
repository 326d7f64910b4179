/*
 * stopped.h - concludes that ranks are kept from running: by a stop, or by a system call that does not return.
 */
#ifndef MQD_DUMP_VERDICT_STOPPED_H
#define MQD_DUMP_VERDICT_STOPPED_H

#include "mqd/dump/verdict/conclusion.h"

void conclude_stopped(struct conclusion *conclusion);
void conclude_stuck(struct conclusion *conclusion);

#endif
