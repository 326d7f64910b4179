/*
 * job.h - the MPI jobs that run on this machine, and which processes their ranks are.
 *
 * A launcher tells each process that it starts its job (PMIX_NAMESPACE) and rank (PMIX_RANK), in the environment. All
 * descendants of this process inherit these variables: a shell hands them on to the program, and the program to what it
 * forks. So a rank is the process that has loaded Open MPI; of several such processes it is the one that has started
 * the others.
 *
 * All processes of a machine are asked, those of others too if the user is root. So only /proc is read of them, by a
 * child process (ask.h), and no file that they name is opened. Only where the names of the mapped files do not tell, as
 * for programs linked statically, a probe of the caller has files looked into, of those processes only that are asked
 * for.
 */
#ifndef MQD_DUMP_COLLECT_JOB_JOB_H
#define MQD_DUMP_COLLECT_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/proc.h"

/* Any process of the machine, as /proc shows it. */
struct job_process {
    pid_t pid, parent;
    uid_t user;
    char name[sizeof((struct proc_status *)0)->name];
    uint64_t start;                /* clock ticks since the machine started */
    struct proc_launch launch;     /* of processes that may be read */
    char *executable;              /* path, of those that may be ranks; NULL: unknown */
    bool waits;                    /* for a device or a file server, in the kernel */
    bool has_environment;          /* it could be read, and `launch` is what it says */
    bool is_silent;                /* the kernel did not answer what its environment and mapped files are */
    bool is_not_asked;             /* others of its user have taken too long */
    bool has_mpi;
    bool has_other_mpi;            /* a library with a name that those of MPI have, and none of Open MPI */
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

/* Processes of a user that were not asked. */
struct not_asked {
    uid_t user;
    size_t n;
};

struct jobs {
    struct job *jobs;              /* in the order in which they started */
    size_t n, room;
    struct job_process *processes; /* all of this machine, by pid; what the jobs point into */
    size_t n_processes, process_room;
    size_t n_unreadable;           /* processes that are the user's and still may not be looked at */
    size_t n_silent;
    struct not_asked *not_asked;   /* for each user who has such processes */
    size_t n_not_asked, not_asked_room;
};

/*
 * Sets has_mpi of those of n processes, which a launcher has given a rank, that have Open MPI in their memory, and
 * is_silent of those that do not answer. Nothing need be known of processes that nobody asks for. All processes are in
 * `jobs`, but no jobs yet.
 */
typedef void job_probe(void *context, const struct jobs *jobs, struct job_process *const *processes, size_t n);

/* The answer for a running process, from its files. */
bool job_has_open_mpi(struct files *files, pid_t pid);

/*
 * Returns the parent of a process if the parent has forked it after MPI_Init and it has executed no other program
 * since: its queues are then a copy of the parent's. Returns 0 if this is not so, or not known.
 */
pid_t job_fork_origin(const struct modules *modules, struct process *process);

/*
 * Finds the jobs of this user, or of all users if the user is root, among the processes under `proc` ("/proc", another
 * directory only in tests). Returns false, with the reason in *why, if that directory cannot be read, or if there is no
 * memory or descriptor for that. Call jobs_free in any case.
 */
bool jobs_find(struct jobs *jobs, const char *proc, uid_t user, job_probe *probe, void *context, char **why);
void jobs_free(struct jobs *jobs);

/* The process of that pid, NULL if there was none. */
const struct job_process *jobs_process(const struct jobs *jobs, pid_t pid);

/* Was the process started by that ancestor, directly or not? */
bool jobs_is_below(const struct jobs *jobs, pid_t pid, pid_t ancestor);

/* Is there a process of this user that did not answer? It may be any rank of his. Else NULL. */
const struct job_process *jobs_silent_process(const struct jobs *jobs, uid_t user);

/* Has one of the job's ranks this process id, or was one of them started by the process with this id? */
bool job_has_rank(const struct job *job, pid_t pid);
bool job_has_launcher(const struct job *job, pid_t pid);

/* Is the rank of that number among them? */
bool job_has_number(const struct job *job, long rank);

/* The process that has started the first rank for which this is known; 0 if it is known of no rank. */
pid_t job_launcher(const struct job *job);

#endif
