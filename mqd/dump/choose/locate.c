/*
 * locate.c - finds out on which machines the ranks of selected jobs are.
 */
#include "mqd/dump/choose/locate.h"

#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/choose/inquire.h"
#include "mqd/dump/collect/job/launchers.h"

/* Is an entry of the launcher's table a rank of this job, or the process that has started the rank? */
static bool has_entry(const struct jobs *jobs, const struct job *job, const struct expected_rank *entry)
{
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].rank == entry->rank)
            return job->ranks[i].pid == entry->pid || jobs_is_below(jobs, job->ranks[i].pid, entry->pid);
    return false;
}

static bool is_table_of(const struct launcher_table *table, const struct jobs *jobs, const struct job *job)
{
    for (size_t i = 0; i < table->hosts.n; i++)
        for (size_t j = 0; table->hosts.hosts[i].is_here && j < table->hosts.hosts[i].n; j++)
            if (has_entry(jobs, job, &table->hosts.hosts[i].ranks[j]))
                return true;
    return false;
}

/*
 * MPIR_proctable has no namespaces, and the first job of a launcher only, not the jobs that this one has spawned. Pids
 * tell where names do not.
 */
static const struct job *job_of_table(const struct launcher_table *table, const struct jobs *jobs,
                                      const struct job *const *selected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        OWNED char *first = job_family_first(selected[i]->name);

        if ((first != NULL && strcmp(first, selected[i]->name) == 0) || is_table_of(table, jobs, selected[i]))
            return selected[i];
    }
    return NULL;
}

/* Takes the ranks of the table's jobs that are selected: numbers[i] is the i-th job's position in the selection. */
static void take_ranks(struct selection *selection, const struct job_host *told, const uint32_t *numbers)
{
    struct job_host *host = NULL;

    for (size_t i = 0; i < told->n; i++) {
        struct expected_rank rank = told->ranks[i];

        rank.job = numbers[rank.job];
        if (rank.job == NO_JOB_NUMBER)
            continue;
        host = host != NULL ? host : job_hosts_add(&selection->hosts, told->name);
        if (host != NULL)
            job_host_expect(host, rank);
    }
}

/* A table without names has the first job of its launcher; the selection gets it if it is selected. */
static uint32_t number_of_table(struct selection *selection, const struct launcher_table *table,
                                const struct jobs *jobs, const struct job *const *selected, size_t n)
{
    const struct job *job = job_of_table(table, jobs, selected, n);
    OWNED char *first = job == NULL ? job_family_first(selected[0]->name) : NULL;
    uint32_t number = NO_JOB_NUMBER;

    if (job != NULL)
        number = selection_find_job(selection, job->name);
    else if (first != NULL)
        number = selection->family ? selection_add_job(selection, first) : selection_find_job(selection, first);
    return number;
}

/* A table without names has one job. Where another one's ranks are is not known then, but it is probably there. */
static void take_unnamed(struct selection *selection, const struct launcher_table *table, const struct jobs *jobs,
                         const struct job *const *selected, size_t n)
{
    uint32_t number = number_of_table(selection, table, jobs, selected, n);

    for (size_t i = 0; i < table->hosts.n; i++) {
        if (number == NO_JOB_NUMBER || selection->family)
            job_hosts_add(&selection->hosts, table->hosts.hosts[i].name);
        take_ranks(selection, &table->hosts.hosts[i], &number);
    }
}

static void take_named(struct selection *selection, const struct launcher_table *table)
{
    OWNED uint32_t *numbers = allocate_array(table->jobs.n, sizeof *numbers);

    for (size_t i = 0; i < table->jobs.n; i++)
        numbers[i] = selection->family || selection_find_job(selection, table->jobs.words[i]) != NO_JOB_NUMBER
                         ? selection_add_job(selection, table->jobs.words[i]) : NO_JOB_NUMBER;
    for (size_t i = 0; i < table->hosts.n; i++)
        take_ranks(selection, &table->hosts.hosts[i], numbers);
}

/* Are all ranks of these jobs on this machine: found there, or as far as their environments say? */
static bool are_all_here(const struct job *const *selected, size_t n, bool found)
{
    for (size_t i = 0; i < n; i++) {
        long n_here = found ? (long)selected[i]->n : selected[i]->local_size;

        if (*selected[i]->name != '\0' && (selected[i]->size <= 0 || n_here < selected[i]->size))
            return false;
    }
    return true;
}

/*
 * Who can be asked where the ranks are: what has started them. What is not of the job's user, as Slurm's daemon, is not
 * asked: only with that user's rights may files of his be followed.
 */
