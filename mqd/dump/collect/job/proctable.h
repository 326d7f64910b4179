/*
 * proctable.h - which processes a launcher says it has started: MPIR_proctable, which mpirun of Open MPI up to 4.1 has,
 * and Slurm's srun.
 */
#ifndef MQD_DUMP_COLLECT_JOB_PROCTABLE_H
#define MQD_DUMP_COLLECT_JOB_PROCTABLE_H

#include <stdbool.h>

#include "mqd/dump/collect/job/launcher_table.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"

/*
 * Adds the hosts and ranks of the launcher's table while the launcher runs: those of the first job that it has started.
 * Nothing is added if it has no table, or nothing in it, or only launchers' daemons. Ranks are left out whose host
 * cannot be read or has a name that no host has. srun's table also says in which job of Slurm's they are, which gives
 * them their namespace. Returns false, with the reason in *why, if there is a table that cannot be read.
 */
bool proctable_read(struct launcher_table *table, struct process *launcher, const struct modules *modules, char **why);

/* The nodes that a launcher or daemon of Open MPI up to 4.1 knows, as in node_regex.h, for free(). NULL: none. */
char *proctable_read_nodes(struct process *launcher, const struct modules *modules);

#endif
