/*
 * group.c - groups of ranks that wait for each other.
 */
#include "mqd/dump/verdict/group.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/stuck_group.h"

/* The nodes of the group that stand for any of several ranks must be proved too. */
static bool are_proved(const struct conclusion *conclusion, uint32_t component)
{
    const struct graph *graph = conclusion->graph;

    for (uint32_t i = graph->first_member[component]; i < graph->first_member[component + 1]; i++)
        if (!node_is_proved(conclusion->model, graph, graph->members[i]))
            return false;
    return true;
}

/* Else note.c says what is not known. */
static bool are_known(const struct conclusion *conclusion, uint32_t component)
{
    const struct graph *graph = conclusion->graph;

    for (uint32_t i = graph->first_member[component]; i < graph->first_member[component + 1]; i++) {
        uint32_t node = graph->members[i];

        for (uint32_t k = graph->first[node]; k < graph->first[node + 1]; k++)
            if (!wait_is_known(conclusion->model, &conclusion->model->waits[graph->edges[k].wait]))
                return false;
    }
    return true;
}

static int compare_ranks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return ORDER(x, y);
}

/*
 * The ranks that belong to the group themselves, or by their part of a nonblocking operation, without which they are
 * stuck; in order, for free().
 */
static uint32_t *find_ranks(const struct conclusion *conclusion, uint32_t component, size_t *n)
{
    const struct graph *graph = conclusion->graph;
    const struct model *model = conclusion->model;
    uint32_t first = graph->first_member[component], end = graph->first_member[component + 1];
    uint32_t *ranks = allocate_array(end - first, sizeof *ranks);
    size_t n_found = 0;

    for (uint32_t i = first; i < end; i++) {
        uint32_t node = graph->members[i];
        const struct virtual_node *part = node >= model->n_ranks ? &model->virtuals[node - model->n_ranks] : NULL;

        if (part == NULL)
            ranks[n_found++] = node;
        else if (part->is_part && !lives(conclusion, part->rank))
            ranks[n_found++] = (uint32_t)part->rank;
    }
    SORT(ranks, n_found, compare_ranks);
    *n = 0;
    for (size_t i = 0; i < n_found; i++)
        if (*n == 0 || ranks[*n - 1] != ranks[i])
            ranks[(*n)++] = ranks[i];
    return ranks;
}

static struct group find_group(const struct conclusion *conclusion, uint32_t component, bool certain)
{
    struct group group = {.component = component, .certain = certain};
    bool proved = are_proved(conclusion, component);

    group.nodes = find_ranks(conclusion, component, &group.n_nodes);
    for (size_t i = 0; i < group.n_nodes; i++) {
        const struct model_rank *rank = &conclusion->model->ranks[group.nodes[i]];

        rank_set_add(&group.ranks, rank->id);
        group.collective |= rank->kind == CALL_COLLECTIVE || participates_in_any(conclusion->collectives, group.nodes[i]);
        group.certain &= !rank->guessed;
        if (rank->kind == CALL_WINDOW && !group.in_window)
            group.start = (uint32_t)i;
        group.in_window |= rank->kind == CALL_WINDOW;
    }
    if (group.certain && !proved && group.n_nodes > 0 && are_known(conclusion, component))
        verdict_note_once(conclusion->verdict,
                          group.in_window
                              ? "Calls on windows are not counted: ranks may have made some between the looks."
                              : "Messages are not counted by the library that has them: some may have been on their "
                                "way.");
    group.certain &= proved;
    return group;
}

/* Do ranks wait in collective operations, others in windows, and others for messages? Then none of this is the cause. */
static bool is_mixed(const struct conclusion *conclusion, const struct group *group)
{
    bool other = false;

    for (size_t i = 0; i < group->n_nodes; i++)
        other |= conclusion->model->ranks[group->nodes[i]].kind != CALL_WINDOW &&
                 !participates_in_any(conclusion->collectives, group->nodes[i]);
    return other && group->in_window && group->collective;
}

