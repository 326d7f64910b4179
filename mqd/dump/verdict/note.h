/*
 * note.h - adds notes about all findings together.
 */
#ifndef MQD_DUMP_VERDICT_NOTE_H
#define MQD_DUMP_VERDICT_NOTE_H

#include "mqd/dump/verdict/conclusion.h"

/*
 * Note which ranks wait for those of the findings, and for which ranks it is not known what they wait for. Of these the
 * verdict is unclear.
 */
void note_waiting(struct conclusion *conclusion);
void note_unknown(struct conclusion *conclusion);

#endif
