/*
 * absent_ranks.h - what is known of the ranks of a job that were not found on this machine.
 */
#ifndef MQD_DUMP_COLLECT_JOB_ABSENT_RANKS_H
#define MQD_DUMP_COLLECT_JOB_ABSENT_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/job_hosts.h"

/* A rank that was started on this machine, and is not found. */
struct missing_rank {
    long rank;             /* in MPI_COMM_WORLD */
    char *job;             /* its namespace */
    long user;             /* whose job it is; -1: unknown */
    pid_t pid;             /* as its launcher says; 0: unknown */
    bool certain;          /* it has certainly ended; else it may still run */
    bool unknown;          /* nothing speaks for its end: that it was not found proves nothing */
    int signal;            /* that ended it; 0: none did, or unknown */
    char *fate;            /* what is known of it, "has ended: killed by signal 9 (Killed)" */
};

struct absent_ranks {
    struct missing_rank *missing;  /* those that should be here, as far as that is known */
    size_t n_missing, missing_room;
    char **notes;                  /* lines for people: which ranks are where, or nobody knows where */
    size_t n_notes, note_room;
};

/* Of one machine not more missing ranks are searched: a process may have any values in its environment. */
enum { MAX_MISSING_RANKS = 4096 };

/* For a job that no launcher speaks of. */
static const uint32_t NO_JOB_NUMBER = UINT32_MAX;

/*
 * Adds what is known of a job's ranks that are not among `job->ranks`. `hosts` is what the launcher says, to which the
 * job has this number. The launcher is the process on this machine that has started the job's ranks; 0: unknown.
 */
void absent_ranks_find(struct absent_ranks *absent, const struct jobs *jobs, const struct job *job,
                       const struct job_hosts *hosts, uint32_t number, pid_t launcher);

/*
 * Adds those of n ranks, all of this job and said to be on this machine, that are not among `job->ranks`. The job may
 * have none; then only its name and user are known.
 */
void absent_ranks_expect(struct absent_ranks *absent, const struct jobs *jobs, const struct job *job,
                         const struct expected_rank *ranks, size_t n, pid_t launcher);

void absent_ranks_clear(struct absent_ranks *absent);

#endif
