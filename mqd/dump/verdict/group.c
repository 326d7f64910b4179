/*
 * group.c - groups of ranks that wait for each other: in a circle, or in collective operations.
 */
#include "mqd/dump/verdict/conclusion.h"

#include <stdint.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/nonblocking.h"
#include "mqd/dump/verdict/proof.h"

/* Ranks each of which waits for all others, directly or through others: those of the conclusion's component. */
struct group {
    struct rank_set nodes;         /* their indices */
    uint32_t start;                /* the first that waits in a call on a window, else the first */
    bool collective;               /* some wait in a collective operation */
    bool in_window;                /* some wait in a call on a window */
    bool mixed;                    /* some in a collective operation, others in windows, and others for messages: then
                                      none of this is the cause */
    bool has_polling;              /* there are ranks that test, and this is known of all that may; one that may compute
                                      instead does not refute that another one, which waits for something else, has not
                                      come to an operation */
    bool certain;                  /* that it is stuck: what its ranks wait for is known, and not on its way */
};

/* Are all waits in the group so? Those of nodes that stand for any of several ranks count too. */
static bool are_all(const struct conclusion *conclusion, bool (*is)(const struct model *, const struct wait *))
{
    const struct graph *graph = conclusion->graph;
    uint32_t first = graph->first_member[conclusion->component], end = graph->first_member[conclusion->component + 1];

    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = graph->first[graph->members[i]]; k < graph->first[graph->members[i] + 1]; k++)
            if (!is(conclusion->model, &conclusion->model->waits[graph->edges[k]]))
                return false;
    return true;
}

/*
 * The ranks that belong to the group themselves, or by their part of a nonblocking operation, without which they are
 * stuck.
 */
static struct rank_set find_ranks(const struct conclusion *conclusion)
{
    const struct graph *graph = conclusion->graph;
    uint32_t first = graph->first_member[conclusion->component], end = graph->first_member[conclusion->component + 1];
    struct rank_set ranks = {0};

    for (uint32_t i = first; i < end; i++) {
        size_t rank = model_rank_of(conclusion->model, graph->members[i]);

        if (rank != SIZE_MAX && !lives(conclusion, rank))
            rank_set_add(&ranks, (long)rank);
    }
    rank_set_sort(&ranks);
    return ranks;
}

static struct group find_group(const struct conclusion *conclusion)
{
    struct group group = {.nodes = find_ranks(conclusion), .certain = !conclusion->is_only_possible};
    bool proved = are_all(conclusion, wait_is_proved), other = false, aside = false, outside = false;

    for (size_t i = 0; i < group.nodes.n; i++) {
        const struct model_rank *rank = &conclusion->model->ranks[group.nodes.ranks[i]];
        bool participates = participates_in_any(conclusion->collectives, (uint32_t)group.nodes.ranks[i]);

        group.collective |= rank->kind == CALL_COLLECTIVE || participates;
        group.certain &= !rank->guessed;
        if (rank->kind == CALL_WINDOW && !group.in_window)
            group.start = (uint32_t)group.nodes.ranks[i];
        group.in_window |= rank->kind == CALL_WINDOW;
        group.has_polling |= rank->polls;
        other |= rank->kind != CALL_WINDOW && !participates;
        aside |= rank->aside;
        outside |= !rank->polls && !participates;
    }
    if (group.nodes.n > 0 && !group.in_window)
        group.start = (uint32_t)group.nodes.ranks[0];
    group.mixed = other && group.in_window && group.collective;
    group.has_polling &= !aside || outside;
    /* Else a note of another kind says what is not known. */
    if (group.certain && !proved && group.nodes.n > 0 && are_all(conclusion, wait_is_known))
        note_add(conclusion, group.in_window ? NOTE_WINDOWS_UNCOUNTED : NOTE_LIBRARY_UNCOUNTED, (struct facts){0});
    group.certain &= proved;
    return group;
}

/* Ranks that wait for each other in a circle. */

/* A rank's part of an operation stands for the rank. */
static void add_hops(const struct model *model, struct finding *finding, const uint32_t *waits, size_t n,
                     uint32_t start)
{
    finding_add_fact(finding, FACT_HOP, start);
    for (size_t i = 0; i < n; i++) {
        int64_t to = model->waits[waits[i]].target;
        size_t rank = model_rank_of(model, to);

        finding_add_fact(finding, FACT_HOP, rank != SIZE_MAX ? rank : (size_t)to);
    }
}

