/*
 * picture.h - who waits for whom, as it is drawn.
 */
#ifndef MQD_DUMP_SHOW_PICTURE_H
#define MQD_DUMP_SHOW_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

enum picture_state {
    PICTURE_STUCK,         /* it waits for what cannot come */
    PICTURE_WAITS,         /* what it waits for may come */
    PICTURE_BUSY,
    PICTURE_GONE,          /* it has ended, or left MPI */
    PICTURE_UNKNOWN,       /* it was read, but does not tell enough */
    PICTURE_NOT_READ,
    PICTURE_ANYBODY,       /* no rank: any member of a communicator */
    N_PICTURE_STATES
};

/* One rank, or several of which the same is to be said. */
struct picture_node {
    enum picture_state state;
    char *job;
    char *who;                     /* "0-511,514" */
    char *what;                    /* where they are, or "" */
    long rank;                     /* of a node that is not folded yet; -1: no rank */
    size_t n_ranks;
    size_t circle;                 /* the circle of waits that it is in, from 1; 0: none */
};

struct picture_edge {
    size_t from, to;               /* positions of nodes: `from` waits for `to` */
    char *label;                   /* lines; "": nothing to be said */
    bool in_circle;
    bool one_is_enough;            /* it waits for any of several */
};

struct picture {
    struct picture_node *nodes;
    size_t n_nodes, node_room;
    struct picture_edge *edges;
    size_t n_edges, edge_room;
    size_t n_circles;
};

/* A zeroed picture is an empty one. */
void picture_clear(struct picture *picture);

/* Makes one node of those of which the same is to be said. */
void picture_fold(struct picture *picture);

/* Nodes are added with texts that the picture takes over, edges too. Returns the node's position. */
size_t picture_add_node(struct picture *picture, struct picture_node node);
void picture_add_edge(struct picture *picture, struct picture_edge edge);

/* A text from elsewhere as UTF-8, with what cannot be printed as \xHH, for free(). */
char *picture_text(const char *text);

#endif
