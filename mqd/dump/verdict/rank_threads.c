/*
 * rank_threads.c - concludes what the threads of single ranks show: that they wait for each other, or for a thread that
 * has ended; or that they are in MPI and may not be there.
 *
 * What a message may bring about is not looked at: threads in MPI are presumed to get on. That threads wait for each
 * other is certain if each of them waits at a barrier, or for what a known thread has: of a lock whose holder is not
 * known somebody may have been forgotten who is no thread of OpenMP's.
 *
 * Threads that are in MPI at the same time break the rules of MPI_THREAD_SERIALIZED and of all lower levels, whichever
 * of them may be there. If it is not known which thread has initialised MPI, that is presumed to be the main thread:
 * that another one is there alone is only possible then.
 */
#include "mqd/dump/verdict/conclusion.h"

#include "mqd/dump/base/sort.h"
#include "mqd/dump/verdict/thread.h"

/* More ranks that wait for the threads' rank are like the first ones. */
enum { MAX_WAITS = 4 };

/* A look at a process that ran, or an old one, proves nothing. */
static bool is_trusted(const struct model_rank *rank)
{
    return !rank->witness->listing->was_running && !rank->witness->outdated;
}

static struct finding finding_about(const struct conclusion *conclusion, enum claim claim, size_t rank, bool certain)
{
    const struct model_rank *about = &conclusion->model->ranks[rank];
    struct finding finding = finding_of(conclusion, claim, certain && is_trusted(about));

    finding.facts.rank = about;
    return finding;
}

/* Adds who waits for the rank, if nothing of it gets on. */
static void add_waits_for(const struct conclusion *conclusion, struct finding *finding, size_t rank)
{
    const struct model *model = conclusion->model;
    size_t n = 0;

    if (lives(conclusion, rank))
        return;
    for (size_t i = 0; i < model->n_waits && n < MAX_WAITS; i++) {
        if (model->waits[i].target != (int64_t)rank || model_owner(model, &model->waits[i]) >= model->n_ranks ||
            model->ranks[model_owner(model, &model->waits[i])].phase != PHASE_BLOCKED)
            continue;
        finding_add_wait(conclusion, finding, &model->waits[i]);
        n++;
    }
}

static void keep(struct conclusion *conclusion, struct finding *finding, size_t rank, bool is_found)
{
    if (is_found) {
        rank_set_add(&finding->facts.who, finding->facts.rank->id);
        add_waits_for(conclusion, finding, rank);
    }
    finding_keep(conclusion, finding);
}

/* Threads that wait for each other. */

/* Is the node in this group, or does it wait for one of its locks, which nobody can give back? */
static bool is_in_group(const struct threads *threads, uint32_t component, size_t i)
{
    const struct graph *graph = &threads->graph;
    const struct meeting *meeting = thread_meeting(threads, i);

    if (!thread_is_locked(threads, i))
        return false;
    return graph->component[i] == component ||
           (meeting != NULL && meeting->kind == MEETING_LOCK &&
            graph->component[threads->openmp->n_threads + (size_t)(meeting - threads->meetings)] == component);
}

/* Is it a thread that executes the program's code, and gets on whatever the others do? */
static bool is_free_thread(const struct threads *threads, size_t i)
{
    const struct openmp_thread *row = &threads->openmp->threads[i];

    return (threads->standings[i] == STANDS_FREE || threads->standings[i] == STANDS_IN_MPI) &&
           (threads->calls[i] != NULL || row->place != NULL || row->runtime >= 0);
}

/*
 * Does a thread wait for a mutex that it has itself? Programs do that to wait for another thread, which gives the mutex
 * back though it may not.
 */
static bool may_be_a_signal(const struct threads *threads, size_t i)
{
    const struct openmp_thread *row = &threads->openmp->threads[i];

    return row->state == OPENMP_wait_mutex && row->holder == row->thread &&
           ANY(k, threads->openmp->n_threads, is_free_thread(threads, k));
}

/* Is it certain for whom it waits? */
static bool is_partner_known(const struct threads *threads, size_t i)
{
    const struct meeting *meeting = thread_meeting(threads, i);

    return meeting == NULL || meeting->kind == MEETING_BARRIER ||
           (meeting->kind == MEETING_LOCK && meeting->holder != 0 && !may_be_a_signal(threads, i));
}

static void conclude_group_of_threads(struct conclusion *conclusion, size_t rank, uint32_t component)
{
    const struct threads *threads = conclusion->model->ranks[rank].threads;
    struct finding finding = finding_about(conclusion, CLAIM_THREADS_LOCKED, rank, true);

    for (size_t i = 0; i < threads->openmp->n_threads; i++) {
        if (!is_in_group(threads, component, i))
            continue;
        finding.certain &= is_partner_known(threads, i);
        finding_add_fact(&finding, FACT_THREAD, i);
    }
    keep(conclusion, &finding, rank, finding.facts.n_list > 0);
}

