/*
 * select_job.c - finds the processes that the user asks for.
 */
#include "mqd/dump/select_job.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/job/proctable.h"
#include "mqd/dump/inquire.h"
#include "mqd/dump/show/job_list.h"

enum { MAX_HOSTS = 8 };            /* named in a message; a longer list would not be read */

/* All jobs. */

static void complain(const char *text)
{
    char *line = printable(text, 0);

    fprintf(stderr, "mqdump: %s\n", line);
    free(line);
}

/* The jobs that are asked for: those that `text` names, as in select_job; all of the user's if it is NULL. */
struct wish {
    const char *text;
    const struct limit_choice *limits;
};

static pid_t pid_of(const char *text)
{
    char *end;
    long value;

    errno = 0;
    value = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
    return value > 0 && value <= INT_MAX && errno == 0 && *end == '\0' ? (pid_t)value : 0;
}

static bool is_wanted(const char *text, const struct jobs *jobs, const struct job_process *process)
{
    pid_t pid = text != NULL ? pid_of(text) : 0;
    const struct job_process *named = pid > 0 ? jobs_process(jobs, pid) : NULL;

    if (text == NULL)
        return process->user == geteuid();
    return strcmp(process->launch.job, text) == 0 || process->pid == pid || jobs_is_below(jobs, process->pid, pid) ||
           (named != NULL && named->user == process->user && strcmp(named->launch.job, process->launch.job) == 0);
}

/* Of processes that nobody asks for no file is opened. */
static void probe(void *context, const struct jobs *jobs, struct job_process *const *processes, size_t n)
{
    const struct wish *wish = context;
    struct job_process **wanted = allocate_array(n, sizeof *wanted);
    struct process_id *ids = allocate_array(n, sizeof *ids);
    enum inquired *answers = allocate_array(n, sizeof *answers);
    size_t n_wanted = 0;

    for (size_t i = 0; i < n; i++) {
        if (!is_wanted(wish->text, jobs, processes[i]))
            continue;
        ids[n_wanted] = (struct process_id){.pid = processes[i]->pid, .start = processes[i]->start};
        wanted[n_wanted++] = processes[i];
    }
    if (n_wanted > 0)
        inquire_mpi(ids, n_wanted, wish->limits, answers);
    for (size_t i = 0; i < n_wanted; i++) {
        wanted[i]->has_mpi = answers[i] == INQUIRED_YES;
        wanted[i]->is_silent = answers[i] == INQUIRED_SILENT;
    }
    free(wanted);
    free(ids);
    free(answers);
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

static bool find_jobs(struct jobs *jobs, const char *text, const struct limit_choice *limits)
{
    struct wish wish = {text, limits};
    char *why = NULL;
    bool found = jobs_find(jobs, "/proc", geteuid(), probe, &wish, &why);

    if (!found)
        complain(why);
    free(why);
    warn_of_silent(jobs);
    return found;
}

/* Processes that a launcher has given a rank, but that are no MPI programs, or not yet. */
static size_t count_without_mpi(const struct jobs *jobs)
{
    size_t n = 0;

    for (size_t i = 0; i < jobs->n_processes; i++)
        n += jobs->processes[i].launch.rank >= 0 && !jobs->processes[i].has_mpi;
    return n;
}

static void explain_no_jobs(const struct jobs *jobs)
{
    size_t n_without_mpi = count_without_mpi(jobs);

    fprintf(stderr, "mqdump: %s no MPI job on this machine: no process has Open MPI loaded (the symbol "
            "ompi_mpi_communicators) and was given a rank by its launcher (PMIX_NAMESPACE and PMIX_RANK in its "
            "environment) or has a library libmpi or libopen_mpi\n", geteuid() == 0 ? "there is" : "you have");
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
    struct jobs jobs;
    bool found = find_jobs(&jobs, NULL, limits);

    if (json)
        job_list_json(stdout, &jobs);
    else
        job_list_text(stdout, &jobs);
    if (found && jobs.n == 0)
        explain_no_jobs(&jobs);
    found = found && jobs.n > 0;
    jobs_free(&jobs);
    return found;
}

/* Ranks that are not shown. */

/* Is the entry of the launcher's table the rank itself, or the process that has started the rank? */
static bool is_entry_of(const struct jobs *jobs, const struct job_rank *rank, const struct proctable_entry *entry)
{
    return rank->pid == entry->pid || jobs_is_below(jobs, rank->pid, entry->pid);
}

/* The table has the first job of a launcher only, not the jobs that this one has spawned. */
static bool is_table_of(const struct proctable *table, const struct jobs *jobs, const struct job *job)
{
    for (size_t i = 0; i < job->n; i++) {
        size_t rank = (size_t)job->ranks[i].rank;

        if (rank < table->n && is_entry_of(jobs, &job->ranks[i], &table->entries[rank]))
            return true;
    }
    return false;
}

/*
 * A process may have any values in its environment. In a job with more ranks than this, and if more than this are
 * missing on one machine, single ranks are not searched.
 */
enum { MAX_RANKS = 1 << 22, MAX_GONE = 4096 };

/* Where each rank of a job is. */
enum place { HERE, MISSING, ENDED, ELSEWHERE, NAMED, UNKNOWN };

static void place_ranks(enum place *places, size_t n, const struct job *job, const struct proctable *table)
{
    bool all_here = job->size > 0 && job->local_size >= job->size;

    for (size_t i = 0; i < n; i++)
        places[i] = i >= table->n || table->entries[i].host[0] == '\0' ? all_here ? MISSING : UNKNOWN
                  : proctable_is_this_host(table->entries[i].host) ? MISSING : ELSEWHERE;
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].rank >= 0 && (size_t)job->ranks[i].rank < n)
            places[job->ranks[i].rank] = HERE;
}