/* Adds a finding about a shortest circle of the group, from group->start on. */
static void conclude_circle(struct conclusion *conclusion, const struct group *group)
{
    const struct model *model = conclusion->model;
    struct finding finding = finding_of(conclusion, CLAIM_CIRCLE, group->certain);
    size_t n;
    OWNED uint32_t *waits = graph_circle(conclusion->graph, group->start, &n);

    if (waits == NULL)
        return;
    for (size_t i = 0; i < group->nodes.n; i++)
        rank_set_add(&finding.facts.who, model->ranks[group->nodes.ranks[i]].id);
    for (size_t i = 0; i < n; i++) {
        const struct wait *wait = &model->waits[waits[i]];

        if (model_owner(model, wait) >= model->n_ranks)
            continue;
        finding_add_wait(conclusion, &finding, wait);
        if (finding.facts.communicator == NULL && wait->operation != UINT32_MAX)
            finding.facts.communicator = model->operations[wait->operation].communicator;
    }
    add_hops(model, &finding, waits, n, group->start);
    finding_keep(conclusion, &finding);
}

/* Collective operations. */

/*
 * The collective operations in which a group of ranks is stuck, and what they prove.
 *
 * What a group of ranks in collective operations proves, if all of them are stuck:
 *
 *   Two of them are on one communicator in different functions that ranks leave together. The one cannot have left the
 *   other's function, and the other not the one's: the ranks do not make the same calls.
 *
 *   One waits for the part of another one in a function that each leaves after its own part, and the other is in a
 *   function that ranks leave together. It has not sent its part, so it does not come from there; and it cannot get
 *   there any more, since the first one has left all functions before.
 *
 *   One waits for another one's part of a nonblocking operation, and the other, which is in such a function, has no
 *   part of it that is open.
 *
 *   Parts of one nonblocking operation wait for each other: see nonblocking.c.
 *
 *   All of them are in collective operations. A program whose ranks make the same calls in the same order does not come
 *   to that: with one communicator the calls or their roots differ, with several ones the communicators. Where the
 *   messages do not show on which communicators the calls are, these differ only if the functions do.
 *
 * Else some rank of the group is in none of them, and the others wait for it.
 */

/* More communicators are not readable. */
enum { MAX_COLLECTIVES = 4 };

/* The collective operations of a group of ranks. */
struct stuck_collectives {
    const struct group *group;
    const struct collective *collectives[MAX_COLLECTIVES];     /* that no finding is about yet; those with the most
                                                                  ranks first */
    size_t n;
    bool any;                              /* there are some, told or not */
    bool has_outsider;                     /* a rank of the group is in none of them */
};

/* Collectives of more ranks come first. */
static void add_collective(struct stuck_collectives *stuck, const struct collective *collective)
{
    size_t at = stuck->n;

    while (at > 0 && stuck->collectives[at - 1]->n < collective->n)
        at--;
    if (at == MAX_COLLECTIVES)
        return;
    if (stuck->n == MAX_COLLECTIVES)
        stuck->n--;
    memmove(stuck->collectives + at + 1, stuck->collectives + at, (stuck->n - at) * sizeof *stuck->collectives);
    stuck->collectives[at] = collective;
    stuck->n++;
}

/* Marks the operations as told. */
static struct stuck_collectives find_stuck_collectives(struct conclusion *conclusion, const struct group *group)
{
    const struct collectives *collectives = conclusion->collectives;
    struct stuck_collectives stuck = {.group = group};

    for (size_t i = 0; i < group->nodes.n; i++) {
        long rank = group->nodes.ranks[i];

        for (uint32_t k = collectives->of_ranks.first[rank]; k < collectives->of_ranks.first[rank + 1]; k++) {
            size_t collective = collectives->all[collectives->of_ranks.members[k]].collective;

            if (!conclusion->collective_told[collective])
                add_collective(&stuck, &collectives->operations[collective]);
            conclusion->collective_told[collective] = true;
            stuck.any = true;
        }
        stuck.has_outsider |= !participates_in_any(collectives, (uint32_t)rank);
    }
    return stuck;
}

