/*
 * job_list.h - the jobs of this machine, for people and for programs.
 */
#ifndef MQD_DUMP_SHOW_JOB_LIST_H
#define MQD_DUMP_SHOW_JOB_LIST_H

#include <stdio.h>

#include "mqd/dump/collect/job/job.h"

/* Prints a table with a line for each job; nothing if there is no job. */
void job_list_text(FILE *to, const struct jobs *jobs);

/* Prints one JSON document on one line. It is valid UTF-8 whatever the names have. What is not known is null. */
void job_list_json(FILE *to, const struct jobs *jobs);

/* Returns the argument of --job for this job, for free(). */
char *job_list_word(const struct job *job);

#endif
