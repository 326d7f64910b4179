/*
 * gone.c - what has become of ranks that are not found where they should run.
 *
 * The pid that a launcher has noted is that of the rank or of a shell around it. It may have been given to another
 * process since; a child of the launcher's, however, keeps its pid until the launcher takes note of its end.
 */
#include "mqd/dump/gone.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/common.h"
#include "mqd/dump/proc.h"
#include "mqd/dump/process.h"

void gone_set_end(struct gone *gone, const char *stat)
{
    int status = proc_parse_exit_status(stat);

    gone->certain = true;
    free(gone->fate);
    if (status >= 0 && WIFSIGNALED(status)) {
        gone->signal = WTERMSIG(status);
        gone->fate = format("has ended: killed by signal %d (%s)", gone->signal, strsignal(gone->signal));
    } else if (status >= 0 && WIFEXITED(status)) {
        gone->fate = format("has ended with exit status %d", WEXITSTATUS(status));
    } else {
        gone->fate = copy_string("has ended");
    }
}

/* A child that nobody has taken note of says how it ended, to those who might have traced it. */
static void set_end_of_zombie(struct gone *gone, uid_t user)
{
    bool ours = geteuid() == 0 || geteuid() == user;
    size_t size;
    char *stat = ours ? proc_read(gone->pid, "stat", &size) : NULL;

    gone_set_end(gone, stat != NULL ? stat : "");
    free(stat);
}

/* Is the process, which is alive, certainly not the one that the launcher has started? */
static bool is_other(const struct jobs *jobs, const struct job *job, const struct job_process *process, pid_t launcher)
{
    return !jobs_is_below(jobs, process->pid, launcher) &&
           (process->user != job->user ||
            (process->has_environment && strcmp(process->launch.job, job->name) != 0));
}

/* What is left of the rank, or what is to become it. */
static void set_shell(struct gone *gone, pid_t pid, const char *name)
{
    gone->fate = format("has probably ended: process %d (%s) was started as this rank and shows no Open MPI", (int)pid,
                        name);
}

static void judge_process(struct gone *gone, const struct jobs *jobs, const struct job *job, pid_t launcher)
{
    const struct job_process *process = jobs_process(jobs, gone->pid);
    struct proc_status status;

    if (!proc_read_status(gone->pid, &status)) {
        gone->certain = true;
        gone->fate = copy_string("has ended: there is no such process any more");
    } else if (process_is_gone(gone->pid)) {
        set_end_of_zombie(gone, status.user);
    } else if (process != NULL && is_other(jobs, job, process, launcher)) {
        gone->certain = true;
        gone->fate = format("has ended: its process id was given to another process (%s) since", process->name);
    } else {
        set_shell(gone, gone->pid, status.name);
    }
}

/* A shell around the rank has its number too. */
static const struct job_process *find_shell(const struct jobs *jobs, const struct job *job, long rank)
{
    for (size_t i = 0; i < jobs->n_processes; i++)
        if (jobs->processes[i].launch.rank == rank && strcmp(jobs->processes[i].launch.job, job->name) == 0)
            return &jobs->processes[i];
    return NULL;
}

static void judge_without_pid(struct gone *gone, const struct jobs *jobs, const struct job *job)
{
    const struct job_process *shell = find_shell(jobs, job, gone->rank);

    if (shell != NULL)
        set_shell(gone, shell->pid, shell->name);
    else
        gone->fate = copy_string("has probably ended: it was started on this machine, and no process here says that it "
                                 "is this rank");
}

struct gone gone_find(const struct jobs *jobs, const struct job *job, long rank, pid_t pid, pid_t launcher)
{
    struct gone gone = {.rank = rank, .job = copy_string(job->name), .pid = pid > 0 ? pid : 0};

    if (gone.pid > 0)
        judge_process(&gone, jobs, job, launcher);
    else
        judge_without_pid(&gone, jobs, job);
    return gone;
}

void gone_clear(struct gone *gone)
{
    free(gone->job);
    free(gone->fate);
    *gone = (struct gone){0};
}
