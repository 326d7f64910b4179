/*
 * pmix.h - the PMIx servers of launchers: where they listen for tools, and what they say of their jobs.
 *
 * The launcher of Open MPI 5.0 and later, and its daemons, write a file for each process that wants to connect:
 * pmix.HOST.tool.PID, in the directory of a session, which has PID in its name too and is in the process's directory for
 * temporary files. The first line of this file is the server's address: its name in PMIx, NAMESPACE.RANK, then ";" and a
 * place in the network.
 */
#ifndef MQD_DUMP_COLLECT_JOB_PMIX_H
#define MQD_DUMP_COLLECT_JOB_PMIX_H

#include <stdbool.h>

#include "mqd/dump/collect/job/job_hosts.h"

/* Is it such a line, of nothing but characters that are harmless in an argument, with an address of TCP? */
bool pmix_address_is_valid(const char *line);

/* The namespace of the server in a valid line, for free(). */
char *pmix_namespace(const char *line) __attribute__((returns_nonnull, warn_unused_result));

/*
 * Returns the line of the process whose directory in /proc is given, for free(). File and session must belong to the
 * user of the process: the directory for temporary files is open to all. NULL, with the reason, a text about "it", in
 * *why, if there is none.
 */
char *pmix_find(const char *directory, char **why);

/*
 * Connects to the server of this line, which must be valid, and adds its jobs with their hosts and ranks. Returns false,
 * with the reason, a text about "it", in *why, if that fails, or if mqdump was built without PMIx. It may wait for ever.
 * Messages of the library are suppressed: standard error is /dev/null afterwards.
 *
 * The library of PMIx, which is this machine's own and not the launcher's, is loaded only here: it brings threads,
 * sockets and plugins. It reads what a server answers that may be anybody's, and files of the user. So only a process
 * may do this that has no more rights than the user who could make it do anything.
 */
bool pmix_ask(struct launcher_table *table, const char *line, char **why);

#endif
