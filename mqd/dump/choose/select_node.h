/*
 * select_node.h - finds the processes of jobs that another machine's mqdump asks for.
 */
#ifndef MQD_DUMP_SELECT_NODE_H
#define MQD_DUMP_SELECT_NODE_H

#include <stdbool.h>

#include "mqd/dump/ask/request.h"
#include "mqd/dump/ask/selection.h"

/*
 * Selects the ranks of these jobs, and what is known of those that are expected and not there. No such rank is no
 * error. Returns false, with the reason on stderr, if it cannot be found out, or if several users have such jobs.
 */
bool select_on_node(struct selection *selection, const struct request *request);

#endif
