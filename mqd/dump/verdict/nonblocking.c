/*
 * nonblocking.c - concludes that nonblocking collective operations lock themselves, or are started in different orders.
 */
#include "mqd/dump/verdict/nonblocking.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/answer.h"
#include "mqd/dump/verdict/candidates.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/traffic.h"

/* Which parts wait for which. */

/* The waits of parts for others, each of which is a node: its first open operation. A part needs all others. */
struct links {
    struct condition *conditions;  /* per operation */
    struct wait *waits;
    size_t n, room;
};

/* Is it known what the rank has started, and that this stays so? */
static bool is_steady(const struct model_rank *rank)
{
    return rank->phase == PHASE_BLOCKED ||
           (rank->phase == PHASE_BUSY && !rank->witness->moved && !rank->halted);
}

/*
 * A rank that waits in MPI looks for messages; what has come to another one must have been counted, and what ranks that
 * were not looked at together have sent.
 */
static bool sees_messages(const struct model *model, const struct operation *operation, size_t peer)
{
    return (model->ranks[operation->rank].phase == PHASE_BLOCKED && model->ranks[operation->rank].n_in_mpi > 0 &&
            model_are_together(model, operation->rank, peer)) ||
           model_is_counted(model, operation->rank, peer, operation->communicator->unique_id);
}

/* The highest number of an operation of which a rank has an open part, for each communicator of each rank. For free(). */
static unsigned long *find_latest(const struct model *model)
{
    unsigned long *latest = allocate_array(model->n_places + 1, sizeof *latest);

    for (size_t i = 0; i < model->n_operations; i++) {
        const struct operation *operation = &model->operations[i];
        unsigned long *its = latest + (model_find_place(model, operation->rank, operation->communicator->unique_id) -
                                       model->places);

        if (is_part_of_same(operation, operation) && *its < operation->said->collective_number)
            *its = operation->said->collective_number;
    }
    return latest;
}

/*
 * Has the peer no part of the operation any more, and a part of a later one that this rank has not started? Persistent
 * operations have numbers from when they are made, and ranks may start them in different orders: one that the peer has
 * not started yet looks as if it had ended.
 */
static bool has_gone_past(const struct model *model, const unsigned long *latest, const struct operation *operation,
                          size_t peer)
{
    const struct communicator *own = operation->communicator;
    const struct place *place = model_find_place(model, peer, own->unique_id);

    return operation->said->collective_number > 0 && own->use.has_nonblocking && place != NULL &&
           latest[place - model->places] > own->use.n_nonblocking && !has_complete_part(model, peer, operation) &&
           model_same_communicator(model, operation->rank, own, peer, place->communicator);
}

static void add_link(const struct model *model, const struct operation *operation, const unsigned long *latest,
                     struct links *links)
{
    size_t peer = model_find_rank(model, operation->peer);
    uint32_t from = find_part(model, operation->rank, operation), to;

    if (peer == SIZE_MAX || from == UINT32_MAX || !is_steady(&model->ranks[peer]) ||
        !sees_messages(model, operation, peer) || !answer_is_missing(model, operation))
        return;
    to = find_part(model, peer, operation);
    if (to == UINT32_MAX && !has_gone_past(model, latest, operation, peer))
        return;
    APPEND(links->waits, links->n, links->room,
           (struct wait){.condition = from, .target = to != UINT32_MAX ? (int64_t)to : NODE_NEVER});
    links->conditions[from].n_waits++;
}

static struct links find_links(const struct model *model)
{
    OWNED unsigned long *latest = find_latest(model);
    struct links links = {.conditions = allocate_array(model->n_operations + 1, sizeof *links.conditions)};

    for (uint32_t i = 0; i < model->n_operations; i++)
        links.conditions[i] = (struct condition){.owner = i, .all = true, .counts_below = N_LOCKS};
    for (size_t i = 0; i < model->n_operations; i++)
        if (model->operations[i].purpose == PURPOSE_NONBLOCKING && is_steady(&model->ranks[model->operations[i].rank]))
            add_link(model, &model->operations[i], latest, &links);
    return links;
}

