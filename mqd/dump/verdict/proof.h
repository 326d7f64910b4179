/*
 * proof.h - what proves that no message is on its way to ranks that seem to be stuck.
 */
#ifndef MQD_DUMP_VERDICT_PROOF_H
#define MQD_DUMP_VERDICT_PROOF_H

#include <stdbool.h>

#include "mqd/dump/verdict/graph.h"

/* Finds out which ranks are proved to have done nothing since the look before. The waits must have been found. */
void model_find_proved_idle(struct model *model);

/*
 * Is it proved that nothing of what a wait is for is on its way from its target; and of what a node waits for, from the
 * nodes that its edges lead to? Edges to virtual nodes do not count: those of the virtual node do.
 */
bool wait_is_proved(const struct model *model, const struct wait *wait);
bool node_is_proved(const struct model *model, const struct graph *graph, uint32_t node);

/* The same of a rank's wait that leads to a rank which has ended or left MPI. */
bool gone_is_proved(const struct model *model, const struct model_rank *gone, const struct wait *wait);

/*
 * Is it known that nothing of what the owner of a wait waits for is on its way from the target, apart from what the two
 * looks of a machine do not prove?
 */
bool wait_is_known(const struct model *model, const struct wait *wait);

#endif
