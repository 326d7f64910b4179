/*
 * picture_svg.h - a picture as a drawing of its own.
 */
#ifndef MQD_DUMP_SHOW_PICTURE_SVG_H
#define MQD_DUMP_SHOW_PICTURE_SVG_H

#include <stdio.h>

#include "mqd/dump/show/picture.h"

void picture_print_svg(FILE *to, const struct picture *picture);

#endif
