/*
 * wait_picture.h - makes a picture of who waits for whom.
 */
#ifndef MQD_DUMP_SHOW_WAIT_PICTURE_H
#define MQD_DUMP_SHOW_WAIT_PICTURE_H

#include <stddef.h>

#include "mqd/dump/show/graph/picture.h"
#include "mqd/dump/verdict/analysis.h"

/*
 * Puts into a zeroed picture what all witnesses of an analysis wait for. Texts are UTF-8
 * without control characters, whatever names the target has. Ranks in the same state that wait for the same are one
 * node.
 */
void picture_draw(struct picture *picture, const struct analysis *analysis);

#endif
