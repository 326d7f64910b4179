/*
 * launcher_table.h - what a launcher says of its jobs, and the text in which a collector passes that on.
 *
 * Lines are "job NAME", "host NAME" and, for the ranks of the host before, "JOB RANK PID", where JOB counts the jobs
 * from 0. A launcher that does not say what its jobs are called has one, without a line. Further lines are "pmix LINE",
 * "problem TEXT", "means TEXT", "complete", "daemons NAME" and "slurm NUMBER", for the members below.
 */
#ifndef MQD_DUMP_COLLECT_JOB_LAUNCHER_TABLE_H
#define MQD_DUMP_COLLECT_JOB_LAUNCHER_TABLE_H

#include <stdio.h>

#include "mqd/dump/collect/job/job_hosts.h"

/* Jobs that one launcher has started at the same time: more are not taken. */
enum { MAX_TABLE_JOBS = 64 * 1024 };

struct launcher_table {
    struct job_hosts hosts;
    char **jobs;                   /* namespaces; none: it does not say, and all ranks are of its first job */
    size_t n_jobs, job_room;
    char *means;                   /* how the hosts are known, "MPIR_proctable"; NULL: they are not */
    bool complete;                 /* these are all its hosts */
    char *daemons;                 /* the namespace of the launcher and its daemons; NULL: unknown */
    long slurm_job;                /* in which it runs, or its ranks; 0: none, or unknown */
    char *server;                  /* where else it can be asked, as in rendezvous.h; NULL: unknown */
    char *problem;                 /* why it says nothing, a text about "it"; NULL: none */
};

/* May that be the namespace of a job? It has 1 to 255 bytes, and no control characters. */
bool job_name_is_valid(const char *name);

/* Adds a job, whose name must be valid; returns its position. */
uint32_t launcher_table_add_job(struct launcher_table *table, const char *name);

/* Sets how the hosts are known. */
void launcher_table_set_means(struct launcher_table *table, const char *means, bool complete);

void launcher_table_write(const struct launcher_table *table, FILE *to);

/* Adds what such a text says. From the first line on that is none of this form nothing is believed. */
void launcher_table_read(struct launcher_table *table, char *text);

void launcher_table_clear(struct launcher_table *table);

#endif
