/*
 * missing_mpi.h - why a process has no symbols of an MPI library, though it may be an MPI program.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MISSING_MPI_H
#define MQD_DUMP_COLLECT_TARGET_MISSING_MPI_H

#include "mqd/dump/collect/target/modules.h"

/* Returns the reason for free(), a text about "it", the process. NULL if no reason is known. */
char *missing_mpi_reason(const struct modules *modules, struct process *process);

#endif
