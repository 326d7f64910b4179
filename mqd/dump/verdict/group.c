/*
 * group.c - groups of ranks that wait for each other: circles, and collective operations in which ranks are missing.
 */
#include "mqd/dump/verdict/group.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"

/* More hops of a circle, and more collective operations of a group, are not readable. */
enum { MAX_HOPS = 12, MAX_COMMUNICATORS = 8 };

struct group {
    uint32_t component;
    struct rank_set ranks;         /* ids of its ranks */
    uint32_t *nodes;               /* their indices */
    size_t n_nodes, node_room;
    bool collective;               /* some wait in a collective operation */
    bool certain;                  /* that it is stuck: what its ranks wait for is known, and not on its way */
};

/* The nodes of the group that stand for any of several ranks must be proved too. */
static bool are_proved(const struct conclusion *conclusion, uint32_t component)
{
    for (uint32_t i = 0; i < model_n_nodes(conclusion->model); i++)
        if (conclusion->graph->component[i] == component && !node_is_proved(conclusion->model, conclusion->graph, i))
            return false;
    return true;
}

static struct group find_group(const struct conclusion *conclusion, uint32_t component)
{
    struct group group = {.component = component, .certain = true};
    bool proved = are_proved(conclusion, component);

    for (uint32_t i = 0; i < conclusion->model->n_ranks; i++) {
        const struct model_rank *rank = &conclusion->model->ranks[i];

        if (conclusion->graph->component[i] != component)
            continue;
        group.nodes = grow_array(group.nodes, group.n_nodes, &group.node_room, sizeof *group.nodes);
        group.nodes[group.n_nodes++] = i;
        rank_set_add(&group.ranks, rank->id);
        group.collective |= rank->kind == CALL_COLLECTIVE;
        group.certain &= !rank->guessed;
    }
    if (group.certain && !proved && group.n_nodes > 0)
        verdict_note_once(conclusion->verdict,
                          "Messages are not counted by the library that has them: some may have been on their way.");
    group.certain &= proved;
    return group;
}

/* Finds near misses of the waits of the group's ranks, except those in collective operations. */
static void find_misses(struct conclusion *conclusion, const struct group *group, int class)
{
    const struct model *model = conclusion->model;

    for (size_t k = 0; k < group->n_nodes; k++) {
        uint32_t node = group->nodes[k];

        for (uint32_t i = conclusion->graph->first[node]; i < conclusion->graph->first[node + 1]; i++) {
            const struct wait *wait = &model->waits[conclusion->graph->edges[i].wait];
            uint32_t at = wait->operation;

            if (at != UINT32_MAX && !model->operations[at].internal && model->operations[at].class == class)
                near_misses_find(conclusion, wait, group->collective, group->certain);
        }
    }
}

/* Collectives. */

static const struct operation *collective_operation(const struct conclusion *conclusion, uint32_t rank)
{
    const struct graph *graph = conclusion->graph;

    if (conclusion->model->ranks[rank].kind != CALL_COLLECTIVE)
        return NULL;
    for (uint32_t i = graph->first[rank]; i < graph->first[rank + 1]; i++) {
        uint32_t at = conclusion->model->waits[graph->edges[i].wait].operation;

        if (at != UINT32_MAX && conclusion->model->operations[at].collective)
            return &conclusion->model->operations[at];
    }
    return NULL;
}

/* Is a rank a member of the operation's communicator? For an intercommunicator it must be on the same side. */
static bool is_member(const struct model *model, const struct operation *operation, uint32_t rank)
{
    const struct communicator *communicator = operation->communicator;
    const struct communicator *theirs = model_find_communicator(model, rank, communicator->unique_id);

    for (long i = 0; i < communicator_n_peers(communicator); i++)
        if (model_peer(model, operation->rank, communicator, i) == model->ranks[rank].id)
            return true;
    return theirs != NULL && model_same_side(model, operation->rank, communicator, rank, theirs);
}

