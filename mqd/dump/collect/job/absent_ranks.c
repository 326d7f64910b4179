/*
 * absent_ranks.c - what is known of the ranks of a job that were not found on this machine.
 */
#include "mqd/dump/collect/job/absent_ranks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/collect/target/process.h"

/* A process may have any values in its environment: of a job with more ranks only those are named that are known. */
enum { MAX_RANKS = 1 << 22 };

enum { MAX_HOSTS = 8 };            /* named in a note; a longer list would not be read */

/*
 * What has happened to a rank.
 *
 * The pid in the launcher's table is that of the rank or of a shell around it. After the end of that process another
 * one may have its pid, but only when the launcher has waited for it: until then a child of the launcher keeps its pid.
 */

/* Of a process that has ended but is still there: a zombie shows how it ended to those who may trace it. */
static void set_end(struct missing_rank *missing, uid_t user)
{
    OWNED char *directory = format_text("/proc/%d", (int)missing->pid);
    struct proc_stat stat;
    bool ours = geteuid() == 0 || geteuid() == user;
    int status = ours && proc_read_stat(directory, &stat) ? stat.exit_status : -1;

    missing->certain = true;
    if (status >= 0 && WIFSIGNALED(status)) {
        missing->signal = WTERMSIG(status);
        missing->fate = format_text("has ended: killed by signal %d (%s)", missing->signal, strsignal(missing->signal));
    } else if (status >= 0 && WIFEXITED(status)) {
        missing->fate = format_text("has ended with exit status %d", WEXITSTATUS(status));
    } else {
        missing->fate = copy_string("has ended");
    }
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
        set_end(missing, status.user);
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

static struct missing_rank find_missing(const struct jobs *jobs, const struct job *job, long rank, pid_t pid,
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

/* Where each rank of a job is. */

enum place { HERE, MISSING, ENDED, ELSEWHERE, NAMED, UNKNOWN };

struct rank_place {
    enum place place;
    uint32_t host;                 /* of ELSEWHERE: its position */
    pid_t pid;                     /* as the launcher says; 0: unknown */
};

struct places {
    struct rank_place *ranks;
    size_t n;
    const struct job *job;
    const struct job_hosts *hosts;
    uint32_t number;
};

static size_t count_ranks(const struct places *places)
{
    size_t n = places->job->size > 0 && places->job->size <= MAX_RANKS ? (size_t)places->job->size : 0;

    for (size_t i = 0; i < places->hosts->n; i++) {
        const struct job_host *host = &places->hosts->hosts[i];

        for (size_t j = 0; j < host->n; j++)
            if (host->ranks[j].job == places->number && host->ranks[j].rank < MAX_RANKS &&
                (size_t)host->ranks[j].rank >= n)
                n = (size_t)host->ranks[j].rank + 1;
    }
    return n;
}

static void place_as_told(struct places *places)
{
    for (size_t i = 0; i < places->hosts->n; i++) {
        const struct job_host *host = &places->hosts->hosts[i];

        for (size_t j = 0; j < host->n; j++) {
            size_t rank = (size_t)host->ranks[j].rank;

            if (host->ranks[j].job == places->number && rank < places->n)
                places->ranks[rank] = (struct rank_place){.place = host->is_here ? MISSING : ELSEWHERE,
                                                          .host = (uint32_t)i, .pid = host->ranks[j].pid};
        }
    }
}

static void place_all(struct places *places)
{
    const struct job *job = places->job;
    bool all_here = job->size > 0 && job->local_size >= job->size;

    places->n = count_ranks(places);
    places->ranks = allocate_array(places->n, sizeof *places->ranks);
    for (size_t i = 0; i < places->n; i++)
        places->ranks[i].place = all_here ? MISSING : UNKNOWN;
    if (places->number != NO_JOB_NUMBER)
        place_as_told(places);
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].rank >= 0 && (size_t)job->ranks[i].rank < places->n)
            places->ranks[job->ranks[i].rank].place = HERE;
}

