/*
 * job_search.c - looks for the jobs on this machine, with collectors that look into programs where that is needed.
 */
#include "mqd/dump/choose/job_search.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "mqd/dump/ask/inquire.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"

struct search {
    job_search_filter *is_wanted;
    const void *context;
    const struct limit_choice *limits;
};

/* Of processes that nobody asks for no file is opened. */
static void probe(void *context, const struct jobs *jobs, struct job_process *const *processes, size_t n)
{
    const struct search *search = context;
    OWNED struct job_process **wanted = allocate_array(n, sizeof *wanted);
    OWNED struct process_id *ids = allocate_array(n, sizeof *ids);
    OWNED enum inquired *answers = allocate_array(n, sizeof *answers);
    size_t n_wanted = 0;

    for (size_t i = 0; i < n; i++) {
        if (!search->is_wanted(search->context, jobs, processes[i]))
            continue;
        ids[n_wanted] = (struct process_id){.pid = processes[i]->pid, .start = processes[i]->start};
        wanted[n_wanted++] = processes[i];
    }
    if (n_wanted > 0)
        inquire_mpi(ids, n_wanted, search->limits, answers);
    for (size_t i = 0; i < n_wanted; i++) {
        wanted[i]->has_mpi = answers[i] == INQUIRED_YES;
        wanted[i]->is_silent = answers[i] == INQUIRED_SILENT;
    }
}

static void warn_of_silent(const struct jobs *jobs)
{
    for (size_t i = 0; jobs->n_silent > 0 && i < jobs->n_processes; i++)
        if (jobs->processes[i].is_silent)
            warning_give("process %d (%s) does not answer: it waits for a device or a file server, and whether it is a "
                         "rank is not known", (int)jobs->processes[i].pid, jobs->processes[i].name);
    for (size_t i = 0; i < jobs->n_not_asked; i++)
        warning_give("%zu processes of the user with the id %lu were not asked: his others took too long",
                     jobs->not_asked[i].n, (unsigned long)jobs->not_asked[i].user);
}

bool job_search(struct jobs *jobs, job_search_filter *is_wanted, const void *context,
                const struct limit_choice *limits)
{
    struct search search = {is_wanted, context, limits};
    OWNED char *why = NULL;
    bool found = jobs_find(jobs, "/proc", geteuid(), probe, &search, &why);

    if (!found)
        notice_give("%s", why);
    warn_of_silent(jobs);
    return found;
}

pid_t job_search_pid(const char *text)
{
    char *end;
    long value;

    errno = 0;
    value = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
    return value > 0 && value <= INT_MAX && errno == 0 && *end == '\0' ? (pid_t)value : 0;
}

bool jobs_have_one_user(const struct job *const *jobs, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (jobs[i]->user != jobs[0]->user)
            return false;
    return true;
}
