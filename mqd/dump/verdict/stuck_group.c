/*
 * stuck_group.c - concludes why the ranks of a group wait for each other: in a circle, or in collective operations.
 */
#include "mqd/dump/verdict/stuck_group.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/nonblocking.h"
#include "mqd/dump/verdict/say.h"

/* Ranks that wait for each other in a circle. */

/* More hops of a circle are not readable. */
enum { MAX_HOPS = 12 };

static char *say_hop(const struct model *model, long id)
{
    return model->n_jobs == 1 ? format_text("%ld", id) : say_rank(model, id);
}

/* "0 -> 3 -> 0"; a wait for any rank leads through "anybody". A rank's part of an operation stands for the rank. */
static char *say_circle(const struct conclusion *conclusion, const uint32_t *edges, size_t n, uint32_t start)
{
    const struct model *model = conclusion->model;
    char *text = say_hop(model, model->ranks[start].id);

    for (size_t i = 0; i < n; i++) {
        uint32_t to = conclusion->graph->edges[edges[i]].to;
        OWNED char *hop = NULL;

        if (to >= model->n_ranks && model->virtuals[to - model->n_ranks].is_part)
            to = (uint32_t)model->virtuals[to - model->n_ranks].rank;
        if (i >= MAX_HOPS && i + 1 < n)
            continue;
        hop = to < model->n_ranks ? say_hop(model, model->ranks[to].id) : copy_string("anybody");
        append_text(&text, " -> %s%s", i > MAX_HOPS && to < model->n_ranks ? "... -> " : "", hop);
    }
    return text;
}

static void add_circle_waits(const struct conclusion *conclusion, struct finding *finding, const uint32_t *edges,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct wait *wait = &conclusion->model->waits[conclusion->graph->edges[edges[i]].wait];
        uint32_t owner = model_owner(conclusion->model, wait);

        if (owner >= conclusion->model->n_ranks)
            continue;
        finding_add_wait(conclusion, finding, wait);
        if (!finding->has_communicator && wait->operation != UINT32_MAX)
            finding_set_communicator(finding, conclusion->model->operations[wait->operation].communicator);
    }
}

void conclude_circle(struct conclusion *conclusion, struct group *group)
{
    uint32_t start = group->nodes[group->start];
    size_t n;
    OWNED uint32_t *edges = graph_circle(conclusion->graph, start, &n);
    OWNED char *who = NULL, *circle = NULL;
    struct finding *finding;

    if (edges == NULL)
        return;
    finding = finding_add(conclusion, FINDING_DEADLOCK, group->certain);
    finding_set_ranks(finding, group->ranks);
    group->ranks = (struct rank_set){0};
    add_circle_waits(conclusion, finding, edges, n);
    circle = say_circle(conclusion, edges, n, start);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits for itself", "wait for each other");
    finding->sentence = format_text("%s: %s.", who, circle);
}

/* A shortest circle through a node as text for free(), "0 -> 3 -> 0"; NULL if there is none. */
static char *say_circle_of(const struct conclusion *conclusion, uint32_t node)
{
    size_t n;
    OWNED uint32_t *edges = graph_circle(conclusion->graph, node, &n);

    if (edges == NULL)
        return NULL;
    return say_circle(conclusion, edges, n, node);
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
    size_t collectives[MAX_COLLECTIVES];     /* that no finding is about yet; those with the most ranks first */
    size_t n;
    bool any;                              /* there are some, told or not */
    bool has_outsider;                        /* a rank of the group is in none of them */
};

/* Gatherings of more ranks come first. */
static void add_collective(const struct conclusion *conclusion, struct stuck_collectives *stuck, size_t collective)
{
    const struct collective *all = conclusion->collectives->operations;
    size_t at = stuck->n;

    while (at > 0 && all[stuck->collectives[at - 1]].n < all[collective].n)
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

    for (size_t i = 0; i < group->n_nodes; i++) {
        uint32_t rank = group->nodes[i];

        for (size_t k = collectives->first_of_rank[rank]; k < collectives->first_of_rank[rank + 1]; k++) {
            size_t collective = collectives->all[collectives->of_ranks[k]].collective;

            if (!conclusion->collective_told[collective])
                add_collective(conclusion, &stuck, collective);
            conclusion->collective_told[collective] = true;
            stuck.any = true;
        }
        stuck.has_outsider |= !participates_in_any(collectives, rank);
    }
    return stuck;
}

