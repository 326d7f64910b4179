/*
 * order.c - concludes from numbers of nonblocking operations that ranks call collective functions in different orders.
 */
#include "mqd/dump/verdict/order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/collective.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/traffic.h"

/* Is a thread of the rank in the function, or may it be? */
static bool may_be_in(const struct model_rank *rank, const char *function)
{
    const struct calls *calls = rank->witness->calls;

    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        const char *collective = calls->calls[i].state == CALL_MPI ? call_collective(&calls->calls[i]) : NULL;

        if (calls->calls[i].state == CALL_UNKNOWN || (collective != NULL && strcmp(collective, function) == 0))
            return true;
    }
    return calls == NULL || !calls->complete;
}

/* Has all that the rank has sent arrived, because it has sent nothing since the look before? */
static bool has_sent_nothing(const struct model_rank *rank, const struct communicator *same)
{
    return rank->proved_idle || (rank->phase != PHASE_BLOCKED && !rank->witness->moved_last && same != NULL &&
                          same->has_summary && same->summary.has_activity && same->use.allow_overtaking == 0);
}

/*
 * Does the rank wait there for one that has not come to the function, nor left it since the look before? Else what it
 * waits for may be on its way.
 */
static bool misses_somebody(const struct conclusion *conclusion, const struct participant *participant)
{
    const struct model *model = conclusion->model;
    const struct communicator *communicator = model->operations[participant->operation].communicator;

    const struct collectives *all = conclusion->collectives;

    for (size_t i = all->first_wait[participant->rank]; i < all->first_wait[participant->rank + 1]; i++) {
        const struct wait *wait = &model->waits[all->waits[i]];

        if (model_owner(model, wait) == participant->rank && wait->target >= 0 &&
            wait->target < (int64_t)model->n_ranks && wait_is_known(model, wait) &&
            model->operations[wait->operation].class == mqs_pending_receives &&
            model->operations[wait->operation].communicator == communicator &&
            !may_be_in(&model->ranks[wait->target], participant->function) &&
            has_sent_nothing(&model->ranks[wait->target],
                             model_find_communicator(model, (size_t)wait->target, communicator->unique_id)))
            return true;
    }
    return false;
}

/* How many operations a rank has started on the communicator of an participant; false: that is not known. */
static bool count_started(const struct model *model, const struct participant *participant, size_t rank,
                          unsigned long *n)
{
    const struct communicator *communicator = model->operations[participant->operation].communicator;
    const struct communicator *same = model_find_communicator(model, rank, communicator->unique_id);

    if (same == NULL || !same->use.has_nonblocking ||
        !model_same_communicator(model, participant->rank, communicator, rank, same))
        return false;
    *n = same->use.n_nonblocking;
    return true;
}

/* The communicators of all ranks, with the ranks. */
static struct communicator_index index_communicators(const struct model *model)
{
    struct communicator_index index = {0};

    for (uint32_t rank = 0; rank < model->n_ranks; rank++)
        for (size_t i = 0; i < model->ranks[rank].n_communicators; i++)
            communicator_index_add(&index, model->ranks[rank].communicators[i], rank);
    return index;
}

static const struct communicator_slot *first_alike(const struct communicator_index *index, const struct model *model,
                                                   const struct participant *participant)
{
    return communicator_index_first(index, model->operations[participant->operation].communicator);
}

/* The members that have started more than the rank of the participant. */
static struct rank_set find_ahead(const struct model *model, const struct participant *participant,
                                  const struct communicator_index *index)
{
    const struct communicator_slot *slot = first_alike(index, model, participant);
    struct rank_set ahead = {0};
    unsigned long own, others;

    if (!count_started(model, participant, participant->rank, &own))
        return ahead;
    for (; slot != NULL; slot = communicator_index_next(index, slot))
        if (count_started(model, participant, slot->position, &others) && others > own)
            rank_set_add(&ahead, model->ranks[slot->position].id);
    ahead.n = ranks_sort(ahead.ranks, ahead.n);
    return ahead;
}

/* How many operations the member has started that has started most, by collective. For free(). */
static unsigned long *find_most(const struct conclusion *conclusion, const struct communicator_index *index)
{
    const struct collectives *collectives = conclusion->collectives;
    unsigned long *most = allocate_array(collectives->n_operations + 1, sizeof *most), n;

    for (size_t i = 0; i < collectives->n_operations; i++) {
        const struct participant *first = &collectives->all[collectives->operations[i].first];
        const struct communicator_slot *slot = first_alike(index, conclusion->model, first);

        for (; slot != NULL; slot = communicator_index_next(index, slot))
            if (count_started(conclusion->model, first, slot->position, &n) && n > most[i])
                most[i] = n;
    }
    return most;
}

