/*
 * launcher.h - what a launcher's memory, files, environment and children say of where its ranks are.
 */
#ifndef MQD_DUMP_COLLECT_JOB_LAUNCHER_H
#define MQD_DUMP_COLLECT_JOB_LAUNCHER_H

#include <sys/types.h>

#include "mqd/dump/collect/job/launcher_table.h"
#include "mqd/dump/collect/target/elf/files.h"

/*
 * Fills the table with what is found of a running process that has started ranks, or is one. The hosts are of the first
 * source that has any: MPIR_proctable; the nodes that Open MPI up to 4.1 has written down; the commands that have
 * started daemons; the nodes of a Slurm job. If table->server is set, PMIx knows more.
 */
void launcher_look(struct launcher_table *table, struct files *files, pid_t pid);

#endif
