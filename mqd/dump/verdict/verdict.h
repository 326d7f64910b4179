/*
 * verdict.h - why a job does not get on: conclusions from what all its processes wait for.
 *
 * Nothing here touches a process. A rank is taken to be able to get on, and then to do anything, unless its stack and
 * its operations show what it waits for, and that this cannot come: so what is not known accuses nobody. Messages may
 * be on their way at any one moment, so the caller looks twice and says who has moved in between. Where that is not
 * possible, what would need it is only possible too.
 */
#ifndef MQD_DUMP_VERDICT_VERDICT_H
#define MQD_DUMP_VERDICT_VERDICT_H

#include <stddef.h>

#include "mqd/dump/verdict/finding.h"
#include "mqd/dump/verdict/witness.h"

/* Concludes from all witnesses; the verdict, zeroed or of an earlier look, refers to their `job` and nothing else. */
void verdict_reach(struct verdict *verdict, const struct witness *witnesses, size_t n);
void verdict_clear(struct verdict *verdict);

#endif
