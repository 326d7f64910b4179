/*
 * order.h - nonblocking collective operations that some ranks have started before a call, and others have not.
 *
 * Ranks call the collective functions of a communicator in the same order, nonblocking ones included. A rank that is in
 * a function which ranks leave together, where one is missing that has not come to it yet, proves that nobody has left
 * it. So all that any rank has started on the communicator it has started before: if the one in the function has
 * started less, their orders differ, whatever the others do meanwhile.
 */
#ifndef MQD_DUMP_VERDICT_ORDER_H
#define MQD_DUMP_VERDICT_ORDER_H

#include "mqd/dump/verdict/conclusion.h"

/* Adds findings about calls in different orders, on communicators that no finding is about yet. */
void conclude_order(struct conclusion *conclusion);

#endif
