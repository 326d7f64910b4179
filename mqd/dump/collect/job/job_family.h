/*
 * job_family.h - which jobs one launcher has started, as far as their namespaces tell.
 *
 * Up to Open MPI 4.1 a namespace is a number: its upper 16 bits are the launcher's, the lower ones count its jobs, of
 * which 0 is the launcher with its daemons. Later it is the launcher's name, "@" and such a count.
 */
#ifndef MQD_DUMP_COLLECT_JOB_JOB_FAMILY_H
#define MQD_DUMP_COLLECT_JOB_JOB_FAMILY_H

#include <stdbool.h>

/* Has the launcher of one of these jobs started the other one too? */
bool job_family_is_one(const char *name, const char *other);

/* The namespace of the first job of the launcher that has started this one, for free(). NULL if names do not tell. */
char *job_family_first(const char *name);

#endif
