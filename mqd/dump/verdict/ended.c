/*
 * ended.c - concludes that ranks have ended or left MPI while others wait for them or are still in MPI.
 */
#include "mqd/dump/verdict/conclusion.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/core.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/proof.h"

/* Gone ranks that others wait for. */

/* Returns the rank that a wait with the target NODE_NEVER is for. */
static const struct model_rank *gone_rank(const struct model *model, const struct wait *wait)
{
    return &model->ranks[model_find_rank(model, wait->peer)];
}

/* Is the wait for a rank that is gone in this way, and is its owner stuck? */
static bool is_vain(const struct conclusion *conclusion, const struct wait *wait, enum phase phase)
{
    return wait->target == NODE_NEVER && !lives(conclusion, model_owner(conclusion->model, wait)) &&
           gone_rank(conclusion->model, wait)->phase == phase;
}

/* The waits of a node that stands for any of several ranks follow each other: from `first` on, before `end`. */
struct crowd {
    const struct wait *first, *end;
};

static struct crowd crowd_of(const struct model *model, const struct wait *wait)
{
    struct crowd crowd = {wait, wait};

    while (crowd.first > model->waits && crowd.first[-1].condition == wait->condition)
        crowd.first--;
    while (crowd.end < model->waits + model->n_waits && crowd.end->condition == wait->condition)
        crowd.end++;
    return crowd;
}

/*
 * Is it proved that the gone ranks of a node are gone, in whatever way, and that no rank of it, gone or not, has a
 * message under way?
 */
static bool is_crowd_lost(const struct conclusion *conclusion, const struct crowd *crowd)
{
    const struct model *model = conclusion->model;
    bool proved = node_is_proved(model, conclusion->graph, model_owner(model, crowd->first));

    for (const struct wait *wait = crowd->first; wait < crowd->end; wait++)
        proved &= wait_is_known(model, wait) &&
                  (wait->target != NODE_NEVER ||
                   (!gone_rank(model, wait)->inferred && !gone_rank(model, wait)->witness->moved_last));
    return proved;
}

/* Can nobody else send what the rank waits for? The others may wait for anybody too. */
static bool is_last_hope(const struct conclusion *conclusion, const struct wait *gone, const struct wait *wait)
{
    const struct crowd crowd = crowd_of(conclusion->model, gone);
    int64_t owner = model_owner(conclusion->model, wait);

    for (const struct wait *one = crowd.first; one < crowd.end && gone != wait; one++)
        if (one->target != NODE_NEVER && one->target != owner)
            return false;
    return true;
}

/*
 * A wait for a gone rank: `gone`; and `wait`, the wait of a rank that leads to it: the same, or one for any rank, where
 * `gone` stands for the waits for all gone ranks among these. What comes nearest to a message of a rank that has left
 * MPI in order is all that it has sent. One that has ended in another way may just not have come to send it.
 */
static void add_loss(struct conclusion *conclusion, struct finding *finding, const struct wait *gone,
                     const struct wait *wait, bool certain)
{
    const struct model *model = conclusion->model;
    const struct model_rank *rank = gone_rank(model, gone);
    uint32_t owner = model_owner(model, wait);

    certain = certain && !rank->inferred && gone_is_proved(model, rank, wait) && !model->ranks[owner].guessed &&
              node_is_proved(model, conclusion->graph, owner);
    if (wait->operation != UINT32_MAX &&
        near_miss_of_gone(conclusion, wait, certain,
                          rank->phase == PHASE_FINALIZED && is_last_hope(conclusion, gone, wait)))
        return;
    rank_set_add(&finding->facts.who, model->ranks[owner].id);
    if (gone == wait)
        rank_set_add(&finding->facts.whom, wait->peer);
    finding->certain &= certain;
    finding_add_wait(conclusion, finding, wait);
}

/*
 * The waits for a node that stands for any of several ranks; `gone` is its first wait for one that is gone. If the node's
 * component waits for another one too that is the subject of another finding.
 */
