/*
 * job_search.h - looks for the jobs on this machine, with collectors that look into programs where that is needed.
 */
#ifndef MQD_DUMP_JOB_SEARCH_H
#define MQD_DUMP_JOB_SEARCH_H

#include <stdbool.h>

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/base/host_list.h"
#include "mqd/dump/collect/job/job.h"

/* Which job the user asks for. */
struct job_choice {
    const char *job;                      /* the pid of a launcher or rank, or a namespace; NULL: the only job */
    struct host_list hosts;               /* where its ranks are said to be (--hosts); none: that is to be found out */
    const struct limit_choice *limits;    /* of collectors that are asked */
};

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

#endif
