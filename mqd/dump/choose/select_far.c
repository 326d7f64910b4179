/*
 * select_far.c - finds jobs that have no rank on this machine, but perhaps their launcher.
 */
#include "mqd/dump/choose/select_far.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/choose/inquire.h"
#include "mqd/dump/choose/locate.h"
#include "mqd/dump/collect/job/job_hosts.h"
#include "mqd/dump/collect/job/launchers.h"

enum { MAX_LAUNCHERS = 16 };      /* of each user that are asked which of them has started a job */

/* Launchers of which no rank is here. */

/* What the first job of the launcher is called, for free(). NULL: it has not told. */
static char *first_job(const struct launcher_table *table)
{
    if (table->jobs.n > 0)
        return copy_string(table->jobs.words[0]);
    return table->daemons != NULL ? job_family_first(table->daemons) : NULL;
}

/* False: it has told nothing, or nothing of the job that is asked for. */
static bool take_launcher(struct selection *selection, const struct jobs *jobs, const struct job_process *launcher,
                          const struct launcher_table *table, const struct job_choice *choice)
{
    bool by_name = choice->job != NULL && job_search_pid(choice->job) != launcher->pid;
    OWNED char *first = first_job(table);
    bool good = first != NULL &&
                (!by_name || strcmp(choice->job, first) == 0 || job_family_is_one(choice->job, first));

    if (good) {
        selection->user = (long)launcher->user;
        selection->principal = (struct process_id){.pid = launcher->pid, .start = launcher->start};
        selection->family = !by_name;
        selection_add_job(selection, by_name ? choice->job : first);
        locate_from_table(selection, jobs, launcher, table);
    }
    return good && job_hosts_are_elsewhere(&selection->hosts);
}

static const char *why_nothing(const struct launcher_table *table)
{
    if (table->problem != NULL)
        return table->problem;
    return job_hosts_are_elsewhere(&table->hosts)
               ? "what its job is called is not known: give its namespace with --job, and --hosts"
               : "it has started none";
}

static bool ask_launcher(struct selection *selection, const struct jobs *jobs, const struct job_process *launcher,
                         const struct job_choice *choice)
{
    RELEASED_BY(launcher_table_clear) struct launcher_table table = {0};
    bool good;

    inquire_table(&table, jobs, launcher, true, choice->limits);
    good = take_launcher(selection, jobs, launcher, &table, choice);
    if (good && choice->hosts.n > 0) {
        selection_use_hosts(selection, &choice->hosts, "--hosts");
    } else if (!good) {
        selection_clear(selection);
        if (choice->job == NULL || job_search_pid(choice->job) == launcher->pid)
            selection->problem =
                format_text("process %d (%s) is neither a rank of an MPI job nor what has started one that has ranks "
                            "on this machine, and tells of none on another one: %s", (int)launcher->pid,
                            launcher->name, why_nothing(&table));
    }
    return good;
}

/* srun starts itself once more, and mpirun starts srun. */
static bool is_below_launcher(const struct jobs *jobs, const struct job_process *process)
{
    return ANY(i, jobs->n_processes, launcher_is_command(jobs->processes[i].name) &&
               jobs_is_below(jobs, process->pid, jobs->processes[i].pid));
}

/* Finds the launchers that are meant and have no rank here. */
static size_t find_launchers(const struct job_process **launchers, const struct jobs *jobs, const char *text)
{
    pid_t pid = text != NULL ? job_search_pid(text) : 0;
    const struct job_process *named = pid != 0 ? jobs_process(jobs, pid) : NULL;
    size_t n = 0;

    if (named != NULL) {
        launchers[0] = named;
        return launcher_is_command(named->name) || launcher_is_daemon(named->name);
    }
    for (size_t i = 0; i < jobs->n_processes; i++) {
        const struct job_process *process = &jobs->processes[i];

        if ((geteuid() == 0 || process->user == geteuid()) && launcher_is_command(process->name) &&
            !is_below_launcher(jobs, process) && !ANY(k, jobs->n, job_has_launcher(&jobs->jobs[k], process->pid)))
            launchers[n++] = process;
    }
    return n;
}

void select_far_hint(const struct jobs *jobs)
{
    OWNED const struct job_process **launchers = allocate_array(jobs->n_processes, sizeof *launchers);
    size_t n = find_launchers(launchers, jobs, NULL);

    for (size_t i = 0; i < n; i++)
        notice_give("process %d (%s) may have started a job that has ranks on other machines only: mqdump --job %d",
                    (int)launchers[i]->pid, launchers[i]->name, (int)launchers[i]->pid);
}

