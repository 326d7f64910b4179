/*
 * verdict.c - from what everybody waits for to findings.
 */
#include "mqd/dump/verdict/verdict.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/crash.h"
#include "mqd/dump/verdict/doubt.h"
#include "mqd/dump/verdict/group.h"
#include "mqd/dump/verdict/life.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/queue.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/wait.h"

/* As many ranks as one wants to read of how they ended. */
enum { MAX_ENDS = 3 };

/* Those that have ended or left MPI, and are waited for. */

/* Of a wait whose target is NODE_NEVER. */
static const struct model_rank *gone_rank(const struct model *model, const struct wait *wait)
{
    return &model->ranks[model_find_rank(model, wait->peer)];
}

/* Is there more that keeps the node, and is the subject of another finding? */
static bool waits_for_others(const struct graph *graph, uint32_t node)
{
    return graph->leaves[graph->component[node]];
}

/* A wait for a rank that is gone, and the wait of a rank that comes to it: the same, or one for anybody. */
static void note_gone(struct conclusion *conclusion, struct finding *finding, const struct wait *gone,
                      const struct wait *wait, struct rank_set *ranks, struct rank_set *causes)
{
    rank_set_add(ranks, conclusion->model->ranks[model_owner(conclusion->model, wait)].id);
    rank_set_add(causes, gone->peer);
    finding->certain &= !gone_rank(conclusion->model, gone)->inferred;
    finding->certain &= !conclusion->model->ranks[model_owner(conclusion->model, wait)].guessed;
    finding_add_wait(conclusion, finding, wait);
}

static void find_waits_for_gone(struct conclusion *conclusion, struct finding *finding, enum phase phase,
                                struct rank_set *ranks, struct rank_set *causes)
{
    const struct model *model = conclusion->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);

        if (wait->target != NODE_NEVER || conclusion->live[owner] || gone_rank(model, wait)->phase != phase)
            continue;
        if (owner < model->n_ranks) {
            note_gone(conclusion, finding, wait, wait, ranks, causes);
            continue;
        }
        /* Anybody was waited for. */
        for (size_t k = 0; k < model->n_waits && !waits_for_others(conclusion->graph, owner); k++)
            if (model->waits[k].target == (int64_t)owner)
                note_gone(conclusion, finding, wait, &model->waits[k], ranks, causes);
    }
}

/* Some of them, each with what is known of its end. */
static void add_ends(const struct conclusion *conclusion, struct finding *finding, const long *ranks, size_t n)
{
    n = n < MAX_ENDS ? n : MAX_ENDS;
    while (n-- > 0) {
        const struct model_rank *rank = &conclusion->model->ranks[model_find_rank(conclusion->model, ranks[n])];
        char *end = say_end(rank), *who = say_subject(conclusion, rank->id);

        if (rank->witness->missing != NULL && rank->witness->missing->pid != 0)
            finding_put_first(finding, format_text("%s (process %d) %s.", who, (int)rank->witness->missing->pid, end));
        else if (rank->witness->missing != NULL)
            finding_put_first(finding, format_text("%s %s.", who, end));
        free(end);
        free(who);
    }
}

/* Of ranks that are gone. */
static const char *say_that_they_ended(bool certain, bool one)
{
    if (certain)
        return one ? "which has ended" : "which have ended";
    return one ? "which seems to have ended" : "which seem to have ended";
}

/* Is it certain of all whom others wait for? */
static bool have_ended(const struct model *model, const struct finding *finding)
{
    for (size_t i = 0; i < finding->n_causes; i++)
        if (model->ranks[model_find_rank(model, finding->causes[i])].inferred)
            return false;
    return true;
}

static char *say_gone(const struct conclusion *conclusion, enum phase phase, const struct finding *finding)
{
    char *who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    char *whom = say_rank_set(conclusion->model, finding->causes, finding->n_causes, "", "");
    size_t first = model_find_rank(conclusion->model, finding->causes[0]);
    const struct model_rank *cause = &conclusion->model->ranks[first];
    char *where, *text;

    if (phase == PHASE_ENDED)
        where = copy_string(say_that_they_ended(have_ended(conclusion->model, finding), finding->n_causes == 1));
    else if (cause->past_finalize)
        where = copy_string(finding->n_causes == 1 ? "which has left MPI" : "which have left MPI");
    else
        where = copy_string(finding->n_causes == 1 ? "which is in MPI_Finalize" : "which are in MPI_Finalize");
    text = format_text("%s for %s, %s.", who, whom, where);
    free(who);
    free(whom);
    free(where);
    return text;
}

