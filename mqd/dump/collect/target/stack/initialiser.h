/*
 * initialiser.h - which thread has initialised MPI.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_INITIALISER_H
#define MQD_DUMP_COLLECT_TARGET_INITIALISER_H

#include "mqd/dump/collect/target/stack/unwind.h"

/* The thread of these stacks that has, or 0: it has ended, or it is not known. Reads memory. */
pid_t initialiser_find(struct process *process, const struct modules *modules, const struct stacks *stacks);

#endif