/*
 * Notes all ranks in one place. For ELSEWHERE these are all ranks on the machine of the first such rank, which are
 * NAMED afterwards. False: there is none.
 */
static bool note_ranks(struct absent_ranks *absent, struct places *places, enum place place, const char *what)
{
    OWNED long *ranks = allocate_array(places->n, sizeof *ranks);
    OWNED char *ranges = NULL;
    const char *host = "";
    uint32_t number = 0;
    size_t n = 0;

    for (size_t i = 0; i < places->n; i++) {
        struct rank_place *rank = &places->ranks[i];

        if (rank->place != place || (place == ELSEWHERE && n > 0 && rank->host != number))
            continue;
        if (place == ELSEWHERE) {
            number = rank->host;
            host = places->hosts->hosts[number].name;
            rank->place = NAMED;
        }
        ranks[n++] = (long)i;
    }
    ranges = ranks_list(ranks, n, ",");
    if (n > 0)
        APPEND(absent->notes, absent->n_notes, absent->note_room,
               format_text("job %s: rank%s %s %s%s", places->job->name, n == 1 ? "" : "s", ranges, what, host));
    return n > 0;
}

/* Adds a rank. Has it certainly ended? */
static bool add_missing(struct absent_ranks *absent, const struct jobs *jobs, const struct job *job, long rank,
                        pid_t pid, pid_t launcher)
{
    APPEND(absent->missing, absent->n_missing, absent->missing_room,
           find_missing(jobs, job, rank, pid, launcher));
    return absent->missing[absent->n_missing - 1].certain;
}

static void search_missing(struct absent_ranks *absent, const struct jobs *jobs, struct places *places, pid_t launcher)
{
    for (size_t i = 0; i < places->n && absent->n_missing < MAX_MISSING_RANKS; i++)
        if (places->ranks[i].place == MISSING &&
            add_missing(absent, jobs, places->job, (long)i, places->ranks[i].pid, launcher))
            places->ranks[i].place = ENDED;
}

/* Ranks on more hosts than can be named. */
static void forget_rest(struct places *places)
{
    for (size_t i = 0; i < places->n; i++)
        if (places->ranks[i].place == ELSEWHERE)
            places->ranks[i].place = UNKNOWN;
}

void absent_ranks_find(struct absent_ranks *absent, const struct jobs *jobs, const struct job *job,
                       const struct job_hosts *hosts, uint32_t number, pid_t launcher)
{
    struct places places = {.job = job, .hosts = hosts, .number = number};
    int n_hosts = 0;

    place_all(&places);
    search_missing(absent, jobs, &places, launcher);
    note_ranks(absent, &places, ENDED, "not found: ended");
    note_ranks(absent, &places, MISSING, "not found: ended, or without Open MPI (as yet)");
    while (n_hosts < MAX_HOSTS && note_ranks(absent, &places, ELSEWHERE, "not on this machine, but on "))
        n_hosts++;
    forget_rest(&places);
    note_ranks(absent, &places, UNKNOWN, "not found: on other machines, ended, or without Open MPI (as yet)");
    free(places.ranks);
}

void absent_ranks_expect(struct absent_ranks *absent, const struct jobs *jobs, const struct job *job,
                         const struct expected_rank *ranks, size_t n, pid_t launcher)
{
    for (size_t i = 0; i < n && absent->n_missing < MAX_MISSING_RANKS; i++)
        if (!job_has_number(job, ranks[i].rank))
            add_missing(absent, jobs, job, ranks[i].rank, ranks[i].pid, launcher);
}

void absent_ranks_clear(struct absent_ranks *absent)
{
    for (size_t i = 0; i < absent->n_missing; i++)
        FREE_ALL(absent->missing[i].job, absent->missing[i].fate);
    for (size_t i = 0; i < absent->n_notes; i++)
        free(absent->notes[i]);
    FREE_ALL(absent->missing, absent->notes);
    *absent = (struct absent_ranks){0};
}
