/*
 * observe.c - reads all ranks, as often as the conclusions need it.
 *
 * The processes are stopped only while their memory is read. Work that takes time and needs no memory (symbols, types,
 * the test for an MPI library) is done before, names of places and conclusions afterwards.
 */
#include "mqd/dump/look/observe.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/file_seal.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/client/found_send.h"
#include "mqd/dump/collect/job/fork_origin.h"
#include "mqd/dump/collect/target/active_library.h"
#include "mqd/dump/verdict/movement.h"
#include "mqd/dump/verdict/verdict.h"

/*
 * One look is enough for the queues alone. In the first pause messages arrive that were on their way. The other pauses
 * are for findings that a rank which is only slow may refute. There are several, since a rank that has gone on may be
 * at the same place again at the end of a longer one.
 */
static const double first_pause = 0.1, longest_first_pause = 5, patient_pause = 1;
enum { N_PATIENT_LOOKS = 2 };

/* How often ranks are let go and held again because one has mapped new program files, which are read in between. */
enum { MAX_HOLDS = 5 };

/*
 * A disk may take a part of a second to answer, and then much longer only if something is wrong with it or it has very
 * much to do. A process that cannot be held is waited for longer than this.
 */
static const double seconds_to_be_stuck = 1;

static const char died_meanwhile[] = "it died while it was read: what is missing cannot be had any more";

/* In this processor time a rank that was let go has looked for messages many times. */
static const double seconds_to_progress = 0.001;

/*
 * Of running ranks messages are counted on communicators of at most so many members. A member that nothing was sent to
 * costs 0.4 microseconds, and the ranks are held meanwhile: 64 of them for half a second.
 */
enum { MAX_COUNTED = 16384 };

/* Opening, and one look. */

