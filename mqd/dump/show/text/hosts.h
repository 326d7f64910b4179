/*
 * hosts.h - the machines that a report rests on: which were looked at and when, and of which not all is known, and why.
 */
#ifndef MQD_DUMP_SHOW_HOSTS_H
#define MQD_DUMP_SHOW_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/text/source.h"
#include "mqd/dump/verdict/verdict.h"

/* Are the looks of several machines, or taken just now, and not in files? Else each record is told of (source.h). */
bool hosts_are_told(const struct source *sources, size_t n);

/*
 * Prints one paragraph about the machines that were looked at, and one for all of which the same is to be said, at most
 * a screen; and an empty line. The witnesses' looks are positions of sources.
 */
void hosts_print(FILE *to, const struct source *sources, size_t n, const struct witness *witnesses, size_t n_witnesses);

/* The member "hosts" with a comma before it, if hosts_are_told. */
void hosts_json(FILE *to, const struct source *sources, size_t n);

/* Adds to the verdict that ranks of some machines may be missing: of those that have a problem and no rank with one. */
void hosts_doubt(const struct source *sources, size_t n, const struct witness *witnesses, size_t n_witnesses,
                 struct verdict *verdict);

#endif
