/*
 * openmp.h - reads the OpenMP runtimes of a process.
 */
#ifndef MQD_DUMP_COLLECT_OPENMP_OPENMP_H
#define MQD_DUMP_COLLECT_OPENMP_OPENMP_H

#include "mqd/dump/collect/openmp/facts.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/stack/unwind.h"

/*
 * Reads what the runtimes of a process know of its threads, whose stacks were taken, and what they wait for in the C
 * library. The process is held, or a core. If it has one thread and no runtime nothing is read, and n_threads is 0.
 */
void openmp_take(struct openmp *openmp, struct process *process, const struct modules *modules,
                 const struct stacks *stacks);
void openmp_clear(struct openmp *openmp);

#endif
