/*
 * thread.c - the threads of a rank as nodes of a graph.
 *
 * A node needs all or any of others, as in the graph of ranks: a barrier needs all threads of its team that have not
 * come to it, a lock its holder, or any thread that can have it. What is not known gets on.
 *
 * These nodes are in a graph of their own, one of each rank. A rank gets on as soon as one of its threads does. A thread
 * that waits for threads of its own process is never the first of them. So a rank gets on if, and only if, a thread does
 * by itself, or one in MPI by what its call waits for: in the graph of ranks the rank's own node says that
 * (phase.c; analysis.c, add_rank_waits), and nodes of threads would not change which ranks are stuck. What they show
 * besides, threads that are stuck whatever comes over MPI, is found here: those in MPI are presumed to get on.
 */
#include "mqd/dump/verdict/thread.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

/*
 * More threads are not looked at, nor regions that lie deeper: that bounds what a record can make us do. Few machines
 * have as many processors.
 */
enum { MAX_THREADS = 1024, MAX_NESTING = 32 };

static bool is_for_tasks(int state)
{
    return state == OPENMP_wait_taskwait || state == OPENMP_wait_taskgroup;
}

size_t threads_position(const struct threads *threads, pid_t thread)
{
    size_t i = 0;

    while (i < threads->openmp->n_threads && (thread == 0 || threads->openmp->threads[i].thread != thread))
        i++;
    return i < threads->openmp->n_threads ? i : SIZE_MAX;
}

/* Teams. */

/* Is the thread in the team, or in a region that a thread of the team has begun, which is this one? */
static bool is_member(const struct openmp *openmp, const struct openmp_thread *row, long team)
{
    long at = row->team, number = row->number;

    for (int i = 0; i < MAX_NESTING && at >= 0; i++) {
        if (at == team)
            return true;
        if (number != 0)
            return false;
        number = openmp->teams[at].parent_number;
        at = openmp->teams[at].parent;
    }
    return false;
}

/* A thread that has come may execute a task at the barrier, and is not in that state then: the barrier waits for the task. */
static bool has_come(const struct openmp_thread *row, long team)
{
    return row->team == team && openmp_is_barrier(row->state);
}

/* Is it a thread for which others of the team wait at the barrier, or at tasks? */
static bool is_awaited(const struct openmp *openmp, const struct openmp_thread *row, long team, bool at_barrier)
{
    return at_barrier ? is_member(openmp, row, team) && !has_come(row, team)
                      : row->team == team && row->explicit_task && row->state != OPENMP_idle;
}

/* If fewer are awaited than have not come, what was read does not belong together. */
static bool is_any_awaited(const struct openmp *openmp, long team, bool at_barrier)
{
    long n = 0, n_in_tasks = 0;

    for (size_t i = 0; i < openmp->n_threads; i++) {
        bool is = is_awaited(openmp, &openmp->threads[i], team, at_barrier);

        n += is;
        n_in_tasks += is && openmp->threads[i].explicit_task;
    }
    return n > 0 && (!at_barrier || openmp->teams[team].awaited < 0 || n - n_in_tasks <= openmp->teams[team].awaited);
}

/* How they stand. */

static const struct call *find_call(const struct calls *calls, pid_t thread)
{
    for (size_t i = 0; calls != NULL && thread != 0 && i < calls->n; i++)
        if (calls->calls[i].thread == thread)
            return &calls->calls[i];
    return NULL;
}

/*
 * A mutex says who has it: if that is no thread of the process, it is one of another process, or none any more, and
 * somebody else may give the mutex back.
 */
static bool is_held_by_thread(const struct threads *threads, const struct openmp_thread *row)
{
    return row->holder == 0 ? row->state != OPENMP_wait_mutex : threads_position(threads, row->holder) != SIZE_MAX;
}

static bool is_for_threads(const struct threads *threads, const struct openmp_thread *row)
{
    if (openmp_is_barrier(row->state) || is_for_tasks(row->state))
        return row->team >= 0 && is_any_awaited(threads->openmp, row->team, openmp_is_barrier(row->state));
    if (row->state == OPENMP_wait_ordered)
        return threads_position(threads, row->holder) != SIZE_MAX;
    return openmp_is_lock(row->state) && is_held_by_thread(threads, row);
}

static enum standing standing_of(const struct threads *threads, size_t i)
{
    const struct openmp_thread *row = &threads->openmp->threads[i];
    const struct call *call = threads->calls[i];

