/*
 * host_messages.c - what the commands and the mqdumps of many hosts have said, each text once with its hosts.
 */
#include "mqd/dump/ask/host_messages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"

/* More different texts nobody reads, and hosts may make no end of them. */
enum { MAX_MESSAGES = 256 };

/* Longer lists of hosts are cut, since a line of a message is to be read. */
enum { MAX_HOSTS = 1000 };

static const char own_name[] = "mqdump: ";

static void add_host(struct host_message *message, const char *host)
{
    if (message->n > 0 && message->hosts[message->n - 1] == host)
        return;
    APPEND(message->hosts, message->n, message->room, host);
}

void host_messages_add(struct host_messages *messages, const char *host, const char *text)
{
    uint32_t position;

    if (strncmp(text, own_name, strlen(own_name)) == 0)
        text += strlen(own_name);
    if (name_index_find(&messages->index, text, &position)) {
        add_host(&messages->messages[position], host);
        return;
    }
    if (messages->n == MAX_MESSAGES) {
        messages->n_left_out++;
        return;
    }
    messages->messages = grow_array(messages->messages, messages->n, &messages->room, sizeof *messages->messages);
    messages->messages[messages->n] = (struct host_message){.text = copy_string(text)};
    name_index_add(&messages->index, messages->messages[messages->n].text, (uint32_t)messages->n);
    add_host(&messages->messages[messages->n++], host);
}

void host_messages_give(const struct host_messages *messages)
{
    for (size_t i = 0; i < messages->n; i++) {
        const struct host_message *message = &messages->messages[i];
        char *hosts = host_list_fold(message->hosts, message->n < MAX_HOSTS ? message->n : MAX_HOSTS);

        notice_give("%s%s: %s", hosts, message->n > MAX_HOSTS ? ",..." : "", message->text);
        free(hosts);
    }
    if (messages->n_left_out > 0)
        notice_give("%zu more messages of hosts are not shown", messages->n_left_out);
}

void host_messages_clear(struct host_messages *messages)
{
    for (size_t i = 0; i < messages->n; i++) {
        free(messages->messages[i].text);
        free(messages->messages[i].hosts);
    }
    free(messages->messages);
    name_index_clear(&messages->index);
    *messages = (struct host_messages){0};
}
