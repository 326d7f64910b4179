/*
 * solver.h - which nodes of an AND/OR graph can still get on.
 */
#ifndef MQD_DUMP_VERDICT_SOLVER_H
#define MQD_DUMP_VERDICT_SOLVER_H

#include <stdbool.h>

#include "mqd/dump/verdict/model.h"

/* Nodes, each of which lives if one of its conditions is met: by all of its waits, or by one. */
struct and_or {
    size_t n_nodes;
    const struct condition *conditions;
    size_t n_conditions;
    const struct wait *waits;
    size_t n_waits;
};

/*
 * Finds the least set of nodes that live, level by level: what lives at one level lives at all lower ones. The time is
 * linear in the graph. solver_start makes nothing live, at a level above all others. solver_descend goes to a lower
 * level; solver_make_live and solver_satisfy make a node live and a wait satisfied from there on, and solver_run all
 * that follows. solver_end returns for each node the level at which it dies: it lives at lower ones. For free().
 */
struct solver {
    const struct and_or *graph;
    unsigned char level;
    unsigned char *dies_at;
    size_t *n_left;                /* per condition: waits that are not satisfied */
    uint32_t *first, *watchers;    /* the waits for each node, and where those of a node begin */
    uint32_t *living;              /* nodes */
    size_t n_living, n_done;       /* of these n_done have satisfied who waits for them */
};
void solver_start(struct solver *solver, const struct and_or *graph, unsigned char n_levels);
void solver_descend(struct solver *solver, unsigned char level);
void solver_make_live(struct solver *solver, uint32_t node);
void solver_satisfy(struct solver *solver, const struct wait *wait);
void solver_run(struct solver *solver);
unsigned char *solver_end(struct solver *solver);

/*
 * Returns for each node of the model the level of doubt at which it dies, for free(): at lower ones it can still get on.
 * N_DOUBTS: it can get on whatever is assumed.
 */
unsigned char *model_find_deaths(const struct model *model);

/* May the rank get on by itself as far as MPI is concerned, and is it kept from that by a stop, or by the kernel? */
bool rank_is_stopped(const struct model_rank *rank);
bool rank_is_stuck(const struct model_rank *rank);

#endif
