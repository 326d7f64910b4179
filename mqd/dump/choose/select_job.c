/*
 * select_job.c - finds the processes that the user asks for.
 */
#include "mqd/dump/choose/select_job.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/choose/inquire.h"
#include "mqd/dump/choose/locate.h"
#include "mqd/dump/choose/select_far.h"
#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/show/text/job_list.h"

/* All jobs. */

static bool is_wanted(const void *context, const struct jobs *jobs, const struct job_process *process)
{
    const char *text = context;
    pid_t pid = text != NULL ? job_search_pid(text) : 0;
    const struct job_process *named = pid > 0 ? jobs_process(jobs, pid) : NULL;

    if (text == NULL)
        return process->user == geteuid();
    return strcmp(process->launch.job, text) == 0 || process->pid == pid || jobs_is_below(jobs, process->pid, pid) ||
           (named != NULL && named->user == process->user && strcmp(named->launch.job, process->launch.job) == 0);
}

static void explain_no_jobs(const struct jobs *jobs)
{
    size_t n_without_mpi = 0, n_with_other = 0;

    for (size_t i = 0; i < jobs->n_processes; i++) {
        n_without_mpi += jobs->processes[i].launch.rank >= 0 && !jobs->processes[i].has_mpi;
        n_with_other += jobs->processes[i].has_other_mpi;
    }
    fprintf(stderr, "mqdump: %s no job of Open MPI on this machine: no process has Open MPI loaded (the symbol "
            "ompi_mpi_communicators) and was given a rank by its launcher (PMIX_NAMESPACE and PMIX_RANK in its "
            "environment) or has a library libmpi or libopen_mpi\n", geteuid() == 0 ? "there is" : "you have");
    if (n_with_other > 0)
        fprintf(stderr, "mqdump: %zu process%s with MPICH or another MPI library, and mqdump reads Open MPI only\n",
                n_with_other, n_with_other == 1 ? " runs" : "es run");
    if (n_without_mpi > 0)
        fprintf(stderr, "mqdump: %zu processes were given a rank but have no Open MPI loaded, or not yet%s\n",
                n_without_mpi, geteuid() == 0 ? "; whether others' programs are linked with it statically is looked at "
                                                "with --job only" : "");
    if (jobs->n_unreadable > 0)
        fprintf(stderr, "mqdump: %zu of the processes may not be looked at%s\n", jobs->n_unreadable,
                geteuid() != 0 ? ": root may" : ", not even by root");
    fputs("mqdump: run it on a machine where ranks run, as their user or as root; or give their pids\n", stderr);
}

bool select_job_list(const struct limit_choice *limits, bool json)
{
    RELEASED_BY(jobs_free) struct jobs jobs = {0};
    bool found = job_search(&jobs, is_wanted, NULL, limits);

    if (json)
        job_list_json(stdout, &jobs);
    else
        job_list_text(stdout, &jobs);
    if (found && jobs.n == 0) {
        explain_no_jobs(&jobs);
        select_far_hint(&jobs);
    }
    return found && jobs.n > 0;
}

/* One job. */

/*
 * Selects the jobs that `text` names, or all if it is NULL. A number is first taken for a process id: namespaces of
 * Open MPI up to 4.1 are numbers too.
 */
static size_t select_jobs(const struct job **selected, const struct jobs *jobs, const char *text)
{
    pid_t pid = text != NULL ? job_search_pid(text) : 0;
    size_t n = 0;

    for (size_t i = 0; i < jobs->n; i++)
        if (text == NULL || (pid != 0 && (job_has_launcher(&jobs->jobs[i], pid) || job_has_rank(&jobs->jobs[i], pid))))
            selected[n++] = &jobs->jobs[i];
    if (n > 0 || text == NULL || *text == '\0')
        return n;
    for (size_t i = 0; i < jobs->n; i++)
        if (strcmp(jobs->jobs[i].name, text) == 0)
            selected[n++] = &jobs->jobs[i];
    return n;
}

/* Has one launcher started all these jobs, as with MPI_Comm_spawn? Then they are shown together. */
static bool have_one_launcher(const struct job *const *selected, size_t n)
{
    pid_t launcher = n > 0 ? job_launcher(selected[0]) : 0;

    for (size_t i = 1; i < n; i++)
        if (job_launcher(selected[i]) != launcher)
            return false;
    return launcher != 0;
}

/*
 * Is it of a job of another MPI library? Helpers with such names start those of MPICH, and of what is made of it, on
 * each machine.
 */
static bool is_of_other_mpi(const struct jobs *jobs, pid_t pid)
{
    for (size_t i = 0; i < jobs->n_processes; i++) {
        const struct job_process *process = &jobs->processes[i];
        bool is_helper = name_begins_with(process->name, "hydra_");

        if ((process->has_other_mpi && process->pid == pid) ||
            ((process->has_other_mpi || is_helper) && jobs_is_below(jobs, process->pid, pid)) ||
            (is_helper && jobs_is_below(jobs, pid, process->pid)))
            return true;
    }
    return false;
}

