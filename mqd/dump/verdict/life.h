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
    DOUBT_STOPPED,         /* a rank that is stopped does nothing */
    DOUBT_STUCK,           /* a rank that is stuck in the kernel does nothing */
    DOUBT_POLLING,         /* a rank that only tests for messages does nothing before one of them comes */
    DOUBT_BUSY,            /* a busy rank does nothing, unless it has moved */
    DOUBT_ABSENT           /* a rank of which nothing is known does nothing */
};

/* Returns for each node whether it can still get on, for free(). */
bool *model_who_lives(const struct model *model, enum doubt doubt);

/* May the rank get on by itself as far as MPI is concerned, and is it kept from that by a stop, or by the kernel? */
bool rank_is_stopped(const struct model_rank *rank);
bool rank_is_stuck(const struct model_rank *rank);

#endif
