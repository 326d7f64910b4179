/*
 * inquire.c - has collectors answer questions about processes that need their files or memory.
 */
#include "mqd/dump/ask/inquire.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/ask/division.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/ask/request.h"

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

struct text {
    char *bytes;                   /* with NUL after `n` */
    size_t n, room;
};

static bool take(void *context, const char *bytes, size_t n)
{
    struct text *text = context;

    while (text->room < text->n + n + 1)
        text->bytes = grow_array(text->bytes, text->room, &text->room, 1);
    memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
    text->bytes[text->n] = '\0';
    return true;
}

/* Asks the owner of some processes. The texts of the collectors are for free(). */
struct question {
    struct request request;
    char *input;
    struct text answer;
};

static void prepare(struct question *question, struct child *child, const struct owned *owned, enum request_task task,
                    const struct process_id *processes, const struct limit_choice *limits)
{
    struct request *request = &question->request;
    double most = task == REQUEST_PMIX ? seconds_for_server : seconds_at_most;
    double seconds = limit_seconds(limits, owned->n);

    *request = (struct request){.task = task, .wish.limits = *limits, .server = question->request.server,
                                .owner = owner_text(&owned->owner)};
    request->processes = allocate_array(owned->n, sizeof *request->processes);
    for (size_t i = 0; i < owned->n; i++)
        request->processes[request->n_processes++] = processes[owned->members[i]];
    question->input = request_write(request);
    /* Of a caller that is a rank itself, PMIx would take the connection for its own. */
    *child = (struct child){.arguments = collector_arguments, .input = question->input,
                            .is_other = owned->is_other,
                            .is_bare = task == REQUEST_PMIX,
                            .seconds = seconds > 0 && seconds < most ? seconds : most,
                            .max_bytes = MAX_ANSWER, .take = take,
                            .context = &question->answer};
}

static void release(struct question *question, struct child *child)
{
    FREE_ALL(question->input, question->request.owner, question->request.processes, question->answer.bytes);
    child_clear(child);
}

/* The next line of what the collector has written, which answers in the order in which it was asked. */
static enum inquired take_line(const char **at, pid_t pid)
{
    const char *end = *at != NULL ? strchr(*at, '\n') : NULL;
    int number, answer;

    if (end == NULL || sscanf(*at, "%d %d", &number, &answer) != 2 || number != pid)
        return INQUIRED_SILENT;
    *at = end + 1;
    return answer != 0 ? INQUIRED_YES : INQUIRED_NO;
}

static void take_answers(const struct question *question, const struct owned *owned, enum inquired *answers)
{
    const char *at = question->answer.bytes;

    for (size_t i = 0; i < owned->n; i++)
        answers[owned->members[i]] = take_line(&at, question->request.processes[i].pid);
}

void inquire_mpi(const struct process_id *processes, size_t n, const struct limit_choice *limits,
                 enum inquired *answers)
{
    OWNED struct process_id *copies = allocate_array(n, sizeof *copies);
    OWNED char **problems = allocate_array(n, sizeof *problems);
    struct question *questions;
    struct child *children;
    RELEASED_BY(division_clear) struct division division = {0};

    memcpy(copies, processes, n * sizeof *copies);
    memset(answers, 0, n * sizeof *answers);
    divide_processes(&division, copies, n, problems);
    questions = allocate_array(division.n, sizeof *questions);
    children = allocate_array(division.n, sizeof *children);
    for (size_t i = 0; i < division.n; i++)
        prepare(&questions[i], &children[i], &division.owned[i], REQUEST_PROBE, copies, limits);
    children_run(children, division.n, &patience);
    for (size_t i = 0; i < division.n; i++) {
        take_answers(&questions[i], &division.owned[i], answers);
        release(&questions[i], &children[i]);
    }
    for (size_t i = 0; i < n; i++)
        free(problems[i]);
    FREE_ALL(questions, children);
}

static void ask_launcher(struct launcher_table *table, const struct owned *owned, const struct process_id *launcher,
                         enum request_task task, char *server, const struct limit_choice *limits)
{
    struct question question = {.request = {.server = server}};
    struct child child;

    prepare(&question, &child, owned, task, launcher, limits);
    children_run(&child, 1, &patience);
    launcher_table_read(table, question.answer.bytes);
    if (child.problem != NULL && !child.refused)
        set_reason(&table->problem, "%s cannot be asked: mqdump's process that asked it %s",
                   task == REQUEST_PMIX ? "its PMIx server" : "it", child.problem);
    release(&question, &child);
}

/* What the server says is more than what was found without it. */
static void ask_server(struct launcher_table *table, const struct owned *owned, const struct process_id *launcher,
                       const struct limit_choice *limits)
{
    struct launcher_table told = {0};

    ask_launcher(&told, owned, launcher, REQUEST_PMIX, table->server, limits);
    if (told.hosts.n > 0) {
        told.slurm_job = table->slurm_job;
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

void inquire_table(struct launcher_table *table, struct process_id launcher, bool server,
                   const struct limit_choice *limits)
{
    RELEASED_BY(division_clear) struct division division = {0};
    OWNED char *problem = NULL;

    divide_processes(&division, &launcher, 1, &problem);
    for (size_t i = 0; i < division.n; i++) {
        ask_launcher(table, &division.owned[i], &launcher, REQUEST_TABLE, NULL, limits);
        if (table->server != NULL && (server || job_hosts_are_elsewhere(&table->hosts)))
            ask_server(table, &division.owned[i], &launcher, limits);
    }
}