/* Threads that have ended. */

static bool has_ended(const struct openmp_thread *row, long team)
{
    return row->state == OPENMP_ended && row->team == team;
}

/* A barrier whose counter is not known may have been left by the thread that has ended in a task. */
static void conclude_ended_of_team(struct conclusion *conclusion, size_t rank, long team)
{
    const struct threads *threads = conclusion->model->ranks[rank].threads;
    const struct openmp *openmp = threads->openmp;
    struct finding finding = finding_about(conclusion, CLAIM_THREAD_ENDED, rank, openmp->teams[team].awaited > 0);
    size_t n_waiting = 0, n_ended = 0;

    for (size_t i = 0; i < openmp->n_threads; i++) {
        bool waits = openmp->threads[i].team == team && openmp_is_barrier(openmp->threads[i].state) &&
                     thread_is_locked(threads, i);

        n_waiting += waits;
        n_ended += has_ended(&openmp->threads[i], team);
        if (waits || has_ended(&openmp->threads[i], team))
            finding_add_fact(&finding, waits ? FACT_THREAD : FACT_ENDED_THREAD, i);
    }
    keep(conclusion, &finding, rank, n_waiting > 0 && n_ended > 0);
}

void conclude_threads(struct conclusion *conclusion)
{
    for (size_t i = 0; i < conclusion->model->n_ranks; i++) {
        const struct threads *threads = conclusion->model->ranks[i].threads;

        if (conclusion->model->ranks[i].phase == PHASE_ENDED || !threads_are_locked(threads))
            continue;
        for (uint32_t k = 0; k < threads->graph.n_components; k++)
            if (!threads->graph.leaves[k])
                conclude_group_of_threads(conclusion, i, k);
        for (size_t k = 0; k < threads->openmp->n_teams; k++)
            conclude_ended_of_team(conclusion, i, (long)k);
    }
}

/* Threads in MPI. */

/*
 * Is it a call of the program's that waits or tests? Of other functions some may be called by any thread, as
 * MPI_Initialized and those of MPI_T, and none takes long.
 */
static bool is_restricted(const struct call *call)
{
    return call->state == CALL_MPI && call->place != NULL &&
           (call_kind_of(call->function) != CALL_LOCAL || call_polls(call->function));
}

static bool is_initialiser(const struct calls *calls, const struct call *call)
{
    return calls->initialiser != 0 ? call->thread == calls->initialiser : call->is_main;
}

static bool is_proved(const struct model_rank *rank, enum claim claim)
{
    return is_trusted(rank) && (claim == CLAIM_CALLED_AT_ONCE || rank->witness->calls->initialiser != 0);
}

/* N_CLAIMS: all is well, as far as the level is known. */
static enum claim claim_of_callers(const struct model_rank *rank)
{
    const struct calls *calls = rank->witness->calls;
    const struct listing *listing = rank->witness->listing;
    size_t n = 0, n_others = 0;

    for (size_t i = 0; calls != NULL && listing->has_thread_level && listing->thread_level <= LEVEL_SERIALIZED &&
                       i < calls->n; i++) {
        n += is_restricted(&calls->calls[i]);
        n_others += is_restricted(&calls->calls[i]) && !is_initialiser(calls, &calls->calls[i]);
    }
    if (n > 1)
        return CLAIM_CALLED_AT_ONCE;
    return n_others > 0 && listing->thread_level <= LEVEL_FUNNELED ? CLAIM_CALLED_BY_OTHER : N_CLAIMS;
}

/* All ranks of which the same is said are in one finding, and the calls of the first one. */
static void conclude_callers(struct conclusion *conclusion, enum claim claim, int level, bool proved)
{
    const struct model *model = conclusion->model;
    struct finding finding = finding_of(conclusion, claim, proved);

    for (size_t i = 0; i < model->n_ranks; i++) {
        const struct model_rank *rank = &model->ranks[i];

        if (claim_of_callers(rank) != claim || rank->witness->listing->thread_level != level ||
            is_proved(rank, claim) != proved)
            continue;
        if (finding.facts.who.n == 0)
            finding.facts.rank = rank;
        rank_set_add(&finding.facts.who, rank->id);
        for (size_t k = 0; k < rank->witness->calls->n; k++)
            if (finding.facts.rank == rank && is_restricted(&rank->witness->calls->calls[k]))
                finding_add_fact(&finding, FACT_CALL, k);
    }
    finding_keep(conclusion, &finding);
}

void conclude_wrong_threads(struct conclusion *conclusion)
{
    for (int level = LEVEL_SINGLE; level <= LEVEL_SERIALIZED; level++)
        for (int proved = 0; proved <= 1; proved++) {
            conclude_callers(conclusion, CLAIM_CALLED_AT_ONCE, level, proved);
            conclude_callers(conclusion, CLAIM_CALLED_BY_OTHER, level, proved);
        }
}