    if (row->state == OPENMP_ended)
        return STANDS_ENDED;
    if (call != NULL && call->state == CALL_MPI && !call->runs)
        return STANDS_IN_MPI;
    if (call != NULL && call->state != CALL_OUTSIDE)
        return STANDS_FREE;
    /* One that has nothing to do executes none of the program's code, and is in no call then. */
    if (row->state == OPENMP_idle)
        return call == NULL ? STANDS_IDLE : STANDS_FREE;
    return is_for_threads(threads, row) ? STANDS_WAITING : STANDS_FREE;
}

/* Nodes. */

static uint32_t node_of_meeting(const struct threads *threads, size_t meeting)
{
    return (uint32_t)(threads->openmp->n_threads + meeting);
}

static bool is_any_waiting(const struct threads *threads, long team, bool at_barrier)
{
    const struct openmp_thread *rows = threads->openmp->threads;

    return ANY(i, threads->openmp->n_threads,
               threads->standings[i] == STANDS_WAITING && rows[i].team == team &&
                   (at_barrier ? openmp_is_barrier(rows[i].state) : is_for_tasks(rows[i].state)));
}

static size_t add_meeting(struct threads *threads, struct meeting meeting)
{
    APPEND(threads->meetings, threads->n_meetings, threads->meeting_room, meeting);
    return threads->n_meetings - 1;
}

/* One that waits there shows that others are awaited (is_for_threads). */
static void wait_for_team(struct threads *threads, long team, bool at_barrier)
{
    const struct openmp *openmp = threads->openmp;
    size_t meeting =
        add_meeting(threads, (struct meeting){.kind = at_barrier ? MEETING_BARRIER : MEETING_TASKS});
    uint32_t condition;

    if (!is_any_waiting(threads, team, at_barrier))
        return;
    condition = model_add_condition(&threads->model, node_of_meeting(threads, meeting), at_barrier, NULL);
    for (size_t i = 0; i < openmp->n_threads; i++)
        if (is_awaited(openmp, &openmp->threads[i], team, at_barrier))
            model_add_wait(&threads->model, condition, (int64_t)i, UINT32_MAX, PEER_UNKNOWN);
}

/*
 * Can the thread have the lock? Not if it waits for it, nor if it has nothing to do. One that is no thread of OpenMP's
 * and sleeps, or serves a library, is not taken into account.
 */
static bool may_hold(const struct threads *threads, size_t i, uint64_t object)
{
    const struct openmp_thread *row = &threads->openmp->threads[i];

    if (threads->standings[i] == STANDS_ENDED || threads->standings[i] == STANDS_IDLE)
        return false;
    if (openmp_is_lock(row->state) && object != 0 && row->object == object && threads->standings[i] == STANDS_WAITING)
        return false;
    return row->runtime >= 0 || threads->calls[i] != NULL ||
           (row->state != OPENMP_unknown && row->state != OPENMP_wait_condition);
}

static size_t find_lock(const struct threads *threads, const struct openmp_thread *row)
{
    size_t i = 2 * threads->openmp->n_teams;

    while (i < threads->n_meetings &&
           (threads->meetings[i].object != row->object || threads->meetings[i].holder != row->holder))
        i++;
    return i;
}

static void wait_for_lock(struct threads *threads, const struct openmp_thread *row)
{
    size_t lock = add_meeting(threads, (struct meeting){MEETING_LOCK, row->object, row->holder});
    uint32_t condition = model_add_condition(&threads->model, node_of_meeting(threads, lock), false, NULL);

    for (size_t i = 0; i < threads->openmp->n_threads; i++)
        if (row->holder != 0 ? threads->openmp->threads[i].thread == row->holder : may_hold(threads, i, row->object))
            model_add_wait(&threads->model, condition, (int64_t)i, UINT32_MAX, PEER_UNKNOWN);
}

static int64_t target_of(struct threads *threads, const struct openmp_thread *row)
{
    size_t lock;

    if (openmp_is_barrier(row->state) || is_for_tasks(row->state))
        return node_of_meeting(threads, 2 * (size_t)row->team + (openmp_is_barrier(row->state) ? 0 : 1));
    if (row->state == OPENMP_wait_ordered)
        return (int64_t)threads_position(threads, row->holder);
    lock = find_lock(threads, row);
    if (lock == threads->n_meetings)
        wait_for_lock(threads, row);
    return node_of_meeting(threads, lock);
}

/* What gets on by itself waits for what comes, what has ended for what never does; idle threads have no condition. */
static void add_thread(struct threads *threads, size_t i)
{
    static const int64_t targets[] = {[STANDS_FREE] = NODE_LIVE, [STANDS_IN_MPI] = NODE_LIVE, [STANDS_ENDED] = NODE_NEVER};
    enum standing standing = threads->standings[i];
    int64_t target;

    if (standing == STANDS_IDLE)
        return;
    target = standing == STANDS_WAITING ? target_of(threads, &threads->openmp->threads[i]) : targets[standing];
    model_add_wait(&threads->model, model_add_condition(&threads->model, (uint32_t)i, true, NULL), target, UINT32_MAX,
                   PEER_UNKNOWN);
}