static const struct job_process *process_to_ask(const struct jobs *jobs, const struct job *job)
{
    const struct job_process *launcher = jobs_process(jobs, job_launcher(job));

    if (launcher != NULL && launcher->user == job->user)
        return launcher;
    return job->n > 0 ? jobs_process(jobs, job->ranks[0].pid) : NULL;
}

/* Takes what a process says of the jobs that are selected. */
static void take_table(struct selection *selection, const struct launcher_table *table, const struct jobs *jobs,
                       const struct job *const *selected, size_t n, const struct job_process *told_by)
{
    selection->hosts.slurm_job = table->hosts.slurm_job;
    if (table->jobs.n > 0)
        take_named(selection, table);
    else
        take_unnamed(selection, table, jobs, selected, n);
    if (selection->hosts.n > 0) {
        selection->hosts.source = format_text("%s %d (%s)", told_by->name, (int)told_by->pid,
                                              table->hosts.source != NULL ? table->hosts.source : "its table");
        selection->hosts.complete = table->hosts.complete;
    } else {
        selection->hosts.complete = are_all_here(selected, n, false);
    }
    if (table->problem != NULL && !selection->hosts.complete)
        selection->problem = format_text("%s, process %d: %s", told_by->name, (int)told_by->pid, table->problem);
}

/* A launcher may call this machine what it does not call itself. */
static void find_this_machine(struct selection *selection, const struct jobs *jobs, const struct job *job)
{
    uint32_t number = selection_find_job(selection, job->name);

    for (size_t i = 0; i < selection->hosts.n; i++) {
        struct job_host *host = &selection->hosts.hosts[i];

        for (size_t j = 0; !host->is_here && j < host->n; j++)
            host->is_here = host->ranks[j].job == number && has_entry(jobs, job, &host->ranks[j]);
    }
}

/*
 * If ranks are here and on other machines, this machine is one of the hosts, even if only the commands are known that
 * have started the others.
 */
static void add_this_machine(struct selection *selection)
{
    char name[MAX_HOST_NAME + 1] = "";

    for (size_t i = 0; i < selection->hosts.n; i++)
        if (selection->hosts.hosts[i].is_here)
            return;
    if (selection->n_processes > 0 && selection->hosts.n > 0 && gethostname(name, sizeof name - 1) == 0)
        job_hosts_add(&selection->hosts, name);
}

/* Hosts of which it is not known what is there are of no interest if nothing is missing. */
static void forget_idle_hosts(struct selection *selection)
{
    long slurm_job = selection->hosts.slurm_job;

    job_hosts_clear(&selection->hosts);
    selection->hosts.slurm_job = slurm_job;
    selection->hosts.complete = true;
}

void locate_ranks(struct selection *selection, const struct jobs *jobs, const struct job *const *selected, size_t n,
                  const struct limit_choice *limits)
{
    const struct job_process *process = process_to_ask(jobs, selected[0]);
    /* Then its PMIx server need not be asked: it has other things to do. */
    bool all_found = are_all_here(selected, n, true);
    RELEASED_BY(launcher_table_clear) struct launcher_table table = {0};

    selection->hosts.complete = are_all_here(selected, n, false);
    if (process != NULL) {
        inquire_table(&table, jobs, process, !all_found, limits);
        take_table(selection, &table, jobs, selected, n, process);
    }
    if (all_found && !ANY(i, selection->hosts.n, selection->hosts.hosts[i].n > 0))
        forget_idle_hosts(selection);
    for (size_t i = 0; i < n; i++)
        find_this_machine(selection, jobs, selected[i]);
    add_this_machine(selection);
    job_hosts_join_here(&selection->hosts);
    for (size_t i = 0; i < n; i++)
        absent_ranks_find(&selection->absent, jobs, selected[i], &selection->hosts,
                          selection_find_job(selection, selected[i]->name), job_launcher(selected[0]));
}

void locate_from_table(struct selection *selection, const struct jobs *jobs, const struct job_process *launcher,
                    const struct launcher_table *table)
{
    const struct job job = {.name = selection->jobs.words[0], .user = launcher->user, .size = -1, .local_size = -1};
    const struct job *const selected = &job;

    take_table(selection, table, jobs, &selected, 1, launcher);
    job_hosts_join_here(&selection->hosts);
    for (size_t i = 0; i < selection->jobs.n; i++) {
        const struct job other = {.name = selection->jobs.words[i], .user = launcher->user, .size = -1, .local_size = -1};

        absent_ranks_find(&selection->absent, jobs, &other, &selection->hosts, (uint32_t)i, launcher->pid);
    }
}
