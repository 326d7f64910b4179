/*
 * rank.c - one look at all ranks of a job.
 *
 * The processes are stopped only while their memory is read. Work that takes time and needs no memory (symbols, types,
 * the test for an MPI library) is done before, names of places and conclusions afterwards.
 */
#include "mqd/dump/look/rank.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/client/found_send.h"
#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/openmp/openmp.h"
#include "mqd/dump/collect/target/libraries.h"
#include "mqd/dump/collect/target/stack/initialiser.h"

/* How often ranks are let go and held again because one has mapped new program files, which are read in between. */
enum { MAX_HOLDS = 5 };

/*
 * Of running ranks messages are counted on communicators of at most so many members. A member that nothing was sent to
 * costs 0.4 microseconds, and the ranks are held meanwhile: 64 of them for half a second.
 */
enum { MAX_COUNTED = 16384 };

/* Opening. */

static void describe_target(struct rank *rank)
{
    const struct elf_file *executable = rank->image.modules.modules[0].file;
    const int one = 1;
    bool is_host_little_endian = *(const char *)&one == 1;

    rank->host = (mqs_process){.process = &rank->process, .image = &rank->image, .rank = (int)rank->seen.listing.rank};
    rank->host.is_64_bit = executable->is_64_bit;
    rank->host.is_swapped = executable->is_little_endian != is_host_little_endian;
}

/* The end of a process is the reason; other errors follow from it. Threads of the kernel have no executable. */
static void note_end(struct rank *rank, const char *text)
{
    struct listing *listing = &rank->seen.listing;

    if (listing->error == NULL || listing->executable == NULL || !process_has_ended(&rank->process))
        return;
    free(listing->error);
    listing->error = copy_string(text);
    listing->reason = MQD_REASON_unknown;
}

static void describe_launch(struct rank *rank)
{
    OWNED char *directory = format_text("/proc/%d", (int)rank->process.reader);
    const struct core *core = rank->process.core;
    struct proc_launch launch = core != NULL ? core->launch : proc_no_launch();
    struct listing *listing = &rank->seen.listing;

    if (core == NULL) {
        listing->executable = proc_executable(directory);
        proc_read_launch(directory, &launch);
    } else if (core->executable != NULL) {
        listing->executable = copy_string(core->executable);
    }
    listing->rank = launch.rank;
    listing->job = launch.job[0] != '\0' ? copy_string(launch.job) : NULL;
}

/* Opens a process or a core. If that fails the listing has the reason. */
static bool take_up(struct rank *rank, struct process_id id, const struct core_source *core, bool running)
{
    struct listing *listing = &rank->seen.listing;
    bool good;

    if (core == NULL) {
        *listing = (struct listing){.pid = id.pid, .rank = -1, .user = -1, .was_running = running};
        return process_open(&rank->process, id, running, &listing->error);
    }
    *listing = (struct listing){.rank = -1, .user = -1, .core = core->path};
    good = process_open_core(&rank->process, core, &listing->error);
    listing->pid = rank->process.pid;
    listing->signal = good ? rank->process.core->signal : 0;
    return good;
}

static bool was_replaced(const struct rank *rank)
{
    OWNED char *why = NULL;

    return process_was_replaced(&rank->process, &why);
}

/* What was read while the process ran may be of another process that has got its pid meanwhile: it is not shown. */
static void forget_other(struct rank *rank)
{
    char *why = NULL;

    if (!process_was_replaced(&rank->process, &why))
        return;
    listing_free(&rank->seen.listing);
    rank->seen.listing = (struct listing){.pid = rank->process.pid, .rank = -1, .user = -1,
                                     .was_running = rank->process.runs, .error = why};
}

/* If the DLL finds no MPI in the image it cannot know why; mqdump may. */
static void note_reason(struct rank *rank)
{
    char *reason = missing_mpi_reason(&rank->image.modules, &rank->process);

    if (reason == NULL)
        return;
    free(rank->seen.listing.error);
    rank->seen.listing.error = reason;
    rank->seen.listing.reason = MQD_REASON_unknown;
}

static void note_doubt(struct listing *listing, const char *doubt)
{
    if (doubt != NULL && listing->error != NULL)
        append_text(&listing->error, " (%s)", doubt);
    else if (doubt != NULL)
        listing->error = copy_string(doubt);
}

