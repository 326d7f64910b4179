/*
 * picture_dot.h - a picture for Graphviz.
 */
#ifndef MQD_DUMP_SHOW_PICTURE_DOT_H
#define MQD_DUMP_SHOW_PICTURE_DOT_H

#include <stdio.h>

#include "mqd/dump/show/graph/picture.h"

void picture_print_dot(FILE *to, const struct picture *picture);

#endif
