/*
 * job.h - the MPI jobs that run on this machine, and which processes their ranks are.
 *
 * A launcher tells each process that it starts, in the environment, its job (PMIX_NAMESPACE) and rank (PMIX_RANK).
 * Everything that this process starts inherits that: shells that wrap the program, and what the program forks. So a
 * rank is the process that has Open MPI loaded, and of several, the one that has started the others.
 */
#ifndef MQD_DUMP_COLLECT_JOB_JOB_H
#define MQD_DUMP_COLLECT_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/proc.h"

/* Any process of the machine, as /proc has it. */
struct job_process {
    pid_t pid, parent;
    uid_t user;
    char name[sizeof((struct proc_status *)0)->name];
    uint64_t start;                /* clock ticks since the machine started */
    struct proc_launch launch;     /* of processes that are ours to look at */
    char *executable;              /* path, of those that may be ranks; NULL: unknown */
    bool has_environment;          /* it could be read, and `launch` is what it says */
    bool has_mpi;
};

struct job_rank {
    int rank;                      /* in MPI_COMM_WORLD; -1: unknown */
    pid_t pid;
    uint64_t start;                /* clock ticks since the machine started */
    pid_t launcher;                /* the process that has started it, or the shell around it; 0: unknown */
    const char *executable;        /* path; NULL: unknown */
};

struct job {
    const char *name;              /* its namespace; "": no launcher has given it one, it is a single process */
    uid_t user;
    int size;                      /* ranks that it has on all machines; -1: unknown */
    int local_size;                /* ranks that were started on this machine; -1: unknown */
    uint64_t start;                /* of its first rank here, as above */
    struct job_rank *ranks;        /* those on this machine, in their order */
    size_t n, room;
};

struct jobs {
    struct job *jobs;              /* in the order in which they started */
    size_t n, room;
    struct job_process *processes; /* all of this machine, by pid; what the jobs point into */
    size_t n_processes, process_room;
    size_t n_unreadable;           /* processes that are the user's and still may not be looked at */
};

/* Has this process Open MPI in its memory? */
typedef bool job_probe(void *context, pid_t pid);

/* The answer for a running process; `files` is a struct files. */
bool job_has_open_mpi(void *files, pid_t pid);

/*
 * Finds the jobs of this user, of all users if that is root, among the processes under `proc`, which is "/proc" but in
 * tests. False, with the reason in *why, if that directory cannot be read. In any case the result is for jobs_free.
 */
bool jobs_find(struct jobs *jobs, const char *proc, uid_t user, job_probe *has_mpi, void *context, char **why);
void jobs_free(struct jobs *jobs);

/* The process of that pid, NULL if there was none. */
const struct job_process *jobs_process(const struct jobs *jobs, pid_t pid);

/* Was the process started by that ancestor, directly or not? */
bool jobs_is_below(const struct jobs *jobs, pid_t pid, pid_t ancestor);

/* Has one of the job's ranks this process id, or was one started by the process of that id? */
bool job_has_rank(const struct job *job, pid_t pid);
bool job_has_launcher(const struct job *job, pid_t pid);

/* What has started the first rank of which that is known; 0 if it is not known of any. */
pid_t job_launcher(const struct job *job);

#endif
