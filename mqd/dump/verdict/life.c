/*
 * life.c - which ranks can still get on. A rank that waits for one that can get on can get on too.
 */
#include "mqd/dump/verdict/life.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"

/* Waits by the node that they wait for. */
struct watchers {
    uint32_t *first;           /* of n_nodes + 1: where those of a node begin */
    uint32_t *waits;
};

static struct watchers find_watchers(const struct model *model)
{
    size_t n_nodes = model_n_nodes(model);
    struct watchers watchers = {.first = allocate_array(n_nodes + 2, sizeof *watchers.first),
                                .waits = allocate_array(model->n_waits + 1, sizeof *watchers.waits)};

    for (size_t i = 0; i < model->n_waits; i++)
        if (model->waits[i].target >= 0)
            watchers.first[model->waits[i].target + 2]++;
    for (size_t i = 2; i < n_nodes + 2; i++)
        watchers.first[i] += watchers.first[i - 1];
    for (size_t i = 0; i < model->n_waits; i++)
        if (model->waits[i].target >= 0)
            watchers.waits[watchers.first[model->waits[i].target + 1]++] = (uint32_t)i;
    return watchers;
}

/* The state of the search: how many waits of each condition are still open, and the nodes found to be live so far. */
struct spreading {
    const struct model *model;
    enum doubt doubt;
    bool *live;
    size_t *n_left;
    uint32_t *nodes;
    size_t n_nodes;
};

static void make_live(struct spreading *spreading, uint32_t node)
{
    if (spreading->live[node])
        return;
    spreading->live[node] = true;
    spreading->nodes[spreading->n_nodes++] = node;
}

/* If busy ranks do nothing, what they test for does not let them get on. */
static bool counts(const struct spreading *spreading, uint32_t owner)
{
    return owner >= spreading->model->n_ranks || !spreading->model->ranks[owner].polls ||
           spreading->doubt < DOUBT_BUSY;
}

static void satisfy(struct spreading *spreading, const struct wait *wait)
{
    const struct condition *condition = &spreading->model->conditions[wait->condition];

    if ((--spreading->n_left[wait->condition] == 0 || !condition->all) && counts(spreading, condition->owner))
        make_live(spreading, condition->owner);
}

static bool may_get_on(const struct model_rank *rank)
{
    return rank->phase == PHASE_BUSY || rank->phase == PHASE_UNKNOWN;
}

bool rank_is_stopped(const struct model_rank *rank)
{
    return may_get_on(rank) && rank->witness->stays_stopped;
}

bool rank_is_stuck(const struct model_rank *rank)
{
    return may_get_on(rank) && rank->witness->stuck;
}

static bool is_dropped(const struct model_rank *rank, enum doubt doubt)
{
    return (rank_is_stopped(rank) && doubt >= DOUBT_STOPPED) ||
           (rank_is_stuck(rank) && doubt >= DOUBT_STUCK);
}

/* May the rank do anything, whatever it waits for? */
static bool is_free(const struct model_rank *rank, enum doubt doubt)
{
    if (is_dropped(rank, doubt))
        return false;
    if (rank->phase == PHASE_BUSY)
        return doubt < (rank->polls ? DOUBT_POLLING : DOUBT_BUSY) || rank->witness->moved;
    return rank->phase == PHASE_UNKNOWN && doubt < DOUBT_ABSENT;
}

/* Is it assumed that a wait is satisfied by what no node stands for? */
static bool comes(const struct model *model, const struct wait *wait, enum doubt doubt)
{
    size_t peer = model_find_rank(model, wait->peer);

    if (wait->target != NODE_ABSENT)
        return wait->target == NODE_LIVE;
    return doubt < DOUBT_ABSENT && (peer == SIZE_MAX || !is_dropped(&model->ranks[peer], doubt));
}

bool *model_who_lives(const struct model *model, enum doubt doubt)
{
    size_t n_nodes = model_n_nodes(model);
    struct watchers watchers = find_watchers(model);
    struct spreading spreading = {.model = model, .doubt = doubt,
                                  .live = allocate_array(n_nodes + 1, sizeof *spreading.live),
                                  .n_left = allocate_array(model->n_conditions + 1, sizeof *spreading.n_left),
                                  .nodes = allocate_array(n_nodes + 1, sizeof *spreading.nodes)};

    for (size_t i = 0; i < model->n_conditions; i++)
        spreading.n_left[i] = model->conditions[i].n_waits;
    for (size_t i = 0; i < model->n_ranks; i++)
        if (is_free(&model->ranks[i], doubt))
            make_live(&spreading, (uint32_t)i);
    for (size_t i = 0; i < model->n_waits; i++)
        if (comes(model, &model->waits[i], doubt))
            satisfy(&spreading, &model->waits[i]);
    for (size_t done = 0; done < spreading.n_nodes; done++)
        for (uint32_t i = watchers.first[spreading.nodes[done]]; i < watchers.first[spreading.nodes[done] + 1]; i++)
            satisfy(&spreading, &model->waits[watchers.waits[i]]);
    free(spreading.n_left);
    free(spreading.nodes);
    free(watchers.first);
    free(watchers.waits);
    return spreading.live;
}
