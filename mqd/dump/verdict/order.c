/*
 * order.c - concludes from numbers of nonblocking operations that ranks call collective functions in different orders.
 */
#include "mqd/dump/verdict/order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/fold.h"
#include "mqd/dump/verdict/gathering.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/scope.h"
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
static bool misses_somebody(const struct conclusion *conclusion, const struct attendance *attendance)
{
    const struct model *model = conclusion->model;
    const struct communicator *communicator = model->operations[attendance->operation].communicator;

    const struct attendances *all = conclusion->attendances;

    for (size_t i = all->first_wait[attendance->rank]; i < all->first_wait[attendance->rank + 1]; i++) {
        const struct wait *wait = &model->waits[all->waits[i]];

        if (model_owner(model, wait) == attendance->rank && wait->target >= 0 &&
            wait->target < (int64_t)model->n_ranks && wait_is_known(model, wait) &&
            model->operations[wait->operation].class == mqs_pending_receives &&
            model->operations[wait->operation].communicator == communicator &&
            !may_be_in(&model->ranks[wait->target], attendance->function) &&
            has_sent_nothing(&model->ranks[wait->target],
                             model_find_communicator(model, (size_t)wait->target, communicator->unique_id)))
            return true;
    }
    return false;
}

/* How many operations a rank has started on the communicator of an attendance; false: that is not known. */
static bool count_started(const struct model *model, const struct attendance *attendance, size_t rank,
                          unsigned long *n)
{
    const struct communicator *communicator = model->operations[attendance->operation].communicator;
    const struct communicator *same = model_find_communicator(model, rank, communicator->unique_id);

    if (same == NULL || !same->use.has_nonblocking ||
        !model_same_communicator(model, attendance->rank, communicator, rank, same))
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
                                                   const struct attendance *attendance)
{
    return communicator_index_first(index, model->operations[attendance->operation].communicator);
}

/* The members that have started more than the rank of the attendance. */
static struct rank_set find_ahead(const struct model *model, const struct attendance *attendance,
                                  const struct communicator_index *index)
{
    const struct communicator_slot *slot = first_alike(index, model, attendance);
    struct rank_set ahead = {0};
    unsigned long own, others;

    if (!count_started(model, attendance, attendance->rank, &own))
        return ahead;
    for (; slot != NULL; slot = communicator_index_next(index, slot))
        if (count_started(model, attendance, slot->position, &others) && others > own)
            rank_set_add(&ahead, model->ranks[slot->position].id);
    ahead.n = ranks_sort(ahead.ranks, ahead.n);
    return ahead;
}

/* How many operations the member has started that has started most, by gathering. For free(). */
static unsigned long *find_most(const struct conclusion *conclusion, const struct communicator_index *index)
{
    const struct attendances *attendances = conclusion->attendances;
    unsigned long *most = allocate_array(attendances->n_gatherings + 1, sizeof *most), n;

    for (size_t i = 0; i < attendances->n_gatherings; i++) {
        const struct attendance *first = &attendances->all[attendances->gatherings[i].first];
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
static bool is_of_one_moment(const struct model *model, const struct attendance *attendance)
{
    return !model->several_looks ||
           traffic_is_consistent(model, attendance->rank, model->operations[attendance->operation].communicator);
}

/* A call that makes a communicator has nonblocking operations itself. */
static bool tells_order(const struct conclusion *conclusion, const struct attendance *attendance)
{
    return attendance_is_together(attendance, conclusion->model) && !call_makes_communicator(attendance->function) &&
           !conclusion->model->ranks[attendance->rank].guessed && misses_somebody(conclusion, attendance) &&
           is_of_one_moment(conclusion->model, attendance);
}

static void add_counts(const struct conclusion *conclusion, struct finding *finding,
                       const struct attendance *attendance, const struct rank_set *ahead)
{
    const struct communicator *communicator =
        conclusion->model->operations[attendance->operation].communicator;
    char *name = say_communicator(communicator);
    struct fold fold = {0};
    unsigned long n;

    for (size_t i = 0; i <= ahead->n; i++) {
        size_t rank = i == 0 ? attendance->rank : model_find_rank(conclusion->model, ahead->ranks[i - 1]);

        if (count_started(conclusion->model, attendance, rank, &n))
            fold_add(&fold, conclusion->model->ranks[rank].id,
                     format_text("has started %s nonblocking operation%s on %s", NUMBER(n), n == 1 ? "" : "s", name));
    }
    fold_say(&fold, conclusion, finding);
    free(name);
}

static void say_order(struct conclusion *conclusion, const struct attendance *attendance, struct rank_set ahead)
{
    const struct model_rank *rank = &conclusion->model->ranks[attendance->rank];
    const struct operation *operation = &conclusion->model->operations[attendance->operation];
    struct finding *finding = finding_add(conclusion, FINDING_COLLECTIVES_DIFFER, rank->proved_idle);
    char *who = say_subject(conclusion, rank->id), *name = say_communicator(operation->communicator);
    char *whom = say_rank_set(conclusion->model, ahead.ranks, ahead.n, "has", "have");
    struct rank_set ranks = {0};

    finding->sentence = format_text("%s waits in %s on %s, before which %s started a nonblocking collective operation "
                                    "there that it has not started.", who, call_collective_shown(attendance->call),
                                    name, whom);
    finding_set_communicator(finding, operation->communicator);
    finding_add_evidence(conclusion, finding, attendance->operation);
    finding_add_detail(finding, say_gathering_missing(conclusion->attendances, conclusion->model,
                                                      attendance->gathering));
    add_counts(conclusion, finding, attendance, &ahead);
    fold_say_places(conclusion, finding, &ahead);
    rank_set_add(&ranks, rank->id);
    finding_set_ranks(finding, ranks);
    finding_set_causes(finding, ahead);
    free(who);
    free(whom);
    free(name);
}

/* All that are in the gathering are stuck for this reason. */
static void mark(struct conclusion *conclusion, size_t gathering)
{
    const struct gathering *found = &conclusion->attendances->gatherings[gathering];

    conclusion->gathering_told[gathering] = true;
    for (size_t i = 0; i < found->n; i++)
        conclusion->explained[conclusion->attendances->all[found->first + i].rank] = true;
}

void conclude_order(struct conclusion *conclusion)
{
    const struct attendances *attendances = conclusion->attendances;
    struct communicator_index index = {0};
    unsigned long *most, own;

    if (attendances->n == 0)
        return;
    index = index_communicators(conclusion->model);
    most = find_most(conclusion, &index);
    for (size_t i = 0; i < attendances->n; i++) {
        const struct attendance *attendance = &attendances->all[i];
        struct rank_set ahead;

        if (conclusion->gathering_told[attendance->gathering] ||
            !count_started(conclusion->model, attendance, attendance->rank, &own) ||
            own >= most[attendance->gathering] || !tells_order(conclusion, attendance))
            continue;
        ahead = find_ahead(conclusion->model, attendance, &index);
        if (ahead.n == 0)
            continue;
        say_order(conclusion, attendance, ahead);
        mark(conclusion, attendance->gathering);
    }
    communicator_index_clear(&index);
    free(most);
}
