/*
 * phase.h - whether a rank may get on by itself, as its calls and its threads show.
 */
#ifndef MQD_DUMP_VERDICT_PHASE_H
#define MQD_DUMP_VERDICT_PHASE_H

#include "mqd/dump/verdict/model.h"

/*
 * Fills what a rank of a model has from its calls and threads. The phase is that of the rank alone: whether what it
 * waits for is known is found later. phases_clear releases the threads.
 */
void phases_find(struct model *model);
void phases_clear(struct model *model);

#endif
