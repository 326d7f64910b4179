/*
 * missing_mpi.h - why a process has no symbols of an MPI library, though it may be an MPI program.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MISSING_MPI_H
#define MQD_DUMP_COLLECT_TARGET_MISSING_MPI_H

#include "mqd/dump/collect/target/modules.h"

/* A text about "it" for free(); NULL if nothing is known but that there is no MPI. */
char *missing_mpi_reason(const struct modules *modules, struct process *process);

#endif
