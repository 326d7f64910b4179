/*
 * copies.h - what there may be more than one of: a libmpi in a process, a process with the memory of one rank.
 */
#ifndef MQD_DUMP_COPIES_H
#define MQD_DUMP_COPIES_H

#include <sys/types.h>

#include "mqd/dump/modules.h"

/*
 * Of several files that hold an Open MPI library marks all but one as idle: the one that stays has been initialised, if
 * any has. If more have, modules->doubt says which one it is.
 */
void copies_choose(struct modules *modules, struct process *process);

/*
 * The parent of a process if the process has come from it by fork after MPI_Init and runs no other program since: its
 * queues then are a copy of what the parent had. 0 if not, or if that cannot be told.
 */
pid_t copies_forked_from(const struct modules *modules, struct process *process);

#endif
