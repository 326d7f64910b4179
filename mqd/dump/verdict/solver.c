/*
 * solver.c - which nodes of an AND/OR graph can still get on. A rank that waits for one that can get on can get on too.
 */
#include "mqd/dump/verdict/solver.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"

static void find_watchers(struct solver *solver)
{
    const struct and_or *graph = solver->graph;

    solver->first = allocate_array(graph->n_nodes + 2, sizeof *solver->first);
    solver->watchers = allocate_array(graph->n_waits + 1, sizeof *solver->watchers);
    for (size_t i = 0; i < graph->n_waits; i++)
        if (graph->waits[i].target >= 0)
            solver->first[graph->waits[i].target + 2]++;
    for (size_t i = 2; i < graph->n_nodes + 2; i++)
        solver->first[i] += solver->first[i - 1];
    for (size_t i = 0; i < graph->n_waits; i++)
        if (graph->waits[i].target >= 0)
            solver->watchers[solver->first[graph->waits[i].target + 1]++] = (uint32_t)i;
}

void solver_start(struct solver *solver, const struct and_or *graph, unsigned char n_levels)
{
    *solver = (struct solver){.graph = graph, .level = n_levels,
                              .dies_at = allocate_array(graph->n_nodes + 1, sizeof *solver->dies_at),
                              .n_left = allocate_array(graph->n_conditions + 1, sizeof *solver->n_left),
                              .living = allocate_array(graph->n_nodes + 1, sizeof *solver->living)};
    find_watchers(solver);
    for (size_t i = 0; i < graph->n_conditions; i++)
        solver->n_left[i] = graph->conditions[i].n_waits;
}

void solver_make_live(struct solver *solver, uint32_t node)
{
    if (solver->dies_at[node] > 0)
        return;
    solver->dies_at[node] = (unsigned char)(solver->level + 1);
    solver->living[solver->n_living++] = node;
}

/* Some wait of it is satisfied. */
static void check(struct solver *solver, size_t i)
{
    const struct condition *condition = &solver->graph->conditions[i];

    if (solver->level < condition->counts_below && (!condition->all || solver->n_left[i] == 0))
        solver_make_live(solver, condition->owner);
}

void solver_satisfy(struct solver *solver, const struct wait *wait)
{
    solver->n_left[wait->condition]--;
    check(solver, wait->condition);
}

/* Conditions that count only now may have been satisfied before. */
void solver_descend(struct solver *solver, unsigned char level)
{
    solver->level = level;
    for (size_t i = 0; i < solver->graph->n_conditions; i++)
        if (solver->graph->conditions[i].counts_below == level + 1 &&
            solver->n_left[i] < solver->graph->conditions[i].n_waits)
            check(solver, i);
}

void solver_run(struct solver *solver)
{
    for (; solver->n_done < solver->n_living; solver->n_done++) {
        uint32_t node = solver->living[solver->n_done];

        for (uint32_t i = solver->first[node]; i < solver->first[node + 1]; i++)
            solver_satisfy(solver, &solver->graph->waits[solver->watchers[i]]);
    }
}

unsigned char *solver_end(struct solver *solver)
{
    free(solver->n_left);
    free(solver->first);
    free(solver->watchers);
    free(solver->living);
    return solver->dies_at;
}

/* Ranks. */

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

/* The level of doubt from which on a rank that could get on is inert, whatever it is busy with. */
static unsigned char inert_from(const struct model_rank *rank)
{
    if (rank_is_stopped(rank))
        return DOUBT_STOPPED;
    return rank_is_stuck(rank) ? DOUBT_STUCK : N_DOUBTS;
}

/* May the rank do anything, whatever it waits for? */
static bool is_free(const struct model_rank *rank, unsigned char doubt)
{
    if (doubt >= inert_from(rank))
        return false;
    if (rank->phase == PHASE_BUSY)
        return doubt < (rank->polls ? DOUBT_POLLING : DOUBT_BUSY) || rank->witness->moved;
    return rank->phase == PHASE_UNKNOWN && doubt < DOUBT_ABSENT;
}

/* The level of doubt from which on it is not assumed that a wait is satisfied by what no node stands for. */
static unsigned char is_awaited_from(const struct model *model, const struct wait *wait)
{
    unsigned char inert = N_DOUBTS;
    size_t peer;

    if (wait->target != NODE_ABSENT)
        return wait->target == NODE_LIVE ? N_DOUBTS : DOUBT_NONE;
    peer = model_find_rank(model, wait->peer);
    if (peer != SIZE_MAX)
        inert = inert_from(&model->ranks[peer]);
    return inert < DOUBT_ABSENT ? inert : DOUBT_ABSENT;
}

static void satisfy_from_outside(struct solver *solver, const struct model *model)
{
    for (size_t i = 0; i < model->n_waits; i++)
        if (model->waits[i].target < 0 && is_awaited_from(model, &model->waits[i]) == solver->level + 1)
            solver_satisfy(solver, &model->waits[i]);
}

unsigned char *model_find_deaths(const struct model *model)
{
    const struct and_or graph = {.n_nodes = model_n_nodes(model), .conditions = model->conditions,
                                 .n_conditions = model->n_conditions, .waits = model->waits, .n_waits = model->n_waits};
    struct solver solver;

    solver_start(&solver, &graph, N_DOUBTS);
    for (unsigned char level = N_DOUBTS; level-- > 0;) {
        solver_descend(&solver, level);
        for (size_t i = 0; i < model->n_ranks; i++)
            if (is_free(&model->ranks[i], level))
                solver_make_live(&solver, (uint32_t)i);
        satisfy_from_outside(&solver, model);
        solver_run(&solver);
    }
    return solver_end(&solver);
}