/* What is proved to differ. */

static bool are_in_different(const struct group *group, const struct collective *collective)
{
    const char *first = NULL;

    for (size_t i = 0; i < group->nodes.n; i++) {
        const struct participant *found = participant_of(collective, (uint32_t)group->nodes.ranks[i]);

        if (found == NULL || !found->is_together)
            continue;
        if (first != NULL && strcmp(first, found->function) != 0)
            return true;
        first = found->function;
    }
    return false;
}

/* Does a rank of the group wait there for one that is in a function which ranks leave together, and in another one? */
static bool waits_across(const struct conclusion *conclusion, const struct group *group,
                         const struct collective *collective)
{
    const struct collectives *collectives = conclusion->collectives;
    const struct graph *graph = conclusion->graph;

    for (size_t i = 0; i < group->nodes.n; i++) {
        const struct participant *one = participant_of(collective, (uint32_t)group->nodes.ranks[i]), *other;

        if (one == NULL || one->is_together)
            continue;
        for (uint32_t k = graph->first[one->rank]; k < graph->first[one->rank + 1]; k++) {
            uint32_t at = conclusion->model->waits[graph->edges[k]].operation;

            other = participant_of(collective, edge_to(graph, k));
            if (other != NULL && other->is_together && at != UINT32_MAX &&
                collective_of(collectives, &conclusion->model->operations[at]) == one->collective)
                return true;
        }
    }
    return false;
}

/* Is some rank there in a function with a root? */
static bool has_rooted(const struct collective *collective)
{
    for (size_t i = 0; i < collective->n_kinds; i++)
        if (collective->kinds[i]->function != NULL &&
            collective_kind_of(collective->kinds[i]->function) == COLLECTIVE_ROOTED)
            return true;
    return false;
}

/*
 * Returns a message from a root that a rank has not taken, while it is stuck in another function that ranks leave
 * together. Where all ranks are in collective operations, it may also wait in the same function for another rank's
 * message; else this could be one of the next call. UINT32_MAX: there is none.
 */
static uint32_t find_untaken(const struct conclusion *conclusion, const struct participant *participant, bool all)
{
    const struct model *model = conclusion->model;
    const struct operation *own = &model->operations[participant->operation];
    const struct model_rank *rank = &model->ranks[participant->rank];
    bool same;

    if (participant->function == NULL || strcmp(own->said->purpose, participant->function) != 0 ||
        communicator_is_inter(own->communicator) || lives(conclusion, participant->rank))
        return UINT32_MAX;
    for (size_t i = 0; i < rank->n_operations; i++) {
        const struct operation *message = &model->operations[rank->first_operation + i];

        if (message->class != mqs_unexpected_messages || message->communicator != own->communicator ||
            !message->collective || message->purpose != PURPOSE_FROM_ROOT || message->peer < 0)
            continue;
        same = strcmp(message->said->purpose, participant->function) == 0;
        if (same ? all && own->class == mqs_pending_receives && own->peer >= 0 && own->peer != message->peer
                 : participant->is_together)
            return (uint32_t)(rank->first_operation + i);
    }
    return UINT32_MAX;
}

/* Has a rank that waits for one rank's message in a rooted function another rank's message of the same function? */
static bool has_other_root(const struct conclusion *conclusion, const struct collective *collective)
{
    for (size_t i = 0; i < collective->n; i++)
        if (!collective->participants[i].is_together &&
            find_untaken(conclusion, &collective->participants[i], true) != UINT32_MAX)
            return true;
    return false;
}

/* Are all ranks of the group in collective operations on one communicator? */
static bool is_complete(const struct stuck_collectives *stuck)
{
    return !stuck->has_outsider && stuck->n == 1;
}

/* Does the rank wait, or test, for operations that it has started? */
static bool awaits_started(const struct model_rank *rank)
{
    return rank->polls || rank->kind == CALL_WAIT || rank->kind == CALL_WAIT_ALL || rank->kind == CALL_WAIT_ANY;
}

/*
 * The collective function in which a rank is, "" for nonblocking ones, NULL if it is elsewhere and only its part of a
 * nonblocking one is there. A rank that has started nonblocking operations too is in its blocking one.
 */
