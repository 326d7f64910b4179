/*
 * graph.h - the nodes that cannot get on, and the groups of them that wait for each other.
 */
#ifndef MQD_DUMP_VERDICT_GRAPH_H
#define MQD_DUMP_VERDICT_GRAPH_H

#include <stdbool.h>

#include "mqd/dump/base/buckets.h"
#include "mqd/dump/verdict/model.h"

/* The graph of nodes that are dead at one level of doubt: an edge is a wait of one of them for another. */
struct graph {
    const struct model *model;
    size_t n_nodes;
    uint32_t *first;               /* of n_nodes + 1: where the edges of a node begin */
    uint32_t *edges;               /* the wait of each */
    uint32_t *component;           /* of a node: the group in which everybody waits for everybody; UINT32_MAX: it lives */
    size_t n_components;
    uint32_t *members;             /* the nodes of the components, in order in each */
    uint32_t *first_member;        /* of n_components + 1: where those of a component begin */
    uint32_t *place;               /* of a node with a component: its position among the members */
    bool *leaves;                  /* of a component: it waits for another one */
    bool *never;                   /* of a component: it waits for a rank that has ended or left MPI */
};

/* Where an edge leads. */
static inline uint32_t edge_to(const struct graph *graph, size_t edge)
{
    return (uint32_t)graph->model->waits[graph->edges[edge]].target;
}

/* `dies_at` is what model_find_deaths has found. */
void graph_build(struct graph *graph, const struct model *model, const unsigned char *dies_at, enum doubt doubt);
void graph_clear(struct graph *graph);

/*
 * Returns the shortest circle from a node back to itself: the waits in order, for free(), and their number in *n. NULL
 * if there is none.
 */
uint32_t *graph_circle(const struct graph *graph, uint32_t start, size_t *n);

/*
 * Nodes, each of which lives if one of its conditions is met: by all of its waits, or by one. What lives at one level
 * lives at all lower ones: lives_below says of a node, and met_below of a wait for none, from where on they do by
 * themselves.
 */
struct and_or {
    size_t n_nodes;
    const struct condition *conditions;
    size_t n_conditions;
    const struct wait *waits;
    size_t n_waits;
    const void *of;                /* the caller's, for these: */
    unsigned char (*lives_below)(const void *of, uint32_t node);
    unsigned char (*met_below)(const void *of, const struct wait *wait);
};

/*
 * Finds the least set of nodes that live, level by level. Returns for each node the level at which it dies, for free():
 * it lives at lower ones. The time is linear in the graph.
 */
unsigned char *and_or_solve(const struct and_or *graph, unsigned char n_levels);

/*
 * Returns for each node of the model the level of doubt at which it dies, for free(): at lower ones it can still get on.
 * N_DOUBTS: it can get on whatever is assumed.
 */
unsigned char *model_find_deaths(const struct model *model);

/* May the rank get on by itself as far as MPI is concerned, and is it kept from that by a stop, or by the kernel? */
bool rank_is_stopped(const struct model_rank *rank);
bool rank_is_stuck(const struct model_rank *rank);

#endif
