/*
 * life.h - who can still get on.
 */
#ifndef MQD_DUMP_VERDICT_LIFE_H
#define MQD_DUMP_VERDICT_LIFE_H

#include <stdbool.h>

#include "mqd/dump/verdict/model.h"

/*
 * Of each node, whether it can still get on, for free(): assuming that those that are busy will sooner or later do what
 * others wait for, or not unless they have moved; and that those will of which nothing is known, or not.
 */
bool *model_who_lives(const struct model *model, bool busy_live, bool absent_live);

#endif
