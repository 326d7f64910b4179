/*
 * history_findings.h - which findings came and went, in what several looks show together. A part of the history.
 */
#ifndef MQD_DUMP_SHOW_HISTORY_FINDINGS_H
#define MQD_DUMP_SHOW_HISTORY_FINDINGS_H

#include <stdbool.h>

#include "mqd/dump/show/watch/watched.h"
#include "mqd/dump/verdict/verdict.h"

/* Adds the findings of a look that has just ended, whose ranks the history has already, as for history_add. */
void history_add_findings(struct history *history, const struct verdict *verdict, bool whole, double now);

void history_clear_findings(struct history *history);

#endif
