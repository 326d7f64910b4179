/*
 * rendezvous.h - where the launcher of Open MPI 5.0 and later, and its daemons, listen for tools.
 *
 * The PMIx server in them writes a file for each process that wants to connect: pmix.HOST.tool.PID, in the directory of
 * its session, which has PID in its name too and is in its directory for temporary files. The first line of this file
 * is the server's name in PMIx, NAMESPACE.RANK, then ";" and an address.
 */
#ifndef MQD_DUMP_COLLECT_JOB_RENDEZVOUS_H
#define MQD_DUMP_COLLECT_JOB_RENDEZVOUS_H

#include <stdbool.h>

/* Is it such a line, of nothing but characters that are harmless in an argument, with an address of TCP? */
bool rendezvous_is_valid(const char *line);

/* The namespace of the server in a valid line, for free(). */
char *rendezvous_namespace(const char *line) __attribute__((returns_nonnull, warn_unused_result));

/*
 * Returns the line of the process whose directory in /proc is given, for free(). The file must belong to the user of
 * the process: the directory for temporary files is open to all. NULL, with the reason, a text about "it", in *why, if
 * there is none.
 */
char *rendezvous_find(const char *directory, char **why);

#endif