static void add_losses_of_crowd(struct conclusion *conclusion, struct finding *finding, const struct wait *gone)
{
    const struct model *model = conclusion->model;
    const struct crowd crowd = crowd_of(model, gone);
    uint32_t node = model_owner(model, gone);
    bool proved = is_crowd_lost(conclusion, &crowd);
    size_t n_before = finding->facts.who.n;

    for (size_t i = 0; i < model->n_waits && !conclusion->graph->leaves[conclusion->graph->component[node]]; i++)
        if (model->waits[i].target == (int64_t)node && model_owner(model, &model->waits[i]) < model->n_ranks)
            add_loss(conclusion, finding, gone, &model->waits[i], proved);
    for (const struct wait *wait = gone; wait < crowd.end && finding->facts.who.n > n_before; wait++)
        if (is_vain(conclusion, wait, gone_rank(model, gone)->phase))
            rank_set_add(&finding->facts.whom, wait->peer);
}

/* How the ranks are gone that others wait for. */
static enum claim claim_of(const struct conclusion *conclusion, const struct rank_set *gone)
{
    const struct model_rank *first = rank_of(conclusion, gone->ranks[0]);

    if (first->phase != PHASE_ENDED)
        return first->past_finalize ? CLAIM_WAIT_FOR_GONE : CLAIM_WAIT_FOR_FINALIZED;
    for (size_t i = 0; i < gone->n; i++)
        if (rank_of(conclusion, gone->ranks[i])->inferred)
            return CLAIM_WAIT_FOR_SEEMINGLY_ENDED;
    return CLAIM_WAIT_FOR_ENDED;
}

static void conclude_gone(struct conclusion *conclusion, enum claim claim, enum phase phase)
{
    const struct model *model = conclusion->model;
    struct finding finding = finding_of(conclusion, claim, true);
    uint32_t last_node = UINT32_MAX;

    for (const struct wait *wait = model->waits; wait < model->waits + model->n_waits; wait++) {
        uint32_t owner = model_owner(model, wait);

        if (!is_vain(conclusion, wait, phase) || owner == last_node)
            continue;
        if (owner < model->n_ranks) {
            add_loss(conclusion, &finding, wait, wait, true);
            continue;
        }
        add_losses_of_crowd(conclusion, &finding, wait);
        last_node = owner;
    }
    rank_set_sort(&finding.facts.whom);
    if (finding.facts.who.n > 0)
        finding.facts.claim = claim_of(conclusion, &finding.facts.whom);
    finding_keep(conclusion, &finding);
}

void conclude_ended(struct conclusion *conclusion)
{
    conclude_gone(conclusion, CLAIM_WAIT_FOR_ENDED, PHASE_ENDED);
}

void conclude_finalized(struct conclusion *conclusion)
{
    conclude_gone(conclusion, CLAIM_WAIT_FOR_FINALIZED, PHASE_FINALIZED);
}

/* Gone ranks that nobody waits for yet. To end while others are still in MPI is an error all the same. */

/* A rank that could not be read again may have left MPI meanwhile, as at the end of a job. */
static bool is_in_mpi(const struct model_rank *rank)
{
    return !rank->witness->outdated && (rank->phase == PHASE_BUSY || rank->phase == PHASE_BLOCKED) &&
           rank->witness->listing->has_communicators;
}

/*
 * Is one of a job in MPI, and one of a look? What was in MPI on another machine may have left it before the rank ended,
 * as at the end of a job. The jobs have communicators in common: none of them ends alone.
 */
struct in_mpi {
    bool *jobs, *looks;            /* by their numbers */
};

static struct in_mpi find_in_mpi(const struct model *model)
{
    struct in_mpi found = {.jobs = allocate_array(model->n_jobs, sizeof *found.jobs),
                           .looks = allocate_array((size_t)model->n_looks, sizeof *found.looks)};