static void conclude_gone(struct conclusion *conclusion, enum phase phase)
{
    struct finding *finding = finding_add(conclusion, phase == PHASE_ENDED ? FINDING_ENDED : FINDING_FINALIZED, true);
    struct rank_set ranks = {0}, causes = {0};

    find_waits_for_gone(conclusion, finding, phase, &ranks, &causes);
    if (ranks.n == 0) {
        free(finding->details);
        conclusion->verdict->n--;
        return;
    }
    finding_set_ranks(finding, ranks);
    finding_set_causes(finding, causes);
    finding->sentence = say_gone(conclusion, phase, finding);
    if (phase == PHASE_ENDED)
        add_ends(conclusion, finding, finding->causes, finding->n_causes);
    else
        finding_add_detail(finding, copy_string("A rank in MPI_Finalize neither sends nor receives any more."));
}

/* One that has ended before others have left MPI is wrong even if nobody waits for it as yet. */

static bool is_in_mpi(const struct model_rank *rank)
{
    return (rank->phase == PHASE_BUSY || rank->phase == PHASE_BLOCKED) && rank->witness->listing->has_communicators;
}

static bool is_job_in_mpi(const struct model *model, size_t job)
{
    for (size_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].job == job && is_in_mpi(&model->ranks[i]))
            return true;
    return false;
}

static bool is_waited_for(const struct conclusion *conclusion, long id)
{
    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n; i++) {
        const struct finding *finding = &conclusion->verdict->findings[i];

        for (size_t k = 0; k < finding->n_causes && finding->kind == FINDING_ENDED; k++)
            if (finding->causes[k] == id)
                return true;
    }
    return false;
}

static void conclude_early_ends(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct rank_set ranks = {0};
    struct finding *finding;
    bool certain = true;
    char *who;

    for (size_t i = 0; i < model->n_ranks; i++) {
        if (model->ranks[i].phase != PHASE_ENDED || model->ranks[i].witness->crashed ||
            is_waited_for(conclusion, model->ranks[i].id) || !is_job_in_mpi(model, model->ranks[i].job))
            continue;
        rank_set_add(&ranks, model->ranks[i].id);
        certain &= !model->ranks[i].inferred;
    }
    if (ranks.n == 0)
        return;
    finding = finding_add(conclusion, FINDING_ENDED, certain);
    finding_set_ranks(finding, ranks);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, certain ? "has ended" : "seems to have ended",
                    certain ? "have ended" : "seem to have ended");
    finding->sentence = format_text("%s, while others are still in MPI.", who);
    add_ends(conclusion, finding, finding->ranks, finding->n_ranks);
    free(who);
}

/* Ranks that take their time, and those of which nothing is known. */

struct dependants {
    struct rank_set ranks, causes;
};

/* Who stops if these do not get on, and for whom of them he waits. */
static struct dependants find_dependants(const struct conclusion *conclusion, const bool *before, const bool *after,
                                         bool absent, struct finding *finding)
{
    const struct model *model = conclusion->model;
    struct dependants found = {.ranks = {0}};

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_BLOCKED && before[i] && !after[i])
            rank_set_add(&found.ranks, model->ranks[i].id);
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);
        bool is_cause = absent ? wait->target == NODE_ABSENT
                               : wait->target >= 0 && wait->target < (int64_t)model->n_ranks &&
                                     model->ranks[wait->target].phase == PHASE_BUSY;

        if (!is_cause || !before[owner] || after[owner])
            continue;
        if (wait->peer >= 0)
            rank_set_add(&found.causes, wait->peer);
        if (owner < model->n_ranks)
            finding_add_wait(conclusion, finding, wait);
    }
    return found;
}

static void drop_finding(struct conclusion *conclusion, struct finding *finding, struct dependants *found)
{
    for (size_t i = 0; i < finding->n_details; i++)
        free(finding->details[i]);
    free(finding->details);
    free(finding->evidence);
    free(found->ranks.ranks);
    free(found->causes.ranks);
    conclusion->verdict->n--;
}

static void conclude_dependants(struct conclusion *conclusion, const bool *before, const bool *after, bool absent)
{
    struct finding *finding = finding_add(conclusion, absent ? FINDING_NOT_READ : FINDING_BUSY, false);
    struct dependants found = find_dependants(conclusion, before, after, absent, finding);
    char *who, *whom;

    if (found.ranks.n == 0 || (found.causes.n == 0 && !absent)) {
        drop_finding(conclusion, finding, &found);
        return;
    }
    finding_set_ranks(finding, found.ranks);
    finding_set_causes(finding, found.causes);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    whom = say_rank_set(conclusion->model, finding->causes, finding->n_causes, "", "");
    if (absent && finding->n_causes == 0)
        finding->sentence =
            format_text("%s for processes that are not known, as those of jobs that were not given.", who);
    else if (absent)
        finding->sentence = format_text("%s for %s, of which nothing is known.", who, whom);
    else
        finding->sentence = format_text("%s for %s, which may be stuck or just take %s time.", who, whom,
                                        finding->n_causes == 1 ? "its" : "their");
    for (size_t i = 0; i < finding->n_causes && !absent; i++) {
        size_t rank = model_find_rank(conclusion->model, finding->causes[i]);

        if (rank != SIZE_MAX)
            finding_add_place(conclusion, finding, (uint32_t)rank);
    }
    free(who);
    free(whom);
}