/* What is proved to differ. */

static bool are_in_different(const struct conclusion *conclusion, const struct group *group, size_t collective)
{
    const char *first = NULL;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct participant *found = participant_of(conclusion->collectives, collective, group->nodes[i]);

        if (found == NULL || !participant_is_together(found, conclusion->model))
            continue;
        if (first != NULL && strcmp(first, found->function) != 0)
            return true;
        first = found->function;
    }
    return false;
}

/* Does a rank of the group wait there for one that is in a function which ranks leave together, and in another one? */
static bool waits_across(const struct conclusion *conclusion, const struct group *group, size_t collective)
{
    const struct graph *graph = conclusion->graph;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct participant *one = participant_of(conclusion->collectives, collective, group->nodes[i]), *other;

        if (one == NULL || participant_is_together(one, conclusion->model))
            continue;
        for (uint32_t k = graph->first[one->rank]; k < graph->first[one->rank + 1]; k++) {
            uint32_t at = conclusion->model->waits[graph->edges[k].wait].operation;

            other = graph->edges[k].to < conclusion->model->n_ranks
                        ? participant_of(conclusion->collectives, collective, graph->edges[k].to)
                        : NULL;
            if (other != NULL && participant_is_together(other, conclusion->model) && at != UINT32_MAX &&
                collective_of(conclusion->collectives, conclusion->model, &conclusion->model->operations[at]) ==
                    collective)
                return true;
        }
    }
    return false;
}

/* Is some rank there in a function with a root? */
static bool has_rooted(const struct conclusion *conclusion, size_t collective)
{
    const struct collective *found = &conclusion->collectives->operations[collective];

    for (size_t i = 0; i < found->n; i++) {
        const char *function = conclusion->collectives->all[found->first + i].function;

        if (function != NULL && collective_kind_of(function) == COLLECTIVE_ROOTED)
            return true;
    }
    return false;
}

static bool is_rooted(const struct conclusion *conclusion, size_t collective)
{
    const struct collective *found = &conclusion->collectives->operations[collective];
    const char *function = conclusion->collectives->all[found->first].function;

    return function != NULL && has_rooted(conclusion, collective) &&
           collective_agrees(conclusion->collectives, collective);
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
                 : participant_is_together(participant, model))
            return (uint32_t)(rank->first_operation + i);
    }
    return UINT32_MAX;
}

/* Has a rank that waits for one rank's message in a rooted function another rank's message of the same function? */
static bool has_other_root(const struct conclusion *conclusion, size_t collective)
{
    const struct collective *found = &conclusion->collectives->operations[collective];

    for (size_t i = 0; i < found->n; i++) {
        const struct participant *participant = &conclusion->collectives->all[found->first + i];

        if (!participant_is_together(participant, conclusion->model) &&
            find_untaken(conclusion, participant, true) != UINT32_MAX)
            return true;
    }
    return false;
}

/* Are all ranks of the group in collective operations on one communicator? */
static bool is_complete(const struct stuck_collectives *stuck)
{
    return !stuck->has_outsider && stuck->n == 1;
}

