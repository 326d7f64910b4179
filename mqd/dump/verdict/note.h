/*
 * note.h - adds notes about all findings together.
 */
#ifndef MQD_DUMP_VERDICT_NOTE_H
#define MQD_DUMP_VERDICT_NOTE_H

#include <stddef.h>

#include "mqd/dump/verdict/conclusion.h"

/*
 * Note which ranks wait for those of the findings, and for which ranks it is not known what they wait for. Of these the
 * verdict is unclear.
 */
void note_waiting(struct conclusion *conclusion);
void note_unknown(struct conclusion *conclusion);

/*
 * Add notes: that findings are only possible because it is not known whether messages were on their way; and that cores,
 * or looks at several machines, are of different moments.
 */
void note_uncounted(struct conclusion *conclusion);
void note_moments(struct conclusion *conclusion);

#endif
