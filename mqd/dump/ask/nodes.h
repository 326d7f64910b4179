/*
 * nodes.h - has the hosts of a job looked at by an mqdump that is started on each of them.
 *
 * What a host answers is a record as from a file: nothing in it is trusted (record/read.h). The caller takes no more of
 * it than what it has asked for.
 */
#ifndef MQD_DUMP_ASK_NODES_H
#define MQD_DUMP_ASK_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/ask/engine.h"
#include "mqd/dump/ask/host_messages.h"
#include "mqd/dump/ask/request.h"
#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/record/dictionary.h"
#include "mqd/dump/record/record.h"

struct nodes_wish {
    const struct job_hosts *hosts;
    const struct request *request;        /* without ranks: each host is asked for its own */
    const struct engine *engine;          /* for hosts that are not this machine */
    const char *program;                  /* the mqdump of the others: a valid name (argument.h) */
    size_t fanout;                        /* hosts that are asked at the same time, 1 or more */
    double seconds;                       /* for each host; 0: there is no limit */
    uint64_t max_memory;                  /* that an answer may need, in bytes; 0: there is no limit */
    struct record_pool *pool;             /* of what the records share; the caller's, as long as he has these */
};

/* What a host has answered. */
struct node_answer {
    const char *host;              /* the name by which it was asked */
    struct record *record;         /* what has come of it: nothing, a part, or all */
    char *problem;                 /* why not all has come, about the host: "did not answer within 60 seconds". NULL: it
                                      has. For free() */
};

/*
 * Asks all hosts. The records, which are zeroed, and the answers are arrays with an element for each host. What else
 * the hosts and the engine say is added to the messages, whose hosts are the wish's strings. Shows progress.
 */
void nodes_ask(const struct nodes_wish *wish, struct record *records, struct node_answer *answers,
               struct host_messages *messages);

#endif
