/*
 * inert.c - concludes that others wait for ranks which may be inert: each of these conclusions is about the ranks that
 * die at one level of doubt.
 */
#include "mqd/dump/verdict/conclusion.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/proof.h"

/*
 * Ranks that are inert, and those who get on only if they do.
 *
 * A rank that is stopped does nothing, whatever it could do. Who stopped it has to let it go on, so what follows for
 * others is certain if they are proved to wait for it. A system call may return by itself, as from a slow file server,
 * so what follows is only possible. A rank that nobody waits for does no harm yet.
 */
struct inert {
    enum claim waited_for;
    bool (*is_inert)(const struct model_rank *rank);   /* NULL: it is not known */
    size_t most_waits;             /* so many a finding has: the rest is like them */
    bool of_all;                   /* also ranks that another finding is about */
};

/* Does the node rest on this level, and is no other finding about it? */
static bool is_dependant(const struct conclusion *conclusion, size_t node)
{
    return rests_on_doubt(conclusion, node) && (node >= conclusion->model->n_ranks || !conclusion->explained[node]);
}

static bool is_about(const struct conclusion *conclusion, const struct inert *inert, size_t node)
{
    return inert->of_all ? rests_on_doubt(conclusion, node) : is_dependant(conclusion, node);
}

static bool is_for_inert(const struct model *model, const struct inert *inert, const struct wait *wait)
{
    size_t rank = wait->target >= 0 ? (size_t)wait->target : model_find_rank(model, wait->peer);

    if (inert->is_inert == NULL || (wait->target < 0 && wait->target != NODE_ABSENT))
        return wait->target == NODE_ABSENT;
    return rank < model->n_ranks && inert->is_inert(&model->ranks[rank]);
}

static struct finding find_dependants(const struct conclusion *conclusion, const struct inert *inert)
{
    const struct model *model = conclusion->model;
    struct finding finding = finding_of(conclusion, inert->waited_for, true);
    size_t n_waits = 0;

    for (size_t i = 0; i < model->n_ranks; i++) {
        const struct model_rank *rank = &model->ranks[i];

        if (rank->phase != PHASE_BLOCKED || !is_about(conclusion, inert, i))
            continue;
        rank_set_add(&finding.facts.who, rank->id);
        finding.certain &= rank->proved_idle && !rank->guessed;
    }
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);

        if (!is_about(conclusion, inert, owner))
            continue;
        finding.certain = finding.certain && wait_is_known(model, wait);
        if (!is_for_inert(model, inert, wait))
            continue;
        if (wait->peer >= 0)
            rank_set_add(&finding.facts.whom, wait->peer);
        if (owner < model->n_ranks && n_waits++ < inert->most_waits)
            finding_add_wait(conclusion, &finding, wait);
    }
    return finding;
}

/* Others wait for such ranks, or nobody does. */
static void conclude_kept(struct conclusion *conclusion, const struct inert *inert, enum claim alone)
{
    const struct model *model = conclusion->model;
    struct finding waiting = find_dependants(conclusion, inert), others = finding_of(conclusion, alone, false);

    if (finding_keep(conclusion, &waiting))
        return;
    for (size_t i = 0; i < model->n_ranks; i++)
        if (inert->is_inert(&model->ranks[i]))
            rank_set_add(&others.facts.who, model->ranks[i].id);
    finding_keep(conclusion, &others);
}

enum { MAX_WAITS = 4 };

void conclude_stopped(struct conclusion *conclusion)
{
    conclude_kept(conclusion, &(struct inert){CLAIM_WAIT_FOR_STOPPED, rank_is_stopped, MAX_WAITS, true}, CLAIM_STOPPED);
}

void conclude_stuck(struct conclusion *conclusion)
{
    conclude_kept(conclusion, &(struct inert){CLAIM_WAIT_FOR_STUCK, rank_is_stuck, MAX_WAITS, true}, CLAIM_STUCK);
}

/* Busy ranks, and ranks of which nothing is known. */

/* Is it a machine's problem that these ranks were not looked at? */
static bool are_on_hosts(const struct model *model, const struct rank_set *ranks)
{
    for (size_t i = 0; i < ranks->n; i++) {
        size_t rank = model_find_rank(model, ranks->ranks[i]);

        if (rank == SIZE_MAX || model->ranks[rank].witness->listing->host == NULL ||
            model->ranks[rank].witness->listing->error == NULL)
            return false;
    }
    return true;
}

/* Is it in MPI_Finalize, and not only since the last look? There it is not looked at again: that is no movement. */
static bool is_finalizing(const struct model_rank *rank)
{
    return rank->phase == PHASE_FINALIZED && !rank->past_finalize && !rank->witness->moved_last &&
           !rank->halted;
}

/*
 * Ranks leave MPI_Finalize together: those of a job that are there wait for its busy ranks. No messages show that. So
 * it holds only if all others of the job are busy, or wait for busy ranks.
 */
