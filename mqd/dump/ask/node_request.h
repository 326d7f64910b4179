/*
 * node_request.h - what the mqdump of another machine is asked for: the arguments of "mqdump --collect=node".
 *
 * It looks at all ranks of some jobs that are on its machine, and writes a record of them to standard output. Its
 * arguments and its output are a protocol between versions of mqdump, which has a number.
 */
#ifndef MQD_DUMP_REACH_NODE_REQUEST_H
#define MQD_DUMP_REACH_NODE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/ask/words.h"
#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/look/wish.h"

/* The number changes when arguments or records mean something else to those who do not know of it. */
enum { NODE_PROTOCOL = 1 };

/* The first argument. */
#define NODE_OPTION "--collect=node"

struct node_request {
    struct words jobs;             /* namespaces */
    struct words families;         /* the same, for all jobs that their launchers have started (job_family.h) */
    long user;                     /* whose jobs; -1: the user's who asks, or anybody's if that is root */
    struct expected_rank *ranks;   /* that are said to be there; their jobs are positions in `jobs` */
    size_t n_ranks, rank_room;
    double seconds;                /* after which it ends by itself; 0: there is no limit */
    struct wish wish;
    struct words limits;           /* as --limit has them */
    char *dll;                     /* of the wish, when it was read */
};

/* Adds the arguments to a command. No shell changes them. */
void node_request_write(const struct node_request *request, struct words *command);

/*
 * Reads the arguments of a program. Returns false, with the reason in *why, if this mqdump does not understand them.
 * Release with node_request_clear in any case.
 */
bool node_request_read(struct node_request *request, int argc, char *const *argv, char **why);

void node_request_clear(struct node_request *request);

/* Is a job one of those that are asked for? */
bool node_request_has_job(const struct node_request *request, const char *name);

#endif