static void explain_several(const struct job_process *const *launchers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        notice_give("process %d (%s) of the user with the id %lu", (int)launchers[i]->pid, launchers[i]->name,
                    (unsigned long)launchers[i]->user);
    notice_give("these may have started jobs that have ranks on other machines only: say which one, as in: "
                "mqdump --job %d", (int)launchers[0]->pid);
}

/* How many of a user's launchers come before this one. */
static size_t count_before(const struct job_process *const *launchers, size_t i)
{
    size_t n = 0;

    for (size_t k = 0; k < i; k++)
        n += launchers[k]->user == launchers[i]->user;
    return n;
}

/*
 * Selects the first of the launchers that has started the job. Anybody may name a process of his like a launcher, and
 * have it tell anything: if launchers of another user tell of a job of that name too, none is selected, and *said.
 */
static bool ask_launchers(struct selection *selection, const struct jobs *jobs,
                          const struct job_process *const *launchers, size_t n, const struct job_choice *choice,
                          bool *said)
{
    const struct job_process *found = NULL;

    for (size_t i = 0; i < n && !*said; i++) {
        RELEASED_BY(selection_clear) struct selection other = {.user = -1};

        if (count_before(launchers, i) >= MAX_LAUNCHERS || (found != NULL && found->user == launchers[i]->user))
            continue;
        if (!ask_launcher(found == NULL ? selection : &other, jobs, launchers[i], choice))
            continue;
        *said = found != NULL;
        if (*said)
            notice_give("processes %d (user %lu) and %d (user %lu) both tell of a job of that name: give --job the "
                        "process id of one", (int)found->pid, (unsigned long)found->user, (int)launchers[i]->pid,
                        (unsigned long)launchers[i]->user);
        else
            found = launchers[i];
    }
    if (*said)
        selection_clear(selection);
    return found != NULL && !*said;
}

/* Selects the only launcher, or the one that a pid or namespace names. Else false; a message has said why if *said. */
static bool select_launcher(struct selection *selection, const struct jobs *jobs, const struct job_choice *choice,
                            bool *said)
{
    OWNED const struct job_process **launchers = allocate_array(jobs->n_processes, sizeof *launchers);
    size_t n = find_launchers(launchers, jobs, choice->job);
    bool found = false;

    *said = choice->job == NULL && n > 1;
    if (*said)
        explain_several(launchers, n);
    else
        found = ask_launchers(selection, jobs, launchers, n, choice, said);
    return found;
}

/* Jobs of which nothing is here. */

/* The Slurm job that mqdump runs in; 0: none. */
static long own_slurm_job(struct dictionary *nodes)
{
    const char *job = getenv("SLURM_JOB_ID"), *list = getenv("SLURM_JOB_NODELIST");
    OWNED char *why = NULL;
    long number = job != NULL && job_search_pid(job) > 0 ? (long)job_search_pid(job) : 0;

    if (number != 0 && (list == NULL || !host_list_read(nodes, list, false, &why)))
        number = 0;
    return number;
}

static bool are_among(const struct dictionary *hosts, const struct dictionary *others)
{
    uint32_t position;

    return !ANY(i, hosts->n, !dictionary_find(others, hosts->texts[i], &position));
}

/* Is it certainly a job of another Slurm job than this one? */
static bool is_of_other_slurm_job(const char *name, long slurm_job)
{
    long number;

    return sscanf(name, "slurm.pmix.%ld.", &number) == 1 && number != slurm_job;
}

/* Whether there is such a job is found out on the hosts: those that are given, or those of the own Slurm job. */
static bool assume_job_exists(struct selection *selection, const struct jobs *jobs, const struct job_choice *choice)
{
    pid_t pid = job_search_pid(choice->job);
    RELEASED_BY(dictionary_clear) struct dictionary nodes = {0};
    long slurm_job = own_slurm_job(&nodes);
    bool good = job_name_is_valid(choice->job) && (pid == 0 || jobs_process(jobs, pid) == NULL);

    if (is_of_other_slurm_job(choice->job, slurm_job) || (choice->hosts.n > 0 && !are_among(&choice->hosts, &nodes)))
        slurm_job = 0;
    good = good && (choice->hosts.n > 0 || slurm_job != 0);
    if (good) {
        selection_add_job(selection, choice->job);
        selection->user = geteuid() != 0 ? (long)geteuid() : -1;
        selection->hosts.slurm_job = slurm_job;
        selection_use_hosts(selection, choice->hosts.n > 0 ? &choice->hosts : &nodes,
                            choice->hosts.n > 0 ? "--hosts" : "SLURM_JOB_NODELIST");
    }
    return good;
}

bool select_far(struct selection *selection, const struct jobs *jobs, const struct job_choice *choice, bool *said)
{
    return select_launcher(selection, jobs, choice, said) ||
           (!*said && choice->job != NULL && assume_job_exists(selection, jobs, choice));
}
