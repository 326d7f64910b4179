/*
 * host_messages.h - what the commands and the mqdumps of many hosts have said, each text once with its hosts.
 */
#ifndef MQD_DUMP_ASK_HOST_MESSAGES_H
#define MQD_DUMP_ASK_HOST_MESSAGES_H

#include <stddef.h>

#include "mqd/dump/base/hash.h"

/* A zeroed struct has none. */
struct host_messages {
    struct host_message {
        char *text;
        const char **hosts;        /* the caller's strings */
        size_t n, room;
    } *messages;                   /* in the order in which they were first said */
    size_t n, room;
    struct name_index index;       /* of their texts */
    size_t n_left_out;             /* beyond the maximum */
};

/* Adds a text of any origin. It is kept without "mqdump: " at its start. */
void host_messages_add(struct host_messages *messages, const char *host, const char *text);

/* Writes them to standard error, safe for a terminal, as "mqdump: n[01-03]: ...". */
void host_messages_give(const struct host_messages *messages);

void host_messages_clear(struct host_messages *messages);

#endif