static unsigned char needs_none_below(const void *of, uint32_t node)
{
    return ((const struct condition *)of)[node].n_waits == 0 ? N_LOCKS : LOCKED;
}

static unsigned char is_ended_below(const void *of, const struct wait *wait)
{
    (void)of;
    return wait->target == NODE_NEVER ? LOCKED_IF_ENDED : LOCKED;
}

unsigned char *model_find_locked(const struct model *model)
{
    struct links links = find_links(model);
    const struct and_or graph = {model->n_operations, links.conditions, model->n_operations, links.waits, links.n,
                                 links.conditions, needs_none_below, is_ended_below};
    unsigned char *locked = and_or_solve(&graph, N_LOCKS);

    FREE_ALL(links.conditions, links.waits);
    return locked;
}

/* Findings. */

bool collective_is_locked(const struct conclusion *conclusion, const struct collective *collective)
{
    for (size_t i = 0; i < collective->n; i++) {
        const struct operation *operation = &conclusion->model->operations[collective->participants[i].operation];
        uint32_t part = find_part(conclusion->model, operation->rank, operation);

        if (part != UINT32_MAX && conclusion->locked[part] == LOCKED)
            return true;
    }
    return false;
}

/* Does the rank wait in MPI, or test its requests? */
static bool waits_or_tests(const struct model_rank *rank)
{
    return rank->phase == PHASE_BLOCKED ||
           (rank->call != NULL && rank->call->state == CALL_MPI && call_polls(rank->call->function) &&
            !call_polls_for_any(rank->call->function));
}

/* For each operation: is it the first one of a part for which its rank waits or tests? */
static bool *find_wanted(const struct model *model)
{
    bool *wanted = allocate_array(model->n_operations + 1, sizeof *wanted);

    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]), at = model->waits[i].operation, part;

        if (owner >= model->n_ranks || at == UINT32_MAX || !waits_or_tests(&model->ranks[owner]))
            continue;
        part = find_part(model, owner, &model->operations[at]);
        if (part != UINT32_MAX)
            wanted[part] = true;
    }
    return wanted;
}

static bool is_proved(const struct conclusion *conclusion, const struct operation *part)
{
    const struct model_rank *rank = &conclusion->model->ranks[part->rank];

    return rank->proved_idle || rank->phase == PHASE_BUSY;
}

/*
 * The parts of one operation: who waits or tests for theirs, and whom others have. The first part is given by its key;
 * those of the same operation follow it.
 */
static struct finding find_locked(const struct conclusion *conclusion, size_t key, const bool *wanted, bool *told)
{
    const struct model *model = conclusion->model;
    const struct keys *keys = &model->parts;
    const struct operation *of = &model->operations[keys->keys[key].operation];
    struct finding finding = finding_of(conclusion, CLAIM_PARTS_LOCKED, true);

    for (size_t i = key; keys_agree(keys, i, keys->keys[key].numbers, 2); i++) {
        uint32_t at = keys->keys[i].operation;
        const struct operation *part = &model->operations[at];

        if (conclusion->locked[at] == N_LOCKS || !is_part_of_same(of, part))
            continue;
        told[at] = true;
        rank_set_add(wanted[at] ? &finding.facts.who : &finding.facts.whom, model->ranks[part->rank].id);
        if (conclusion->locked[at] != LOCKED)
            finding.facts.claim = CLAIM_PARTS_LOCKED_OR_ENDED;
        finding.certain &= conclusion->locked[at] == LOCKED && is_proved(conclusion, part);
    }
    return finding;
}

void conclude_locked(struct conclusion *conclusion)
{
    const struct keys *keys = &conclusion->model->parts;
    OWNED bool *wanted = find_wanted(conclusion->model);
    OWNED bool *told = allocate_array(conclusion->model->n_operations + 1, sizeof *told);

    for (size_t i = 0; i < keys->n; i++) {
        uint32_t part = keys->keys[i].operation;
        size_t collective = collective_of(conclusion->collectives, &conclusion->model->operations[part]);
        struct finding finding;

        if (conclusion->locked[part] == N_LOCKS || told[part] ||
            (collective != SIZE_MAX && conclusion->collective_told[collective]))
            continue;
        finding = find_locked(conclusion, i, wanted, told);
        ranks_mark(conclusion->model, &finding.facts.who, conclusion->explained);
        ranks_mark(conclusion->model, &finding.facts.whom, conclusion->explained);
        finding_set_operation(conclusion, &finding, part);
        if (finding_keep(conclusion, &finding) && collective != SIZE_MAX)
            conclusion->collective_told[collective] = true;
    }
}

