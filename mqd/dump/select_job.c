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
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/job_family.h"
#include "mqd/dump/collect/job/launcher_table.h"
#include "mqd/dump/inquire.h"
#include "mqd/dump/show/job_list.h"

/* All jobs. */

static void complain(const char *text)
{
    char *line = printable(text, 0);

    fprintf(stderr, "mqdump: %s\n", line);
    free(line);
}

/* The jobs that are asked for. */
struct wish {
    const struct node_wish *node;  /* NULL: those that `text` names, as in select_job; all of the user's without */
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

static bool is_of_node_wish(const struct node_wish *wish, const char *job, uid_t user)
{
    if (wish->user >= 0 && user != (uid_t)wish->user)
        return false;
    for (size_t i = 0; i < wish->n_jobs; i++)
        if (strcmp(wish->jobs[i], job) == 0)
            return true;
    for (size_t i = 0; i < wish->n_families; i++)
        if (job_family_is_one(wish->families[i], job))
            return true;
    return false;
}

static bool is_wanted(const struct wish *wish, const struct jobs *jobs, const struct job_process *process)
{
    const char *text = wish->text;
    pid_t pid = text != NULL ? pid_of(text) : 0;
    const struct job_process *named = pid > 0 ? jobs_process(jobs, pid) : NULL;

    if (wish->node != NULL)
        return is_of_node_wish(wish->node, process->launch.job, process->user);
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
        if (!is_wanted(wish, jobs, processes[i]))
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

static bool find_jobs(struct jobs *jobs, struct wish *wish)
{
    char *why = NULL;
    bool found = jobs_find(jobs, "/proc", geteuid(), probe, wish, &why);

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
    struct wish wish = {.limits = limits};
    struct jobs jobs;
    bool found = find_jobs(&jobs, &wish);

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

/* Where the ranks are. */

static uint32_t add_job_name(struct selection *selection, const char *name)
{
    for (size_t i = 0; i < selection->n_jobs; i++)
        if (strcmp(selection->jobs[i], name) == 0)
            return (uint32_t)i;
    selection->jobs = grow_array(selection->jobs, selection->n_jobs, &selection->job_room, sizeof *selection->jobs);
    selection->jobs[selection->n_jobs] = copy_string(name);
    return (uint32_t)selection->n_jobs++;
}

/* Is an entry of the launcher's table a rank of this job, or the process that has started the rank? */
static bool has_entry(const struct jobs *jobs, const struct job *job, const struct expected_rank *entry)
{
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].rank == entry->rank)
            return job->ranks[i].pid == entry->pid || jobs_is_below(jobs, job->ranks[i].pid, entry->pid);
    return false;
}

/* MPIR_proctable has the first job of a launcher only, not the jobs that this one has spawned, and no namespaces. */
static bool is_table_of(const struct launcher_table *table, const struct jobs *jobs, const struct job *job)
{
    for (size_t i = 0; i < table->hosts.n; i++)
        for (size_t j = 0; table->hosts.hosts[i].is_here && j < table->hosts.hosts[i].n; j++)
            if (has_entry(jobs, job, &table->hosts.hosts[i].ranks[j]))
                return true;
    return false;
}

static const struct job *job_of_table(const struct launcher_table *table, const struct jobs *jobs,
                                      const struct job *const *selected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_table_of(table, jobs, selected[i]))
            return selected[i];
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

/* A table without names has one job. Where another one's ranks are is not known then, but it is probably there. */
static void take_unnamed(struct selection *selection, const struct launcher_table *table, const struct jobs *jobs,
                         const struct job *const *selected, size_t n)
{
    const struct job *job = job_of_table(table, jobs, selected, n);
    uint32_t number = NO_JOB_NUMBER;
    char *first = job == NULL && selection->family ? job_family_first(selected[0]->name) : NULL;

    if (job != NULL)
        number = add_job_name(selection, job->name);
    else if (first != NULL)
        number = add_job_name(selection, first);
    free(first);
    for (size_t i = 0; i < table->hosts.n; i++) {
        if (number == NO_JOB_NUMBER || selection->family)
            job_hosts_add(&selection->hosts, table->hosts.hosts[i].name);
        take_ranks(selection, &table->hosts.hosts[i], &number);
    }
}

static bool is_selected(const struct selection *selection, const char *name)
{
    for (size_t i = 0; i < selection->n_jobs; i++)
        if (strcmp(selection->jobs[i], name) == 0)
            return true;
    return false;
}

static void take_named(struct selection *selection, const struct launcher_table *table)
{
    uint32_t *numbers = allocate_array(table->n_jobs, sizeof *numbers);

    for (size_t i = 0; i < table->n_jobs; i++)
        numbers[i] = selection->family || is_selected(selection, table->jobs[i])
                         ? add_job_name(selection, table->jobs[i]) : NO_JOB_NUMBER;
    for (size_t i = 0; i < table->hosts.n; i++)
        take_ranks(selection, &table->hosts.hosts[i], numbers);
    free(numbers);
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

static uint32_t number_of(const struct selection *selection, const struct job *job)
{
    for (size_t i = 0; i < selection->n_jobs; i++)
        if (strcmp(selection->jobs[i], job->name) == 0)
            return (uint32_t)i;
    return NO_JOB_NUMBER;
}

/* Are all ranks of these jobs on this machine, as far as their environments say? */
static bool are_all_here(const struct job *const *selected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (*selected[i]->name != '\0' && (selected[i]->size <= 0 || selected[i]->local_size < selected[i]->size))
            return false;
    return true;
}

/* Its PMIx server is asked only if that is needed: it has other things to do. */
static bool are_all_found(const struct job *const *selected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (*selected[i]->name != '\0' && (selected[i]->size <= 0 || selected[i]->n < (size_t)selected[i]->size))
            return false;
    return true;
}

static void take_table(struct selection *selection, const struct launcher_table *table, const struct jobs *jobs,
                       const struct job *const *selected, size_t n, const struct job_process *launcher)
{
    bool named = table->n_jobs > 0;

    if (named)
        take_named(selection, table);
    else
        take_unnamed(selection, table, jobs, selected, n);
    selection->hosts.source = format_text("%s %d (%s)", launcher->name, (int)launcher->pid,
                                          named ? "PMIx" : "MPIR_proctable");
    selection->hosts.complete = true;
}

static void ask_launcher(struct selection *selection, const struct jobs *jobs, const struct job *const *selected,
                         size_t n, const struct limit_choice *limits)
{
    const struct job_process *launcher = jobs_process(jobs, job_launcher(selected[0]));
    struct launcher_table table = {0};

    if (launcher != NULL)
        inquire_table(&table, (struct process_id){.pid = launcher->pid, .start = launcher->start},
                      !are_all_found(selected, n), limits);
    if (table.hosts.n > 0)
        take_table(selection, &table, jobs, selected, n, launcher);
    else
        selection->hosts.complete = are_all_here(selected, n);
    if (launcher != NULL && table.problem != NULL && !selection->hosts.complete)
        selection->problem = format_text("%s, process %d: %s", launcher->name, (int)launcher->pid, table.problem);
    launcher_table_clear(&table);
}

/* What the user says counts. Of what else is known the ranks on his hosts are kept. */
static void use_hosts(struct selection *selection, const struct host_list *list)
{
    struct job_hosts known = selection->hosts;

    selection->hosts = (struct job_hosts){.source = copy_string("--hosts"), .complete = true,
                                          .slurm_job = known.slurm_job};
    for (size_t i = 0; i < list->n; i++) {
        const struct job_host *other = job_hosts_find(&known, list->names[i]);
        struct job_host *host = job_hosts_add(&selection->hosts, list->names[i]);

        for (size_t j = 0; other != NULL && j < other->n; j++)
            job_host_expect(host, other->ranks[j]);
    }
    job_hosts_clear(&known);
}

static void take_jobs(struct selection *selection, const struct jobs *jobs, const struct job *const *selected, size_t n,
                      const struct select_wish *wish)
{
    pid_t launcher = job_launcher(selected[0]);

    selection->user = (long)selected[0]->user;
    selection->family = launcher != 0 && (wish->job == NULL || pid_of(wish->job) == launcher);
    for (size_t i = 0; i < n; i++) {
        add_job(selection, selected[i]);
        if (*selected[i]->name != '\0')
            add_job_name(selection, selected[i]->name);
    }
    ask_launcher(selection, jobs, selected, n, &wish->limits);
    for (size_t i = 0; i < n; i++)
        absent_ranks_find(&selection->absent, jobs, selected[i], &selection->hosts,
                          number_of(selection, selected[i]), launcher);
    if (wish->hosts != NULL)
        use_hosts(selection, wish->hosts);
}

void selection_tell(const struct selection *selection)
{
    char *line;

    for (size_t i = 0; i < selection->absent.n_notes; i++)
        complain(selection->absent.notes[i]);
    if (selection->problem == NULL)
        return;
    line = format_text("on which machines its ranks are is not known: %s", selection->problem);
    complain(line);
    free(line);
}

void selection_clear(struct selection *selection)
{
    for (size_t i = 0; i < selection->n_jobs; i++)
        free(selection->jobs[i]);
    absent_ranks_clear(&selection->absent);
    job_hosts_clear(&selection->hosts);
    free(selection->jobs);
    free(selection->problem);
    free(selection->processes);
    *selection = (struct selection){0};
}

/* A job of which nothing is here: whether there is one is found out on the hosts. */
static bool believe(struct selection *selection, const struct jobs *jobs, const struct select_wish *wish)
{
    pid_t pid = pid_of(wish->job);

    if (!job_name_is_valid(wish->job) || (pid != 0 && jobs_process(jobs, pid) != NULL))
        return false;
    add_job_name(selection, wish->job);
    selection->user = geteuid() != 0 ? (long)geteuid() : -1;
    use_hosts(selection, wish->hosts);
    return true;
}

static bool select_among(struct selection *selection, const struct jobs *jobs, const struct select_wish *wish)
{
    const struct job **selected = allocate_array(jobs->n, sizeof *selected);
    size_t n = select_jobs(selected, jobs, wish->job);
    bool found = false;

    if (n > 1 && wish->job != NULL && !have_one_owner(selected, n)) {
        explain_several_owners(selected, n);
    } else if (n == 1 || (n > 1 && (wish->job != NULL || have_one_launcher(selected, n)))) {
        take_jobs(selection, jobs, selected, n, wish);
        found = true;
    } else if (n > 1) {
        job_list_text(stdout, jobs);
        explain_several(selected[0], n);
    } else if (wish->job != NULL && wish->hosts != NULL && believe(selection, jobs, wish)) {
        found = true;
    } else if (wish->job != NULL) {
        explain_no_such_job(jobs, wish->job);
    } else {
        explain_no_jobs(jobs);
    }
    free(selected);
    return found;
}

bool select_job(struct selection *selection, const struct select_wish *wish)
{
    struct wish asked = {.text = wish->job, .limits = &wish->limits};
    struct jobs jobs;
    bool found = find_jobs(&jobs, &asked) && select_among(selection, &jobs, wish);

    jobs_free(&jobs);
    return found;
}

/* On another machine's behalf. */

static bool have_one_user(const struct job *const *selected, size_t n)
{
    if (have_one_owner(selected, n))
        return true;
    complain("jobs of several users have that name here: say whose is meant, by --job with the pid of its mpirun");
    return false;
}

/* The job of that name; one without ranks here if there is none. */
static struct job job_named(const struct job *const *selected, size_t n, const char *name, uid_t user)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(selected[i]->name, name) == 0)
            return *selected[i];
    return (struct job){.name = name, .user = user, .size = -1, .local_size = -1};
}

