/*
 * host.h - has one host of a job looked at, by an mqdump that is started on it.
 */
#ifndef MQD_DUMP_ASK_HOST_H
#define MQD_DUMP_ASK_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/engine.h"
#include "mqd/dump/ask/launch.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/collect/job/job_hosts.h"

/*
 * What the commands and the mqdumps of many hosts have said, each text once with its hosts. Zeroed but for the hosts,
 * there are none.
 */
struct host_messages {
    const struct job_hosts *hosts; /* the caller's */
    struct text_groups said;       /* by the numbers of the hosts; released by text_groups_clear */
    size_t n_left_out;             /* beyond the maximum */
};

/* Adds a text of any origin that one of the hosts says. It is kept without "mqdump: " at its start. */
void host_messages_add(struct host_messages *messages, const struct job_host *host, const char *text);

/* Writes them to standard error, safe for a terminal, as "mqdump: n[01-03]: ...". */
void host_messages_give(const struct host_messages *messages);

/* How all hosts are asked. */
struct hosts_question {
    struct request request;        /* without ranks: each host is asked for its own */
    struct launch launch;          /* for hosts that are not this machine */
    char *program;                 /* the mqdump of the others: a valid name (launch.h) */
    struct host_messages messages; /* what else the hosts and the command say */
};

/* What came before the record, and before the last line of what was said: these may be the reason of a failure. */
struct host {
    const struct job_host *job_host;
    struct answer answer;
    char *problem;                 /* why not all has come, about the host: "did not answer within 60 seconds". NULL: it
                                      has. For free() */
    struct hosts_question *question;
    struct words command;
    bool begun, ended;
    char greeting[256];            /* a line of it */
    size_t greeting_length, n_greeting;
    char *last;                    /* that it has said on standard error; NULL: nothing */
};

/* Prepares host->answer: the host, the record and the question are set. */
void host_prepare(struct host *host, struct record_pool *pool);

/* Finds out what has become of it, and releases all but the problem. */
void host_finish(struct host *host);

#endif