/*
 * Orders.
 *
 * Ranks call the collective functions of a communicator in the same order, nonblocking ones included. A rank that is in
 * a function which ranks leave together, where one is missing that has not come to it yet, proves that nobody has left
 * it. So all that any rank has started on the communicator it has started before: if the one in the function has
 * started less, their orders differ, whatever the others do meanwhile.
 */

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
    const struct communicator *communicator = participant->communicator;
    const struct collectives *all = conclusion->collectives;

    for (uint32_t i = all->waits.first[participant->rank]; i < all->waits.first[participant->rank + 1]; i++) {
        const struct wait *wait = &model->waits[all->waits.members[i]];

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

/* How many operations a member has started there. */
static unsigned long count_started(const struct place *member)
{
    return member->communicator->use.has_nonblocking ? member->communicator->use.n_nonblocking : 0;
}

/*
 * Were all members of its communicator looked at together? Else one may have left the function after the look at the
 * rank that has yet to come there. It has received then what was sent after that look.
 */
static bool is_of_one_moment(const struct model *model, const struct participant *participant)
{
    return !model->several_looks ||
           traffic_is_consistent(model, participant->rank, participant->communicator);
}

/* A call that makes a communicator has nonblocking operations itself. */
static bool tells_order(const struct conclusion *conclusion, const struct participant *participant)
{
    return participant->is_together && !call_makes_communicator(participant->function) &&
           !conclusion->model->ranks[participant->rank].guessed && misses_somebody(conclusion, participant) &&
           is_of_one_moment(conclusion->model, participant);
}

/* Of the members of its communicator some have started more operations there than the participant. */
static void add_order(struct conclusion *conclusion, const struct participant *participant,
                      struct place *const *members, size_t n)
{
    const struct model *model = conclusion->model;
    const struct model_rank *rank = &model->ranks[participant->rank];
    unsigned long n_started = participant->communicator->use.n_nonblocking;
    struct finding finding = finding_of(conclusion, CLAIM_ORDER, rank->proved_idle);

    finding.facts.participant = participant;
    finding_set_operation(conclusion, &finding, participant->operation);
    rank_set_add(&finding.facts.who, rank->id);
    for (size_t i = 0; i < n; i++)
        if (count_started(members[i]) > n_started)
            rank_set_add(&finding.facts.whom, model->ranks[members[i]->rank].id);
    finding_keep(conclusion, &finding);
}

/* One finding about a collective; all that are in it are stuck for this reason. */
static void find_order(struct conclusion *conclusion, size_t collective)
{
    const struct model *model = conclusion->model;
    const struct collective *found = &conclusion->collectives->operations[collective];
    uint32_t number = model->operations[found->participants->operation].number;
    size_t n_members = number != NO_NUMBER ? model->communicators[number].n : 0, at;
    struct place *const *members = number != NO_NUMBER ? &model->members[model->communicators[number].first] : NULL;
    unsigned long most = 0;

    for (size_t i = 0; i < n_members; i++)
        most = count_started(members[i]) > most ? count_started(members[i]) : most;
    for (at = 0; at < found->n; at++) {
        const struct mqd_communicator_use *own = &found->participants[at].communicator->use;

        if (own->has_nonblocking && own->n_nonblocking < most && tells_order(conclusion, &found->participants[at]))
            break;
    }
    if (at == found->n)
        return;
    add_order(conclusion, &found->participants[at], members, n_members);
    conclusion->collective_told[collective] = true;
    for (size_t i = 0; i < found->n; i++)
        conclusion->explained[found->participants[i].rank] = true;
}

void conclude_order(struct conclusion *conclusion)
{
    for (size_t i = 0; i < conclusion->collectives->n_operations; i++)
        if (!conclusion->collective_told[i])
            find_order(conclusion, i);
}