static void describe_target(struct rank *rank)
{
    const struct elf_file *executable = rank->image.modules.modules[0].file;
    const int one = 1;
    bool is_host_little_endian = *(const char *)&one == 1;

    rank->host = (mqs_process){.process = &rank->process, .image = &rank->image, .rank = (int)rank->seen.listing.rank};
    rank->host.is_64_bit = elf_file_is_64_bit(executable);
    rank->host.is_swapped = elf_file_is_little_endian(executable) != is_host_little_endian;
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

static struct proc_launch read_launch(const struct process *process)
{
    OWNED char *directory = format_text("/proc/%d", (int)process->reader);
    struct proc_launch launch = proc_no_launch();

    if (!proc_read_launch(directory, &launch))
        launch = proc_no_launch();
    return launch;
}

static void describe_launch(struct rank *rank)
{
    const struct core *core = rank->process.core;
    struct proc_launch launch = core != NULL ? core->launch : read_launch(&rank->process);
    struct listing *listing = &rank->seen.listing;

    if (core == NULL)
        listing->executable = proc_executable(rank->process.reader);
    else if (core->executable != NULL)
        listing->executable = copy_string(core->executable);
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
        return (running ? process_open_running : process_open)(&rank->process, id, &listing->error);
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

static void warn_of_copy(struct rank *rank)
{
    pid_t origin;

    if (!rank->seen.listing.has_communicators || was_replaced(rank))
        return;
    origin = fork_origin_find(&rank->image.modules, &rank->process);
    rank->seen.listing.copy_of = origin;
    if (origin != 0)
        warning_give("process %d is a copy of process %d, made by fork: its queues are those that process %d had then",
                     (int)rank->process.pid, (int)origin, (int)origin);
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
                modules_read(modules, view->files, &rank->process, rank->seen.listing.executable, &rank->seen.listing.error);

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

static bool is_live(const struct rank *rank)
{
    return rank->process.core == NULL && rank->process.pid > 0;
}

/* What the ranks do by themselves shows only before they are held. That also tells of those that cannot be held. */
static void look_at_activity(struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct activity before = ranks[i].seen.activity;

        if (!is_live(&ranks[i]))
            continue;
        activity_take(&ranks[i].seen.activity, &ranks[i].process);
        ranks[i].seen.witness.stopped = activity_is_stopped(&ranks[i].seen.activity);
        ranks[i].seen.witness.stays_stopped = before.at == 0
                                     ? ranks[i].seen.witness.stopped
                                     : ranks[i].seen.witness.stays_stopped && activity_stayed_stopped(&before, &ranks[i].seen.activity);
    }
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
static void forget_look(struct rank *ranks, size_t n, const char *why)
{
    for (size_t i = 0; i < n; i++) {
        struct listing *listing = &ranks[i].seen.listing;
        struct listing empty = {.pid = listing->pid, .rank = listing->rank, .dll_seconds = listing->dll_seconds};

        if (ranks[i].process.n_threads == 0)
            continue;
        stacks_clear(&ranks[i].stacks);
        empty.executable = listing->executable;
        empty.job = listing->job;
        listing->executable = listing->job = NULL;
        listing_free(listing);
        *listing = empty;
        listing->error = copy_string(why);
        ranks[i].failed = true;
    }
}

static void let_all_go(struct rank *ranks, size_t n, struct hold *hold)
{
    OWNED char *why = NULL;
    bool good = hold_let_go(hold, &why);

    file_seal_set(false);
    if (!good)
        forget_look(ranks, n, why);
    for (size_t i = 0; i < n; i++)
        process_forget_threads(&ranks[i].process);
}

/* Where the files are that a held process has mapped. Returns whether there are new ones, which have to be read. */
static bool follow_modules(struct rank *rank, const struct view *view)
{
    bool has_new = false;

    if (!is_held(rank))
        return false;
    modules_follow(&rank->image.modules, view->files, &rank->process, rank->seen.listing.executable, &has_new,
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

/* A second look at a core shows nothing new. */
static bool any_live(const struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ranks[i].seen.listing.core == NULL)
            return true;
    return false;
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
                           !process_is_gone(ranks[i].process.pid) && !was_replaced(&ranks[i]);
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
            stacks_take(&rank->stacks, &rank->process, &rank->image.modules);
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
                        (process_is_gone(ranks[i].seen.listing.pid) || was_replaced(&ranks[i]));
}

/* Ctrl-Z would stop mqdump while it holds processes: the signal is blocked until they go on. */
static void read_stopped(struct rank *ranks, size_t n, const struct view *view)
{
    struct taking taking = {.view = view, .read = allocate_array(n + 1, sizeof *taking.read)};
    sigset_t job_control, before;

    taking.wishes = (struct wishes){.queues = view->wish->queues, .layout = view->wish->layout,
                                    .internal = view->why || view->wish->internal,
                                    .traffic = !view->why ? 0 : any_live(ranks, n) ? MAX_COUNTED : LONG_MAX};
    sigemptyset(&job_control);
    sigaddset(&job_control, SIGTSTP);
    sigaddset(&job_control, SIGTTIN);
    sigaddset(&job_control, SIGTTOU);
    sigprocmask(SIG_BLOCK, &job_control, &before);
    if (view->why)
        look_at_activity(ranks, n);
    read_some(&taking, ranks, n, false);
    hold_all(ranks, n, view);
    note_failures(ranks, n);
    read_some(&taking, ranks, n, true);
    found_sends_take(view->dll, taking.read, taking.n, taking.wishes.internal);
    note_gone(ranks, n);
    if (view->why)
        end_activity(ranks, n);
    let_all_go(ranks, n, view->hold);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(taking.read);
}

/* Why they wait. */

static void name_calls(struct rank *ranks, size_t n, const struct view *view, struct place_cache *places)
{
    for (size_t i = 0; i < n; i++) {
        struct rank *rank = &ranks[i];
        bool has_stacks = rank->stacks.n > 0 || rank->stacks.complete;

        if (has_stacks)
            calls_name(&rank->seen.calls, &rank->stacks, &rank->image.modules, rank->process.pid, places);
        if (has_stacks && view->wish->stacks)
            calls_name_stacks(&rank->seen.calls, &rank->stacks, &rank->image.modules, rank->process.pid, places);
        activity_name_restarted(&rank->seen.activity, rank->seen.calls.libraries.system);
        rank->seen.witness.activity = rank->seen.activity.thread != 0 ? &rank->seen.activity : NULL;
        stacks_clear(&rank->stacks);
    }
}

/* If the stack is not known the signal decides, but for SIGABRT: somebody may have sent it. */
static bool has_crashed(const struct rank *rank)
{
    int signal = rank->process.core != NULL ? core_error_signal(rank->process.core) : 0;

    for (size_t i = 0; i < rank->seen.calls.n; i++)
        if (rank->seen.calls.calls[i].crashed)
            return true;
    return rank->seen.calls.n == 0 && signal != 0 && signal != SIGABRT;
}

/* Completes what its witness says. It refers to the rank, which stays where it is. */
static const struct witness *witness_of(struct rank *rank)
{
    struct witness *witness = &rank->seen.witness;

    witness->calls = rank->seen.calls.n > 0 ? &rank->seen.calls : NULL;
    witness->crashed = has_crashed(rank);
    witness->once = rank->process.core != NULL;
    witness->stuck = activity_stuck_seconds(&rank->seen.activity) >= seconds_to_be_stuck;
    record_rank_connect(&rank->seen);
    return witness;
}

struct witness *ranks_witnesses(struct rank *ranks, size_t n)
{
    struct witness *witnesses = allocate_array(n, sizeof *witnesses);

    for (size_t i = 0; i < n; i++)
        witnesses[i] = *witness_of(&ranks[i]);
    return witnesses;
}

static void conclude(struct verdict *verdict, struct rank *ranks, size_t n)
{
    OWNED struct witness *witnesses = ranks_witnesses(ranks, n);

    verdict_reach(verdict, witnesses, n);
}

static void pause_for(double seconds)
{
    struct timespec rest = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

    nanosleep(&rest, NULL);
}

/*
 * Has the process had time to look for messages since it was let go? A process that sleeps in the kernel has. One that
 * is stopped has not, unless it was stopped before: then that is what it is at.
 */
static bool has_progressed(const struct rank *rank)
{
    struct proc_status status;

    if (rank->seen.listing.error != NULL || rank->seen.witness.stopped ||
        process_cpu_seconds(rank->process.pid) - rank->seen.activity.used > seconds_to_progress)
        return true;
    if (!proc_read_status(rank->process.reader, &status))
        return process_is_gone(rank->process.pid);
    return strchr("RTt", status.state) == NULL;
}

/*
 * If many processes share a processor it takes a while until each has run. Those that have not are no evidence. One that
 * was seen to sleep has, even if it runs again by now.
 */
static void pause_until_progressed(struct rank *ranks, size_t n)
{
    double end = seconds_now() + longest_first_pause;

    pause_for(first_pause);
    for (size_t i = 0; i < n; i++) {
        bool progressed = has_progressed(&ranks[i]);

        while (!progressed && seconds_now() < end) {
            pause_for(first_pause / 10);
            progressed = has_progressed(&ranks[i]);
        }
        ranks[i].seen.witness.starved = !progressed;
        ranks[i].seen.witness.moved |= !progressed;
    }
}

/* What the look before saw. */
struct look {
    struct listing listing;
    struct calls calls;
};

static void start_look(struct rank *rank, struct look *before)
{
    *before = (struct look){rank->seen.listing, rank->seen.calls};
    rank->before = &before->listing;
    rank->failed = false;
    rank->seen.calls = (struct calls){0};
    rank->seen.listing = (struct listing){.pid = before->listing.pid, .rank = before->listing.rank,
                                     .dll_seconds = before->listing.dll_seconds};
    if (before->listing.executable != NULL)
        rank->seen.listing.executable = copy_string(before->listing.executable);
    if (before->listing.job != NULL)
        rank->seen.listing.job = copy_string(before->listing.job);
}

/* If the process has not ended, what it does now is not known; else it has done something. */
static void keep_look(struct rank *rank, struct look *before)
{
    struct look after = {rank->seen.listing, rank->seen.calls};
    bool failed = rank->failed || !rank->seen.witness.ended;

    rank->seen.witness.ended = false;
    rank->seen.listing = before->listing;
    rank->seen.calls = before->calls;
    *before = after;
    if (failed) {
        rank->seen.calls.complete = false;
        rank->seen.listing.error = format_text("it could not be read again: %s", after.listing.error);
    }
}

/* Compares two looks. A process that could not be read again keeps its first listing, and counts as moved. */
static void end_look(struct rank *rank, struct look *before)
{
    const struct witness *after = witness_of(rank);
    const struct witness then = {.listing = &before->listing, .calls = &before->calls};

    rank->seen.witness.outdated = rank->seen.listing.error != NULL;
    rank->seen.witness.moved_last = rank->seen.witness.outdated || witness_has_moved(&then, after);
    rank->seen.witness.moved |= rank->seen.witness.outdated || witness_is_seen_to_move(&then, after);
    rank->seen.witness.starved &= !rank->seen.witness.moved_last;
    rank->seen.witness.went_on = witness_has_gone_on(&then, after);
    rank->seen.witness.tested |= witness_has_tested(&then, after);
    if (rank->seen.witness.outdated)
        keep_look(rank, before);
    rank->before = NULL;
    calls_clear(&before->calls);
    listing_free(&before->listing);
}

/* A process that could not be read wholly stays as it was. */
static void look_again(struct rank *ranks, size_t n, const struct view *view, struct place_cache *places)
{
    OWNED struct look *before = allocate_array(n, sizeof *before);
    OWNED bool *looked = allocate_array(n, sizeof *looked);

    for (size_t i = 0; i < n; i++) {
        looked[i] = ranks[i].seen.listing.error == NULL;
        ranks[i].seen.witness.moved |= !looked[i];
        ranks[i].seen.witness.moved_last = false;
        if (looked[i])
            start_look(&ranks[i], &before[i]);
    }
    read_stopped(ranks, n, view);
    name_calls(ranks, n, view, places);
    for (size_t i = 0; i < n; i++)
        if (looked[i])
            end_look(&ranks[i], &before[i]);
}

static bool rests_on_time(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->n; i++)
        if (finding_rests_on_time(&verdict->findings[i]))
            return true;
    return false;
}

/*
 * At any one moment messages may be on their way, and a rank may be slow: findings must hold in each of the looks.
 * Ranks that others look at may be what a finding is about.
 */
static void find_out_why(struct rank *ranks, size_t n, const struct view *view)
{
    bool can_look_again = any_live(ranks, n);
    RELEASED_BY(place_cache_clear) struct place_cache places = {0};
    RELEASED_BY(verdict_clear) struct verdict verdict = {0};

    name_calls(ranks, n, view, &places);
    conclude(&verdict, ranks, n);
    if ((view->thorough || verdict.n > 0 || verdict.unclear) && can_look_again) {
        pause_until_progressed(ranks, n);
        look_again(ranks, n, view, &places);
        conclude(&verdict, ranks, n);
    }
    for (int i = 0; i < N_PATIENT_LOOKS && (view->thorough || rests_on_time(&verdict)) && can_look_again; i++) {
        pause_for(patient_pause);
        look_again(ranks, n, view, &places);
        conclude(&verdict, ranks, n);
    }
}

/* All of it. */

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

static bool any_listed(const struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ranks[i].seen.listing.has_communicators)
            return true;
    return false;
}

void ranks_observe(struct rank *ranks, size_t n, const struct view *view)
{
    read_stopped(ranks, n, view);
    if (view->why && any_listed(ranks, n))
        find_out_why(ranks, n, view);
    for (size_t i = 0; i < n; i++)
        stacks_clear(&ranks[i].stacks);
    for (size_t i = 0; i < n; i++)
        warn_of_copy(&ranks[i]);
}

void rank_release(struct rank *rank, const struct dll *dll)
{
    listing_release(dll, &rank->image, &rank->host);
    listing_free(&rank->seen.listing);
    calls_clear(&rank->seen.calls);
    modules_clear(&rank->image.modules);
    process_close(&rank->process);
}
