/*
 * verdict.c - from what everybody waits for to findings.
 */
#include "mqd/dump/verdict/verdict.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/analysis.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/ended.h"
#include "mqd/dump/verdict/group.h"
#include "mqd/dump/verdict/inert.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/nonblocking.h"
#include "mqd/dump/verdict/note.h"
#include "mqd/dump/verdict/order.h"
#include "mqd/dump/verdict/queue.h"

/*
 * All that can be concluded, in this order: a conclusion may build on what those before it have found. Findings are put
 * into the order of findings.def afterwards.
 */
static void (*const conclusions[])(struct conclusion *conclusion) = {
    conclude_groups,
    conclude_locked,
    conclude_order,
    near_misses_of_dependants,
    conclude_crashes,
    conclude_ended,
    conclude_early_ends,
    conclude_finalized,
    conclude_truncated,
    conclude_floods,
    conclude_stopped,
    conclude_stuck,
    conclude_polling_collectives,
    conclude_polling,
    conclude_busy,
    conclude_not_read,
    near_misses_finish,
    note_uncounted,
    note_waiting,
    note_unknown,
    note_moments,
};

static void conclude_part(struct verdict *verdict, const struct analysis_part *part)
{
    const struct model *model = &part->model;
    struct conclusion conclusion = {
        .verdict = verdict,
        .model = model,
        .first_finding = verdict->n,
        .dies_at = part->dies_at,
        .graph = &part->graph,
        .collectives = &part->collectives,
        .collective_told = allocate_array(part->collectives.n_operations + 1, sizeof *conclusion.collective_told),
        .explained = allocate_array(model->n_ranks + 1, sizeof *conclusion.explained),
        .told = allocate_array(model->n_operations + 1, sizeof *conclusion.told),
        .locked = model_find_locked(model, true),
        .surely_locked = model_find_locked(model, false),
    };

    for (size_t i = 0; i < sizeof conclusions / sizeof *conclusions; i++)
        conclusions[i](&conclusion);
    findings_name_jobs(&conclusion);
    FREE_ALL(conclusion.collective_told, conclusion.explained, conclusion.told, conclusion.locked,
             conclusion.surely_locked);
}

void verdict_conclude(struct verdict *verdict, const struct analysis *analysis)
{
    verdict_clear(verdict);
    verdict->unclear = analysis->n_witnesses > 0 && analysis->n == 0;
    if (verdict->unclear)
        verdict_note_once(verdict, "It is not known which ranks these processes are.");
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
        free(verdict->notes[i]);
    FREE_ALL(verdict->findings, verdict->notes);
    *verdict = (struct verdict){0};
}