static void make_graph(struct threads *threads)
{
    for (size_t i = 0; i < threads->openmp->n_teams; i++) {
        wait_for_team(threads, (long)i, true);
        wait_for_team(threads, (long)i, false);
    }
    for (size_t i = 0; i < threads->openmp->n_threads; i++)
        add_thread(threads, i);
    threads->model.n_virtuals = threads->openmp->n_threads + threads->n_meetings;
    threads->dies_at = model_find_deaths(&threads->model);
    graph_build(&threads->graph, &threads->model, threads->dies_at, DOUBT_NONE);
    threads->first_wait = allocate_array(threads->model.n_virtuals + 1, sizeof *threads->first_wait);
    for (size_t i = threads->model.n_waits; i-- > 0;)
        threads->first_wait[model_owner(&threads->model, &threads->model.waits[i])] = &threads->model.waits[i];
}

/* All. */

struct threads *threads_find(const struct witness *witness)
{
    struct threads *threads;

    if (witness->openmp == NULL || witness->openmp->n_threads > MAX_THREADS || witness->openmp->n_teams > MAX_THREADS)
        return NULL;
    threads = allocate_array(1, sizeof *threads);
    *threads = (struct threads){.openmp = witness->openmp, .listing = witness->listing, .same = !witness->threads_moved,
                                .standings = allocate_array(witness->openmp->n_threads, sizeof *threads->standings),
                                .calls = allocate_array(witness->openmp->n_threads, sizeof *threads->calls)};
    for (size_t i = 0; i < witness->openmp->n_threads; i++)
        threads->calls[i] = find_call(witness->calls, witness->openmp->threads[i].thread);
    for (size_t i = 0; i < witness->openmp->n_threads; i++)
        threads->standings[i] = standing_of(threads, i);
    /* In most ranks nobody waits, and a job may have many ranks. */
    if (ANY(i, witness->openmp->n_threads, threads->standings[i] == STANDS_WAITING))
        make_graph(threads);
    return threads;
}

void threads_free(struct threads *threads)
{
    if (threads == NULL)
        return;
    graph_clear(&threads->graph);
    model_clear(&threads->model);
    FREE_ALL(threads->standings, threads->calls, threads->meetings, threads->dies_at, threads->first_wait, threads);
}

/* Questions. */

bool threads_has_waiting(const struct threads *threads, pid_t thread)
{
    size_t i = threads != NULL && threads->same ? threads_position(threads, thread) : SIZE_MAX;

    return i != SIZE_MAX && (threads->standings[i] == STANDS_WAITING || threads->standings[i] == STANDS_IDLE);
}

bool thread_is_locked(const struct threads *threads, size_t i)
{
    return threads->same && threads->standings[i] == STANDS_WAITING && threads->dies_at[i] == DOUBT_NONE;
}

bool threads_are_locked(const struct threads *threads)
{
    return threads != NULL && ANY(i, threads->openmp->n_threads, thread_is_locked(threads, i));
}

/* The waits of a node, which has one condition at most; they follow each other. */
static const struct wait *waits_of(const struct threads *threads, uint32_t node, size_t *n)
{
    const struct wait *first = threads->first_wait != NULL ? threads->first_wait[node] : NULL;

    *n = first != NULL ? threads->model.conditions[first->condition].n_waits : 0;
    return first;
}

const struct meeting *thread_meeting(const struct threads *threads, size_t i)
{
    size_t n, n_threads = threads->openmp->n_threads;
    const struct wait *wait = waits_of(threads, (uint32_t)i, &n);

    return n == 1 && wait->target >= (int64_t)n_threads ? &threads->meetings[(size_t)wait->target - n_threads] : NULL;
}

size_t *thread_awaits(const struct threads *threads, size_t i, size_t *n)
{
    const struct wait *wait = waits_of(threads, (uint32_t)i, n);
    size_t *awaited;

    if (*n == 1 && wait->target >= (int64_t)threads->openmp->n_threads)
        wait = waits_of(threads, (uint32_t)wait->target, n);
    awaited = allocate_array(*n + 1, sizeof *awaited);
    for (size_t k = 0; k < *n; k++)
        awaited[k] = (size_t)wait[k].target;
    if (threads->standings[i] != STANDS_WAITING)
        *n = 0;
    return awaited;
}
