/*
 * observe.c - how often, and when, ranks are read: as often as the conclusions need it.
 */
#include "mqd/dump/look/observe.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/openmp/names.h"
#include "mqd/dump/collect/openmp/openmp.h"
#include "mqd/dump/verdict/movement.h"
#include "mqd/dump/verdict/verdict.h"

/*
 * One look is enough for the queues alone. In the first pause messages arrive that were on their way. The other pauses
 * are for findings that a rank which is only slow may refute. There are several, since a rank that has gone on may be
 * at the same place again at the end of a longer one.
 */
static const double first_pause = 0.1, longest_first_pause = 5, patient_pause = 1;

enum { N_PATIENT_LOOKS = 2 };

/*
 * A disk may take a part of a second to answer, and then much longer only if something is wrong with it or it has very
 * much to do. A process that cannot be held is waited for longer than this.
 */
static const double seconds_to_be_stuck = 1;

/* In this processor time a rank that was let go has looked for messages many times. */
static const double seconds_to_progress = 0.001;

/* What is known of the ranks. */

static void name_calls(struct rank *ranks, size_t n, const struct view *view, struct place_cache *places)
{
    for (size_t i = 0; i < n; i++) {
        struct rank *rank = &ranks[i];
        struct calls *calls = &rank->seen.calls;
        struct activity *activity = &rank->seen.activity;
        bool has_stacks = rank->stacks.n > 0 || rank->stacks.complete;

        if (has_stacks)
            calls_name(calls, &rank->stacks, &rank->image.modules, rank->process.pid, places, view->wish->stacks);
        openmp_name(&rank->seen.openmp, &rank->process, &rank->image.modules, &rank->stacks, places);
        activity_name_restarted(activity, calls->libraries.system);
        rank->seen.witness.activity = activity->thread != 0 ? activity : NULL;
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
static struct witness *witness_of(struct rank *rank)
{
    struct witness *witness = &rank->seen.witness;

    witness->calls = rank->seen.calls.n > 0 ? &rank->seen.calls : NULL;
    witness->openmp = rank->seen.openmp.n_threads > 0 ? &rank->seen.openmp : NULL;
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

/* Pauses. */

static void pause_for(double seconds)
{
    const struct timespec rest = seconds_spec(seconds);

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

/* Further looks. */

/* What the look before saw. */
struct look {
    struct listing listing;
    struct calls calls;
    struct openmp openmp;
};

static void start_look(struct rank *rank, struct look *before)
{
    *before = (struct look){rank->seen.listing, rank->seen.calls, rank->seen.openmp};
    rank->before = &before->listing;
    rank->failed = false;
    rank->seen.calls = (struct calls){0};
    rank->seen.openmp = (struct openmp){0};
    rank->seen.listing = listing_again(&before->listing);
}

/* If the process has not ended, what it does now is not known; else it has done something. */
static void keep_look(struct rank *rank, struct look *before)
{
    struct look after = {rank->seen.listing, rank->seen.calls, rank->seen.openmp};
    bool failed = rank->failed || !rank->seen.witness.ended;

    rank->seen.witness.ended = false;
    rank->seen.listing = before->listing;
    rank->seen.calls = before->calls;
    rank->seen.openmp = before->openmp;
    *before = after;
    if (failed) {
        rank->seen.calls.complete = false;
        rank->seen.listing.error = format_text("it could not be read again: %s", after.listing.error);
    }
}

/* Compares two looks. A process that could not be read again keeps its first listing, and counts as moved. */
static void end_look(struct rank *rank, struct look *before)
{
    const struct witness then = {.listing = &before->listing, .calls = &before->calls, .openmp = &before->openmp};
    struct witness *after = witness_of(rank);

    after->outdated = rank->seen.listing.error != NULL;
    after->moved_last = after->outdated || witness_has_moved(&then, after);
    after->moved |= after->outdated || witness_is_seen_to_move(&then, after);
    after->starved &= !after->moved_last;
    after->went_on = witness_has_gone_on(&then, after);
    after->tested |= witness_has_tested(&then, after);
    after->threads_moved |= witness_threads_have_moved(&then, after);
    if (after->outdated)
        keep_look(rank, before);
    rank->before = NULL;
    calls_clear(&before->calls);
    openmp_clear(&before->openmp);
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
    ranks_read(ranks, n, view);
    name_calls(ranks, n, view, places);
    for (size_t i = 0; i < n; i++)
        if (looked[i])
            end_look(&ranks[i], &before[i]);
}

/*
 * At any one moment messages may be on their way, and a rank may be slow: findings must hold in each of the looks.
 * Ranks that others look at may be what a finding is about.
 */
static bool needs_another_look(struct rank *ranks, size_t n, const struct view *view, bool is_first)
{
    RELEASED_BY(verdict_clear) struct verdict verdict = {0};

    if (view->thorough)
        return true;
    conclude(&verdict, ranks, n);
    return is_first ? verdict.n > 0 || verdict.unclear
                    : ANY(i, verdict.n, finding_rests_on_time(&verdict.findings[i]));
}

static void find_out_why(struct rank *ranks, size_t n, const struct view *view)
{
    int n_more = ranks_any_live(ranks, n) ? 1 + N_PATIENT_LOOKS : 0;
    RELEASED_BY(place_cache_clear) struct place_cache places = {0};

    name_calls(ranks, n, view, &places);
    for (int i = 0; i < n_more && needs_another_look(ranks, n, view, i == 0); i++) {
        if (i == 0)
            pause_until_progressed(ranks, n);
        else
            pause_for(patient_pause);
        look_again(ranks, n, view, &places);
    }
}

void ranks_observe(struct rank *ranks, size_t n, const struct view *view)
{
    ranks_read(ranks, n, view);
    if (view->why && ANY(i, n, ranks[i].seen.listing.has_communicators))
        find_out_why(ranks, n, view);
    for (size_t i = 0; i < n; i++)
        rank_end_looks(&ranks[i], view->dll);
    memory_give_back();
}
