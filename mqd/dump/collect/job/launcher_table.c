/*
 * launcher_table.c - what a launcher says of its jobs, and the text in which a collector passes that on.
 */
#include "mqd/dump/collect/job/launcher_table.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/job/rendezvous.h"

enum { MAX_JOB_NAME = 255, MAX_RANK = MAX_EXPECTED_RANKS - 1 };

bool job_name_is_valid(const char *name)
{
    size_t n = 0;

    for (; name[n] != '\0' && n <= MAX_JOB_NAME; n++)
        if ((unsigned char)name[n] < ' ' || name[n] == '\x7f')
            return false;
    return n > 0 && n <= MAX_JOB_NAME;
}

uint32_t launcher_table_add_job(struct launcher_table *table, const char *name)
{
    APPEND(table->jobs, table->n_jobs, table->job_room, copy_string(name));
    return (uint32_t)(table->n_jobs - 1);
}

static void write_text(FILE *to, const char *kind, const char *text)
{
    if (text != NULL)
        fprintf(to, "%s %.*s\n", kind, (int)strcspn(text, "\n"), text);
}

void launcher_table_write(const struct launcher_table *table, FILE *to)
{
    write_text(to, "pmix", table->server);
    write_text(to, "problem", table->problem);
    write_text(to, "means", table->means);
    write_text(to, "daemons", table->daemons);
    if (table->complete)
        fputs("complete\n", to);
    if (table->slurm_job != 0)
        fprintf(to, "slurm %ld\n", table->slurm_job);
    for (size_t i = 0; i < table->n_jobs; i++)
        fprintf(to, "job %s\n", table->jobs[i]);
    for (size_t i = 0; i < table->hosts.n; i++) {
        const struct job_host *host = &table->hosts.hosts[i];

        fprintf(to, "host %s\n", host->name);
        for (size_t j = 0; j < host->n; j++)
            fprintf(to, "%lu %ld %d\n", (unsigned long)host->ranks[j].job, host->ranks[j].rank,
                    (int)host->ranks[j].pid);
    }
}

/* Reads a number from 0 to `limit` and what is after it. */
static bool take_number(const char **text, char after, long limit, long *number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *number = strtol(*text, &end, 10);
    if (errno != 0 || *number > limit || *end != after)
        return false;
    *text = end + (after != '\0');
    return true;
}

static bool read_rank(struct launcher_table *table, struct job_host *host, const char *line)
{
    long job, rank, pid, n_jobs = table->n_jobs > 0 ? (long)table->n_jobs : 1;

    if (host == NULL || !take_number(&line, ' ', n_jobs - 1, &job) || !take_number(&line, ' ', MAX_RANK, &rank) ||
        !take_number(&line, '\0', INT_MAX, &pid))
        return false;
    job_host_expect(host, (struct expected_rank){.rank = rank, .pid = (pid_t)pid, .job = (uint32_t)job});
    return true;
}

static bool read_job(struct launcher_table *table, const char *name)
{
    if (!job_name_is_valid(name) || table->n_jobs == MAX_TABLE_JOBS)
        return false;
    launcher_table_add_job(table, name);
    return true;
}

static bool read_text(char **to, const char *text)
{
    free(*to);
    *to = copy_string(text);
    return true;
}

static bool read_slurm_job(struct launcher_table *table, const char *text)
{
    return take_number(&text, '\0', LONG_MAX, &table->slurm_job);
}

/* Lines of a kind that has one each. *is_one: it is of such a kind. */
static bool read_single(struct launcher_table *table, const char *line, bool *is_one)
{
    *is_one = true;
    if (strncmp(line, "pmix ", 5) == 0)
        return rendezvous_is_valid(line + 5) && read_text(&table->server, line + 5);
    if (strncmp(line, "problem ", 8) == 0)
        return read_text(&table->problem, line + 8);
    if (strncmp(line, "means ", 6) == 0)
        return read_text(&table->means, line + 6);
    if (strncmp(line, "daemons ", 8) == 0)
        return job_name_is_valid(line + 8) && read_text(&table->daemons, line + 8);
    if (strncmp(line, "slurm ", 6) == 0)
        return read_slurm_job(table, line + 6);
    *is_one = strcmp(line, "complete") == 0;
    table->complete |= *is_one;
    return true;
}

void launcher_table_read(struct launcher_table *table, char *text)
{
    struct job_host *host = NULL;
    size_t n_ranks = 0;
    char *line;
    bool good = true, single;

    while (good && n_ranks < MAX_EXPECTED_RANKS && (line = strsep(&text, "\n")) != NULL && *line != '\0') {
        good = read_single(table, line, &single);
        if (single)
            continue;
        if (strncmp(line, "job ", 4) == 0) {
            good = table->hosts.n == 0 && read_job(table, line + 4);
        } else if (strncmp(line, "host ", 5) == 0) {
            host = job_hosts_add(&table->hosts, line + 5);
            good = host != NULL;
        } else {
            good = read_rank(table, host, line);
            n_ranks++;
        }
    }
}

void launcher_table_set_means(struct launcher_table *table, const char *means, bool complete)
{
    read_text(&table->means, means);
    table->complete = complete;
}

void launcher_table_clear(struct launcher_table *table)
{
    for (size_t i = 0; i < table->n_jobs; i++)
        free(table->jobs[i]);
    FREE_ALL(table->jobs, table->means, table->daemons, table->server, table->problem);
    job_hosts_clear(&table->hosts);
    *table = (struct launcher_table){0};
}