static const char *function_of(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                               uint32_t node)
{
    const char *nonblocking = NULL;

    for (size_t i = 0; i < stuck->n; i++) {
        const struct participant *found = participant_of(stuck->collectives[i], node);

        if (found != NULL && found->function != NULL)
            return found->function;
        if (found != NULL && awaits_started(&conclusion->model->ranks[node]))
            nonblocking = "";
    }
    return nonblocking;
}

static bool has_several_functions(const struct conclusion *conclusion, const struct stuck_collectives *stuck)
{
    const char *first = NULL;

    for (size_t i = 0; i < stuck->group->nodes.n; i++) {
        const char *function = function_of(conclusion, stuck, (uint32_t)stuck->group->nodes.ranks[i]);

        if (function != NULL && first != NULL && strcmp(first, function) != 0)
            return true;
        first = function != NULL ? function : first;
    }
    return false;
}

/* How many of the operations are known to be on the communicator of the call, or on its window? */
static size_t count_known(const struct conclusion *conclusion, const struct stuck_collectives *stuck, bool windows)
{
    size_t n = 0;

    for (size_t i = 0; i < stuck->n; i++)
        n += (!windows || stuck->collectives[i]->participants->communicator->use.owner == MQD_OWNER_window) &&
             collective_scope(conclusion->collectives, stuck->collectives[i]) == SCOPE_CALL;
    return n;
}

/* Ranks that are in the collective do not do the same there. */
static enum claim claim_of_difference(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                                      const struct collective *collective)
{
    if (stuck->n > 1 && !stuck->has_outsider && count_known(conclusion, stuck, true) == stuck->n)
        return CLAIM_WINDOWS_DIFFER;
    if (stuck->n == 1 && collective->participants->function == NULL && collective->n_kinds == 1)
        return CLAIM_NONBLOCKING_DIFFER;
    return has_rooted(collective) ? CLAIM_FUNCTIONS_OR_ROOTS_DIFFER : CLAIM_FUNCTIONS_DIFFER;
}

/* All ranks of the group are in collective operations, whose messages are on one communicator, or on several. */
static enum claim claim_of_all(const struct conclusion *conclusion, const struct stuck_collectives *stuck)
{
    const struct collective *first = stuck->collectives[0];
    size_t n_windows = count_known(conclusion, stuck, true);

    if (stuck->n > 1 && n_windows == 0 && count_known(conclusion, stuck, false) == stuck->n)
        return CLAIM_COMMUNICATORS_DIFFER;
    if (stuck->n > 1)
        return n_windows == stuck->n || has_several_functions(conclusion, stuck)
                   ? claim_of_difference(conclusion, stuck, first)
                   : CLAIM_CALLS_OR_COMMUNICATORS_DIFFER;
    if (first->n_kinds > 1 || first->participants->function == NULL)
        return claim_of_difference(conclusion, stuck, first);
    if (has_rooted(first))
        return CLAIM_ROOTS_OR_LENGTHS_DIFFER;
    return collective_scope(conclusion->collectives, first) != SCOPE_UNKNOWN ? CLAIM_CALLS_DIFFER
                                                                             : CLAIM_CALLS_OR_COMMUNICATORS_DIFFER;
}

/* Returns what is wrong, and puts into *collective where. There must be an operation. */
static enum claim find_claim(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                             const struct collective **collective)
{
    for (size_t i = 0; i < stuck->n; i++) {
        *collective = stuck->collectives[i];
        if (is_complete(stuck) && has_other_root(conclusion, *collective))
            return (*collective)->n_kinds == 1 ? CLAIM_ROOTS_OR_LENGTHS_DIFFER : CLAIM_ROOTS_DIFFER;
        if (are_in_different(stuck->group, *collective) || waits_across(conclusion, stuck->group, *collective) ||
            collective_is_locked(conclusion, *collective))
            return claim_of_difference(conclusion, stuck, *collective);
    }
    *collective = stuck->collectives[0];
    return stuck->has_outsider ? CLAIM_INCOMPLETE : claim_of_all(conclusion, stuck);
}

/* The finding. */

/* More of the messages that nobody takes are not readable. */
enum { MAX_UNTAKEN = 2 };

