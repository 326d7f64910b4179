/*
 * node_regex.h - the nodes of a job as the launcher and the daemons of Open MPI up to 4.1 write them.
 *
 * "login,n[2:1-4,7]-ib@0(5),-1(1)": names with numbers of so many digits, and after the "@" which of the nodes have a
 * daemon: from 0 on five, the next one has none. The daemon 0 is the launcher itself.
 */
#ifndef MQD_DUMP_COLLECT_JOB_NODE_REGEX_H
#define MQD_DUMP_COLLECT_JOB_NODE_REGEX_H

#include <stdbool.h>

#include "mqd/dump/base/host_list.h"

/* Adds the nodes that have a daemon. False if it is not such a text; the list is untouched then. */
bool node_regex_read(struct host_list *list, const char *text);

#endif
