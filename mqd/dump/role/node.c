/*
 * node.c - looks at the ranks of some jobs on this machine, for an mqdump on another one.
 */
#include "mqd/dump/role/node.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mqd/dump/ask/gather.h"
#include "mqd/dump/ask/node_request.h"
#include "mqd/dump/base/memory.h"
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

static bool read_limits(struct limit_choice *choice, const struct node_request *request)
{
    char *why = NULL;

    for (size_t i = 0; i < request->limits.n; i++) {
        if (limit_read(choice, request->limits.words[i], &why))
            continue;
        notice_give("%s", why);
        free(why);
        return false;
    }
    return true;
}

static void limit_time(struct limit_choice *limits, double deadline, size_t n)
{
    double most = deadline * time_for_collectors, now = limit_seconds(limits, n);

    if (deadline <= 0 || (now > 0 && now <= most))
        return;
    limits->has_time = true;
    limits->time = most > 1 ? (uint64_t)most : 1;
}

static bool choose(struct selection *selection, const struct node_request *request, const struct limit_choice *limits)
{
    const struct node_wish wish = {
        .jobs = (const char *const *)request->jobs.words, .n_jobs = request->jobs.n,
        .families = (const char *const *)request->families.words, .n_families = request->families.n,
        .user = request->user, .ranks = request->ranks, .n_ranks = request->n_ranks, .limits = *limits};

    return select_on_node(selection, &wish);
}

/* Where nothing was looked at, it was as it was asked for. */
static struct record_header header_of(const struct records *records, const struct node_request *request)
{
    struct record_header header = {.n_processes = records->n_witnesses,
                                   .why = records_have_why(records),
                                   .internal = records_have_internal(records),
                                   .layout = records_have_layout(records),
                                   .queues = records_have_queues(records),
                                   .stacks = records_have_stacks(records)};

    if (records->n_witnesses > 0)
        return header;
    header.why = request->wish.why && !request->wish.no_stop;
    header.internal = header.why || request->wish.internal;
    header.layout = request->wish.layout;
    header.queues = request->wish.queues;
    header.stacks = header.why && request->wish.stacks;
    return header;
}

static bool answer(struct selection *selection, const struct node_request *request, const struct limit_choice *limits,
                   const char *library)
{
    struct wish wish = request->wish;
    const struct targets targets = {.processes = selection->processes, .n_processes = selection->n,
                                    .missing = selection->absent.missing, .n_missing = selection->absent.n_missing,
                                    .among_others = true};
    struct records records;
    bool good;

    wish.limits = *limits;
    if (wish.dll == NULL)
        wish.dll = library;
    good = gather(&records, &wish, &targets);
    if (good) {
        const struct record_header header = header_of(&records, request);
        struct record_statistics statistics = records_statistics(&records);

        for (size_t i = 0; i < records.n_witnesses; i++)
            records.witnesses[i].look = 0;
        good = save_record("-", &header, records.witnesses, records.n_witnesses, &statistics);
    }
    records_clear(&records);
    return good;
}

static bool serve(const struct node_request *request, const char *library)
{
    struct limit_choice limits = {0};
    struct selection selection = {0};
    bool good = false;

    if (read_limits(&limits, request) && choose(&selection, request, &limits)) {
        children_end_with_reader(STDOUT_FILENO);
        limit_time(&limits, request->seconds, selection.n);
        good = answer(&selection, request, &limits, library);
    }
    selection_clear(&selection);
    return good;
}

int node_main(int argc, char *const *argv, const char *library)
{
    struct node_request request;
    bool good = false;
    char *why = NULL;

    /* Started as /proc/self/exe, it would be called "exe". */
    prctl(PR_SET_NAME, "mqdump");
    memory_set_exit_status(CHILD_WITHOUT_MEMORY);
    warnings_keep();
    watch_use(watch_map(CHILD_WATCH));
    end_by_signals();
    children_end_with_reader(STDOUT_FILENO);
    if (!node_request_read(&request, argc, argv, &why)) {
        notice_give("%s", why);
    } else if (end_with_front_end()) {
        alarm((unsigned)request.seconds);
        good = serve(&request, library);
    }
    free(why);
    node_request_clear(&request);
    warnings_clear();
    return good ? 0 : CHILD_REFUSES;
}