/* Cores say nothing else tomorrow. */
static bool is_still_owned(struct rank *rank, const struct view *view)
{
    return view->owner == NULL || rank->process.core != NULL ||
           owner_owns(view->owner, rank->process.pid, &rank->seen.listing.error);
}

static bool read_modules(struct rank *rank, const struct view *view)
{
    struct modules *modules = &rank->image.modules;
    bool good = is_still_owned(rank, view) &&
                modules_read(modules, view->files, &rank->process, rank->seen.listing.executable, NULL,
                             &rank->seen.listing.error);

    active_library_choose(modules, &rank->process);
    return good;
}

/* Everything that can be done while the process runs. What the DLL does not see as MPI is not read later. */
static void prepare(struct rank *rank, const struct view *view)
{
    struct listing *listing = &rank->seen.listing;

    describe_launch(rank);
    if (read_modules(rank, view)) {
        describe_target(rank);
        if (listing_examine_image(listing, view->dll, &rank->image))
            modules_prepare(&rank->image.modules);
        else
            note_reason(rank);
    }
    note_end(rank, "it has ended");
    forget_other(rank);
}

/* Is this the id of a process, not of one of its threads? */
static bool is_whole_process(pid_t pid)
{
    struct proc_status status;

    return proc_read_status(pid, &status) && status.process == pid;
}

void rank_take_up(struct rank *rank, struct process_id id, const struct core_source *core, bool running,
                  const struct view *view)
{
    if (take_up(rank, id, core, running))
        prepare(rank, view);
    else if (core == NULL && is_whole_process(id.pid) && !was_replaced(rank))
        describe_launch(rank);
}

void rank_refuse(struct rank *rank, struct process_id id, char *why)
{
    rank->process = (struct process){.pid = id.pid, .memory = -1};
    rank->seen.listing = (struct listing){.pid = id.pid, .rank = -1, .user = -1, .error = why};
}

/* Holding. */

static bool is_live(const struct rank *rank)
{
    return rank->process.core == NULL && rank->process.pid > 0;
}

static bool is_held(const struct rank *rank)
{
    return is_live(rank) && !rank->process.runs && rank->seen.listing.error == NULL;
}

static void stop_all(struct rank *ranks, size_t n, struct hold *hold)
{
    OWNED struct hold_wish *wishes = allocate_array(n, sizeof *wishes);
    size_t n_wishes = 0;

    for (size_t i = 0; i < n; i++)
        if (is_held(&ranks[i]))
            wishes[n_wishes++] = (struct hold_wish){&ranks[i].process, &ranks[i].seen.listing.error};
    hold_processes(hold, wishes, n_wishes);
}

/* What was read is of no one moment: nothing of it is shown. */
static void forget_look(struct rank *rank, const char *why)
{
    struct listing *listing = &rank->seen.listing, empty = listing_again(listing);

    stacks_clear(&rank->stacks);
    listing_free(listing);
    *listing = empty;
    listing->error = copy_string(why);
    rank->failed = true;
}

/* Is there no process of this number any more, or another one? */
static bool is_gone(const struct rank *rank)
{
    return process_is_gone(rank->seen.listing.pid) || was_replaced(rank);
}

/* The same of those that another debugger has let go on. */
static void forget_moved(struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        OWNED char *why = NULL;

        if (!hold_stood_still(&ranks[i].process, &why))
            forget_look(&ranks[i], is_gone(&ranks[i]) ? died_meanwhile : why);
    }
}

static void let_all_go(struct rank *ranks, size_t n, struct hold *hold)
{
    OWNED char *why = NULL;
    bool good;

    forget_moved(ranks, n);
    good = hold_let_go(hold, &why);
    file_seal_set(false);
    for (size_t i = 0; i < n; i++) {
        if (!good && ranks[i].process.n_threads > 0)
            forget_look(&ranks[i], why);
        process_forget_threads(&ranks[i].process);
    }
}

/* Where the files are that a held process has mapped. Returns whether there are new ones, which have to be read. */
static bool follow_modules(struct rank *rank, const struct view *view)
{
    bool has_new = false;

    if (!is_held(rank))
        return false;
    modules_read(&rank->image.modules, view->files, &rank->process, rank->seen.listing.executable, &has_new,
                 &rank->seen.listing.error);
    note_end(rank, died_meanwhile);
    return has_new && rank->seen.listing.error == NULL;
}

