/*
 * analysis.h - what the ranks of a look wait for, and who of them can get on: verdicts and pictures are made of it.
 */
#ifndef MQD_DUMP_VERDICT_ANALYSIS_H
#define MQD_DUMP_VERDICT_ANALYSIS_H

#include "mqd/dump/verdict/collective.h"
#include "mqd/dump/verdict/graph.h"

/* Of jobs that have communicators in common. */
struct analysis_part {
    struct model model;
    unsigned char *dies_at;            /* per node: as model_find_deaths has found it */
    struct graph graph;                /* the nodes that are dead whatever the others do */
    struct collectives collectives;    /* which ranks are in collective operations */
};

struct analysis {
    const struct witness *witnesses;
    size_t n_witnesses;
    struct analysis_part *parts;       /* none if it is not known of any witness which rank it is */
    size_t n;
};

/* Fills *analysis, for analysis_clear. It refers to the witnesses and to all that these refer to. */
void analysis_make(struct analysis *analysis, const struct witness *witnesses, size_t n);
void analysis_clear(struct analysis *analysis);

#endif
