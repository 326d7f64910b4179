/*
 * doubt.h - what cannot be certain because cores show one moment only.
 */
#ifndef MQD_DUMP_VERDICT_DOUBT_H
#define MQD_DUMP_VERDICT_DOUBT_H

#include <stddef.h>

#include "mqd/dump/verdict/conclusion.h"

/*
 * Marks findings, from the finding `first` on, as only possible if they rest on ranks that were looked at once and it
 * is not known whether messages were on their way. Adds a note if the cores of the ranks are of different moments.
 */
void doubt_findings(struct conclusion *conclusion, size_t first);
void note_moments(struct conclusion *conclusion);

#endif
