/*
 * host_messages.c - what the commands and the mqdumps of many hosts have said, each text once with its hosts.
 */
#include "mqd/dump/ask/host_messages.h"

#include <stdint.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"

/* More different texts nobody reads, and hosts may make no end of them. */
enum { MAX_MESSAGES = 256 };

/* Longer lists of hosts are cut, since a line of a message is to be read. */
enum { MAX_HOSTS = 1000 };

static const char own_name[] = "mqdump: ";

void host_messages_add(struct host_messages *messages, const struct job_host *host, const char *text)
{
    struct text_groups *said = &messages->said;
    size_t number = (size_t)(host - messages->hosts->hosts);
    uint32_t at;

    if (strncmp(text, own_name, strlen(own_name)) == 0)
        text += strlen(own_name);
    if (!name_index_find(&said->index, text, &at) && said->n == MAX_MESSAGES)
        messages->n_left_out++;
    else if (!name_index_find(&said->index, text, &at) || said->groups[at].members[said->groups[at].n - 1] != number)
        text_groups_add(said, copy_string(text), number);
}

void host_messages_give(const struct host_messages *messages)
{
    for (size_t i = 0; i < messages->said.n; i++) {
        const struct text_group *message = &messages->said.groups[i];
        size_t n = message->n < MAX_HOSTS ? message->n : MAX_HOSTS;
        OWNED const char **names = allocate_array(n, sizeof *names);
        OWNED char *hosts = NULL;

        for (size_t k = 0; k < n; k++)
            names[k] = messages->hosts->hosts[message->members[k]].name;
        hosts = host_list_fold(names, n);
        notice_give("%s%s: %s", hosts, message->n > MAX_HOSTS ? ",..." : "", message->text);
    }
    if (messages->n_left_out > 0)
        notice_give("%zu more messages of hosts are not shown", messages->n_left_out);
}
