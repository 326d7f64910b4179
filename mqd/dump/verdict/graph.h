/*
 * graph.h - the nodes that cannot get on, and the groups of them that wait for each other.
 */
#ifndef MQD_DUMP_VERDICT_GRAPH_H
#define MQD_DUMP_VERDICT_GRAPH_H

#include "mqd/dump/verdict/model.h"

struct edge {
    uint32_t to;                   /* node */
    uint32_t wait;
};

/* The graph of nodes that are dead at one level of doubt: an edge is a wait of one of them for another. */
struct graph {
    size_t n_nodes;
    uint32_t *first;               /* of n_nodes + 1: where the edges of a node begin */
    struct edge *edges;
    uint32_t *component;           /* of a node: the group in which everybody waits for everybody; UINT32_MAX: it lives */
    size_t n_components;
    uint32_t *members;             /* the nodes of the components, in order in each */
    uint32_t *first_member;        /* of n_components + 1: where those of a component begin */
    uint32_t *place;               /* of a node with a component: its position among the members */
    bool *leaves;                  /* of a component: it waits for another one */
    bool *never;                   /* of a component: it waits for a rank that has ended or left MPI */
};

/* `dies_at` is what model_find_deaths has found. */
void graph_build(struct graph *graph, const struct model *model, const unsigned char *dies_at, enum doubt doubt);
void graph_clear(struct graph *graph);

/*
 * Returns the shortest circle from a node back to itself: the edges in order, for free(), and their number in *n. NULL
 * if there is none.
 */
uint32_t *graph_circle(const struct graph *graph, uint32_t start, size_t *n);

#endif
