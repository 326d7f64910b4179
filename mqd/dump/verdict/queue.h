/*
 * queue.h - conclusions from the queues of single ranks.
 */
#ifndef MQD_DUMP_VERDICT_QUEUE_H
#define MQD_DUMP_VERDICT_QUEUE_H

#include "mqd/dump/verdict/conclusion.h"

/* Add findings about the queues of single ranks. */
void conclude_truncated(struct conclusion *conclusion);
void conclude_floods(struct conclusion *conclusion);

#endif