/* The whole. */

static void note_waiting(struct conclusion *conclusion)
{
    const struct graph *graph = conclusion->graph;
    struct rank_set ranks = {0};
    char *who;

    for (uint32_t i = 0; i < conclusion->model->n_ranks; i++)
        if (graph->component[i] != UINT32_MAX && graph->leaves[graph->component[i]] &&
            !graph->never[graph->component[i]])
            rank_set_add(&ranks, conclusion->model->ranks[i].id);
    if (ranks.n == 0)
        return;
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    who = say_ranks(conclusion, ranks.ranks, ranks.n, "waits", "wait");
    verdict_add_note(conclusion->verdict, format_text("%s for these, directly or through others.", who));
    free(who);
    free(ranks.ranks);
}

static void note_unknown(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct rank_set ranks = {0};
    char *who;

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_UNKNOWN)
            rank_set_add(&ranks, model->ranks[i].id);
    if (ranks.n > 0) {
        ranks.n = ranks_sort(ranks.ranks, ranks.n);
        who = say_ranks(conclusion, ranks.ranks, ranks.n, "is", "are");
        verdict_add_note(conclusion->verdict, format_text("%s not known well enough to say what %s.", who,
                                        ranks.n == 1 ? "it waits for" : "they wait for"));
        free(who);
    }
    free(ranks.ranks);
    for (size_t i = 0; i < model->n_jobs; i++) {
        const struct model_job *job = &model->jobs[i];

        if (job->world_size > (long)job->n_ranks)
            verdict_add_note(
                conclusion->verdict,
                format_text("%ld of %ld ranks of MPI_COMM_WORLD%s%s were not given: what they do is not known.",
                            job->world_size - (long)job->n_ranks, job->world_size, model->n_jobs > 1 ? " of job " : "",
                            model->n_jobs > 1 ? job->name : ""));
    }
}

static void conclude(struct conclusion *conclusion)
{
    for (uint32_t i = 0; i < conclusion->graph->n_components; i++)
        if (!conclusion->graph->leaves[i] && !conclusion->graph->never[i])
            conclude_group(conclusion, i);
    near_misses_finish(conclusion);
    conclude_crashes(conclusion);
    conclude_gone(conclusion, PHASE_ENDED);
    conclude_early_ends(conclusion);
    conclude_gone(conclusion, PHASE_FINALIZED);
    conclude_truncated(conclusion);
    conclude_floods(conclusion);
}

static void reach_for_connected_jobs(struct verdict *verdict, const struct rank_claim *claims, size_t n)
{
    struct model model;
    struct graph graph;
    bool *live, *with_busy_stuck, *with_absent_stuck;
    struct conclusion conclusion = {.verdict = verdict, .model = &model, .first_finding = verdict->n, .graph = &graph};

    model_build(&model, claims, n);
    model_find_waits(&model);
    live = model_who_lives(&model, true, true);
    with_busy_stuck = model_who_lives(&model, false, true);
    with_absent_stuck = model_who_lives(&model, false, false);
    conclusion.live = live;
    conclusion.told = allocate_array(model.n_operations + 1, sizeof *conclusion.told);
    graph_build(&graph, &model, live);
    conclude(&conclusion);
    conclude_dependants(&conclusion, live, with_busy_stuck, false);
    conclude_dependants(&conclusion, with_busy_stuck, with_absent_stuck, true);
    doubt_findings(&conclusion, conclusion.first_finding);
    note_waiting(&conclusion);
    note_unknown(&conclusion);
    note_moments(&conclusion);
    findings_name_jobs(&conclusion);
    graph_clear(&graph);
    free(conclusion.told);
    free(live);
    free(with_busy_stuck);
    free(with_absent_stuck);
    model_clear(&model);
}

void verdict_reach(struct verdict *verdict, const struct witness *witnesses, size_t n)
{
    size_t n_claims, end;
    struct rank_claim *claims = rank_claims_take(witnesses, n, &n_claims);

    verdict_clear(verdict);
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