/* Is a wait of the rank in a window, or for a message that it tests for? */
static bool is_aside(const struct model *model, uint32_t rank, const struct wait *wait)
{
    return wait->in_window != NULL || (model->ranks[rank].polls && wait->operation != UINT32_MAX &&
                                  !model->operations[wait->operation].collective);
}

/* What a rank waits for beside collective operations may be why the others wait. */
static void add_other_wait(const struct conclusion *conclusion, struct finding *finding, uint32_t rank)
{
    const struct graph *graph = conclusion->graph;

    for (uint32_t i = graph->first[rank]; i < graph->first[rank + 1]; i++) {
        uint32_t wait = graph->edges[i];

        if (!is_aside(conclusion->model, rank, &conclusion->model->waits[wait]))
            continue;
        finding_add_fact(finding, FACT_WAIT, wait);
        return;
    }
}

static void add_untaken(const struct conclusion *conclusion, struct finding *finding,
                        const struct collective *collective, bool all)
{
    int n = 0;

    for (size_t i = 0; i < collective->n && n < MAX_UNTAKEN; i++) {
        uint32_t at = find_untaken(conclusion, &collective->participants[i], all);

        if (at == UINT32_MAX)
            continue;
        finding_add_evidence(conclusion, finding, at);
        finding_add_fact(finding, FACT_UNTAKEN, at);
        n++;
    }
}

/* The ranks that are stuck in the operations. */
static void add_stuck(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                      struct finding *finding)
{
    for (size_t i = 0; i < stuck->n; i++) {
        for (size_t k = 0; k < stuck->collectives[i]->n; k++) {
            const struct participant *participant = &stuck->collectives[i]->participants[k];

            if (lives(conclusion, participant->rank))
                continue;
            rank_set_add(&finding->facts.who, conclusion->model->ranks[participant->rank].id);
            finding_add_evidence(conclusion, finding, participant->operation);
        }
    }
}

/* The ranks that are missing, and are in no collective operation themselves. */
static void add_missing(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                        struct rank_set *causes)
{
    const struct collectives *collectives = conclusion->collectives;

    for (size_t i = 0; i < stuck->n; i++) {
        RELEASED_BY(rank_set_clear) struct rank_set missing = collective_missing(collectives, stuck->collectives[i]);

        for (size_t k = 0; k < missing.n; k++)
            if (!participates_in_any(collectives, (uint32_t)model_find_rank(conclusion->model, missing.ranks[k])))
                rank_set_add(causes, missing.ranks[k]);
    }
    for (size_t i = 0; i < stuck->group->nodes.n && causes->n == 0; i++)
        if (!participates_in_any(collectives, (uint32_t)stuck->group->nodes.ranks[i]))
            rank_set_add(causes, conclusion->model->ranks[stuck->group->nodes.ranks[i]].id);
}

/* Are the calls that the finding is about on the collective's communicator? */
static bool is_place_known(const struct conclusion *conclusion, const struct stuck_collectives *stuck, enum claim claim,
                           const struct collective *collective)
{
    return (stuck->n == 1 || claim == CLAIM_INCOMPLETE || claim == CLAIM_COMMUNICATORS_DIFFER) &&
           collective_scope(conclusion->collectives, collective) != SCOPE_UNKNOWN;
}

static void conclude_claim(struct conclusion *conclusion, const struct stuck_collectives *stuck, enum claim claim,
                           const struct collective *collective)
{
    struct finding finding = finding_of(conclusion, claim, stuck->group->certain);
    size_t n;
    OWNED uint32_t *way = NULL;

    finding.certain &= finding.kind != FINDING_DEADLOCK;
    finding.facts.participant = collective->participants;
    finding.facts.collective = collective->participants->collective;
    add_stuck(conclusion, stuck, &finding);
    if (claim == CLAIM_INCOMPLETE)
        add_missing(conclusion, stuck, &finding.facts.whom);
    if (is_place_known(conclusion, stuck, claim, collective))
        finding.facts.communicator = collective->participants->communicator;
    for (size_t i = 0; i < stuck->n; i++)
        finding_add_fact(&finding, FACT_COLLECTIVE, stuck->collectives[i]->participants->collective);
    add_untaken(conclusion, &finding, collective, is_complete(stuck));
    if (finding.kind == FINDING_ROOTS_DIFFER || finding.kind == FINDING_DEADLOCK)
        way = graph_circle(conclusion->graph, (uint32_t)stuck->group->nodes.ranks[0], &n);
    if (way != NULL)
        add_hops(conclusion->model, &finding, way, n, (uint32_t)stuck->group->nodes.ranks[0]);
    for (size_t i = 0; i < stuck->group->nodes.n; i++)
        add_other_wait(conclusion, &finding, (uint32_t)stuck->group->nodes.ranks[i]);
    finding_keep(conclusion, &finding);
}