    for (size_t i = 0; i < model->n_ranks; i++) {
        if (!is_in_mpi(&model->ranks[i]))
            continue;
        found.jobs[model->ranks[i].job] = true;
        found.looks[model->ranks[i].witness->look] = true;
    }
    return found;
}

/* For each rank: is there a finding that others wait for it, and it has ended? */
static bool *find_awaited(const struct conclusion *conclusion)
{
    bool *awaited = allocate_array(conclusion->model->n_ranks, sizeof *awaited);

    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n; i++) {
        const struct finding *finding = &conclusion->verdict->findings[i];

        if (finding->kind == FINDING_ENDED)
            ranks_mark(conclusion->model, &finding->facts.whom, awaited);
    }
    return awaited;
}

/* A signal ends no rank in order, whatever others have done meanwhile. */
static bool has_failed(const struct model_rank *rank)
{
    return rank->witness->missing != NULL && rank->witness->missing->signal != 0;
}

/* The others may have ended in order after those that are in MPI were looked at. */
void conclude_early_ends(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct finding finding = finding_of(conclusion, CLAIM_ENDED_EARLY, true);
    struct in_mpi in_mpi = find_in_mpi(model);
    struct rank_set others = {0};
    OWNED bool *awaited = find_awaited(conclusion);

    for (size_t i = 0; i < model->n_ranks; i++) {
        const struct model_rank *rank = &model->ranks[i];

        if (rank->phase != PHASE_ENDED || rank->witness->crashed || awaited[i] || !in_mpi.jobs[rank->job])
            continue;
        rank_set_add(in_mpi.looks[rank->witness->look] || has_failed(rank) ? &finding.facts.who : &others, rank->id);
        finding.certain &= !rank->inferred;
    }
    FREE_ALL(in_mpi.jobs, in_mpi.looks);
    note_unclear(conclusion, NOTE_ENDED, others);
    if (!finding.certain)
        finding.facts.claim = CLAIM_SEEMINGLY_ENDED_EARLY;
    finding_keep(conclusion, &finding);
}

/* Ranks that were killed by an error of their own. */

/* The same for ranks that crashed at the same place. */
static char *crash_key(const struct model_rank *rank)
{
    const struct call *call = rank->call;
    bool has_call = call != NULL && call->function != NULL, has_fault = call != NULL && call->fault != NULL;
    bool is_called = has_call && has_fault && strcmp(call->fault, call->function) != 0;
    const char *shown = has_call ? call_shown(call) : "", *place = NULL;

    if (has_call || has_fault)
        place = call->place;
    return format_text("%s\n%s\n%s\n%s\n%d", core_error_name(rank->witness->listing->signal),
                       has_fault ? call->fault : shown, is_called ? shown : "", place != NULL ? place : "",
                       place != NULL && (call->state == CALL_MPI || call->wrapper != NULL) && !call->has_source);
}

/* Ranks that crashed at the same place are one finding. */
static void conclude_crash(struct conclusion *conclusion, const struct text_group *crashed)
{
    struct finding finding = finding_of(conclusion, CLAIM_CRASHED, true);

    for (size_t i = 0; i < crashed->n; i++)
        rank_set_add(&finding.facts.who, conclusion->model->ranks[crashed->members[i]].id);
    finding.facts.rank = &conclusion->model->ranks[crashed->members[0]];
    finding_keep(conclusion, &finding);
}

void conclude_crashes(struct conclusion *conclusion)
{
    RELEASED_BY(text_groups_clear) struct text_groups crashes = {0};

    for (size_t i = 0; i < conclusion->model->n_ranks; i++)
        if (conclusion->model->ranks[i].witness->crashed)
            text_groups_add(&crashes, crash_key(&conclusion->model->ranks[i]), i);
    for (size_t i = 0; i < crashes.n; i++)
        conclude_crash(conclusion, &crashes.groups[i]);
}
