/*
 * picture_layout.h - where the boxes and arrows of a picture are.
 */
#ifndef MQD_DUMP_SHOW_PICTURE_LAYOUT_H
#define MQD_DUMP_SHOW_PICTURE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/show/graph/picture.h"

/* In pixels. */
enum { BOX_WIDTH = 156, BOX_HEIGHT = 70, MARGIN = 40 };

struct picture_layout {
    const struct picture *picture;
    bool *drawn;                   /* of each node; the others are too many */
    double *x, *y;                 /* of the middle of each box */
    size_t *depth;                 /* the length of the chain of waits from a node to its end; 0: in a circle */
    size_t deepest;
    double width;
    double top;                    /* the vertical position below all boxes */
};

/* The picture must outlive the layout. Release it with picture_layout_clear. */
struct picture_layout picture_layout_make(const struct picture *picture);
void picture_layout_clear(struct picture_layout *layout);

/* Are both ends of an edge drawn? */
bool picture_layout_has(const struct picture_layout *layout, const struct picture_edge *edge);

/* A quadratic curve: start, control point and end. */
struct curve {
    double x[3], y[3];
};
struct curve picture_layout_curve(const struct picture_layout *layout, const struct picture_edge *edge);

#endif
