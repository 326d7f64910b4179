/*
 * active_library.h - which libmpi of a process is in use if it has several, or why it has none.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_ACTIVE_LIBRARY_H
#define MQD_DUMP_COLLECT_TARGET_ACTIVE_LIBRARY_H

#include <stdbool.h>

#include "mqd/dump/collect/target/modules.h"

/*
 * If several files of a process have an Open MPI library, marks all of them but one as idle. The one that is not idle
 * has been initialised, if any has. If several have, modules->doubt says which one is used.
 */
void active_library_choose(struct modules *modules, struct process *process);

/* Has MPI been initialised, perhaps finalized too, in a library of these modules that is not idle? */
bool active_library_was_initialised(const struct modules *modules, struct process *process);

/*
 * Why a process has no symbols of an MPI library, though it may be an MPI program: a text about "it", for free(). NULL
 * if it has them, or if no reason is known.
 */
char *missing_mpi_reason(const struct modules *modules, struct process *process);

#endif
