/*
 * answer.h - whom an operation waits for: the node from which its message or its answer comes.
 */
#ifndef MQD_DUMP_VERDICT_ANSWER_H
#define MQD_DUMP_VERDICT_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/verdict/model.h"

/* These return targets of waits: a node, or NODE_LIVE, NODE_NEVER, NODE_ABSENT. */

/* Of an operation that is not complete. */
int64_t answer_of_operation(struct model *model, const struct operation *operation);

/*
 * Is it known that the other side, a certain rank, has not done its part yet, and has nothing of it on its way? If the
 * operation's rank may not have looked for messages lately, messages must have been counted.
 */
bool answer_is_missing(const struct model *model, const struct operation *operation);

/* Of whatever the rank with that id is to do. */
int64_t answer_of_rank(const struct model *model, long id);

/* Of a message from any member of a communicator: a virtual node, which is added if there is none yet. */
int64_t answer_of_peers(struct model *model, size_t rank, const struct communicator *communicator);

/* Adds a virtual node without waits. */
int64_t answer_add_node(struct model *model, size_t rank, const struct communicator *communicator);

/* Is this queue of a communicator known, so that what is not listed is not there? */
bool queue_is_known(const struct communicator *communicator, int class);

#endif
