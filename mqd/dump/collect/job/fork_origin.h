/*
 * fork_origin.h - recognises processes that a rank has forked, which have a copy of its memory.
 */
#ifndef MQD_DUMP_COLLECT_JOB_FORK_ORIGIN_H
#define MQD_DUMP_COLLECT_JOB_FORK_ORIGIN_H

#include <sys/types.h>

#include "mqd/dump/collect/target/modules.h"

/*
 * Returns the parent of a process if the parent has forked it after MPI_Init and it has executed no other program
 * since: its queues are then a copy of the parent's. Returns 0 if this is not so, or not known.
 */
pid_t fork_origin_find(const struct modules *modules, struct process *process);

#endif
