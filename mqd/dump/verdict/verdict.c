/*
 * verdict.c - from what everybody waits for to findings.
 */
#include "mqd/dump/verdict/verdict.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/analysis.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/nonblocking.h"

/* patterns.def says what they are. */
struct pattern {
    void (*look_for)(struct conclusion *conclusion);
    enum { GROUP, ALL } where;
    enum doubt doubt;
    enum { MAY_BE_CERTAIN, NEVER_CERTAIN } proof;
};

static const struct pattern patterns[] = {
#define PATTERN(...) {__VA_ARGS__},
#include "mqd/dump/verdict/patterns.def"
#undef PATTERN
};

static void look_in_groups(struct conclusion *conclusion, const struct pattern *pattern)
{
    RELEASED_BY(graph_clear) struct graph graph = {0};

    if (pattern->doubt != DOUBT_NONE) {
        graph_build(&graph, conclusion->model, conclusion->dies_at, pattern->doubt);
        conclusion->graph = &graph;
    }
    for (uint32_t i = 0; i < conclusion->graph->n_components; i++) {
        conclusion->component = i;
        if (!conclusion->graph->leaves[i] && !conclusion->graph->never[i])
            pattern->look_for(conclusion);
    }
    conclusion->graph = &conclusion->part->graph;
}

static bool all_show_why(const struct model *model)
{
    for (size_t i = 0; i < model->n_ranks; i++)
        if (rank_is_stopped(&model->ranks[i]) || rank_is_stuck(&model->ranks[i]))
            return false;
    return true;
}

static void conclude_part(struct verdict *verdict, const struct analysis_part *part)
{
    const struct model *model = &part->model;
    struct conclusion conclusion = {
        .verdict = verdict,
        .part = part,
        .model = model,
        .dies_at = part->dies_at,
        .collectives = &part->collectives,
        .first_finding = verdict->n,
        .graph = &part->graph,
        .collective_told = allocate_array(part->collectives.n_operations + 1, sizeof *conclusion.collective_told),
        .explained = allocate_array(model->n_ranks + 1, sizeof *conclusion.explained),
        .told = allocate_array(model->n_operations + 1, sizeof *conclusion.told),
        .locked = model_find_locked(model),
        .all_show_why = all_show_why(model),
    };

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        conclusion.doubt = patterns[i].doubt;
        conclusion.is_only_possible = patterns[i].proof == NEVER_CERTAIN;
        if (patterns[i].where == GROUP)
            look_in_groups(&conclusion, &patterns[i]);
        else
            patterns[i].look_for(&conclusion);
    }
    findings_finish(&conclusion);
    FREE_ALL(conclusion.collective_told, conclusion.explained, conclusion.told, conclusion.locked);
}

void verdict_conclude(struct verdict *verdict, const struct analysis *analysis)
{
    verdict_clear(verdict);
    verdict->unclear = analysis->n_witnesses > 0 && analysis->n == 0;
    if (verdict->unclear)
        APPEND(verdict->notes, verdict->n_notes, verdict->note_room, (struct note){.kind = NOTE_NO_RANKS});
    for (size_t i = 0; i < analysis->n; i++)
        conclude_part(verdict, &analysis->parts[i]);
    findings_order(verdict);
}

void verdict_reach(struct verdict *verdict, const struct witness *witnesses, size_t n)
{
    RELEASED_BY(analysis_clear) struct analysis analysis = {0};

    analysis_make(&analysis, witnesses, n);
    verdict_conclude(verdict, &analysis);
}

void verdict_clear(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->n; i++)
        finding_free(&verdict->findings[i]);
    for (size_t i = 0; i < verdict->n_notes; i++)
        FREE_ALL(verdict->notes[i].facts.who.ranks, verdict->notes[i].facts.whom.ranks);
    FREE_ALL(verdict->findings, verdict->notes);
    *verdict = (struct verdict){0};
}
