/*
 * activity_phrase.h - what processes do that do not wait in MPI, as the kernel and their stacks tell.
 */
#ifndef MQD_DUMP_SHOW_SAY_ACTIVITY_PHRASE_H
#define MQD_DUMP_SHOW_SAY_ACTIVITY_PHRASE_H

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/show/say/sentence.h"

/* "has been in vfork (wait channel ...) for at least 3.1 s: ..." */
struct predicate say_stuck(const struct model_rank *rank);

/* Adds what a rank does beyond the place where it is: whether it runs, what it waits for, and how much it runs. */
void say_activity(const struct model *model, const struct model_rank *rank, struct sentences *sentences);

#endif
