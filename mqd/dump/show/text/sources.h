/*
 * sources.h - the looks that a report rests on, for people: of machines which were looked at and when, and of which not
 * all is known, and why; else each record.
 */
#ifndef MQD_DUMP_SHOW_SOURCES_H
#define MQD_DUMP_SHOW_SOURCES_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/record/source.h"
#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/say/explanation.h"

/*
 * If sources_are_hosts, prints one paragraph about the machines that were looked at, and one for all of which the same
 * is to be said, at most a screen; else one for each source. Then an empty line. The witnesses' looks are positions of
 * sources.
 */
void sources_print(FILE *to, const struct source *sources, size_t n, const struct witness *witnesses,
                   size_t n_witnesses);

/*
 * Adds to the explanation what is not whole, and that ranks may be missing. Not of a look that was taken just now on this
 * machine, which has no sources: which processes are missing is known, they are there with a reason.
 */
void sources_doubt(const struct source *sources, size_t n, const struct witness *witnesses, size_t n_witnesses,
                   struct explanation *explanation);

#endif
