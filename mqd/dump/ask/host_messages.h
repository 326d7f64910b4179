/*
 * host_messages.h - what the commands and the mqdumps of many hosts have said, each text once with its hosts.
 */
#ifndef MQD_DUMP_ASK_HOST_MESSAGES_H
#define MQD_DUMP_ASK_HOST_MESSAGES_H

#include <stddef.h>

#include "mqd/dump/base/text_groups.h"
#include "mqd/dump/collect/job/job_hosts.h"

/* Zeroed but for the hosts, there are none. */
struct host_messages {
    const struct job_hosts *hosts; /* the caller's */
    struct text_groups said;       /* by the numbers of the hosts; released by text_groups_clear */
    size_t n_left_out;             /* beyond the maximum */
};

/* Adds a text of any origin that one of the hosts says. It is kept without "mqdump: " at its start. */
void host_messages_add(struct host_messages *messages, const struct job_host *host, const char *text);

/* Writes them to standard error, safe for a terminal, as "mqdump: n[01-03]: ...". */
void host_messages_give(const struct host_messages *messages);

#endif
