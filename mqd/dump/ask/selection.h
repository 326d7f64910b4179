/*
 * selection.h - the ranks that are to be shown, and where they are.
 */
#ifndef MQD_DUMP_SELECTION_H
#define MQD_DUMP_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/collect/job/absent_ranks.h"
#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/look/wish.h"

/* Which job the user asks for. */
struct job_choice {
    const char *job;                      /* the pid of a launcher or rank, or a namespace; NULL: the only job */
    struct dictionary hosts;              /* where its ranks are said to be (--hosts); none: that is to be found out */
    const struct limit_choice *limits;    /* of collectors that are asked */
};

/* The ranks to be shown. */
struct selection {
    struct process_id *processes;     /* those on this machine, each once */
    size_t n_processes, room;
    struct words cores;               /* files, in place of processes */
    struct absent_ranks absent;       /* what is known of the others, if only this machine is looked at */
    bool among_others;                /* there are ranks besides all these */

    /*
     * Where the ranks are, this machine among the others, unless --hosts leaves it out. If no host is another one
     * (job_hosts_are_elsewhere), all that is known to be there is on this machine. Jobs of expected ranks are positions
     * in `jobs`.
     */
    struct job_hosts hosts;
    struct words jobs;                /* namespaces, each once; none: no launcher has given one */
    bool family;                      /* all jobs of the launcher that has started jobs[0] are meant, not only these */
    long user;                        /* whose jobs they are; -1: unknown */
    struct process_id principal;      /* a process of that user here, the launcher or a rank; pid 0: none is known */
    char *problem;                    /* why it is not known, or not of all ranks, where they are; NULL: it is */
};

/* Adds the processes of a job's ranks on this machine. */
void selection_add_processes(struct selection *selection, const struct job *job);

/* Adds a namespace, unless it is there. Returns its position. */
uint32_t selection_add_job(struct selection *selection, const char *name);

/* The position of a namespace; NO_JOB_NUMBER if it is not there. */
uint32_t selection_find_job(const struct selection *selection, const char *name);

/*
 * Makes these all hosts: what the user says counts. Of what else is known the ranks on these hosts are kept. `source`
 * is for job_hosts.
 */
void selection_use_hosts(struct selection *selection, const struct dictionary *list, const char *source);

/* Says on stderr which ranks of the jobs cannot be shown on this machine: for reports that show no other machine. */
void selection_tell(const struct selection *selection);

/* Says on stderr if there may be more hosts than those that are known: for reports that show these. */
void selection_tell_more_hosts(const struct selection *selection);

void selection_clear(struct selection *selection);

#endif
