/*
 * collector.c - reads the processes of one owner, or core files, for mqdump's front end.
 *
 * A hostile user can make of his processes and files what he likes. So whoever reads them is this user before anything
 * of his is opened, with limits on what it may spend, and can do nothing but answer.
 */
#include "mqd/dump/role/collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/ask/request.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/collect/child/confine.h"
#include "mqd/dump/collect/client/dll.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/launcher.h"
#include "mqd/dump/collect/job/pmix.h"
#include "mqd/dump/look/observe.h"
#include "mqd/dump/role/save.h"

struct collector {
    struct request request;
    bool was_root;                 /* it has become the owner, and not been it before */
    bool is_other;                 /* the owner is another user than it was */
    struct files files;
    struct dll dll;
    struct hold hold;
    struct core_source *cores;
};

/* Rights. */

/*
 * A server of debug information is asked only by those whose settings these are: the front end passes them on to nobody
 * else.
 */
static bool needs_network(const struct request *request)
{
    const char *servers = getenv("DEBUGINFOD_URLS");

    return request->task == REQUEST_PMIX || (servers != NULL && *servers != '\0');
}

/* Who is to be become, and from what. */
static void know_owner(struct collector *collector)
{
    collector->was_root = geteuid() == 0;
    if (!collector->request.has_owner)
        owner_of_caller(&collector->request.owner);
    collector->is_other = collector->request.owner.user != getuid();
}

/*
 * What was asked for before is forgotten when a process becomes another user. The holder is started when nothing is open,
 * and while it is still allowed to start processes.
 */
static bool give_up_rights(struct collector *collector, char **why)
{
    const struct request *request = &collector->request;
    size_t n = request->n_processes + request->cores.n;
    const struct limits limits = request->task == REQUEST_LOOK
                                     ? limits_of(&request->wish.limits, n, collector->is_other)
                                     : limits_of_question(&request->wish.limits, n, collector->is_other);

    return confine_limit(&limits, why) && confine_become(&request->owner, why) &&
           (request->task != REQUEST_PMIX || confine_forget_tracing(why)) &&
           (watch_end_with_front() || set_reason(why, "who has asked for it has ended")) &&
           (request->task != REQUEST_LOOK || request->wish.no_stop || request->n_processes == 0 ||
            hold_start(&collector->hold, request->processes, request->n_processes, why)) &&
           confine_system_calls(collector->hold.holder, needs_network(request), why);
}

/* What the user of mqdump has named is opened with his rights. */

/* Open MPI's own debug DLL, and any other than ours, offers MQD 1.0 only. */
static bool has_what_is_needed(const struct dll *dll, const struct request *request, char **why)
{
    const struct {
        bool is_wanted;
        const char *what, *options;
    } needs[] = {
        {request->wish.internal, "show what is internal to MPI", "--internal needs"},
        {request->wish.needs_why, "tell why ranks wait", "--html, --dot, --svg, --stacks and --watch need"},
        {request->wish.questions.n > 0, "tell what handles stand for",
         "--handle, --requests, --communicators, --windows and --files need"},
        {request->wish.layout, "tell what it rests on", "--layout needs"},
    };

    for (size_t i = 0; dll->extension == NULL && i < sizeof needs / sizeof *needs; i++)
        if (needs[i].is_wanted)
            return set_reason(why, "%s cannot %s: %s the debugging library of ompi-mqd", request->wish.dll,
                              needs[i].what, needs[i].options);
    return true;
}

/* Root can open all, and whoever may write to its folder can replace a core after its owner was asked for. */
static bool is_owners(const struct collector *collector, const struct core_source *core)
{
    struct stat info;

    return fstat(core->descriptor, &info) == 0 && info.st_uid == collector->request.owner.user;
}

/* As long as it is root, a collector takes files of its owner's only. */
static void open_cores(struct collector *collector)
{
    const struct request *request = &collector->request;

    collector->cores = allocate_array(request->cores.n, sizeof *collector->cores);
    for (size_t i = 0; i < request->cores.n; i++) {
        struct core_source *core = &collector->cores[i];

        core_source_open(core, request->cores.words[i]);
        if (core->descriptor >= 0 && collector->was_root && !is_owners(collector, core))
            core_source_refuse(core, copy_string("it belongs to another user since mqdump was started: look again"));
    }
}

static bool open_named_files(struct collector *collector, char **why)
{
    const struct request *request = &collector->request;

    if (request->task != REQUEST_LOOK)
        return true;
    open_cores(collector);
    return dll_open(&collector->dll, request->wish.dll, why) && has_what_is_needed(&collector->dll, request, why);
}

/* A look. */

static struct record_statistics count(const struct rank *ranks, size_t n)
{
    struct record_statistics statistics = {0};

    for (size_t i = 0; i < n; i++) {
        statistics.n_reads += ranks[i].host.n_reads;
        statistics.n_bytes += ranks[i].host.n_bytes;
    }
    return statistics;
}

/*
 * Conclusions need more of each message than another debug DLL than ours reports. They also need ranks that are stopped
 * at the same time.
 */
static bool can_tell_why(const struct collector *collector)
{
    return collector->request.wish.why && collector->dll.extension != NULL && !collector->request.wish.no_stop;
}

/* Programs of root's become other users, and users' programs root's: then the names of files are not this owner's. */
static char *why_not_owned(const struct collector *collector, pid_t pid)
{
    char *why = NULL;

    if (collector->was_root)
        owner_owns(&collector->request.owner, pid, &why);
    return why;
}

