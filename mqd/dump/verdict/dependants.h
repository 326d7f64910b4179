/*
 * dependants.h - ranks that wait for others of which it is not known that they are stuck.
 */
#ifndef MQD_DUMP_VERDICT_DEPENDANTS_H
#define MQD_DUMP_VERDICT_DEPENDANTS_H

#include "mqd/dump/verdict/conclusion.h"

/* A finding about ranks that wait for busy ones, and one about those that wait for ranks that were not read. */
void conclude_busy(struct conclusion *conclusion);
void conclude_not_read(struct conclusion *conclusion);

#endif