/*
 * While processes are held no file is opened. If one has mapped files since it was prepared, all are let go, and the
 * files are read. Returns whether all have to be held again.
 */
static bool prepare_again(struct rank *ranks, size_t n, const struct view *view, bool last)
{
    OWNED bool *has_new = allocate_array(n, sizeof *has_new);
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        has_new[i] = follow_modules(&ranks[i], view);
        any |= has_new[i];
        if (has_new[i] && last)
            ranks[i].image.modules.doubt = copy_string("it maps program files faster than they can be read");
    }
    if (any && !last) {
        let_all_go(ranks, n, view->hold);
        for (size_t i = 0; i < n; i++)
            if (has_new[i] && is_held(&ranks[i]) && read_modules(&ranks[i], view))
                modules_prepare(&ranks[i].image.modules);
    }
    return any && !last;
}

/* Files are sealed as soon as a process may be held, until all are let go. */
static void hold_all(struct rank *ranks, size_t n, const struct view *view)
{
    int i = 0;

    do {
        file_seal_set(true);
        stop_all(ranks, n, view->hold);
    } while (prepare_again(ranks, n, view, ++i == MAX_HOLDS));
}

/* Reading. */

bool ranks_any_live(const struct rank *ranks, size_t n)
{
    return ANY(i, n, ranks[i].seen.listing.core == NULL);
}

static void note_activity(struct rank *rank)
{
    struct activity *activity = &rank->seen.activity, before = *activity;
    struct witness *witness = &rank->seen.witness;
    bool was_stopped = witness->stopped;

    activity_take(activity, &rank->process);
    witness->stopped = activity_is_stopped(activity);
    /* If it has been let go since the look before, it may not have looked yet for what has come meanwhile. */
    witness->moved |= was_stopped && !witness->stopped;
    witness->stays_stopped = before.at == 0 ? witness->stopped
                                            : witness->stays_stopped && activity_stayed_stopped(&before, activity);
}

/* What the ranks do by themselves shows only before they are held. That also tells of those that cannot be held. */
static void look_at_activity(struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_live(&ranks[i]))
            note_activity(&ranks[i]);
}

/* Another debugger may have come since then. */
static void look_at_debuggers(struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ranks[i].process.debugger != 0 && !ranks[i].seen.witness.stopped)
            note_activity(&ranks[i]);
}

/* A rank that could not be held has been waiting in the kernel all the time that mqdump has waited for it. */
static void end_activity(struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_live(&ranks[i]))
            continue;
        activity_follow(&ranks[i].seen.activity, &ranks[i].process);
        activity_start_share(&ranks[i].seen.activity, &ranks[i].process);
    }
}

/* A process loads more files while it runs, for example plugins during MPI_Init. Of one that is held they are known. */
static bool know_modules(struct rank *rank, const struct view *view)
{
    if (!is_held(rank))
        return read_modules(rank, view);
    active_library_choose(&rank->image.modules, &rank->process);
    return true;
}

/* A look that is being taken. */
struct taking {
    const struct view *view;
    struct wishes wishes;
    struct listed_process *read;   /* those that could be read, `n` of them */
    size_t n;
};

/* What a file that was not read before would have shown is not known. */
static void note_missed(struct rank *rank, size_t n_refused)
{
    if (file_seal_n_refused() == n_refused)
        return;
    rank->stacks.complete = false;
    rank->failed = true;
    note_doubt(&rank->seen.listing, "more of its program files was asked for than had been read before it was held");
}

/* Of those that were to be held. What has ended, or is another process now, was not there. */
static void note_failures(struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ranks[i].failed |= is_live(&ranks[i]) && !ranks[i].process.runs && ranks[i].seen.listing.error != NULL &&
                           !is_gone(&ranks[i]);
}

static void take_threads(struct rank *rank)
{
    stacks_take(&rank->stacks, &rank->process, &rank->image.modules);
    rank->stacks.initialiser = initialiser_find(&rank->process, &rank->image.modules, &rank->stacks);
    openmp_take(&rank->seen.openmp, &rank->process, &rank->image.modules, &rank->stacks);
}

