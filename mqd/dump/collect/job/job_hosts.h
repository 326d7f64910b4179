/*
 * job_hosts.h - the machines on which the ranks of some jobs run, and what else a launcher says of its jobs.
 *
 * Names and numbers are what a launcher says, which is in the hands of its user. A name is one that host_list.h allows:
 * it may become an argument of a command.
 */
#ifndef MQD_DUMP_COLLECT_JOB_JOB_HOSTS_H
#define MQD_DUMP_COLLECT_JOB_JOB_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/words.h"

/* A rank as its launcher says. */
struct expected_rank {
    long rank;                     /* in MPI_COMM_WORLD, 0 or more */
    pid_t pid;                     /* on its host, of the rank or of a shell around it; 0: unknown */
    uint32_t job;                  /* which of the jobs: a position in their array, which the owner of this list has */
};

struct job_host {
    char *name;
    bool is_here;                  /* it is the machine that mqdump runs on */
    struct expected_rank *ranks;   /* none: it is not known which ones are there */
    size_t n, room;
};

struct job_hosts {
    struct job_host *hosts;        /* each name once */
    size_t n, room;
    char *source;                  /* how they are known, "--hosts", "mpirun 4711 (PMIx)"; NULL: they are not */
    bool complete;                 /* false: there may be more hosts */
    long slurm_job;                /* the Slurm job in which the ranks run; 0: none, or unknown */
    struct name_index index;       /* of the names */
};

/* No machine has so many hosts, no launcher has started so many ranks. What is more is left out. */
enum { MAX_JOB_HOSTS = 256 * 1024, MAX_EXPECTED_RANKS = 16 * 1000 * 1000 };

/* Returns the host of that name, which is added if it is not there, until another one is added. NULL: no such name. */
struct job_host *job_hosts_add(struct job_hosts *hosts, const char *name);
struct job_host *job_hosts_find(const struct job_hosts *hosts, const char *name);

/* Adds a rank to a host. */
void job_host_expect(struct job_host *host, struct expected_rank rank);

/* Makes one host of all that are this machine: it is asked once. The names of the others are forgotten. */
void job_hosts_join_here(struct job_hosts *hosts);

/* Is there a host that is not this machine? */
bool job_hosts_are_elsewhere(const struct job_hosts *hosts);

/* Sets how they are known, and whether these are all. */
void job_hosts_set_source(struct job_hosts *hosts, const char *source, bool complete);

/* Frees all; then there is no host. */
void job_hosts_clear(struct job_hosts *hosts);

/* Is that the name of the machine that mqdump runs on? Domains do not count. */
bool host_is_here(const char *name);

struct launcher_table {
    struct job_hosts hosts;        /* their source is what it was found by, "MPIR_proctable" */
    struct words jobs;             /* namespaces; none: it does not say, and all ranks are of its first job */
    char *daemons;                 /* the namespace of the launcher and its daemons; NULL: unknown */
    char *server;                  /* where else it can be asked, as in pmix.h; NULL: unknown */
    char *problem;                 /* why it says nothing, a text about "it"; NULL: none */
};

/* Jobs that one launcher has started at the same time: more are not taken. */
enum { MAX_TABLE_JOBS = 64 * 1024 };

void launcher_table_clear(struct launcher_table *table);

#endif
