/*
 * choose.h - from what the user asks for to the processes that are to be shown: a job, all jobs, or the only one.
 */
#ifndef MQD_DUMP_CHOOSE_H
#define MQD_DUMP_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/gone.h"
#include "mqd/dump/job.h"

/* The ranks to be shown. */
struct choice {
    pid_t *pids;
    size_t n, room;
    struct gone *gone;     /* ranks that should run here and are not found: a message has said which */
    size_t n_gone, gone_room;
};

void choice_clear(struct choice *choice);

/*
 * The ranks of the job whose launcher, rank or namespace `text` is, of all jobs of that launcher; or, if it is NULL, of
 * the only job there is, or all that one launcher has started. False if there are none, or several; stderr then has the
 * reason, and stdout the list of those to choose from. What of the jobs cannot be shown here is said on stderr.
 */
bool choose_job(struct choice *choice, const char *text, struct files *files);

/* Prints all jobs, one line each or as one JSON document. False, with a message, if there is none. */
bool choose_list(struct files *files, bool json);

#endif
