/*
 * pmix_tool.h - asks the launcher of Open MPI 5.0 and later, or one of its daemons, for its jobs, through PMIx.
 *
 * The library of PMIx, which is this machine's own and not the launcher's, is loaded only here: it brings threads,
 * sockets and plugins. It reads what a server answers that may be anybody's, and files of the user. So only a process
 * may do this that has no more rights than the user who could make it do anything.
 */
#ifndef MQD_DUMP_COLLECT_JOB_PMIX_TOOL_H
#define MQD_DUMP_COLLECT_JOB_PMIX_TOOL_H

#include <stdbool.h>

#include "mqd/dump/collect/job/launcher_table.h"

/*
 * Connects to the server of this line (rendezvous.h), which must be valid, and adds its jobs with their hosts and
 * ranks. Returns false, with the reason, a text about "it", in *why, if that fails, or if mqdump was built without
 * PMIx. It may wait for ever. Messages of the library are suppressed: standard error is /dev/null afterwards.
 */
bool pmix_tool_ask(struct launcher_table *table, const char *line, char **why);

#endif
