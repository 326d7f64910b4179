/*
 * picture_svg.h - who waits for whom, as a drawing, and for Graphviz.
 */
#ifndef MQD_DUMP_SHOW_PICTURE_SVG_H
#define MQD_DUMP_SHOW_PICTURE_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "mqd/dump/show/graph/picture.h"
#include "mqd/dump/show/graph/picture_layout.h"

/* Prints a picture as SVG, and for Graphviz. */
void picture_print_svg(FILE *to, const struct picture *picture);
void picture_print_dot(FILE *to, const struct picture *picture);

/* Parts of it, for a page. */

/* What is known of each node. */
struct picture_marks {
    char *const *rows;             /* of the page's table, as ranges */
    char *const *causes;           /* those of them that a finding names as causes */
};

/* Prints boxes, arrows and labels. Without marks boxes do not say which ranks they are. */
void picture_print_drawing(FILE *to, const struct picture_layout *layout, const struct picture_marks *marks);

/* Prints the markers that its arrows have. */
void picture_print_arrowheads(FILE *to);

/* What is not drawn, for free(); NULL: nothing. */
char *picture_say_rest(const struct picture_layout *layout);

/* The state of a node in a word. */
const char *picture_state_word(enum picture_state state);

#endif
