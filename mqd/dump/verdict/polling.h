/*
 * polling.h - concludes that ranks which only test for messages test for what does not come.
 */
#ifndef MQD_DUMP_VERDICT_POLLING_H
#define MQD_DUMP_VERDICT_POLLING_H

#include "mqd/dump/verdict/conclusion.h"

/*
 * Adds a finding about ranks that test again and again for what nobody sends, and about those who wait for them, and
 * findings about the messages that come nearest. All of it is only possible: between two tests a program may do
 * anything.
 */
void conclude_polling(struct conclusion *conclusion);

#endif
