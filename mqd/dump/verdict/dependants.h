/*
 * dependants.h - concludes that ranks wait for others that may or may not be stuck.
 */
#ifndef MQD_DUMP_VERDICT_DEPENDANTS_H
#define MQD_DUMP_VERDICT_DEPENDANTS_H

#include "mqd/dump/verdict/conclusion.h"

/* Add a finding about ranks that wait for busy ranks, and one about those that wait for ranks that were not read. */
void conclude_busy(struct conclusion *conclusion);
void conclude_not_read(struct conclusion *conclusion);

#endif