/* Finds near misses of the waits of the group's ranks, except those in collective operations. */
static void find_misses(struct conclusion *conclusion, const struct group *group, bool mixed, int class)
{
    const struct model *model = conclusion->model;

    for (size_t k = 0; k < group->n_nodes; k++) {
        uint32_t node = group->nodes[k];

        if (conclusion->graph->component[node] != group->component)
            continue;
        for (uint32_t i = conclusion->graph->first[node]; i < conclusion->graph->first[node + 1]; i++) {
            const struct wait *wait = &model->waits[conclusion->graph->edges[i].wait];
            uint32_t at = wait->operation;

            if (at != UINT32_MAX && !model->operations[at].internal && model->operations[at].class == class)
                near_misses_find(conclusion, wait, group->collective && !mixed, group->certain);
        }
    }
}

static void conclude_group(struct conclusion *conclusion, uint32_t component)
{
    struct group group = find_group(conclusion, component, true);

    if (group.n_nodes > 0) {
        bool mixed = is_mixed(conclusion, &group);

        find_misses(conclusion, &group, mixed, mqs_pending_receives);
        find_misses(conclusion, &group, mixed, mqs_pending_sends);
        if (mixed || !conclude_collectives(conclusion, &group))
            conclude_circle(conclusion, &group);
    }
    FREE_ALL(group.ranks.ranks, group.nodes);
}

/* A group that waits for another one too, or for a rank that is gone, is stuck for that reason. */
void conclude_groups(struct conclusion *conclusion)
{
    const struct graph *graph = conclusion->graph;

    for (uint32_t i = 0; i < graph->n_components; i++)
        if (!graph->leaves[i] && !graph->never[i])
            conclude_group(conclusion, i);
}

/*
 * Are there ranks that test, and is this known of all that may? One that may compute instead does not refute that
 * another one, which waits for something else, has not come to an operation.
 */
static bool has_polling(const struct conclusion *conclusion, const struct group *group)
{
    bool polls = false, aside = false, has_outsider = false;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct model_rank *rank = &conclusion->model->ranks[group->nodes[i]];

        aside |= rank->aside;
        polls |= rank->polls;
        has_outsider |= !rank->polls && !participates_in_any(conclusion->collectives, group->nodes[i]);
    }
    return polls && (!aside || has_outsider);
}

/* Is there a rank that does nothing for another reason? Others may wait for it, and the graph does not show it. */
static bool has_dropped(const struct model *model)
{
    for (size_t i = 0; i < model->n_ranks; i++)
        if (rank_is_stopped(&model->ranks[i]) || rank_is_stuck(&model->ranks[i]))
            return true;
    return false;
}

/* A rank that waits there, but for which nobody waits, is stuck for the same reason. */
static void explain(const struct conclusion *conclusion, const struct group *group)
{
    for (size_t i = 0; i < group->n_nodes; i++)
        conclusion->explained[group->nodes[i]] = true;
    for (size_t i = 0; i < conclusion->collectives->n; i++)
        if (conclusion->collective_told[conclusion->collectives->all[i].collective])
            conclusion->explained[conclusion->collectives->all[i].rank] = true;
}

static void conclude_polling_group(struct conclusion *conclusion, uint32_t component)
{
    struct group group = find_group(conclusion, component, false);
    size_t n = conclusion->verdict->n;

    if (has_polling(conclusion, &group) && conclude_collectives(conclusion, &group))
        explain(conclusion, &group);
    for (; n < conclusion->verdict->n; n++)
        conclusion->verdict->findings[n].refutable_by_waiting = true;
    FREE_ALL(group.ranks.ranks, group.nodes);
}

/* Ranks that only test for messages may do something else as well: nothing is certain of them. */
void conclude_polling_collectives(struct conclusion *conclusion)
{
    const struct graph *true_graph = conclusion->graph;
    RELEASED_BY(graph_clear) struct graph graph = {0};

    if (has_dropped(conclusion->model))
        return;
    graph_build(&graph, conclusion->model, conclusion->dies_at, DOUBT_POLLING);
    conclusion->graph = &graph;
    conclusion->doubt = DOUBT_POLLING;
    for (uint32_t i = 0; i < graph.n_components; i++)
        if (!graph.leaves[i] && !graph.never[i])
            conclude_polling_group(conclusion, i);
    conclusion->graph = true_graph;
    conclusion->doubt = DOUBT_NONE;
}
