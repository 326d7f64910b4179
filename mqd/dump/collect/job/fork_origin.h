/*
 * fork_origin.h - a process that has the memory of a rank without being it.
 */
#ifndef MQD_DUMP_COLLECT_JOB_FORK_ORIGIN_H
#define MQD_DUMP_COLLECT_JOB_FORK_ORIGIN_H

#include <sys/types.h>

#include "mqd/dump/collect/target/modules.h"

/*
 * The parent of a process if the process has come from it by fork after MPI_Init and runs no other program since: its
 * queues then are a copy of what the parent had. 0 if not, or if that cannot be told.
 */
pid_t fork_origin_find(const struct modules *modules, struct process *process);

#endif