/*
 * Prints a message about all ranks in one place. For ELSEWHERE it is about all ranks on the machine of the first such
 * rank; these are NAMED afterwards.
 */
static bool say_of_ranks(enum place *places, size_t n, enum place place, const struct job *job,
                         const struct proctable *table, const char *what)
{
    long *ranks = allocate_array(n, sizeof *ranks);
    const char *host = "";
    size_t n_found = 0;
    char *ranges, *text;

    for (size_t i = 0; i < n; i++) {
        if (places[i] != place || (place == ELSEWHERE && n_found > 0 && strcmp(host, table->entries[i].host) != 0))
            continue;
        if (place == ELSEWHERE) {
            host = table->entries[i].host;
            places[i] = NAMED;
        }
        ranks[n_found++] = (long)i;
    }
    ranges = ranks_fold(ranks, n_found, ",");
    text = format_text("job %s: rank%s %s %s%s", job->name, n_found == 1 ? "" : "s", ranges, what, host);
    if (n_found > 0)
        complain(text);
    free(text);
    free(ranges);
    free(ranks);
    return n_found > 0;
}

/* Finds out what has happened to the missing ranks; those that have certainly ended become ENDED. */
static void add_gone(struct selection *selection, enum place *places, size_t n, const struct jobs *jobs,
                     const struct job *job, const struct proctable *table)
{
    for (size_t i = 0; i < n && selection->n_missing < MAX_GONE; i++) {
        pid_t pid = i < table->n ? table->entries[i].pid : 0;

        if (places[i] != MISSING)
            continue;
        selection->missing =
            grow_array(selection->missing, selection->n_missing, &selection->missing_room, sizeof *selection->missing);
        selection->missing[selection->n_missing] = missing_rank_find(jobs, job, (long)i, pid, job_launcher(job));
        if (selection->missing[selection->n_missing++].certain)
            places[i] = ENDED;
    }
}

static void add_what_is_missing(struct selection *selection, const struct jobs *jobs, const struct job *job,
                                const struct proctable *launchers_table)
{
    const struct proctable none = {0};
    const struct proctable *table = is_table_of(launchers_table, jobs, job) ? launchers_table : &none;
    size_t n = job->size > 0 && job->size <= MAX_RANKS ? (size_t)job->size : 0;
    enum place *places;
    int n_hosts = 0;

    if (n < table->n)
        n = table->n;
    places = allocate_array(n, sizeof *places);
    place_ranks(places, n, job, table);
    add_gone(selection, places, n, jobs, job, table);
    say_of_ranks(places, n, ENDED, job, table, "not found: ended");
    say_of_ranks(places, n, MISSING, job, table, "not found: ended, or without Open MPI (as yet)");
    while (n_hosts < MAX_HOSTS && say_of_ranks(places, n, ELSEWHERE, job, table, "not on this machine, but on "))
        n_hosts++;
    for (size_t i = 0; i < n; i++)
        if (places[i] == ELSEWHERE)
            places[i] = UNKNOWN;
    say_of_ranks(places, n, UNKNOWN, job, table, "not found: on other machines, ended, or without Open MPI (as yet)");
    free(places);
}

