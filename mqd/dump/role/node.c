/*
 * node.c - looks at the ranks of some jobs on this machine, for an mqdump on another one.
 */
#include "mqd/dump/role/node.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mqd/dump/ask/argument.h"
#include "mqd/dump/ask/local.h"
#include "mqd/dump/ask/limits.h"
#include "mqd/dump/ask/request.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/choose/select_node.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/role/save.h"

/* Of the time until the deadline a collector may take so much: what it has not read by then is told in time. */
static const double time_for_collectors = 0.75;

bool is_node(int argc, char *const *argv)
{
    return argc > 1 && strcmp(argv[1], NODE_OPTION) == 0;
}

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

/*
 * An mqdump on the same machine is its parent. Other parents are not watched: some start programs from threads that end
 * before.
 */
static bool end_with_front_end(void)
{
    if (watch_front() == 0)
        return true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == watch_front();
}

/* What it looks at. */

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

static bool answer(struct selection *selection, const struct request *request)
{
    struct wish wish = request->wish;
    const struct targets targets = {.processes = selection->processes, .n_processes = selection->n,
                                    .missing = selection->absent.missing, .n_missing = selection->absent.n_missing,
                                    .among_others = true};
    RELEASED_BY(records_clear) struct records records = {0};
    bool good;

    limit_time(&wish.limits, (double)request->seconds, selection->n);
    good = ask_local(&records, &wish, &targets);
    if (good) {
        const struct record_look look = look_of(&records, &request->wish);
        struct record_statistics statistics = records_statistics(&records);

        for (size_t i = 0; i < records.n_witnesses; i++)
            records.witnesses[i].look = 0;
        good = save_record("-", &look, records.witnesses, records.n_witnesses, &statistics);
    }
    return good;
}

static bool serve(const struct request *request)
{
    RELEASED_BY(selection_clear) struct selection selection = {0};
    bool good = false;

    if (select_on_node(&selection, request)) {
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

static bool is_asked(const struct request *request, char **why)
{
    return request->jobs.n + request->families.n > 0 || set_reason(why, "it was asked for no job");
}

int node_main(int argc, char *const *argv)
{
    RELEASED_BY(request_clear) struct request request = {0};
    bool good = false;
    OWNED char *why = NULL;

    /* Started as /proc/self/exe, it would be called "exe". */
    prctl(PR_SET_NAME, "mqdump");
    memory_set_exit_status(CHILD_WITHOUT_MEMORY);
    warnings_keep();
    watch_use(watch_map(CHILD_WATCH));
    end_by_signals();
    children_end_with_reader(STDOUT_FILENO);
    if (!take_request(&request, argc, argv, &why) || !is_asked(&request, &why)) {
        notice_give("%s", why);
    } else if (end_with_front_end()) {
        alarm((unsigned)request.seconds);
        good = serve(&request);
    }
    warnings_clear();
    return good ? 0 : CHILD_REFUSES;
}
