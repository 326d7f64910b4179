/*
 * job_hosts.h - the machines on which the ranks of some jobs run.
 */
#ifndef MQD_DUMP_COLLECT_JOB_JOB_HOSTS_H
#define MQD_DUMP_COLLECT_JOB_JOB_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A rank as its launcher says. */
struct expected_rank {
    long rank;                     /* in MPI_COMM_WORLD */
    pid_t pid;                     /* on its host; 0: unknown */
};

struct job_host {
    char *name;                    /* a valid one (host_name.h) */
    struct expected_rank *ranks;   /* none: it is not known which ones are there */
    size_t n, room;
};

struct job_hosts {
    struct job_host *hosts;        /* each once */
    size_t n, room;
    char *source;                  /* how they are known, "--hosts", "mpirun 4711 (MPIR_proctable)"; NULL: unknown */
    bool complete;                 /* false: there may be more hosts */
    long slurm_job;                /* the Slurm job in which the ranks run; 0: none */
};

/* Returns the host of that name, which is valid. It is added if it is not there. */
struct job_host *job_hosts_add(struct job_hosts *hosts, const char *name);
void job_hosts_clear(struct job_hosts *hosts);

#endif
