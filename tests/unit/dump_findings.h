/*
 * dump_findings.h - concludes from the job of dump_job.h, and compares the verdict with what it should say.
 */
#ifndef DUMP_FINDINGS_H
#define DUMP_FINDINGS_H

#include <time.h>

#include "mqd/dump/verdict/verdict.h"

/* Of the last check. */
extern struct verdict verdict;

/* Ends a test: the job and its verdict. */
int findings_end(void **state);

struct expected {
    enum finding_kind kind;
    bool certain;
    const char *ranks, *causes;
};

/* All findings in their order: kinds, certainty, ranks and causes. Every text must be a sentence. */
void check_findings(const struct expected *expected, size_t n);
#define CHECK(...) check_findings((const struct expected[]){__VA_ARGS__}, \
                         sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))
void check_nothing(void);

/* Does the i-th finding say this; do the notes? */
void check_says(size_t finding, const char *text);
void check_note(const char *text);

/*
 * Has it taken at most a second since then, as clock() tells? Of the processor: what else the machine does takes none of
 * it.
 */
void check_time(clock_t start);

void check_ranks(const char *what, const long *ranks, size_t n, const char *expected);

#endif
