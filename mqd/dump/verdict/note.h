/*
 * note.h - what is said of all findings together.
 */
#ifndef MQD_DUMP_VERDICT_NOTE_H
#define MQD_DUMP_VERDICT_NOTE_H

#include "mqd/dump/verdict/conclusion.h"

/* Notes which ranks wait for those of the findings, and of which ranks it is not known what they wait for. */
void note_waiting(struct conclusion *conclusion);
void note_unknown(struct conclusion *conclusion);

#endif
