/*
 * launcher.h - what a launcher's memory, files, environment and children say of where its ranks are.
 */
#ifndef MQD_DUMP_COLLECT_JOB_LAUNCHER_H
#define MQD_DUMP_COLLECT_JOB_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"

/*
 * Fills the table with what is found of a running process that has started ranks, or is one, the first of n > 0; the
 * others are its children, or theirs: they may start daemons. The hosts are of the first source that has any:
 * MPIR_proctable; the nodes that Open MPI up to 4.1 has written down; the commands that have started daemons; the nodes
 * of a Slurm job. If table->server is set, PMIx knows more.
 */
void launcher_look(struct launcher_table *table, struct files *files, const pid_t *pids, size_t n);

/*
 * Adds the hosts and ranks of the launcher's table (MPIR_proctable), which mpirun of Open MPI up to 4.1 and srun have,
 * while the launcher runs: those of the first job that it has started.
 * Nothing is added if it has no table, or nothing in it, or only launchers' daemons. Ranks are left out whose host
 * cannot be read or has a name that no host has. srun's table also says in which job of Slurm's they are, which gives
 * them their namespace. Returns false, with the reason in *why, if there is a table that cannot be read.
 */
bool proctable_read(struct launcher_table *table, struct process *launcher, const struct modules *modules, char **why);

/*
 * Adds the nodes that have a daemon, as Open MPI up to 4.1 writes them: "login,n[2:1-4,7]-ib@0(5),-1(1)" has names with
 * numbers of so many digits, and after the "@" which of the nodes have a daemon: from 0 on five, the next one has none.
 * The daemon 0 is the launcher itself. False if it is not such a text; the list is untouched then.
 */
bool node_regex_read(struct dictionary *hosts, const char *text);

#endif
