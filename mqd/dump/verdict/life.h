/*
 * life.h - which ranks can still get on.
 */
#ifndef MQD_DUMP_VERDICT_LIFE_H
#define MQD_DUMP_VERDICT_LIFE_H

#include <stdbool.h>

#include "mqd/dump/verdict/model.h"

/* What ranks of which nothing certain is known are assumed to do. Each includes those before. */
enum doubt {
    DOUBT_NONE,            /* all of them do, sooner or later, what others wait for */
    DOUBT_POLLING,         /* a rank that only tests for messages does nothing before one of them comes */
    DOUBT_BUSY,            /* a busy rank does nothing, unless it has moved */
    DOUBT_ABSENT           /* a rank of which nothing is known does nothing */
};

/* Returns for each node whether it can still get on, for free(). */
bool *model_who_lives(const struct model *model, enum doubt doubt);

#endif