/* How many of the operations are known to be on windows? */
static size_t count_windows(const struct conclusion *conclusion, const struct stuck_collectives *stuck)
{
    const struct collectives *collectives = conclusion->collectives;
    size_t n = 0;

    for (size_t i = 0; i < stuck->n; i++)
        n += collectives->operations[stuck->collectives[i]].communicator->use.owner == MQD_OWNER_window &&
             collective_scope(collectives, conclusion->model, stuck->collectives[i]) == SCOPE_CALL;
    return n;
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
static const char *function_of(const struct conclusion *conclusion, const struct stuck_collectives *stuck, uint32_t node)
{
    const char *nonblocking = NULL;

    for (size_t i = 0; i < stuck->n; i++) {
        const struct participant *found = participant_of(conclusion->collectives, stuck->collectives[i], node);

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

    for (size_t i = 0; i < stuck->group->n_nodes; i++) {
        const char *function = function_of(conclusion, stuck, stuck->group->nodes[i]);

        if (function != NULL && first != NULL && strcmp(first, function) != 0)
            return true;
        first = function != NULL ? function : first;
    }
    return false;
}

/* All ranks of the group are in collective operations, and the messages of these are on several communicators. */
static enum finding_kind kind_of_several(const struct conclusion *conclusion, const struct stuck_collectives *stuck)
{
    bool known = true;
    size_t n_windows = count_windows(conclusion, stuck);

    for (size_t i = 0; i < stuck->n; i++)
        known &= collective_scope(conclusion->collectives, conclusion->model, stuck->collectives[i]) == SCOPE_CALL;
    if (known && n_windows == 0)
        return FINDING_COLLECTIVE_COMMUNICATORS;
    return n_windows == stuck->n || has_several_functions(conclusion, stuck) ? FINDING_COLLECTIVES_DIFFER
                                                                             : FINDING_DEADLOCK;
}

/* Returns the kind of what is wrong, and puts into *collective where. There must be an operation. */
static enum finding_kind find_kind(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                                   size_t *collective)
{
    for (size_t i = 0; i < stuck->n; i++) {
        *collective = stuck->collectives[i];
        if (is_complete(stuck) && has_other_root(conclusion, *collective))
            return FINDING_ROOTS_DIFFER;
        if (are_in_different(conclusion, stuck->group, *collective) ||
            waits_across(conclusion, stuck->group, *collective) || collective_is_locked(conclusion, *collective))
            return FINDING_COLLECTIVES_DIFFER;
    }
    *collective = stuck->collectives[0];
    if (stuck->has_outsider)
        return FINDING_COLLECTIVE_MISSING;
    if (stuck->n > 1)
        return kind_of_several(conclusion, stuck);
    if (is_rooted(conclusion, *collective))
        return FINDING_ROOTS_DIFFER;
    return collective_agrees(conclusion->collectives, *collective) &&
                   conclusion->collectives->all[conclusion->collectives->operations[*collective].first].function != NULL
               ? FINDING_DEADLOCK
               : FINDING_COLLECTIVES_DIFFER;
}

/* The finding. */

/* More of the messages that nobody takes are not readable. */
enum { MAX_UNTAKEN = 2 };

/* Details. */

static void add_place(const struct conclusion *conclusion, struct fold *fold, size_t rank)
{
    fold_add(fold, conclusion->model->ranks[rank].id, say_where(&conclusion->model->ranks[rank]));
}

/* Is a wait of the rank in a window, or for a message that it tests for? */
static bool is_aside(const struct model *model, uint32_t rank, const struct wait *wait)
{
    return wait->in_window != NULL || (model->ranks[rank].polls && wait->operation != UINT32_MAX &&
                                  !model->operations[wait->operation].collective);
}

/* What a rank waits for beside collective operations may be why the others wait. */
static void add_other_wait(const struct conclusion *conclusion, struct fold *fold, uint32_t rank)
{
    const struct graph *graph = conclusion->graph;

    for (uint32_t i = graph->first[rank]; i < graph->first[rank + 1]; i++) {
        const struct wait *wait = &conclusion->model->waits[graph->edges[i].wait];

        if (!is_aside(conclusion->model, rank, wait))
            continue;
        fold_wait(fold, conclusion, wait);
        return;
    }
}

/*
 * Where the ranks are: those that wait, and then those that are missing or wait for something else. Of a rank that does
 * both the wait is said.
 */
static void add_places(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                       struct finding *finding)
{
    struct fold present = {0}, missing = {0};

    for (size_t i = 0; i < stuck->n; i++) {
        const struct collective *found = &conclusion->collectives->operations[stuck->collectives[i]];

        for (size_t k = 0; k < found->n; k++)
            add_place(conclusion, &present, conclusion->collectives->all[found->first + k].rank);
    }
    for (size_t i = 0; i < stuck->group->n_nodes; i++)
        add_other_wait(conclusion, &missing, stuck->group->nodes[i]);
    for (size_t i = 0; i < finding->n_causes; i++)
        add_place(conclusion, &missing, model_find_rank(conclusion->model, finding->causes[i]));
    fold_say(&present, conclusion, finding);
    fold_say(&missing, conclusion, finding);
}

static void add_untaken(const struct conclusion *conclusion, struct finding *finding, size_t collective, bool all)
{
    const struct collective *found = &conclusion->collectives->operations[collective];
    int n = 0;

    for (size_t i = 0; i < found->n && n < MAX_UNTAKEN; i++) {
        uint32_t at = find_untaken(conclusion, &conclusion->collectives->all[found->first + i], all);
        const struct operation *message;
        OWNED char *from = NULL, *to = NULL;

        if (at == UINT32_MAX)
            continue;
        message = &conclusion->model->operations[at];
        from = say_rank(conclusion->model, message->peer);
        to = say_rank(conclusion->model, conclusion->model->ranks[message->rank].id);
        finding_add_evidence(conclusion, finding, at);
        finding_add_detail(finding, format_text("A message of %s from %s has arrived at %s, which has not taken it: it "
                                                "has left this call out, or has made it with another root.",
                                                message->said->purpose, from, to));
        n++;
    }
}

static const struct communicator *find_same(const struct conclusion *conclusion, size_t rank,
                                            const struct communicator *communicator)
{
    const struct communicator *found = model_find_communicator(conclusion->model, rank, communicator->unique_id);

    return found != NULL && found->use.has_nonblocking ? found : NULL;
}

/* Have the ranks, some of which are in nonblocking operations, started different numbers of them? */
static bool are_counts_different(const struct conclusion *conclusion, const struct finding *finding, size_t collective)
{
    const struct collective *found = &conclusion->collectives->operations[collective];
    const struct communicator *first = NULL;
    bool nonblocking = false, differ = false;

    for (size_t i = 0; i < found->n; i++)
        nonblocking |= conclusion->collectives->all[found->first + i].function == NULL;
    for (size_t i = 0; i < finding->n_ranks && nonblocking; i++) {
        const struct communicator *same = find_same(
            conclusion, model_find_rank(conclusion->model, finding->ranks[i]), found->communicator);

        differ |= first != NULL && same != NULL && same->use.n_nonblocking != first->use.n_nonblocking;
        first = first != NULL ? first : same;
    }
    return differ;
}

/* Communicators that are made count too, since the ranks agree on a number for them in such an operation. */
static void add_counts(const struct conclusion *conclusion, struct finding *finding, size_t collective)
{
    const struct communicator *communicator = conclusion->collectives->operations[collective].communicator;
    struct fold fold = {0};

    if (!are_counts_different(conclusion, finding, collective))
        return;
    for (size_t i = 0; i < finding->n_ranks; i++) {
        const struct communicator *same =
            find_same(conclusion, model_find_rank(conclusion->model, finding->ranks[i]), communicator);

        if (same != NULL)
            fold_add(&fold, finding->ranks[i], say_started(same, same->use.n_nonblocking));
    }
    fold_say(&fold, conclusion, finding);
}

/* The ranks that are stuck in the stuck's operations. */
static struct rank_set find_stuck(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                                  struct finding *finding)
{
    struct rank_set ranks = {0};

    for (size_t i = 0; i < stuck->n; i++) {
        const struct collective *found = &conclusion->collectives->operations[stuck->collectives[i]];

        for (size_t k = 0; k < found->n; k++) {
            const struct participant *participant = &conclusion->collectives->all[found->first + k];

            if (lives(conclusion, participant->rank))
                continue;
            rank_set_add(&ranks, conclusion->model->ranks[participant->rank].id);
            finding_add_evidence(conclusion, finding, participant->operation);
        }
    }
    return ranks;
}

/* The ranks that are missing, and are in no collective operation themselves. */
static struct rank_set find_causes(const struct conclusion *conclusion, const struct stuck_collectives *stuck)
{
    struct rank_set causes = {0};

    for (size_t i = 0; i < stuck->n; i++) {
        RELEASED_BY(rank_set_clear) struct rank_set missing =
            collective_missing(conclusion->collectives, conclusion->model, stuck->collectives[i]);

        for (size_t k = 0; k < missing.n; k++) {
            size_t rank = model_find_rank(conclusion->model, missing.ranks[k]);

            if (!participates_in_any(conclusion->collectives, (uint32_t)rank))
                rank_set_add(&causes, missing.ranks[k]);
        }
    }
    for (size_t i = 0; i < stuck->group->n_nodes && causes.n == 0; i++)
        if (!participates_in_any(conclusion->collectives, stuck->group->nodes[i]))
            rank_set_add(&causes, conclusion->model->ranks[stuck->group->nodes[i]].id);
    return causes;
}

/* " on MPI_COMM_WORLD", for free(); "" if the calls are on several communicators, or it is not known on which. */
static char *say_on(const struct conclusion *conclusion, const struct stuck_collectives *stuck, size_t collective)
{
    OWNED char *name = NULL;

    if (stuck->n > 1 || collective_scope(conclusion->collectives, conclusion->model, collective) == SCOPE_UNKNOWN)
        return copy_string("");
    name = say_communicator(conclusion->collectives->operations[collective].communicator);
    return format_text(" on %s", name);
}

static char *say_differing(const struct conclusion *conclusion, const struct finding *finding,
                           const struct stuck_collectives *stuck, size_t collective)
{
    const struct collective *found = &conclusion->collectives->operations[collective];
    const struct participant *first = &conclusion->collectives->all[found->first];
    bool agrees = collective_agrees(conclusion->collectives, collective);
    OWNED char *who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    OWNED char *on = say_on(conclusion, stuck, collective);

    if (finding->kind == FINDING_COLLECTIVE_COMMUNICATORS)
        return format_text("%s for each other in collective operations on different communicators.", who);
    if (stuck->n > 1 && !stuck->has_outsider && count_windows(conclusion, stuck) == stuck->n)
        return format_text("%s for each other in collective operations on different windows.", who);
    if (finding->kind == FINDING_ROOTS_DIFFER && agrees)
        return format_text("%s for each other in %s%s: their roots or lengths differ.", who,
                           call_collective_shown(first->call), on);
    if (finding->kind == FINDING_ROOTS_DIFFER)
        return format_text("%s in collective operations%s, and took different ranks for the root.", who, on);
    if (finding->kind == FINDING_DEADLOCK)
        return format_text("%s for each other in a collective operation%s: they may be in different calls of it%s.",
                           who, on, *on == '\0' ? ", or on different communicators" : "");
    if (first->function == NULL && agrees && stuck->n == 1)
        return format_text("%s for each other in nonblocking collective operations%s: these, or their roots, differ.",
                           who, on);
    return format_text("%s in different collective operations%s%s.", who, on,
                       has_rooted(conclusion, collective) ? ", or took different ranks for the root" : "");
}

static void add_circle(const struct conclusion *conclusion, struct finding *finding, const struct group *group)
{
    OWNED char *circle = say_circle_of(conclusion, group->nodes[0]);

    if (circle != NULL)
        finding_add_detail(finding, format_text("Who waits for whom: %s.", circle));
}

/* Are the calls that the finding is about on the collective's communicator? */
static bool is_place_known(const struct conclusion *conclusion, const struct stuck_collectives *stuck,
                           enum finding_kind kind, size_t collective)
{
    bool is_one = stuck->n == 1 || kind == FINDING_COLLECTIVE_MISSING || kind == FINDING_COLLECTIVE_COMMUNICATORS;

    return is_one && collective_scope(conclusion->collectives, conclusion->model, collective) != SCOPE_UNKNOWN;
}

static void conclude_stuck(struct conclusion *conclusion, const struct stuck_collectives *stuck)
{
    size_t collective;
    enum finding_kind kind = find_kind(conclusion, stuck, &collective);
    struct finding *finding =
        finding_add(conclusion, kind, stuck->group->certain && kind != FINDING_DEADLOCK);

    finding_set_ranks(finding, find_stuck(conclusion, stuck, finding));
    if (is_place_known(conclusion, stuck, kind, collective))
        finding_set_communicator(finding, conclusion->collectives->operations[collective].communicator);
    if (kind == FINDING_COLLECTIVE_MISSING) {
        finding_set_causes(finding, find_causes(conclusion, stuck));
        finding->sentence = say_collective_missing(conclusion->collectives, conclusion->model, collective);
    } else {
        finding->sentence = say_differing(conclusion, finding, stuck, collective);
    }
    for (size_t i = 0; i < stuck->n; i++)
        if (stuck->collectives[i] != collective || kind != FINDING_COLLECTIVE_MISSING)
            finding_add_detail(finding, say_collective_missing(conclusion->collectives, conclusion->model,
                                                              stuck->collectives[i]));
    add_untaken(conclusion, finding, collective, is_complete(stuck));
    add_counts(conclusion, finding, collective);
    if (kind == FINDING_ROOTS_DIFFER || kind == FINDING_DEADLOCK)
        add_circle(conclusion, finding, stuck->group);
    add_places(conclusion, stuck, finding);
}

bool conclude_collectives(struct conclusion *conclusion, const struct group *group)
{
    struct stuck_collectives stuck = find_stuck_collectives(conclusion, group);

    if (stuck.n > 0)
        conclude_stuck(conclusion, &stuck);
    return stuck.any;
}