static void expect_ranks(struct selection *selection, const struct jobs *jobs, const struct job *const *selected,
                         size_t n, const struct node_wish *wish)
{
    struct expected_rank *ranks = allocate_array(wish->n_ranks, sizeof *ranks);

    for (size_t i = 0; i < wish->n_jobs; i++) {
        const struct job job = job_named(selected, n, wish->jobs[i], (uid_t)selection->user);
        size_t n_of_job = 0;

        for (size_t j = 0; j < wish->n_ranks; j++)
            if (wish->ranks[j].job == i)
                ranks[n_of_job++] = wish->ranks[j];
        absent_ranks_expect(&selection->absent, jobs, &job, ranks, n_of_job, job_launcher(&job));
    }
    free(ranks);
}

static bool select_for_node(struct selection *selection, const struct jobs *jobs, const struct node_wish *wish)
{
    const struct job **selected = allocate_array(jobs->n, sizeof *selected);
    size_t n = 0;
    bool good;

    for (size_t i = 0; i < jobs->n; i++)
        if (*jobs->jobs[i].name != '\0' && is_of_node_wish(wish, jobs->jobs[i].name, jobs->jobs[i].user))
            selected[n++] = &jobs->jobs[i];
    good = have_one_user(selected, n);
    if (good) {
        selection->user = wish->user >= 0 ? wish->user : n > 0 ? (long)selected[0]->user : (long)geteuid();
        for (size_t i = 0; i < n; i++)
            add_job(selection, selected[i]);
        expect_ranks(selection, jobs, selected, n, wish);
    }
    free(selected);
    return good;
}

bool select_on_node(struct selection *selection, const struct node_wish *wish)
{
    struct wish asked = {.node = wish, .limits = &wish->limits};
    struct jobs jobs;
    bool good = find_jobs(&jobs, &asked) && select_for_node(selection, &jobs, wish);

    jobs_free(&jobs);
    return good;
}
