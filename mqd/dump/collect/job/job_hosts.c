/*
 * job_hosts.c - the machines on which the ranks of some jobs run.
 */
#include "mqd/dump/collect/job/job_hosts.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

struct job_host *job_hosts_add(struct job_hosts *hosts, const char *name)
{
    for (size_t i = 0; i < hosts->n; i++)
        if (strcmp(hosts->hosts[i].name, name) == 0)
            return &hosts->hosts[i];
    hosts->hosts = grow_array(hosts->hosts, hosts->n, &hosts->room, sizeof *hosts->hosts);
    hosts->hosts[hosts->n] = (struct job_host){.name = copy_string(name)};
    return &hosts->hosts[hosts->n++];
}

void job_hosts_clear(struct job_hosts *hosts)
{
    for (size_t i = 0; i < hosts->n; i++) {
        free(hosts->hosts[i].name);
        free(hosts->hosts[i].ranks);
    }
    free(hosts->hosts);
    free(hosts->source);
    *hosts = (struct job_hosts){0};
}