/* Are both on the same communicator? */
static bool is_on(const struct model *model, const struct operation *operation, const struct operation *other)
{
    return operation != NULL && model_same_communicator(model, operation->rank, operation->communicator, other->rank,
                                                        other->communicator);
}

/* The ranks of a group that are at the same place, in a collective operation on the communicator, as its i-th rank. */
static struct rank_set find_companions(const struct conclusion *conclusion, const struct group *group,
                                       const struct operation *operation, size_t i, bool *told)
{
    const struct call *call = conclusion->model->ranks[group->nodes[i]].call;
    struct rank_set ranks = {0};

    for (size_t k = i; k < group->n_nodes; k++) {
        const struct model_rank *rank = &conclusion->model->ranks[group->nodes[k]];

        if (told[k] || !is_same_place(rank->call, call) ||
            !is_on(conclusion->model, collective_operation(conclusion, group->nodes[k]), operation))
            continue;
        told[k] = true;
        rank_set_add(&ranks, rank->id);
    }
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    return ranks;
}

/* "Ranks 0-2 are in MPI_Barrier (step+0x10).": one sentence for each place. Returns whether the functions differ. */
static bool add_function_details(const struct conclusion *conclusion, const struct group *group,
                                 const struct operation *operation, struct finding *finding)
{
    bool *told = allocate_array(group->n_nodes + 1, sizeof *told), differ = false;
    const char *first = NULL;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct model_rank *rank = &conclusion->model->ranks[group->nodes[i]];
        struct rank_set ranks;
        char *who, *where;

        if (told[i] || !is_on(conclusion->model, collective_operation(conclusion, group->nodes[i]), operation))
            continue;
        ranks = find_companions(conclusion, group, operation, i, told);
        who = say_ranks(conclusion, ranks.ranks, ranks.n, "is", "are");
        where = say_where(rank);
        finding_add_detail(finding, format_text("%s%s.", who, where + strcspn(where, " ")));
        differ |= first != NULL && strcmp(first, rank->call->function) != 0;
        first = rank->call->function;
        free(who);
        free(where);
        free(ranks.ranks);
    }
    free(told);
    return differ;
}

static void add_missing_details(const struct conclusion *conclusion, const struct group *group,
                                const struct operation *operation, struct finding *finding,
                                struct rank_set *missing)
{
    for (size_t i = 0; i < group->n_nodes; i++) {
        uint32_t node = group->nodes[i];
        uint32_t edge = conclusion->graph->first[node];

        if (is_on(conclusion->model, collective_operation(conclusion, node), operation) ||
            !is_member(conclusion->model, operation, node))
            continue;
        rank_set_add(missing, conclusion->model->ranks[node].id);
        finding_add_wait(conclusion, finding, &conclusion->model->waits[conclusion->graph->edges[edge].wait]);
    }
}

/* Adds a finding about the collective operation in which a rank of the group waits. */
static void conclude_collective(struct conclusion *conclusion, const struct group *group, const struct operation *first)
{
    struct finding *finding = finding_add(conclusion, FINDING_COLLECTIVE_MISSING, group->certain);
    struct rank_set inside = {0}, missing = {0};
    bool differ = add_function_details(conclusion, group, first, finding);
    char *name = say_communicator(first->communicator), *who, *others;

    add_missing_details(conclusion, group, first, finding, &missing);
    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct operation *operation = collective_operation(conclusion, group->nodes[i]);

        if (!is_on(conclusion->model, operation, first))
            continue;
        rank_set_add(&inside, conclusion->model->ranks[group->nodes[i]].id);
        finding_add_evidence(conclusion, finding, (uint32_t)(operation - conclusion->model->operations));
    }
    finding_set_ranks(finding, inside);
    finding_set_causes(finding, missing);
    finding_set_communicator(finding, first->communicator);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    others = say_rank_set(conclusion->model, finding->causes, finding->n_causes, "is", "are");
    if (differ) {
        finding->kind = FINDING_COLLECTIVES_DIFFER;
        finding->sentence = format_text("%s in different collective operations on %s.", who, name);
    } else if (finding->n_causes > 0) {
        finding->sentence = format_text("%s in a collective operation on %s, where %s missing.", who, name, others);
    } else {
        finding->kind = FINDING_DEADLOCK;
        finding->certain = false;
        finding->sentence = format_text("%s for each other in a collective operation on %s: they may be in different "
                                        "calls of it.", who, name);
    }
    free(name);
    free(who);
    free(others);
}