/* A shell or batch script that has started mpirun is neither launcher nor rank; the message names the launcher. */
static void explain_no_such_job(const struct jobs *jobs, const char *text)
{
    pid_t pid = job_search_pid(text);
    const struct job_process *process = jobs_process(jobs, pid);
    OWNED char *line = NULL;
    bool hinted = false;

    if (pid == 0)
        line = format_text("no job on this machine has the namespace '%s': mqdump --list shows all", text);
    else if (process == NULL)
        line = format_text("there is no process %s, and no job of that namespace: mqdump --list shows all", text);
    else if (process->is_not_asked || process->is_silent)
        line = format_text("whether process %d (%s) is a rank of an MPI job is not known: it %s", (int)pid,
                           process->name, process->is_silent ? "does not answer" : "was not asked");
    else
        line = format_text(
            "process %d (%s) is neither a rank of an MPI job nor what has started one that has ranks on this "
            "machine: mqdump --list shows all jobs",
            (int)pid, process->name);
    notice_give("%s", line);
    for (size_t i = 0; pid != 0 && i < jobs->n; i++) {
        pid_t launcher = job_launcher(&jobs->jobs[i]);

        if (launcher != 0 && jobs_is_below(jobs, launcher, pid)) {
            fprintf(stderr, "mqdump: perhaps --job %d, which it has started\n", (int)launcher);
            hinted = true;
        }
    }
    if (pid != 0 && !hinted && is_of_other_mpi(jobs, pid))
        fprintf(stderr, "mqdump: it belongs to a job of MPICH or another MPI library, and mqdump reads Open MPI only\n");
}

/* A process may say that it belongs to any job. A user's processes are in no job of another user. */
static void explain_several_owners(const struct job *const *selected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pid_t pid = job_launcher(selected[i]) != 0 ? job_launcher(selected[i]) : selected[i]->ranks[0].pid;

        notice_give("the job %s of the user with the id %lu is: --job %d", selected[i]->name,
                    (unsigned long)selected[i]->user,
                    (int)(i > 0 && pid == job_launcher(selected[0]) ? selected[i]->ranks[0].pid : pid));
    }
    notice_give("jobs of several users have that name: give the process id of one of them");
}

/* Prints an example of what to type. */
static void explain_several(const struct job *job, size_t n)
{
    OWNED char *name = job_list_word(job);

    notice_give("there are %zu jobs: say which one, as in: mqdump --job %s", n, name);
}

static void take_jobs(struct selection *selection, const struct jobs *jobs, const struct job *const *selected, size_t n,
                      const struct job_choice *choice)
{
    pid_t launcher = job_launcher(selected[0]);

    selection->user = (long)selected[0]->user;
    selection->family = launcher != 0 && (choice->job == NULL || job_search_pid(choice->job) == launcher);
    for (size_t i = 0; i < n; i++) {
        selection_add_processes(selection, selected[i]);
        if (*selected[i]->name != '\0')
            selection_add_job(selection, selected[i]->name);
    }
    selection->principal = (struct process_id){.pid = selected[0]->ranks[0].pid, .start = selected[0]->ranks[0].start};
    locate_ranks(selection, jobs, selected, n, choice->limits);
    if (choice->hosts.n > 0)
        selection_use_hosts(selection, &choice->hosts, "--hosts");
}

static void explain_nothing(const struct selection *selection, const struct jobs *jobs,
                            const struct job_choice *choice)
{
    if (choice->job == NULL)
        explain_no_jobs(jobs);
    else if (selection->problem == NULL)
        explain_no_such_job(jobs, choice->job);
    if (selection->problem != NULL)
        notice_give("%s", selection->problem);
}

static bool select_among(struct selection *selection, const struct jobs *jobs, const struct job_choice *choice)
{
    OWNED const struct job **selected = allocate_array(jobs->n, sizeof *selected);
    size_t n = select_jobs(selected, jobs, choice->job);
    bool found = false, said = false;

    if (n > 1 && choice->job != NULL && !jobs_have_one_user(selected, n)) {
        explain_several_owners(selected, n);
    } else if (n == 1 || (n > 1 && (choice->job != NULL || have_one_launcher(selected, n)))) {
        take_jobs(selection, jobs, selected, n, choice);
        found = true;
    } else if (n > 1) {
        job_list_text(stdout, jobs);
        explain_several(selected[0], n);
    } else {
        found = select_far(selection, jobs, choice, &said);
        if (!found && !said)
            explain_nothing(selection, jobs, choice);
    }
    return found;
}

bool select_job(struct selection *selection, const struct job_choice *choice)
{
    RELEASED_BY(jobs_free) struct jobs jobs = {0};

    return job_search(&jobs, is_wanted, choice->job, choice->limits) && select_among(selection, &jobs, choice);
}
