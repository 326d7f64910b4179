/*
 * select_job.h - finds the processes that the user asks for: one job, all jobs of a launcher, or the only job.
 */
#ifndef MQD_DUMP_SELECT_JOB_H
#define MQD_DUMP_SELECT_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/missing_rank.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/limits.h"

/* The ranks to be shown. */
struct selection {
    struct process_id *processes;
    size_t n, room;
    struct missing_rank *missing;     /* ranks that should run here and are not found: a message has said which */
    size_t n_missing, missing_room;
};

void selection_clear(struct selection *selection);

/*
 * Selects the ranks of the job whose launcher, rank or namespace is `text`; for a launcher those of all its jobs. If
 * `text` is NULL it selects the only job, or all jobs if one launcher has started them. Returns false if there is no
 * such job or there are several; stderr then has the reason, and stdout lists the jobs. It also says on stderr which
 * ranks of the jobs cannot be shown on this machine. The limits are those of collectors that it asks.
 */
bool select_job(struct selection *selection, const char *text, const struct limit_choice *limits);

/* Prints all jobs, one line each or as one JSON document. False, with a message, if there is none. */
bool select_job_list(const struct limit_choice *limits, bool json);

#endif
