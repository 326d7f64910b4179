/*
 * analysis.c - what the ranks of a look wait for, and who of them can get on.
 */
#include "mqd/dump/verdict/analysis.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/solver.h"
#include "mqd/dump/verdict/wait.h"

static void analyse_connected_jobs(struct analysis_part *part, const struct rank_claim *claims, size_t n)
{
    model_build(&part->model, claims, n);
    model_find_waits(&part->model);
    model_find_polling(&part->model);
    model_find_proved_idle(&part->model);
    part->dies_at = model_find_deaths(&part->model);
    graph_build(&part->graph, &part->model, part->dies_at, DOUBT_NONE);
    attendances_find(&part->attendances, &part->model);
}

void analysis_make(struct analysis *analysis, const struct witness *witnesses, size_t n)
{
    size_t n_claims, end;
    struct rank_claim *claims = rank_claims_take(witnesses, n, &n_claims);

    *analysis = (struct analysis){.witnesses = witnesses, .n_witnesses = n};
    for (size_t i = 0; i < n_claims; i = end) {
        end = rank_claims_end(claims, n_claims, i);
        analysis->parts = grow_array(analysis->parts, analysis->n, &analysis->room, sizeof *analysis->parts);
        analyse_connected_jobs(&analysis->parts[analysis->n++], &claims[i], end - i);
    }
    free(claims);
}

void analysis_clear(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->n; i++) {
        graph_clear(&analysis->parts[i].graph);
        attendances_clear(&analysis->parts[i].attendances);
        free(analysis->parts[i].dies_at);
        model_clear(&analysis->parts[i].model);
    }
    free(analysis->parts);
    *analysis = (struct analysis){0};
}
