/*
 * missing_rank.h - finds out what has happened to ranks that were started on this machine and are not found.
 */
#ifndef MQD_DUMP_COLLECT_JOB_MISSING_RANK_H
#define MQD_DUMP_COLLECT_JOB_MISSING_RANK_H

#include <stdbool.h>
#include <sys/types.h>

#include "mqd/dump/collect/job/job.h"

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

/*
 * Finds out what has happened to a rank that is not among the job's ranks, though it was started on this machine. `pid`
 * is its process id as the launcher states it, 0 if that is not known. Release the result with missing_rank_clear.
 */
struct missing_rank missing_rank_find(const struct jobs *jobs, const struct job *job, long rank, pid_t pid,
                                      pid_t launcher);
void missing_rank_clear(struct missing_rank *missing);

#endif
