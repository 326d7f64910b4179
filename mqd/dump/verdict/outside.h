/*
 * outside.h - what a rank does that does not wait in MPI, as sentences.
 */
#ifndef MQD_DUMP_VERDICT_OUTSIDE_H
#define MQD_DUMP_VERDICT_OUTSIDE_H

#include "mqd/dump/verdict/conclusion.h"

/* All texts are for free(). */

/* Of a rank that is stuck in the kernel: "has been in vfork (wait channel ...) for at least 3.1 s: ...". */
char *say_stuck(const struct model_rank *rank);

/*
 * Adds to a finding what the kernel and the stacks tell of a rank beyond the place where it is: whether it runs, what it
 * waits for, and how much of a processor it uses.
 */
void finding_add_activity(const struct conclusion *conclusion, struct finding *finding, uint32_t rank);

#endif
