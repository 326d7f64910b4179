/*
 * missing_rank.c - finds out what has happened to ranks that were started on this machine and are not found.
 *
 * The pid in the launcher's table is that of the rank or of a shell around it. After the end of that process another
 * one may have its pid, but only when the launcher has waited for it: until then a child of the launcher keeps its pid.
 */
#include "mqd/dump/collect/job/missing_rank.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/collect/target/process.h"

/* Fills certain, signal and fate from what /proc/PID/stat says of a process that has ended but is still there. */
static void set_end(struct missing_rank *missing, const char *stat)
{
    int status = proc_parse_exit_status(stat);

    missing->certain = true;
    free(missing->fate);
    if (status >= 0 && WIFSIGNALED(status)) {
        missing->signal = WTERMSIG(status);
        missing->fate = format_text("has ended: killed by signal %d (%s)", missing->signal, strsignal(missing->signal));
    } else if (status >= 0 && WIFEXITED(status)) {
        missing->fate = format_text("has ended with exit status %d", WEXITSTATUS(status));
    } else {
        missing->fate = copy_string("has ended");
    }
}

/* A zombie shows how it ended to those who may trace it. */
static void set_end_of_zombie(struct missing_rank *missing, uid_t user)
{
    bool ours = geteuid() == 0 || geteuid() == user;
    size_t size;
    OWNED char *stat = ours ? proc_read(missing->pid, "stat", &size) : NULL;

    set_end(missing, stat != NULL ? stat : "");
}

/* Is the process, which is alive, certainly not the one that the launcher has started? */
static bool is_other(const struct jobs *jobs, const struct job *job, const struct job_process *process, pid_t launcher)
{
    return !jobs_is_below(jobs, process->pid, launcher) &&
           (process->user != job->user ||
            (process->has_environment && strcmp(process->launch.job, job->name) != 0));
}

/* Describes the shell around a rank: the rank has ended, or is not started yet. */
static void set_shell(struct missing_rank *missing, pid_t pid, const char *name)
{
    missing->fate = format_text("has probably ended: process %d (%s) was started as this rank and shows no Open MPI",
                                (int)pid, name);
}

static void set_silent(struct missing_rank *missing, const struct job_process *process)
{
    missing->unknown = true;
    missing->fate = format_text("is not known: process %d (%s) may be it, and does not answer (it waits for a "
                                "device or a file server)", (int)process->pid, process->name);
}

static void judge_process(struct missing_rank *missing, const struct jobs *jobs, const struct job *job, pid_t launcher)
{
    const struct job_process *process = jobs_process(jobs, missing->pid);
    struct proc_status status;

    if (!proc_exists(missing->pid)) {
        missing->certain = true;
        missing->fate = copy_string("has ended: there is no such process any more");
    } else if (!proc_read_status(missing->pid, &status)) {
        missing->unknown = true;
        missing->fate = format_text("is not known: the status of process %d cannot be read: %s", (int)missing->pid,
                                    strerror(errno));
    } else if (process_is_gone(missing->pid)) {
        set_end_of_zombie(missing, status.user);
    } else if (process != NULL && process->is_silent) {
        set_silent(missing, process);
    } else if (process != NULL && process->is_not_asked) {
        missing->unknown = true;
        missing->fate = format_text("is not known: process %d (%s) was not asked, others of its user took too long",
                                    (int)process->pid, process->name);
    } else if (process != NULL && is_other(jobs, job, process, launcher)) {
        missing->certain = true;
        missing->fate = format_text("has ended: its process id was given to another process (%s) since", process->name);
    } else {
        set_shell(missing, missing->pid, status.name);
    }
}

/* Finds the shell around a rank: it has the rank's number in its environment. */
static const struct job_process *find_shell(const struct jobs *jobs, const struct job *job, long rank)
{
    for (size_t i = 0; i < jobs->n_processes; i++)
        if (jobs->processes[i].launch.rank == rank && jobs->processes[i].user == job->user &&
            strcmp(jobs->processes[i].launch.job, job->name) == 0)
            return &jobs->processes[i];
    return NULL;
}

static void judge_without_pid(struct missing_rank *missing, const struct jobs *jobs, const struct job *job)
{
    const struct job_process *shell = find_shell(jobs, job, missing->rank);
    const struct job_process *silent = jobs_silent_process(jobs, job->user);

    if (shell != NULL && !shell->is_silent)
        set_shell(missing, shell->pid, shell->name);
    else if (silent != NULL)
        set_silent(missing, silent);
    else
        missing->fate =
            copy_string("has probably ended: it was started on this machine, and no process here says that it "
                        "is this rank");
}

struct missing_rank missing_rank_find(const struct jobs *jobs, const struct job *job, long rank, pid_t pid,
                                      pid_t launcher)
{
    struct missing_rank missing = {.rank = rank, .job = copy_string(job->name), .pid = pid > 0 ? pid : 0,
                                   .user = job->user == (uid_t)-1 ? -1 : (long)job->user};

    if (missing.pid > 0)
        judge_process(&missing, jobs, job, launcher);
    else
        judge_without_pid(&missing, jobs, job);
    return missing;
}

void missing_rank_clear(struct missing_rank *missing)
{
    FREE_ALL(missing->job, missing->fate);
    *missing = (struct missing_rank){0};
}
