/*
 * inquire.c - asks processes of this machine, through collectors, since that needs their files or memory.
 */
#include "mqd/dump/choose/inquire.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mqd/dump/ask/division.h"
#include "mqd/dump/ask/limits.h"
#include "mqd/dump/ask/request.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/child/child.h"

/* A question takes less than a look: a launcher that does not answer must not delay the look at its ranks for long. */
static const struct patience patience = {.to_run = 10, .after_expiry = 5};

/*
 * However many processes say that they are of a job: whoever wants to see it must not wait for those of others longer
 * than this.
 */
static const double seconds_at_most = 30;

/* A launcher answers through PMIx in a fraction of this. Somebody else's may not answer on purpose. */
static const double seconds_for_server = 8;

/* For the largest jobs that launchers have a table of. */
enum { MAX_ANSWER = 64 * 1024 * 1024 };

static bool take(void *context, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, ((struct text_stream *)context)->to) == n;
}

/* Asks the owner of some processes. The texts of the collectors are for free(). */
struct question {
    struct request request;
    char *input;
    struct text_stream answer;
};

static void prepare(struct question *question, struct child *child, const struct owned *owned, enum request_task task,
                    const struct process_id *processes, const struct limit_choice *limits)
{
    struct request *request = &question->request;
    double most = task == REQUEST_PMIX ? seconds_for_server : seconds_at_most;
    double seconds = limit_seconds(limits, owned->n);

    *request = (struct request){.task = task, .wish.limits = *limits, .server = question->request.server,
                                .has_owner = true, .owner = owned->owner};
    request->processes = allocate_array(owned->n, sizeof *request->processes);
    for (size_t i = 0; i < owned->n; i++)
        request->processes[request->n_processes++] = processes[owned->members[i]];
    question->input = request_write(request);
    text_stream_open(&question->answer);
    /* Of a caller that is a rank itself, PMIx would take the connection for its own. */
    *child = (struct child){.arguments = collector_arguments, .input = question->input,
                            .keeps = owned->is_other || task == REQUEST_PMIX ? variable_is_harmless : NULL,
                            .seconds = seconds > 0 && seconds < most ? seconds : most,
                            .max_bytes = MAX_ANSWER, .take = take,
                            .context = &question->answer};
}

static void release(struct question *question, struct child *child)
{
    FREE_ALL(question->input, question->request.processes, question->answer.text);
    child_clear(child);
}

/* Jobs. */

struct search {
    job_search_filter *is_wanted;
    const void *context;
    const struct limit_choice *limits;
};

/* A collector answers in the order in which it was asked. */
static void take_answers(struct job_process *const *processes, const struct owned *owned, char *at)
{
    for (size_t i = 0; i < owned->n; i++) {
        struct job_process *process = processes[owned->members[i]];
        struct probed probed = {0};

        if (!probed_read(&probed, &at) || probed.pid != process->pid)
            return;
        process->has_mpi = probed.has_mpi;
        process->is_silent = false;
    }
}

/* Has collectors look whether these processes have Open MPI in their memory. */
static void ask_processes(struct job_process *const *processes, struct process_id *ids, size_t n,
                          const struct limit_choice *limits)
{
    OWNED struct question *questions = NULL;
    OWNED struct child *children = NULL;
    RELEASED_BY(division_clear) struct division division = {0};

    divide_processes(&division, ids, n, NULL);
    questions = allocate_array(division.n, sizeof *questions);
    children = allocate_array(division.n, sizeof *children);
    for (size_t i = 0; i < division.n; i++)
        prepare(&questions[i], &children[i], &division.owned[i], REQUEST_PROBE, ids, limits);
    children_run(children, division.n, &patience);
    for (size_t i = 0; i < division.n; i++) {
        take_answers(processes, &division.owned[i], text_stream_close(&questions[i].answer));
        release(&questions[i], &children[i]);
    }
}