/*
 * Were all members of its communicator looked at together? Else one may have left the function after the look at the
 * rank that has yet to come there. It has received then what was sent after that look.
 */
static bool is_of_one_moment(const struct model *model, const struct participant *participant)
{
    return !model->several_looks ||
           traffic_is_consistent(model, participant->rank, model->operations[participant->operation].communicator);
}

/* A call that makes a communicator has nonblocking operations itself. */
static bool tells_order(const struct conclusion *conclusion, const struct participant *participant)
{
    return participant_is_together(participant, conclusion->model) && !call_makes_communicator(participant->function) &&
           !conclusion->model->ranks[participant->rank].guessed && misses_somebody(conclusion, participant) &&
           is_of_one_moment(conclusion->model, participant);
}

static void add_counts(const struct conclusion *conclusion, struct finding *finding,
                       const struct participant *participant, const struct rank_set *ahead)
{
    const struct communicator *communicator =
        conclusion->model->operations[participant->operation].communicator;
    struct fold fold = {0};
    unsigned long n;

    for (size_t i = 0; i <= ahead->n; i++) {
        size_t rank = i == 0 ? participant->rank : model_find_rank(conclusion->model, ahead->ranks[i - 1]);

        if (count_started(conclusion->model, participant, rank, &n))
            fold_add(&fold, conclusion->model->ranks[rank].id, say_started(communicator, n));
    }
    fold_say(&fold, conclusion, finding);
}

static void say_order(struct conclusion *conclusion, const struct participant *participant, struct rank_set ahead)
{
    const struct model_rank *rank = &conclusion->model->ranks[participant->rank];
    const struct operation *operation = &conclusion->model->operations[participant->operation];
    struct finding *finding = finding_add(conclusion, FINDING_COLLECTIVES_DIFFER, rank->proved_idle);
    OWNED char *who = say_subject(conclusion, rank->id), *name = say_communicator(operation->communicator);
    OWNED char *whom = say_rank_set(conclusion->model, ahead.ranks, ahead.n, "has", "have");
    struct rank_set ranks = {0};

    finding->sentence = format_text("%s waits in %s on %s, before which %s started a nonblocking collective operation "
                                    "there that it has not started.", who, call_collective_shown(participant->call),
                                    name, whom);
    finding_set_communicator(finding, operation->communicator);
    finding_add_evidence(conclusion, finding, participant->operation);
    finding_add_detail(finding, say_collective_missing(conclusion->collectives, conclusion->model,
                                                      participant->collective));
    add_counts(conclusion, finding, participant, &ahead);
    fold_say_places(conclusion, finding, &ahead);
    rank_set_add(&ranks, rank->id);
    finding_set_ranks(finding, ranks);
    finding_set_causes(finding, ahead);
}

/* All that are in the collective are stuck for this reason. */
static void mark(struct conclusion *conclusion, size_t collective)
{
    const struct collective *found = &conclusion->collectives->operations[collective];

    conclusion->collective_told[collective] = true;
    for (size_t i = 0; i < found->n; i++)
        conclusion->explained[conclusion->collectives->all[found->first + i].rank] = true;
}

void conclude_order(struct conclusion *conclusion)
{
    const struct collectives *collectives = conclusion->collectives;
    RELEASED_BY(communicator_index_clear) struct communicator_index index = {0};
    OWNED unsigned long *most = NULL;
    unsigned long own;

    if (collectives->n == 0)
        return;
    index = index_communicators(conclusion->model);
    most = find_most(conclusion, &index);
    for (size_t i = 0; i < collectives->n; i++) {
        const struct participant *participant = &collectives->all[i];
        struct rank_set ahead;

        if (conclusion->collective_told[participant->collective] ||
            !count_started(conclusion->model, participant, participant->rank, &own) ||
            own >= most[participant->collective] || !tells_order(conclusion, participant))
            continue;
        ahead = find_ahead(conclusion->model, participant, &index);
        if (ahead.n == 0)
            continue;
        say_order(conclusion, participant, ahead);
        mark(conclusion, participant->collective);
    }
}
