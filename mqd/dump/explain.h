/*
 * explain.h - why a process has no symbols of an MPI library, though it may be an MPI program.
 */
#ifndef MQD_DUMP_EXPLAIN_H
#define MQD_DUMP_EXPLAIN_H

#include "mqd/dump/modules.h"

/* A text about "it" for free(); NULL if nothing is known but that there is no MPI. */
char *explain_absence(const struct modules *modules, struct process *process);

#endif
