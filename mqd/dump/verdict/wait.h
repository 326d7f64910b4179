/*
 * wait.h - who waits for what.
 */
#ifndef MQD_DUMP_VERDICT_WAIT_H
#define MQD_DUMP_VERDICT_WAIT_H

#include "mqd/dump/verdict/model.h"

/* Adds to the model what each rank waits for. */
void model_find_waits(struct model *model);

/* Adds what ranks that only test for messages test for. Comes after model_find_waits. */
void model_find_polling(struct model *model);

#endif