static void add_finalizing(const struct conclusion *conclusion, const struct model_job *job, struct rank_set *ranks,
                           struct rank_set *causes)
{
    const struct model_rank *all = conclusion->model->ranks;
    size_t end = job->first_rank + job->n_ranks, n_finalizing = 0, n_busy = 0;

    for (size_t i = job->first_rank; i < end; i++) {
        n_finalizing += is_finalizing(&all[i]);
        n_busy += is_dependant(conclusion, i) && all[i].phase == PHASE_BUSY;
        if (!is_finalizing(&all[i]) && !is_dependant(conclusion, i))
            return;
    }
    for (size_t i = job->first_rank; i < end && n_finalizing > 0 && n_busy > 0; i++)
        if (is_finalizing(&all[i]))
            rank_set_add(ranks, all[i].id);
        else if (all[i].phase == PHASE_BUSY)
            rank_set_add(causes, all[i].id);
}

static bool is_busy(const struct model_rank *rank)
{
    return rank->phase == PHASE_BUSY;
}

void conclude_busy(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct finding finding =
        find_dependants(conclusion, &(struct inert){CLAIM_WAIT_FOR_BUSY, is_busy, SIZE_MAX, false});

    for (size_t i = 0; i < model->n_jobs; i++)
        add_finalizing(conclusion, &model->jobs[i], &finding.facts.who, &finding.facts.whom);
    if (finding.facts.whom.n == 0)
        finding.facts.who.n = 0;
    finding_keep(conclusion, &finding);
}

void conclude_not_read(struct conclusion *conclusion)
{
    struct finding finding =
        find_dependants(conclusion, &(struct inert){CLAIM_WAIT_FOR_NOT_READ, NULL, SIZE_MAX, false});

    if (finding.facts.whom.n == 0)
        finding.facts.claim = CLAIM_WAIT_FOR_UNKNOWN;
    else if (are_on_hosts(conclusion->model, &finding.facts.whom))
        finding.facts.claim = CLAIM_WAIT_FOR_NOT_LOOKED_AT;
    finding_keep(conclusion, &finding);
}

/*
 * Concludes that ranks which only test for messages test for what does not come.
 *
 * A rank that is outside of MPI may be between two tests, or compute before it tests. So nothing is said of such ranks
 * unless others wait for them, or all that could complete their requests have left MPI.
 */

/* The ranks for which the ranks that test wait, if all of these have ended or left MPI; else none. */
static struct rank_set find_gone(const struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct rank_set gone = {0};

    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]);

        if (owner >= model->n_ranks || !model->ranks[owner].polls || !is_dependant(conclusion, owner))
            continue;
        if (model->waits[i].target != NODE_NEVER) {
            gone.n = 0;
            return gone;
        }
        rank_set_add(&gone, model->waits[i].peer);
    }
    return gone;
}

static void add_waits(const struct conclusion *conclusion, struct finding *finding, bool polls)
{
    const struct model *model = conclusion->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]);

        if (owner < model->n_ranks && is_dependant(conclusion, owner) && model->ranks[owner].polls == polls)
            finding_add_wait(conclusion, finding, &model->waits[i]);
    }
}

/* Of all ranks that are stuck, or only of those that another finding is about. */
static void find_near_misses(struct conclusion *conclusion, bool of_all)
{
    const struct model *model = conclusion->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);

        if (owner < model->n_ranks && rests_on_doubt(conclusion, owner) &&
            (of_all || conclusion->explained[owner]) && wait->operation != UINT32_MAX &&
            !model->operations[wait->operation].internal)
            near_misses_find(conclusion, wait, false, false);
    }
}

void conclude_polling(struct conclusion *conclusion)
{
    struct rank_set polling = {0}, waiting = {0}, gone = {0};
    bool is_any_aside = false, any;
    struct finding finding;

    for (size_t i = 0; i < conclusion->model->n_ranks; i++) {
        const struct model_rank *rank = &conclusion->model->ranks[i];

        if (!is_dependant(conclusion, i))
            continue;
        rank_set_add(rank->polls ? &polling : &waiting, rank->id);
        is_any_aside |= rank->polls && rank->aside;
    }
    if (waiting.n == 0)
        gone = find_gone(conclusion);
    any = polling.n > 0 && (waiting.n > 0 || gone.n > 0 || !is_any_aside);
    find_near_misses(conclusion, any);
    if (!any) {
        FREE_ALL(polling.ranks, waiting.ranks, gone.ranks);
        return;
    }
    if (waiting.n > 0)
        finding = finding_of(conclusion, is_any_aside ? CLAIM_WAIT_FOR_POLLING : CLAIM_WAIT_FOR_TESTING, false);
    else
        finding = finding_of(conclusion, is_any_aside ? CLAIM_POLLING : CLAIM_TESTING, false);
    add_waits(conclusion, &finding, true);
    add_waits(conclusion, &finding, false);
    finding.facts.who = waiting.n > 0 ? waiting : polling;
    finding.facts.whom = waiting.n > 0 ? polling : gone;
    finding_keep(conclusion, &finding);
}
