/*
 * verdict.h - why a job does not get on: conclusions from what all its processes wait for.
 *
 * Nothing here touches a process. A rank is stuck only if its stack and its operations show what it waits for, and that
 * this cannot come. Every other rank is assumed to get on, and then to do anything: what is not known never makes a
 * rank stuck. At any one moment messages may be on their way. So the caller looks twice and says which ranks have moved
 * in between. Where only one look is possible, findings that need two are only possible.
 */
#ifndef MQD_DUMP_VERDICT_VERDICT_H
#define MQD_DUMP_VERDICT_VERDICT_H

#include <stddef.h>

#include "mqd/dump/record/witness.h"
#include "mqd/dump/verdict/finding.h"

struct analysis;

/*
 * Fills the verdict with conclusions from an analysis, or from one of the witnesses that is not kept: then facts and
 * notes are not to be read. Before, *verdict is zeroed or has the verdict of an earlier look. All else refers to the
 * witnesses' `job`, and to nothing else of them.
 */
void verdict_conclude(struct verdict *verdict, const struct analysis *analysis);
void verdict_reach(struct verdict *verdict, const struct witness *witnesses, size_t n);
void verdict_clear(struct verdict *verdict);

#endif
