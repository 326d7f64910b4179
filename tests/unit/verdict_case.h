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

struct case_lines {
    struct case_line *lines;
    size_t n, room;
};

struct verdict_case {
    const char *path;
    size_t number;                 /* of its first line */
    const char *name;
    struct case_lines job;         /* a variant has those of its case that it does not replace */
    struct case_lines expected;
};

struct verdict_cases {
    char **texts;                  /* of the files, in which all lines are */
    size_t n_texts, text_room;
    struct verdict_case *cases;
    size_t n, room;
};

/* Ends the program with a message that names the line. */
void case_error(const struct verdict_case *this, size_t number, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* Adds the cases of a file, whose path and text are kept. Release all with verdict_cases_clear. */
void verdict_cases_read(struct verdict_cases *all, const char *path);
void verdict_cases_clear(struct verdict_cases *all);

/*
 * Makes the job of dump_job.h. Returns the witnesses of the processes that are given. They, and what only they have,
 * live until the end of a test. job_end releases the rest.
 */
const struct witness *verdict_case_make(const struct verdict_case *this, size_t *n);

/* The same of lines in a text. */
void job_make(const char *lines);

#endif
