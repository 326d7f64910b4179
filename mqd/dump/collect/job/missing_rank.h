/*
 * missing_rank.h - what has become of ranks that are not found where they should run.
 */
#ifndef MQD_DUMP_COLLECT_JOB_MISSING_RANK_H
#define MQD_DUMP_COLLECT_JOB_MISSING_RANK_H

#include <stdbool.h>
#include <sys/types.h>

#include "mqd/dump/collect/job/job.h"

struct missing_rank {
    long rank;             /* in MPI_COMM_WORLD */
    char *job;             /* its namespace */
    pid_t pid;             /* as its launcher says; 0: unknown */
    bool certain;          /* it has ended; else it may run in a way in which it is not found */
    int signal;            /* that ended it; 0: none did, or unknown */
    char *fate;            /* what is known of it, "has ended: killed by signal 9 (Killed)" */
};

/*
 * Finds out what has become of a rank that is not among the job's, though it was started on this machine: as process
 * `pid`, which the launcher must know, or 0 if that is not known. The result is for missing_rank_clear.
 */
struct missing_rank missing_rank_find(const struct jobs *jobs, const struct job *job, long rank, pid_t pid,
                                      pid_t launcher);
void missing_rank_clear(struct missing_rank *missing);

/* Fills certain, signal and fate from what /proc/PID/stat says of a process that has ended but is still there. */
void missing_rank_set_end(struct missing_rank *missing, const char *stat);

#endif
