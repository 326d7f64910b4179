/*
 * verdict_case.h - jobs and what is to be concluded from them, as texts: tests/unit/verdicts/README says how.
 */
#ifndef VERDICT_CASE_H
#define VERDICT_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/witness.h"

struct case_line {
    char *text;
    size_t number;
};

struct verdict_case {
    const char *path;
    size_t number;                 /* of its first line */
    char *name;
    struct case_line *job;         /* a variant has those of its case that it does not replace */
    size_t n_job, job_room;
    struct case_line *expected;
    size_t n_expected, expected_room;
};

struct verdict_cases {
    struct verdict_case *cases;
    size_t n, room;
};

/* Ends the program with a message that names the line. */
void case_error(const struct verdict_case *this, size_t number, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* Adds the cases of a file, whose path is kept. Release all with verdict_cases_clear. */
void verdict_cases_read(struct verdict_cases *all, const char *path);
void verdict_cases_clear(struct verdict_cases *all);

/* Makes the job of dump_job.h. Returns the witnesses of the processes that are given; valid until job_end. */
const struct witness *verdict_case_make(const struct verdict_case *this, size_t *n);
void verdict_case_end(void);

#endif
