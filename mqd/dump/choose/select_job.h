/*
 * select_job.h - finds the processes that the user asks for: one job, all jobs of a launcher, or the only job.
 */
#ifndef MQD_DUMP_SELECT_JOB_H
#define MQD_DUMP_SELECT_JOB_H

#include <stdbool.h>

#include "mqd/dump/ask/selection.h"

/*
 * Selects the ranks of the job whose launcher, rank or namespace is given; for a launcher those of all its jobs. If
 * none is given it selects the only job, or all jobs if one launcher has started them. With hosts, a namespace that no
 * job here has is assumed to exist: there is no process then, and only jobs[0] is set. Returns false if there is no
 * such job or there are several; stderr then has the reason, and stdout lists the jobs.
 */
bool select_job(struct selection *selection, const struct job_choice *choice);

/* Prints all jobs, one line each or as one JSON document. False, with a message, if there is none. */
bool select_job_list(const struct limit_choice *limits, bool json);

#endif
