/*
 * request.h - what a process of mqdump's own is asked for: by the front end, or by an mqdump on another machine; and what
 * it answers, unless that is a record.
 *
 * A collector ("mqdump --collect") reads the processes of one owner, or core files. A node ("mqdump --collect=node")
 * has the ranks of some jobs on its machine read. Both write what they have seen to standard output. The request is one
 * line of JSON on standard input. Where the command that starts a node hands on no input, it is an argument, as a word
 * that no shell changes. request.c lists what a request has: all of it is always there, and nothing else. Answers are
 * lines of JSON too, each with one or more members of their lists.
 */
#ifndef MQD_DUMP_ASK_REQUEST_H
#define MQD_DUMP_ASK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/base/words.h"
#include "mqd/dump/collect/child/process_owner.h"
#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/look/wish.h"

/* The number changes when requests or records change for those who do not know of it. */
enum { REQUEST_PROTOCOL = 3 };

/* The first argument, which says the role; and all arguments of a collector. */
#define COLLECT_OPTION "--collect"
#define NODE_OPTION "--collect=node"
extern char *const collector_arguments[];

/* A look takes seconds. Who waits for one longer than this has forgotten it. */
enum { MOST_REQUEST_SECONDS = 1000000 };

/* Of one machine not more ranks are asked for than it may have, nor more jobs than a command has room for. */
enum { MAX_REQUEST_RANKS = 4096, MAX_REQUEST_JOBS = 1024 };

/* Linux has no longer argument of a command, its end included. */
enum { MAX_ARGUMENT = 128 * 1024 };

enum request_task {
    REQUEST_LOOK,              /* a record: of processes or cores, or of the ranks of jobs */
    REQUEST_PROBE,             /* has each process Open MPI in its memory? */
    REQUEST_TABLE,             /* what a launcher's memory and files say of its ranks */
    REQUEST_PMIX               /* what its PMIx server says of them */
};

struct request {
    enum request_task task;
    struct wish wish;
    bool thorough;             /* as in struct view */
    bool has_owner;            /* that a collector becomes; else it stays who it is: */
    struct owner owner;
    struct process_id *processes;
    size_t n_processes;
    struct words cores;        /* in place of processes */
    char *server;              /* of REQUEST_PMIX, as in pmix.h; else NULL */
    struct words jobs;         /* namespaces */
    struct words families;     /* the same, for all jobs that their launchers have started (launchers.h) */
    struct expected_rank *ranks;   /* that are said to be there; their jobs are positions in `jobs` */
    size_t n_ranks;
    long user;                 /* whose jobs; -1: the user's who asks, or anybody's if that is root */
    long seconds;              /* after which a node ends by itself; 0: there is no limit */
};

/* Returns the request as one line, without its end, of ASCII characters; for free(). */
char *request_write(const struct request *request) __attribute__((returns_nonnull, warn_unused_result));

/*
 * Reads a request, which then owns all that it has: release it with request_clear in any case. False, with the reason
 * in *why, if it is none of this protocol, or has something else than the list of request.c, or what cannot be.
 */
bool request_read(struct request *request, const char *line, char **why);

/* The same from standard input. */
bool request_receive(struct request *request, char **why);

/* Releases a request that was read. */
void request_clear(struct request *request);

/* Is a job one of those that are asked for? */
bool request_has_job(const struct request *request, const char *name);

/* What REQUEST_PROBE tells of one process. */
struct probed {
    int pid;
    bool has_mpi;
};

/*
 * Writes an answer: a line for a process that was probed, or lines for a table. The line of a process is sent off at
 * once: the next one may keep the collector for ever.
 */
void probed_write(const struct probed *probed, FILE *to);
void table_write(const struct launcher_table *table, FILE *to);

/* Reads the line at *text, which may be NULL, and moves behind it. False if it is no such line, or not there. */
bool probed_read(struct probed *probed, char **text);

/* Adds what the lines say, which change. From the first line on that cannot be one of a table nothing is believed. */
void table_read(struct launcher_table *table, char *text);

#endif
