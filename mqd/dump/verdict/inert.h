/*
 * inert.h - concludes that ranks are kept from running: by a stop, or by a system call that does not return.
 */
#ifndef MQD_DUMP_VERDICT_INERT_H
#define MQD_DUMP_VERDICT_INERT_H

#include "mqd/dump/verdict/conclusion.h"

void conclude_stopped(struct conclusion *conclusion);
void conclude_stuck(struct conclusion *conclusion);

/* Add a finding about ranks that wait for busy ranks, and one about those that wait for ranks that were not read. */
void conclude_busy(struct conclusion *conclusion);
void conclude_not_read(struct conclusion *conclusion);

/*
 * Adds a finding about ranks that test again and again for what nobody sends, and about those who wait for them, and
 * findings about the messages that come nearest. All of it is only possible: between two tests a program may do
 * anything.
 */
void conclude_polling(struct conclusion *conclusion);

#endif