/* Of processes that nobody asks for no file is opened. */
static void probe(void *context, const struct jobs *jobs, struct job_process *const *processes, size_t n)
{
    const struct search *search = context;
    OWNED struct job_process **wanted = allocate_array(n, sizeof *wanted);
    OWNED struct process_id *ids = allocate_array(n, sizeof *ids);
    size_t n_wanted = 0;

    for (size_t i = 0; i < n; i++) {
        if (!search->is_wanted(search->context, jobs, processes[i]))
            continue;
        processes[i]->is_silent = true;
        processes[i]->has_mpi = false;
        ids[n_wanted] = (struct process_id){.pid = processes[i]->pid, .start = processes[i]->start};
        wanted[n_wanted++] = processes[i];
    }
    if (n_wanted > 0)
        ask_processes(wanted, ids, n_wanted, search->limits);
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
    int64_t number = number_of(text, INT_MAX);

    return number > 0 ? (pid_t)number : 0;
}

bool jobs_have_one_user(const struct job *const *jobs, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (jobs[i]->user != jobs[0]->user)
            return false;
    return true;
}

/* Launchers. */

static void ask_launcher(struct launcher_table *table, const struct owned *owned, const struct process_id *processes,
                         enum request_task task, char *server, const struct limit_choice *limits)
{
    struct question question = {.request = {.server = server}};
    struct child child;

    prepare(&question, &child, owned, task, processes, limits);
    children_run(&child, 1, &patience);
    table_read(table, text_stream_close(&question.answer));
    if (child.problem != NULL && !child.refused)
        set_reason(&table->problem, "%s cannot be asked: mqdump's process that asked it %s",
                   task == REQUEST_PMIX ? "its PMIx server" : "it", child.problem);
    release(&question, &child);
}

/* What the server says is more than what was found without it. */
static void ask_server(struct launcher_table *table, const struct owned *owned, const struct process_id *processes,
                       const struct limit_choice *limits)
{
    struct launcher_table told = {0};

    ask_launcher(&told, owned, processes, REQUEST_PMIX, table->server, limits);
    if (told.hosts.n > 0) {
        told.hosts.slurm_job = table->hosts.slurm_job;
        told.daemons = table->daemons;
        table->daemons = NULL;
        launcher_table_clear(table);
        *table = told;
        return;
    }
    if (told.problem != NULL) {
        free(table->problem);
        table->problem = TAKEN(told.problem);
    }
    launcher_table_clear(&told);
}

/* The launcher, and what it has started for its user. Returns how many. */
static size_t choose_processes(struct process_id *processes, const struct jobs *jobs,
                               const struct job_process *launcher)
{
    size_t n = 0;

    processes[n++] = (struct process_id){.pid = launcher->pid, .start = launcher->start};
    for (size_t i = 0; i < jobs->n_processes; i++) {
        const struct job_process *process = &jobs->processes[i];

        if (process->user == launcher->user && jobs_is_below(jobs, process->pid, launcher->pid))
            processes[n++] = (struct process_id){.pid = process->pid, .start = process->start};
    }
    return n;
}

void inquire_table(struct launcher_table *table, const struct jobs *jobs, const struct job_process *launcher,
                   bool server, const struct limit_choice *limits)
{
    RELEASED_BY(division_clear) struct division division = {0};
    OWNED struct process_id *processes = allocate_array(jobs->n_processes + 1, sizeof *processes);
    size_t n = choose_processes(processes, jobs, launcher);

    divide_processes(&division, processes, n, NULL);
    /* What it has started as others is not asked. */
    if (division.n == 0 || division.owned[0].members[0] != 0)
        return;
    ask_launcher(table, &division.owned[0], processes, REQUEST_TABLE, NULL, limits);
    if (table->server != NULL && (server || job_hosts_are_elsewhere(&table->hosts)))
        ask_server(table, &division.owned[0], processes, limits);
}
