/*
 * verdict.c - from what everybody waits for to findings.
 */
#include "mqd/dump/verdict/verdict.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/crash.h"
#include "mqd/dump/verdict/dependants.h"
#include "mqd/dump/verdict/doubt.h"
#include "mqd/dump/verdict/ended.h"
#include "mqd/dump/verdict/group.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/nonblocking.h"
#include "mqd/dump/verdict/note.h"
#include "mqd/dump/verdict/order.h"
#include "mqd/dump/verdict/polling.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/queue.h"
#include "mqd/dump/verdict/solver.h"
#include "mqd/dump/verdict/stopped.h"
#include "mqd/dump/verdict/wait.h"

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
};

static void reach_for_connected_jobs(struct verdict *verdict, const struct rank_claim *claims, size_t n)
{
    struct model model;
    struct graph graph;
    unsigned char *dies_at;
    struct attendances attendances;
    struct conclusion conclusion = {.verdict = verdict, .model = &model, .first_finding = verdict->n, .graph = &graph,
                                    .attendances = &attendances};

    model_build(&model, claims, n);
    model_find_waits(&model);
    model_find_polling(&model);
    model_find_proved_idle(&model);
    dies_at = model_find_deaths(&model);
    graph_build(&graph, &model, dies_at, DOUBT_NONE);
    conclusion.dies_at = dies_at;
    attendances_find(&attendances, &model);
    conclusion.locked = model_find_locked(&model, true);
    conclusion.surely_locked = model_find_locked(&model, false);
    conclusion.gathering_told = allocate_array(attendances.n_gatherings + 1, sizeof *conclusion.gathering_told);
    conclusion.explained = allocate_array(model.n_ranks + 1, sizeof *conclusion.explained);
    conclusion.told = allocate_array(model.n_operations + 1, sizeof *conclusion.told);
    for (size_t i = 0; i < sizeof conclusions / sizeof *conclusions; i++)
        conclusions[i](&conclusion);
    note_uncounted(&conclusion);
    note_waiting(&conclusion);
    note_unknown(&conclusion);
    note_moments(&conclusion);
    findings_name_jobs(&conclusion);
    graph_clear(&graph);
    attendances_clear(&attendances);
    free(conclusion.gathering_told);
    free(conclusion.explained);
    free(conclusion.told);
    free(conclusion.locked);
    free(conclusion.surely_locked);
    free(dies_at);
    model_clear(&model);
}

void verdict_reach(struct verdict *verdict, const struct witness *witnesses, size_t n)
{
    size_t n_claims, end;
    struct rank_claim *claims = rank_claims_take(witnesses, n, &n_claims);

    verdict_clear(verdict);
    verdict->unclear = n > 0 && n_claims == 0;
    if (verdict->unclear)
        verdict_note_once(verdict, "It is not known which ranks these processes are.");
    for (size_t i = 0; i < n_claims; i = end) {
        end = rank_claims_end(claims, n_claims, i);
        reach_for_connected_jobs(verdict, &claims[i], end - i);
    }
    findings_order(verdict);
    free(claims);
}

void verdict_clear(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->n; i++)
        finding_free(&verdict->findings[i]);
    for (size_t i = 0; i < verdict->n_notes; i++)
        free(verdict->notes[i]);
    free(verdict->findings);
    free(verdict->notes);
    *verdict = (struct verdict){0};
}
