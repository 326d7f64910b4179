/*
 * select_job.h - finds the processes that the user asks for: one job, all jobs of a launcher, or the only job.
 */
#ifndef MQD_DUMP_SELECT_JOB_H
#define MQD_DUMP_SELECT_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/collect/job/absent_ranks.h"
#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/limits.h"

/* The ranks to be shown. */
struct selection {
    struct process_id *processes;     /* those on this machine */
    size_t n, room;
    struct absent_ranks absent;       /* what is known of the others, if only this machine is looked at */

    /*
     * Where the ranks are, this machine among the others, unless --hosts leaves it out. If no host is another one
     * (job_hosts_are_elsewhere), all that is known to be there is on this machine. Jobs of expected ranks are positions
     * in `jobs`.
     */
    struct job_hosts hosts;
    char **jobs;                      /* namespaces, each once; none: no launcher has given one */
    size_t n_jobs, job_room;
    bool family;                      /* all jobs of the launcher that has started jobs[0] are meant, not only these */
    long user;                        /* whose jobs they are; -1: unknown */
    char *problem;                    /* why it is not known, or not of all ranks, where they are; NULL: it is */
};

/* What is asked for. */
struct select_wish {
    const char *job;                  /* the pid of a launcher or rank, or a namespace; NULL: the only job */
    const struct host_list *hosts;    /* where its ranks are said to be (--hosts); NULL: that is to be found out */
    struct limit_choice limits;       /* of collectors that are asked */
};

/*
 * Selects the ranks of the job whose launcher, rank or namespace is given; for a launcher those of all its jobs. If
 * none is given it selects the only job, or all jobs if one launcher has started them. With hosts, a namespace that no
 * job here has is believed: there is no process then, and only jobs[0] is set. Returns false if there is no such job or
 * there are several; stderr then has the reason, and stdout lists the jobs.
 */
bool select_job(struct selection *selection, const struct select_wish *wish);

/* Says on stderr which ranks of the jobs cannot be shown on this machine: for reports that show no other machine. */
void selection_tell(const struct selection *selection);

void selection_clear(struct selection *selection);

/* What another machine's mqdump asks of this one. */
struct node_wish {
    const char *const *jobs;          /* namespaces */
    size_t n_jobs;
    const char *const *families;      /* namespaces: all jobs are meant that were started by the launchers of these */
    size_t n_families;
    long user;                        /* whose jobs they are; -1: whoever has them */
    const struct expected_rank *ranks;   /* of `jobs`, said to be on this machine */
    size_t n_ranks;
    struct limit_choice limits;
};

/*
 * Selects the ranks of these jobs, and what is known of those that are expected and not there. No such rank is no
 * error. Returns false, with the reason on stderr, if it cannot be found out, or if several users have such jobs.
 */
bool select_on_node(struct selection *selection, const struct node_wish *wish);

/* Prints all jobs, one line each or as one JSON document. False, with a message, if there is none. */
bool select_job_list(const struct limit_choice *limits, bool json);

#endif