static void take_up(struct rank *ranks, struct collector *collector, const struct view *view)
{
    const struct request *request = &collector->request;
    size_t n = request->n_processes + request->cores.n;

    for (size_t i = 0; i < request->n_processes; i++) {
        char *why = why_not_owned(collector, request->processes[i].pid);

        watch_set_progress(WATCH_PREPARES, i, n);
        if (why != NULL)
            rank_refuse(&ranks[i], request->processes[i], why);
        else
            rank_take_up(&ranks[i], request->processes[i], NULL, request->wish.no_stop, view);
    }
    for (size_t i = 0; i < request->cores.n; i++) {
        watch_set_progress(WATCH_PREPARES, request->n_processes + i, n);
        rank_take_up(&ranks[request->n_processes + i], (struct process_id){0}, &collector->cores[i], false, view);
    }
}

static bool look(struct collector *collector)
{
    const struct request *request = &collector->request;
    const struct wish *wish = &request->wish;
    size_t n = request->n_processes + request->cores.n;
    OWNED struct rank *ranks = allocate_array(n, sizeof *ranks);
    const struct view view = {
        .dll = &collector->dll, .files = &collector->files, .hold = &collector->hold, .why = can_tell_why(collector),
        .wish = wish, .thorough = request->thorough, .owner = collector->was_root ? &request->owner : NULL};
    const struct record_look seen = {.n_processes = n, .has = wish_content(wish, view.why)};
    struct record_statistics statistics;
    OWNED struct witness *witnesses = NULL;
    bool good;

    take_up(ranks, collector, &view);
    ranks_observe(ranks, n, &view);
    statistics = count(ranks, n);
    witnesses = ranks_witnesses(ranks, n);
    good = save_look(&seen, witnesses, n, &statistics);
    for (size_t i = 0; i < n; i++)
        rank_release(&ranks[i]);
    return good;
}

/* Other questions. */

/* Is it the process that is meant, and still the owner's? */
static bool is_there(const struct collector *collector, const struct process_id *id)
{
    OWNED char *why = why_not_owned(collector, id->pid);
    bool is_owned = why == NULL;

    return is_owned && proc_read_start_time(id->pid) == id->start;
}

static bool probe(struct collector *collector)
{
    for (size_t i = 0; i < collector->request.n_processes; i++) {
        const struct process_id *id = &collector->request.processes[i];

        probed_write(&(struct probed){.pid = id->pid,
                                      .has_mpi = is_there(collector, id) &&
                                                 job_has_open_mpi(&collector->files, id->pid) &&
                                                 is_there(collector, id)}, stdout);
    }
    return true;
}

static bool answer_table(const struct launcher_table *table)
{
    table_write(table, stdout);
    return fflush(stdout) == 0;
}

/* Of the launcher, which comes first, and what it has started. */
static bool show_table(struct collector *collector)
{
    const struct request *request = &collector->request;
    RELEASED_BY(launcher_table_clear) struct launcher_table table = {0};
    OWNED pid_t *pids = allocate_array(request->n_processes, sizeof *pids);
    size_t n = 0;

    for (size_t i = 0; i < request->n_processes && (i == 0 || n > 0); i++)
        if (is_there(collector, &request->processes[i]))
            pids[n++] = request->processes[i].pid;
    if (n > 0)
        launcher_look(&table, &collector->files, pids, n);
    return answer_table(&table);
}

static bool show_jobs(struct collector *collector)
{
    const char *server = collector->request.server;
    RELEASED_BY(launcher_table_clear) struct launcher_table table = {0};

    if (server != NULL && pmix_address_is_valid(server) && pmix_ask(&table, server, &table.problem))
        job_hosts_set_source(&table.hosts, "PMIx", true);
    return answer_table(&table);
}

static bool answer(struct collector *collector)
{
    switch (collector->request.task) {
    case REQUEST_PROBE:
        return probe(collector);
    case REQUEST_TABLE:
        return show_table(collector);
    case REQUEST_PMIX:
        return show_jobs(collector);
    case REQUEST_LOOK:
        break;
    }
    return look(collector);
}

static int serve(struct collector *collector)
{
    OWNED char *why = NULL;
    int status = CHILD_REFUSES;

    know_owner(collector);
    if (open_named_files(collector, &why) && give_up_rights(collector, &why))
        status = answer(collector) ? 0 : 1;
    if (why != NULL)
        notice_give("%s", why);
    hold_end(&collector->hold);
    files_close(&collector->files);
    dll_close(&collector->dll);
    for (size_t i = 0; i < collector->request.cores.n && collector->cores != NULL; i++)
        core_source_close(&collector->cores[i]);
    free(collector->cores);
    return status;
}

int collector_main(const char *library)
{
    struct collector collector = {.hold = {.socket = -1}};
    struct wish *wish = &collector.request.wish;
    OWNED char *why = NULL;
    int status = CHILD_REFUSES;

    if (request_receive(&collector.request, &why)) {
        if (wish->dll == NULL)
            wish->dll = copy_string(library);
        collector.files = (struct files){.sysroot = wish->sysroot,
                                         .executables = (const char *const *)wish->executables.words,
                                         .n_executables = wish->executables.n};
        status = serve(&collector);
    } else {
        notice_give("%s", why);
    }
    request_clear(&collector.request);
    warnings_clear();
    return status;
}
