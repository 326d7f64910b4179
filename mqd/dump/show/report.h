/*
 * report.h - prints what is known of some processes, and what follows from it.
 */
#ifndef MQD_DUMP_REPORT_H
#define MQD_DUMP_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/header.h"
#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/graph/picture.h"
#include "mqd/dump/show/text/source.h"
#include "mqd/dump/verdict/verdict.h"

/* Which queues are printed, and how. */
enum queue_wish {
    QUEUES_OF_FEW,                     /* none if there are many ranks */
    QUEUES_OF_ALL,                     /* of each rank; what runs on regularly is one line */
    QUEUES_WHOLE                       /* of each rank each operation */
};

struct report {
    const struct witness *witnesses;
    size_t n;
    const struct verdict *verdict;     /* NULL: there is none */
    const struct picture *picture;     /* NULL: none is wanted */
    struct source *sources;            /* that it rests on; processes are none */
    size_t n_sources;
    bool json, layout, stacks;         /* as the options of these names */
    enum queue_wish queues;
    const char *dot, *svg;             /* files for the picture; NULL: not asked for */
    const char *html;                  /* file for a page, if there is a picture; NULL: the same */
    const struct record_look *const *looks;   /* that it rests on, for the page */
    size_t n_looks;
    bool stdout_taken;                 /* something else is written to standard output */
};

/* Is standard output meant? */
bool is_standard_output(const char *path);

/* Writes all buffered output. False, with a message, if that fails. */
bool flush_output(void);

/* Says on standard error, safe for a terminal, why something failed. Frees the reason. */
void report_failure(char *why);

/* Prints and writes everything. Returns false if anything that was asked for could not be shown. */
bool report_show(const struct report *report);

#endif
