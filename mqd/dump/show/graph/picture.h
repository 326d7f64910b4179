/*
 * picture.h - a graph of who waits for whom, for drawing.
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

/* One rank, or several with the same texts that have the same edges or are in one meeting. */
struct picture_node {
    enum picture_state state;
    char *job;
    char *who;                     /* "0-511,514": see ranks_list */
    char *what;                    /* where they are, or "" */
    const char *host;              /* the machine of a rank of a node that is not folded yet; NULL: not to be named */
    char *hosts;                   /* "on n[01-02]" of a node that is folded, and "in a row"; or "" */
    long rank;                     /* of a node that is not folded yet; -1: no rank */
    size_t n_ranks;
    size_t *witnesses;             /* positions of its processes among those that were drawn, ascending */
    size_t n_witnesses;
    bool in_row;                   /* several of which each waits for the next one */
    size_t circle;                 /* the circle of waits that it is in, from 1; 0: none */
    size_t meeting;                /* the collective call that it is in, from 1; 0: none, or it waits or is waited for in
                                      another way too */
};

struct picture_edge {
    size_t from, to;               /* positions of nodes: `from` waits for `to` */
    char *label;                   /* lines; "": nothing to be said */
    size_t n_what;                 /* of an edge that is not folded yet: how much of the label is before " on NAME" */
    bool in_circle;
    bool one_is_enough;            /* it waits for any of several */
};

struct picture {
    struct picture_node *nodes;
    size_t n_nodes, node_room;
    struct picture_edge *edges;
    size_t n_edges, edge_room;
    size_t n_circles, n_meetings;
    char **waits;                  /* what each process waits for, by its position: "recv tag 3 on solver: rank 1", or
                                      NULL; NULL: that was not asked for */
    size_t n_waits;
    char *on;                      /* "MPI_COMM_WORLD", on which all waits are and which no label has; NULL: labels do */
};

/* Releases a picture. A zeroed picture is empty. */
void picture_clear(struct picture *picture);

/* Says what each of n processes waits for. The nodes are not folded yet. */
void picture_say_waits(struct picture *picture, size_t n);

/*
 * Makes one node of the nodes that have the same texts and are in the same meeting, or have the same edges; and in a long
 * circle one of those in the middle of a row in which each waits for the next one in the same way. Edges within a meeting
 * or a row are left out. Where there are many edges, what all their labels end with is said once.
 */
void picture_fold(struct picture *picture);

#endif
