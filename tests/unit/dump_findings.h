/*
 * dump_findings.h - concludes from the job of dump_job.h, and says what was concluded.
 */
#ifndef DUMP_FINDINGS_H
#define DUMP_FINDINGS_H

#include <time.h>

#include "mqd/dump/show/say/explanation.h"

/* Of the last conclusion. */
extern struct explanation explanation;

/* Ends a test: the job and its explanation. */
void findings_end(void);

/* In the words of the cases of tests/unit/verdicts: "=> deadlock certain 0-3 for 4". */
const char *say_finding(const struct finding *finding);

/* Concludes. Returns all findings with what they say, and the notes, a line each. */
const char *conclude(void);

/*
 * Has it taken little time of the processor since then, as clock() tells? Fails only for what takes hundreds of times
 * as long as it should.
 */
void check_time(clock_t start);

#endif