/* One job. */

static void add_job(struct selection *selection, const struct job *job)
{
    for (size_t i = 0; i < job->n; i++) {
        selection->processes =
            grow_array(selection->processes, selection->n, &selection->room, sizeof *selection->processes);
        selection->processes[selection->n++] =
            (struct process_id){.pid = job->ranks[i].pid, .start = job->ranks[i].start};
    }
}

/*
 * Selects the jobs that `text` names, or all if it is NULL. A number is first taken for a process id: namespaces of
 * Open MPI up to 4.1 are numbers too.
 */
static size_t select_jobs(const struct job **selected, const struct jobs *jobs, const char *text)
{
    pid_t pid = text != NULL ? pid_of(text) : 0;
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

/* A shell or batch script that has started mpirun is neither launcher nor rank; the message names the launcher. */
static void explain_no_such_job(const struct jobs *jobs, const char *text)
{
    pid_t pid = pid_of(text);
    const struct job_process *process = jobs_process(jobs, pid);
    char *line;

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
    complain(line);
    free(line);
    for (size_t i = 0; pid != 0 && i < jobs->n; i++) {
        pid_t launcher = job_launcher(&jobs->jobs[i]);

        if (launcher != 0 && jobs_is_below(jobs, launcher, pid))
            fprintf(stderr, "mqdump: perhaps --job %d, which it has started\n", (int)launcher);
    }
}

static bool have_one_owner(const struct job *const *selected, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (selected[i]->user != selected[0]->user)
            return false;
    return true;
}

/* A process may say that it belongs to any job. A user's processes are in no job of another user. */
static void explain_several_owners(const struct job *const *selected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pid_t pid = job_launcher(selected[i]) != 0 ? job_launcher(selected[i]) : selected[i]->ranks[0].pid;
        char *text = format_text("the job %s of the user with the id %lu is: --job %d", selected[i]->name,
                                 (unsigned long)selected[i]->user,
                                 (int)(i > 0 && pid == job_launcher(selected[0]) ? selected[i]->ranks[0].pid : pid));

        complain(text);
        free(text);
    }
    complain("jobs of several users have that name: give the process id of one of them");
}

/* Prints an example of what to type. */
static void explain_several(const struct job *job, size_t n)
{
    char *name = job_list_word(job), *text;

    text = format_text("there are %zu jobs: say which one, as in: mqdump --job %s", n, name);
    complain(text);
    free(text);
    free(name);
}

static void take_jobs(struct selection *selection, const struct jobs *jobs, const struct job *const *selected, size_t n,
                      const struct limit_choice *limits)
{
    struct proctable table = {0};
    const struct job_process *launcher = jobs_process(jobs, job_launcher(selected[0]));

    if (launcher != NULL)
        inquire_table(&table, (struct process_id){.pid = launcher->pid, .start = launcher->start}, limits);
    for (size_t i = 0; i < n; i++) {
        add_job(selection, selected[i]);
        add_what_is_missing(selection, jobs, selected[i], &table);
    }
    free(table.entries);
}

void selection_clear(struct selection *selection)
{
    for (size_t i = 0; i < selection->n_missing; i++)
        missing_rank_clear(&selection->missing[i]);
    free(selection->missing);
    free(selection->processes);
    *selection = (struct selection){0};
}

bool select_job(struct selection *selection, const char *text, const struct limit_choice *limits)
{
    const struct job **selected;
    struct jobs jobs;
    bool found = find_jobs(&jobs, text, limits);
    size_t n;

    selected = allocate_array(jobs.n, sizeof *selected);
    n = select_jobs(selected, &jobs, text);
    if (n > 1 && text != NULL && !have_one_owner(selected, n)) {
        explain_several_owners(selected, n);
    } else if (n == 1 || (n > 1 && (text != NULL || have_one_launcher(selected, n)))) {
        take_jobs(selection, &jobs, selected, n, limits);
    } else if (n > 1) {
        job_list_text(stdout, &jobs);
        explain_several(selected[0], n);
    } else if (found && text != NULL) {
        explain_no_such_job(&jobs, text);
    } else if (found) {
        explain_no_jobs(&jobs);
    }
    free(selected);
    jobs_free(&jobs);
    return selection->n > 0;
}
