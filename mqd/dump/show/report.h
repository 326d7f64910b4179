/*
 * report.h - prints what is known of some processes, and what follows from it.
 */
#ifndef MQD_DUMP_REPORT_H
#define MQD_DUMP_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/source.h"
#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/graph/picture.h"
#include "mqd/dump/show/say/explanation.h"

/* Which queues are printed, and how. */
enum queue_wish {
    QUEUES_OF_FEW,                     /* none if there are many ranks */
    QUEUES_OF_ALL,                     /* of each rank; what runs on regularly is one line */
    QUEUES_WHOLE                       /* of each rank each operation */
};

/* How it is shown: as the options of these names. */
struct show_wish {
    bool json;
    bool stacks;                       /* the text has them; that they are read is wished for elsewhere */
    enum queue_wish queues;
    const char *dot, *svg, *html;      /* files for pictures and a page, "-": standard output; NULL: not asked for */
    const char *save;                  /* file for a record; the same */
};

struct report {
    const struct witness *witnesses;
    size_t n;
    const struct explanation *explanation; /* NULL: there is none */
    const struct picture *picture;     /* NULL: none is wanted */
    const struct source *sources;      /* that it rests on; processes are none */
    size_t n_sources;
    const struct record_look *const *looks;   /* that it rests on, for the page */
    size_t n_looks;
    const struct show_wish *wish;
    const struct words *questions;     /* about handles: their answers take the place of the queues; none if empty */
    bool layout;                       /* as the option of this name */
};

/* Prints and writes everything. Returns false if anything that was asked for could not be shown. */
bool report_show(const struct report *report);

#endif
