/*
 * select_node.h - finds the processes of jobs that another machine's mqdump asks for.
 */
#ifndef MQD_DUMP_SELECT_NODE_H
#define MQD_DUMP_SELECT_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/ask/selection.h"
#include "mqd/dump/collect/job/job_hosts.h"

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

#endif
