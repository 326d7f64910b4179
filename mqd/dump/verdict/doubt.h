/*
 * doubt.h - what one look at cores leaves open.
 */
#ifndef MQD_DUMP_VERDICT_DOUBT_H
#define MQD_DUMP_VERDICT_DOUBT_H

#include <stddef.h>

#include "mqd/dump/verdict/conclusion.h"

/*
 * Calls only possible what was concluded from ranks that were looked at once, from the finding `first` on, if it cannot
 * be told whether there were messages on their way; and a note if what they say is of different moments.
 */
void doubt_findings(struct conclusion *conclusion, size_t first);
void note_moments(struct conclusion *conclusion);

#endif