/*
 * Do all ranks that are in none of the operations wait for locks that are held? Then they have not just failed to come:
 * who holds the lock waits for them, and the circle is what is wrong.
 */
static bool is_kept_by_locks(const struct conclusion *conclusion, const struct group *group)
{
    const struct graph *graph = conclusion->graph;

    for (size_t i = 0; i < group->nodes.n; i++) {
        long node = group->nodes.ranks[i];

        if (participates_in_any(conclusion->collectives, (uint32_t)node))
            continue;
        for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; k++) {
            const struct window_wait *wait = conclusion->model->waits[graph->edges[k]].in_window;

            if (wait == NULL || (wait->need != NEEDS_LOCK && wait->need != NEEDS_SOME_LOCK))
                return false;
        }
    }
    return conclusion->doubt == DOUBT_NONE;
}

/* Adds a finding about the collective operations in which ranks of the group wait. Returns whether there are some. */
static bool conclude_collectives(struct conclusion *conclusion, const struct group *group)
{
    struct stuck_collectives stuck = find_stuck_collectives(conclusion, group);
    const struct collective *collective;
    enum claim claim;

    if (stuck.n == 0)
        return stuck.any;
    claim = find_claim(conclusion, &stuck, &collective);
    if (claim == CLAIM_INCOMPLETE && is_kept_by_locks(conclusion, group))
        return false;
    conclude_claim(conclusion, &stuck, claim, collective);
    return true;
}

/* The whole. */

/* Finds near misses of the waits of the group's ranks, except those in collective operations. */
static void find_misses(struct conclusion *conclusion, const struct group *group, int class)
{
    const struct model *model = conclusion->model;
    const struct graph *graph = conclusion->graph;

    for (size_t k = 0; k < group->nodes.n; k++) {
        long node = group->nodes.ranks[k];

        if (graph->component[node] != conclusion->component)
            continue;
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            const struct wait *wait = &model->waits[graph->edges[i]];
            uint32_t at = wait->operation;

            if (at != UINT32_MAX && !model->operations[at].internal && model->operations[at].class == class)
                near_misses_find(conclusion, wait, group->collective && !group->mixed, group->certain);
        }
    }
}

/* A group that waits for another one too, or for a rank that is gone, is stuck for that reason. */
void conclude_group(struct conclusion *conclusion)
{
    struct group group = find_group(conclusion);

    if (group.nodes.n > 0) {
        find_misses(conclusion, &group, mqs_pending_receives);
        find_misses(conclusion, &group, mqs_pending_sends);
        if (group.mixed || !conclude_collectives(conclusion, &group))
            conclude_circle(conclusion, &group);
    }
    rank_set_clear(&group.nodes);
}

/* A rank that waits there, but for which nobody waits, is stuck for the same reason. */
static void explain(const struct conclusion *conclusion, const struct group *group)
{
    for (size_t i = 0; i < group->nodes.n; i++)
        conclusion->explained[group->nodes.ranks[i]] = true;
    for (size_t i = 0; i < conclusion->collectives->n; i++)
        if (conclusion->collective_told[conclusion->collectives->all[i].collective])
            conclusion->explained[conclusion->collectives->all[i].rank] = true;
}

/* Ranks that only test for messages may do something else as well: nothing is certain of them. */
void conclude_polling_group(struct conclusion *conclusion)
{
    struct group group = {0};
    size_t n = conclusion->verdict->n;

    if (!conclusion->all_show_why)
        return;
    group = find_group(conclusion);
    if (group.has_polling && conclude_collectives(conclusion, &group))
        explain(conclusion, &group);
    for (; n < conclusion->verdict->n; n++)
        conclusion->verdict->findings[n].refutable_by_waiting = true;
    rank_set_clear(&group.nodes);
}
