/*
 * wait_picture.h - a picture of who waits for whom.
 */
#ifndef MQD_DUMP_SHOW_WAIT_PICTURE_H
#define MQD_DUMP_SHOW_WAIT_PICTURE_H

#include <stddef.h>

#include "mqd/dump/show/picture.h"
#include "mqd/dump/verdict/verdict.h"

/*
 * Draws what all witnesses wait for into a zeroed picture: what verdict_reach() concludes from. Texts are UTF-8 without
 * control characters, whatever names the target has. Ranks that are in the same state and wait for the same are one
 * node.
 */
void picture_draw(struct picture *picture, const struct witness *witnesses, size_t n);

#endif
