/*
 * queue.h - what the queues of single ranks show.
 */
#ifndef MQD_DUMP_VERDICT_QUEUE_H
#define MQD_DUMP_VERDICT_QUEUE_H

#include "mqd/dump/verdict/conclusion.h"

/* Findings about the queues of single ranks. */
void conclude_truncated(struct conclusion *conclusion);
void conclude_floods(struct conclusion *conclusion);

#endif
