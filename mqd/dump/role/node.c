/*
 * node.c - looks at the ranks of some jobs on this machine, for an mqdump on another one.
 */
#include "mqd/dump/role/node.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/ask/launch.h"
#include "mqd/dump/ask/local.h"
#include "mqd/dump/ask/limits.h"
#include "mqd/dump/ask/request.h"
#include "mqd/dump/ask/selection.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/choose/inquire.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/role/save.h"

/* Of the time until the deadline a collector may take so much: what it has not read by then is told in time. */
static const double time_for_collectors = 0.75;

/* How it ends. */

/* Whoever has started it may have had these signals blocked or ignored. */
static void end_by_signals(void)
{
    static const int ending[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGALRM};
    sigset_t none;

    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        signal(ending[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What it looks at. */

static bool is_of_request(const struct request *request, const char *job, uid_t user)
{
    return (request->user < 0 || user == (uid_t)request->user) && request_has_job(request, job);
}

static bool is_wanted(const void *context, const struct jobs *jobs, const struct job_process *process)
{
    (void)jobs;
    return is_of_request(context, process->launch.job, process->user);
}

static bool have_one_user(const struct job *const *selected, size_t n)
{
    if (jobs_have_one_user(selected, n))
        return true;
    notice_give("jobs of several users have that name here: say whose is meant, by --job with the pid of its mpirun");
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

/* What is known of those that are expected and not there. */
static void expect_ranks(struct selection *selection, const struct jobs *jobs, const struct job *const *selected,
                         size_t n, const struct request *request)
{
    OWNED struct expected_rank *ranks = allocate_array(request->n_ranks, sizeof *ranks);

    for (size_t i = 0; i < request->jobs.n; i++) {
        const struct job job = job_named(selected, n, request->jobs.words[i], (uid_t)selection->user);
        size_t n_of_job = 0;

        for (size_t j = 0; j < request->n_ranks; j++)
            if (request->ranks[j].job == i)
                ranks[n_of_job++] = request->ranks[j];
        absent_ranks_expect(&selection->absent, jobs, &job, ranks, n_of_job, job_launcher(&job));
    }
}

static bool select_among(struct selection *selection, const struct jobs *jobs, const struct request *request)
{
    OWNED const struct job **selected = allocate_array(jobs->n, sizeof *selected);
    size_t n = 0;
    bool good;

    for (size_t i = 0; i < jobs->n; i++)
        if (*jobs->jobs[i].name != '\0' && is_of_request(request, jobs->jobs[i].name, jobs->jobs[i].user))
            selected[n++] = &jobs->jobs[i];
    good = have_one_user(selected, n);
    if (good) {
        selection->user = request->user >= 0 ? request->user : n > 0 ? (long)selected[0]->user : (long)geteuid();
        for (size_t i = 0; i < n; i++)
            selection_add_processes(selection, selected[i]);
        expect_ranks(selection, jobs, selected, n, request);
    }
    return good;
}

/*
 * No such rank is no error. False, with the reason on stderr, if it cannot be found out, or if several users have such
 * jobs.
 */
static bool select_ranks(struct selection *selection, const struct request *request)
{
    RELEASED_BY(jobs_free) struct jobs jobs = {0};

    return job_search(&jobs, is_wanted, request, &request->wish.limits) && select_among(selection, &jobs, request);
}

/* A look. */

static void limit_time(struct limit_choice *limits, double deadline, size_t n)
{
    double most = deadline * time_for_collectors, now = limit_seconds(limits, n);

    if (deadline > 0 && (now <= 0 || now > most))
        limits->time = (struct limit){true, most > 1 ? (uint64_t)most : 1};
}

/* Where nothing was looked at, it was as it was asked for. */
static struct record_look look_of(const struct records *records, const struct wish *wish)
{
    return (struct record_look){.n_processes = records->n_witnesses,
                                .has = records->n_witnesses > 0 ? records_content(records)
                                                                : wish_content(wish, wish->why && !wish->no_stop)};
}

static bool answer(const struct selection *selection, const struct request *request)
{
    struct wish wish = request->wish;
    RELEASED_BY(records_clear) struct records records = {0};
    bool good;

    limit_time(&wish.limits, (double)request->seconds, selection->n_processes);
    good = ask_local(&records, &wish, selection);
    if (good) {
        const struct record_look look = look_of(&records, &request->wish);
        struct record_statistics statistics = records_statistics(&records);

        for (size_t i = 0; i < records.n_witnesses; i++)
            records.witnesses[i].look = 0;
        good = save_look(&look, records.witnesses, records.n_witnesses, &statistics);
    }
    return good;
}

static bool serve(const struct request *request)
{
    RELEASED_BY(selection_clear) struct selection selection = {.among_others = true};
    bool good = false;

    if (select_ranks(&selection, request)) {
        children_end_with_reader(STDOUT_FILENO);
        good = answer(&selection, request);
    }
    return good;
}

/* What starts a program on another machine may hand on no input: then the request is a word. */
static bool take_request(struct request *request, int argc, char *const *argv, char **why)
{
    OWNED char *line = NULL;

    if (argc == 2)
        return request_receive(request, why);
    line = argc == 3 ? argument_read(argv[2]) : NULL;
    return request_read(request, line != NULL ? line : "", why);
}

int node_main(int argc, char *const *argv)
{
    RELEASED_BY(request_clear) struct request request = {0};
    bool good = false;
    OWNED char *why = NULL;

    end_by_signals();
    children_end_with_reader(STDOUT_FILENO);
    /* Without a front end here its parent is not minded: some start programs from threads that end before. */
    if (!take_request(&request, argc, argv, &why)) {
        notice_give("%s", why);
    } else if (request.jobs.n + request.families.n == 0) {
        notice_give("it was asked for no job");
    } else if (watch_own()->front == 0 || watch_end_with_front()) {
        alarm((unsigned)request.seconds);
        good = serve(&request);
    }
    warnings_clear();
    return good ? 0 : CHILD_REFUSES;
}