static void read_rank(struct taking *taking, struct rank *rank)
{
    const struct view *view = taking->view;
    struct wishes wishes = taking->wishes;
    size_t n_refused = file_seal_n_refused();

    wishes.before = rank->before;
    if (know_modules(rank, view)) {
        listing_take(&rank->seen.listing, view->dll, &rank->host, &wishes);
        if (!rank->process.dead)
            taking->read[taking->n++] = (struct listed_process){&rank->seen.listing, &rank->host};
        if (view->why)
            take_threads(rank);
    }
    rank->failed |= rank->image.modules.doubt != NULL;
    note_doubt(&rank->seen.listing, rank->image.modules.doubt);
    note_missed(rank, n_refused);
    note_end(rank, died_meanwhile);
    if (rank->process.runs)
        forget_other(rank);
}

/* Reads those that are held, or the others: cores, and what is read while it runs. */
static void read_some(struct taking *taking, struct rank *ranks, size_t n, bool held)
{
    for (size_t i = 0; i < n; i++) {
        watch_set_progress(WATCH_READS, i, n);
        if (ranks[i].seen.listing.error == NULL && is_held(&ranks[i]) == held)
            read_rank(taking, &ranks[i]);
    }
}

/* What has ended while the others are stopped has ended before they do anything more. */
static void note_gone(struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ranks[i].seen.witness.ended = ranks[i].seen.listing.core == NULL && ranks[i].seen.listing.error != NULL &&
                                      is_gone(&ranks[i]);
}

/*
 * What they do by themselves does not show while another mqdump holds them. What only has its name may never let go: it
 * is waited for once, for all ranks together.
 */
static void await_others(const struct rank *ranks, size_t n, struct hold *hold)
{
    hold->for_another = seconds_now() + (hold->gave_up ? 0 : SECONDS_FOR_ANOTHER);
    hold->gave_up = false;
    for (size_t i = 0; i < n; i++)
        if (is_live(&ranks[i]) && !ranks[i].process.runs) {
            process_await_another(ranks[i].process.pid, ranks[i].process.holder, hold->for_another);
            hold->gave_up |= process_is_with_another(ranks[i].process.pid, ranks[i].process.holder);
        }
}

/* Ctrl-Z would stop mqdump while it holds processes: the signal is blocked until they go on. */
void ranks_read(struct rank *ranks, size_t n, const struct view *view)
{
    struct taking taking = {.view = view, .read = allocate_array(n + 1, sizeof *taking.read)};
    sigset_t job_control, before;

    taking.wishes = (struct wishes){.queues = view->wish->queues, .layout = view->wish->layout,
                                    .questions = view->wish->questions,
                                    .internal = view->why || view->wish->internal,
                                    .traffic = !view->why ? 0 : ranks_any_live(ranks, n) ? MAX_COUNTED : LONG_MAX};
    sigemptyset(&job_control);
    sigaddset(&job_control, SIGTSTP);
    sigaddset(&job_control, SIGTTIN);
    sigaddset(&job_control, SIGTTOU);
    sigprocmask(SIG_BLOCK, &job_control, &before);
    await_others(ranks, n, view->hold);
    if (view->why)
        look_at_activity(ranks, n);
    read_some(&taking, ranks, n, false);
    hold_all(ranks, n, view);
    if (view->why)
        look_at_debuggers(ranks, n);
    note_failures(ranks, n);
    read_some(&taking, ranks, n, true);
    forget_moved(ranks, n);
    found_sends_take(view->dll, taking.read, taking.n, taking.wishes.internal);
    note_gone(ranks, n);
    if (view->why)
        end_activity(ranks, n);
    let_all_go(ranks, n, view->hold);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(taking.read);
}

/* Releasing. */

static void warn_of_copy(struct rank *rank)
{
    pid_t origin;

    if (!rank->seen.listing.has_communicators || was_replaced(rank))
        return;
    origin = job_fork_origin(&rank->image.modules, &rank->process);
    rank->seen.listing.copy_of = origin;
    if (origin != 0)
        warning_give("process %d is a copy of process %d, made by fork: its queues are those that process %d had then",
                     (int)rank->process.pid, (int)origin, (int)origin);
}

void rank_end_looks(struct rank *rank, const struct dll *dll)
{
    stacks_clear(&rank->stacks);
    warn_of_copy(rank);
    listing_release(dll, &rank->image, &rank->host);
}

void rank_release(struct rank *rank)
{
    listing_free(&rank->seen.listing);
    calls_clear(&rank->seen.calls);
    openmp_clear(&rank->seen.openmp);
    modules_clear(&rank->image.modules);
    process_close(&rank->process);
}
