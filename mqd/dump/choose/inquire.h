/*
 * inquire.h - asks processes of this machine, through collectors, since that needs their files or memory.
 */
#ifndef MQD_DUMP_CHOOSE_INQUIRE_H
#define MQD_DUMP_CHOOSE_INQUIRE_H

#include <stdbool.h>

#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/look/wish.h"

/* Is this process of a job that is asked for? Of others no file is opened. */
typedef bool job_search_filter(const void *context, const struct jobs *jobs, const struct job_process *process);

/*
 * Finds the jobs, and says on stderr which processes do not answer. False, with the reason on stderr, if they cannot be
 * found. Call jobs_free in any case.
 */
bool job_search(struct jobs *jobs, job_search_filter *is_wanted, const void *context,
                const struct limit_choice *limits);

/* The process id in a text; 0 if it is none. */
pid_t job_search_pid(const char *text);

/* Have all these jobs the same user? */
bool jobs_have_one_user(const struct job *const *jobs, size_t n);

/*
 * Adds what a launcher says of its ranks: what launcher_look finds, and what its PMIx server says, if `server` or if it
 * has daemons on other machines. If that is nothing, table->problem has the reason. Release the result with
 * launcher_table_clear.
 */
void inquire_table(struct launcher_table *table, const struct jobs *jobs, const struct job_process *launcher,
                   bool server, const struct limit_choice *limits);

#endif
