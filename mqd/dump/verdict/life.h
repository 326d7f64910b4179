/*
 * life.h - which ranks can still get on.
 */
#ifndef MQD_DUMP_VERDICT_LIFE_H
#define MQD_DUMP_VERDICT_LIFE_H

#include <stdbool.h>

#include "mqd/dump/verdict/model.h"

/*
 * Returns for each node whether it can still get on, for free(). With busy_live a busy rank is assumed to do what
 * others wait for sooner or later; without it only if the rank has moved. With absent_live the same is assumed of ranks
 * of which nothing is known.
 */
bool *model_who_lives(const struct model *model, bool busy_live, bool absent_live);

#endif
