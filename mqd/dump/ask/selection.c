/*
 * selection.c - the ranks that are to be shown, and where they are.
 */
#include "mqd/dump/ask/selection.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"

void selection_add_processes(struct selection *selection, const struct job *job)
{
    for (size_t i = 0; i < job->n; i++) {
        APPEND(selection->processes, selection->n_processes, selection->room,
               (struct process_id){.pid = job->ranks[i].pid, .start = job->ranks[i].start});
    }
}

uint32_t selection_find_job(const struct selection *selection, const char *name)
{
    for (size_t i = 0; i < selection->jobs.n; i++)
        if (strcmp(selection->jobs.words[i], name) == 0)
            return (uint32_t)i;
    return NO_JOB_NUMBER;
}

uint32_t selection_add_job(struct selection *selection, const char *name)
{
    uint32_t position = selection_find_job(selection, name);

    if (position != NO_JOB_NUMBER)
        return position;
    words_add(&selection->jobs, copy_string(name));
    return (uint32_t)selection->jobs.n - 1;
}

void selection_use_hosts(struct selection *selection, const struct dictionary *list, const char *source)
{
    struct job_hosts known = selection->hosts;

    selection->hosts = (struct job_hosts){.source = copy_string(source), .complete = true,
                                          .slurm_job = known.slurm_job};
    for (size_t i = 0; i < list->n; i++) {
        const struct job_host *other = job_hosts_find(&known, list->texts[i]);
        struct job_host *host = job_hosts_add(&selection->hosts, list->texts[i]);

        for (size_t j = 0; other != NULL && j < other->n; j++)
            job_host_expect(host, other->ranks[j]);
    }
    job_hosts_clear(&known);
    job_hosts_join_here(&selection->hosts);
}

void selection_tell(const struct selection *selection)
{
    for (size_t i = 0; i < selection->absent.n_notes; i++)
        notice_give("%s", selection->absent.notes[i]);
    if (selection->problem != NULL)
        notice_give("on which machines the others are is not known: give --hosts (%s)", selection->problem);
}

void selection_tell_more_hosts(const struct selection *selection)
{
    const struct job_hosts *hosts = &selection->hosts;

    if (hosts->complete)
        return;
    notice_give("there may be ranks on more machines than the %zu that are known from %s: give --hosts%s%s%s", hosts->n,
                hosts->source, selection->problem != NULL ? " (" : "",
                selection->problem != NULL ? selection->problem : "", selection->problem != NULL ? ")" : "");
}

void selection_clear(struct selection *selection)
{
    absent_ranks_clear(&selection->absent);
    job_hosts_clear(&selection->hosts);
    words_clear(&selection->cores);
    words_clear(&selection->jobs);
    FREE_ALL(selection->problem, selection->processes);
    *selection = (struct selection){0};
}
