/*
 * job_hosts.c - the machines on which the ranks of some jobs run, and what else a launcher says of its jobs.
 */
#include "mqd/dump/collect/job/job_hosts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

bool host_is_here(const char *name)
{
    char own[MAX_HOST_NAME + 1] = "";
    size_t length = strcspn(name, ".");

    if (strcmp(name, "localhost") == 0 || strncmp(name, "127.", 4) == 0 || strcmp(name, "::1") == 0)
        return true;
    if (gethostname(own, sizeof own - 1) != 0)
        return false;
    return length > 0 && strcspn(own, ".") == length && strncmp(name, own, length) == 0;
}

struct job_host *job_hosts_find(const struct job_hosts *hosts, const char *name)
{
    uint32_t position;

    return name_index_find(&hosts->index, name, &position) ? &hosts->hosts[position] : NULL;
}

struct job_host *job_hosts_add(struct job_hosts *hosts, const char *name)
{
    struct job_host *host = job_hosts_find(hosts, name);

    if (host != NULL || !host_name_is_valid(name) || hosts->n >= MAX_JOB_HOSTS)
        return host;
    APPEND(hosts->hosts, hosts->n, hosts->room,
           (struct job_host){.name = copy_string(name), .is_here = host_is_here(name)});
    host = &hosts->hosts[hosts->n - 1];
    name_index_add(&hosts->index, host->name, (uint32_t)(hosts->n - 1));
    return host;
}

void job_host_expect(struct job_host *host, struct expected_rank rank)
{
    if (host->n < MAX_EXPECTED_RANKS)
        APPEND(host->ranks, host->n, host->room, rank);
}

void job_hosts_join_here(struct job_hosts *hosts)
{
    struct job_host *here = NULL;
    size_t n = 0;

    name_index_clear(&hosts->index);
    for (size_t i = 0; i < hosts->n; i++) {
        struct job_host *host = &hosts->hosts[i];

        if (host->is_here && here != NULL) {
            for (size_t k = 0; k < host->n; k++)
                job_host_expect(here, host->ranks[k]);
            FREE_ALL(host->name, host->ranks);
            continue;
        }
        hosts->hosts[n] = *host;
        name_index_add(&hosts->index, hosts->hosts[n].name, (uint32_t)n);
        if (hosts->hosts[n].is_here)
            here = &hosts->hosts[n];
        n++;
    }
    hosts->n = n;
}

bool job_hosts_are_elsewhere(const struct job_hosts *hosts)
{
    return ANY(i, hosts->n, !hosts->hosts[i].is_here);
}

void job_hosts_set_source(struct job_hosts *hosts, const char *source, bool complete)
{
    free(hosts->source);
    hosts->source = copy_string(source);
    hosts->complete = complete;
}

void job_hosts_clear(struct job_hosts *hosts)
{
    for (size_t i = 0; i < hosts->n; i++)
        FREE_ALL(hosts->hosts[i].name, hosts->hosts[i].ranks);
    FREE_ALL(hosts->hosts, hosts->source);
    name_index_clear(&hosts->index);
    *hosts = (struct job_hosts){0};
}

void launcher_table_clear(struct launcher_table *table)
{
    words_clear(&table->jobs);
    FREE_ALL(table->daemons, table->server, table->problem);
    job_hosts_clear(&table->hosts);
    *table = (struct launcher_table){0};
}
