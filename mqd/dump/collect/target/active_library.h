/*
 * active_library.h - which libmpi of a process is in use, if it has several.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_ACTIVE_LIBRARY_H
#define MQD_DUMP_COLLECT_TARGET_ACTIVE_LIBRARY_H

#include <stdbool.h>

#include "mqd/dump/collect/target/modules.h"

/*
 * Of several files that hold an Open MPI library marks all but one as idle: the one that stays has been initialised, if
 * any has. If more have, modules->doubt says which one it is.
 */
void active_library_choose(struct modules *modules, struct process *process);

/* Has MPI been initialised, perhaps finalized too, in a library of these modules that is not idle? */
bool active_library_was_initialised(const struct modules *modules, struct process *process);

#endif
