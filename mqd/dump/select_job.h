/*
 * select_job.h - from what the user asks for to the processes that are to be shown: a job, all jobs, or the only one.
 */
#ifndef MQD_DUMP_SELECT_JOB_H
#define MQD_DUMP_SELECT_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/missing_rank.h"
#include "mqd/dump/collect/target/process.h"

/* The ranks to be shown. */
struct selection {
    struct process_id *processes;
    size_t n, room;
    struct missing_rank *missing;     /* ranks that should run here and are not found: a message has said which */
    size_t n_missing, missing_room;
};

void selection_clear(struct selection *selection);

/*
 * The ranks of the job whose launcher, rank or namespace `text` is, of all jobs of that launcher; or, if it is NULL, of
 * the only job there is, or all that one launcher has started. False if there are none, or several; stderr then has the
 * reason, and stdout the list of those to choose from. What of the jobs cannot be shown here is said on stderr.
 */
bool select_job(struct selection *selection, const char *text, struct files *files);

/* Prints all jobs, one line each or as one JSON document. False, with a message, if there is none. */
bool select_job_list(struct files *files, bool json);

#endif