static void conclude_collectives(struct conclusion *conclusion, const struct group *group)
{
    const struct operation **told = allocate_array(group->n_nodes + 1, sizeof *told);
    size_t n_told = 0;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct operation *operation = collective_operation(conclusion, group->nodes[i]);
        bool known = operation == NULL;

        for (size_t k = 0; k < n_told && !known; k++)
            known = is_on(conclusion->model, operation, told[k]);
        if (known || n_told == MAX_COMMUNICATORS)
            continue;
        told[n_told++] = operation;
        conclude_collective(conclusion, group, operation);
    }
    free(told);
}

/* Circles. */

static char *join(char *first, const char *separator, char *second)
{
    char *text = format_text("%s%s%s", first, separator, second);

    free(first);
    free(second);
    return text;
}

static char *say_hop(const struct model *model, long id)
{
    return model->n_jobs == 1 ? format_text("%ld", id) : say_rank(model, id);
}

/* "0 -> 3 -> 0"; a wait for any rank leads through "anybody". */
static char *say_circle(const struct conclusion *conclusion, const uint32_t *edges, size_t n, uint32_t start)
{
    const struct model *model = conclusion->model;
    char *text = say_hop(model, model->ranks[start].id);

    for (size_t i = 0; i < n; i++) {
        uint32_t to = conclusion->graph->edges[edges[i]].to;
        bool shown = i < MAX_HOPS || i + 1 == n;

        if (to >= model->n_ranks && shown)
            text = join(text, " -> ", copy_string("anybody"));
        else if (shown)
            text = join(text, i > MAX_HOPS ? " -> ... -> " : " -> ", say_hop(model, model->ranks[to].id));
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

static void conclude_circle(struct conclusion *conclusion, struct group *group)
{
    uint32_t start = group->nodes[0], *edges;
    struct finding *finding;
    char *who, *circle;
    size_t n;

    edges = graph_circle(conclusion->graph, start, &n);
    if (edges == NULL)
        return;
    finding = finding_add(conclusion, FINDING_DEADLOCK, group->certain);
    finding_set_ranks(finding, group->ranks);
    group->ranks = (struct rank_set){0};
    add_circle_waits(conclusion, finding, edges, n);
    circle = say_circle(conclusion, edges, n, start);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits for itself", "wait for each other");
    finding->sentence = format_text("%s: %s.", who, circle);
    free(who);
    free(circle);
    free(edges);
}

static void conclude_group(struct conclusion *conclusion, uint32_t component)
{
    struct group group = find_group(conclusion, component);

    if (group.n_nodes > 0) {
        find_misses(conclusion, &group, mqs_pending_receives);
        find_misses(conclusion, &group, mqs_pending_sends);
        if (group.collective)
            conclude_collectives(conclusion, &group);
        else
            conclude_circle(conclusion, &group);
    }
    free(group.ranks.ranks);
    free(group.nodes);
}

/* A group that waits for another one too, or for a rank that is gone, is stuck for that reason. */
void conclude_groups(struct conclusion *conclusion)
{
    const struct graph *graph = conclusion->graph;

    for (uint32_t i = 0; i < graph->n_components; i++)
        if (!graph->leaves[i] && !graph->never[i])
            conclude_group(conclusion, i);
}
