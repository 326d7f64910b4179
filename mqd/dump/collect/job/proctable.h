/*
 * proctable.h - which processes a launcher says it has started: MPIR_proctable, which mpirun of Open MPI up to 4.1 has.
 */
#ifndef MQD_DUMP_COLLECT_JOB_PROCTABLE_H
#define MQD_DUMP_COLLECT_JOB_PROCTABLE_H

#include <stdbool.h>

#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"

/*
 * Adds the hosts and ranks of the launcher's table while the launcher runs: those of the first job that it has started.
 * Nothing is added if it has no table, or nothing in it. Ranks are left out whose host cannot be read or has a name
 * that no host has. Returns false, with the reason in *why, if there is a table that cannot be read.
 */
bool proctable_read(struct job_hosts *hosts, struct process *launcher, const struct modules *modules, char **why);

#endif
