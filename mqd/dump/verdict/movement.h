/*
 * movement.h - what a process has done between two looks.
 */
#ifndef MQD_DUMP_VERDICT_MOVEMENT_H
#define MQD_DUMP_VERDICT_MOVEMENT_H

#include <stdbool.h>

#include "mqd/dump/verdict/witness.h"

/*
 * Has the process done something between two looks? What it computes outside of MPI does not count, nor does asking
 * again whether there is a message.
 */
bool witness_has_moved(const struct witness *before, const struct witness *after);

#endif
