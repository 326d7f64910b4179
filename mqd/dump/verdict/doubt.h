/*
 * doubt.h - what cannot be certain because not all ranks were looked at together.
 */
#ifndef MQD_DUMP_VERDICT_DOUBT_H
#define MQD_DUMP_VERDICT_DOUBT_H

#include <stddef.h>

#include "mqd/dump/verdict/conclusion.h"

/*
 * Add notes: that findings are only possible because it is not known whether messages were on their way; and that cores,
 * or looks at several machines, are of different moments.
 */
void note_uncounted(struct conclusion *conclusion);
void note_moments(struct conclusion *conclusion);

#endif
