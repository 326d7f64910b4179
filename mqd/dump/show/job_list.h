/*
 * job_list.h - the jobs of this machine, for people and for programs.
 */
#ifndef MQD_DUMP_SHOW_JOB_LIST_H
#define MQD_DUMP_SHOW_JOB_LIST_H

#include <stdio.h>

#include "mqd/dump/collect/job/job.h"

/* A table with a line for each job; nothing if there is none. */
void job_list_text(FILE *to, const struct jobs *jobs);

/* One line with one JSON document, valid UTF-8 whatever the names hold. What is not known is null. */
void job_list_json(FILE *to, const struct jobs *jobs);

/* What to give to --job for this one, for free(). */
char *job_list_word(const struct job *job);

#endif
