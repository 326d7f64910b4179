/*
 * verdict.c - from what everybody waits for to findings.
 */
#include "mqd/dump/verdict.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/common.h"
#include "mqd/dump/ranges.h"
#include "mqd/dump/verdict_finding.h"
#include "mqd/dump/verdict_say.h"

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
static void note_gone(struct bench *bench, struct finding *finding, const struct wait *gone, const struct wait *wait,
                      struct rank_set *ranks, struct rank_set *causes)
{
    rank_set_add(ranks, bench->model->ranks[model_owner(bench->model, wait)].id);
    rank_set_add(causes, gone->peer);
    finding->certain &= !gone_rank(bench->model, gone)->inferred;
    finding->certain &= !bench->model->ranks[model_owner(bench->model, wait)].guessed;
    finding_add_wait(bench, finding, wait);
}

static void find_waits_for_gone(struct bench *bench, struct finding *finding, enum phase phase, struct rank_set *ranks,
                                struct rank_set *causes)
{
    const struct model *model = bench->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);

        if (wait->target != NODE_NEVER || bench->live[owner] || gone_rank(model, wait)->phase != phase)
            continue;
        if (owner < model->n_ranks) {
            note_gone(bench, finding, wait, wait, ranks, causes);
            continue;
        }
        /* Anybody was waited for. */
        for (size_t k = 0; k < model->n_waits && !waits_for_others(bench->graph, owner); k++)
            if (model->waits[k].target == (int64_t)owner)
                note_gone(bench, finding, wait, &model->waits[k], ranks, causes);
    }
}

/* Some of them, each with what is known of its end. */
static void add_ends(const struct bench *bench, struct finding *finding, const long *ranks, size_t n)
{
    n = n < MAX_ENDS ? n : MAX_ENDS;
    while (n-- > 0) {
        const struct model_rank *rank = &bench->model->ranks[model_find_rank(bench->model, ranks[n])];
        char *end = say_end(rank), *who = say_subject(bench, rank->id);

        if (rank->witness->gone != NULL && rank->witness->gone->pid != 0)
            finding_put_first(finding, format("%s (process %d) %s.", who, (int)rank->witness->gone->pid, end));
        else if (rank->witness->gone != NULL)
            finding_put_first(finding, format("%s %s.", who, end));
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

static char *say_gone(const struct bench *bench, enum phase phase, const struct finding *finding)
{
    char *who = say_ranks(bench, finding->ranks, finding->n_ranks, "waits", "wait");
    char *whom = say_rank_set(bench->model, finding->causes, finding->n_causes, "", "");
    size_t first = model_find_rank(bench->model, finding->causes[0]);
    const struct model_rank *cause = &bench->model->ranks[first];
    char *where, *text;

    if (phase == PHASE_ENDED)
        where = copy_string(say_that_they_ended(have_ended(bench->model, finding), finding->n_causes == 1));
    else if (cause->past_finalize)
        where = copy_string(finding->n_causes == 1 ? "which has left MPI" : "which have left MPI");
    else
        where = copy_string(finding->n_causes == 1 ? "which is in MPI_Finalize" : "which are in MPI_Finalize");
    text = format("%s for %s, %s.", who, whom, where);
    free(who);
    free(whom);
    free(where);
    return text;
}

static void conclude_gone(struct bench *bench, enum phase phase)
{
    struct finding *finding = finding_add(bench, phase == PHASE_ENDED ? FINDING_ENDED : FINDING_FINALIZED, true);
    struct rank_set ranks = {0}, causes = {0};

    find_waits_for_gone(bench, finding, phase, &ranks, &causes);
    if (ranks.n == 0) {
        free(finding->details);
        bench->verdict->n--;
        return;
    }
    finding_set_ranks(finding, ranks);
    finding_set_causes(finding, causes);
    finding->sentence = say_gone(bench, phase, finding);
    if (phase == PHASE_ENDED)
        add_ends(bench, finding, finding->causes, finding->n_causes);
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

static bool is_waited_for(const struct bench *bench, long id)
{
    for (size_t i = bench->first_finding; i < bench->verdict->n; i++) {
        const struct finding *finding = &bench->verdict->findings[i];

        for (size_t k = 0; k < finding->n_causes && finding->kind == FINDING_ENDED; k++)
            if (finding->causes[k] == id)
                return true;
    }
    return false;
}

static void conclude_early_ends(struct bench *bench)
{
    const struct model *model = bench->model;
    struct rank_set ranks = {0};
    struct finding *finding;
    bool certain = true;
    char *who;

    for (size_t i = 0; i < model->n_ranks; i++) {
        if (model->ranks[i].phase != PHASE_ENDED || model->ranks[i].witness->crashed ||
            is_waited_for(bench, model->ranks[i].id) || !is_job_in_mpi(model, model->ranks[i].job))
            continue;
        rank_set_add(&ranks, model->ranks[i].id);
        certain &= !model->ranks[i].inferred;
    }
    if (ranks.n == 0)
        return;
    finding = finding_add(bench, FINDING_ENDED, certain);
    finding_set_ranks(finding, ranks);
    who = say_ranks(bench, finding->ranks, finding->n_ranks, certain ? "has ended" : "seems to have ended",
                    certain ? "have ended" : "seem to have ended");
    finding->sentence = format("%s, while others are still in MPI.", who);
    add_ends(bench, finding, finding->ranks, finding->n_ranks);
    free(who);
}

/* Ranks that take their time, and those of which nothing is known. */

struct dependants {
    struct rank_set ranks, causes;
};

/* Who stops if these do not get on, and for whom of them he waits. */
static struct dependants find_dependants(const struct bench *bench, const bool *before, const bool *after,
                                         bool absent, struct finding *finding)
{
    const struct model *model = bench->model;
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
            finding_add_wait(bench, finding, wait);
    }
    return found;
}

static void drop_finding(struct bench *bench, struct finding *finding, struct dependants *found)
{
    for (size_t i = 0; i < finding->n_details; i++)
        free(finding->details[i]);
    free(finding->details);
    free(finding->evidence);
    free(found->ranks.ranks);
    free(found->causes.ranks);
    bench->verdict->n--;
}

static void conclude_dependants(struct bench *bench, const bool *before, const bool *after, bool absent)
{
    struct finding *finding = finding_add(bench, absent ? FINDING_NOT_READ : FINDING_BUSY, false);
    struct dependants found = find_dependants(bench, before, after, absent, finding);
    char *who, *whom;

    if (found.ranks.n == 0 || (found.causes.n == 0 && !absent)) {
        drop_finding(bench, finding, &found);
        return;
    }
    finding_set_ranks(finding, found.ranks);
    finding_set_causes(finding, found.causes);
    who = say_ranks(bench, finding->ranks, finding->n_ranks, "waits", "wait");
    whom = say_rank_set(bench->model, finding->causes, finding->n_causes, "", "");
    if (absent && finding->n_causes == 0)
        finding->sentence = format("%s for processes that are not known, as those of jobs that were not given.", who);
    else if (absent)
        finding->sentence = format("%s for %s, of which nothing is known.", who, whom);
    else
        finding->sentence = format("%s for %s, which may be stuck or just take %s time.", who, whom,
                                   finding->n_causes == 1 ? "its" : "their");
    for (size_t i = 0; i < finding->n_causes && !absent; i++) {
        size_t rank = model_find_rank(bench->model, finding->causes[i]);

        if (rank != SIZE_MAX)
            finding_add_place(bench, finding, (uint32_t)rank);
    }
    free(who);
    free(whom);
}

/* The whole. */

static void note_waiting(struct bench *bench)
{
    const struct graph *graph = bench->graph;
    struct rank_set ranks = {0};
    char *who;

    for (uint32_t i = 0; i < bench->model->n_ranks; i++)
        if (graph->component[i] != UINT32_MAX && graph->leaves[graph->component[i]] &&
            !graph->never[graph->component[i]])
            rank_set_add(&ranks, bench->model->ranks[i].id);
    if (ranks.n == 0)
        return;
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    who = say_ranks(bench, ranks.ranks, ranks.n, "waits", "wait");
    verdict_add_note(bench->verdict, format("%s for these, directly or through others.", who));
    free(who);
    free(ranks.ranks);
}

static void note_unknown(struct bench *bench)
{
    const struct model *model = bench->model;
    struct rank_set ranks = {0};
    char *who;

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_UNKNOWN)
            rank_set_add(&ranks, model->ranks[i].id);
    if (ranks.n > 0) {
        ranks.n = ranks_sort(ranks.ranks, ranks.n);
        who = say_ranks(bench, ranks.ranks, ranks.n, "is", "are");
        verdict_add_note(bench->verdict, format("%s not known well enough to say what %s.", who,
                                        ranks.n == 1 ? "it waits for" : "they wait for"));
        free(who);
    }
    free(ranks.ranks);
    for (size_t i = 0; i < model->n_jobs; i++) {
        const struct model_job *job = &model->jobs[i];

        if (job->world_size > (long)job->n_ranks)
            verdict_add_note(bench->verdict,
                             format("%ld of %ld ranks of MPI_COMM_WORLD%s%s were not given: what they do is not known.",
                                    job->world_size - (long)job->n_ranks, job->world_size,
                                    model->n_jobs > 1 ? " of job " : "", model->n_jobs > 1 ? job->name : ""));
    }
}

static void conclude(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->graph->n_components; i++)
        if (!bench->graph->leaves[i] && !bench->graph->never[i])
            conclude_group(bench, i);
    misses_finish(bench);
    conclude_crashes(bench);
    conclude_gone(bench, PHASE_ENDED);
    conclude_early_ends(bench);
    conclude_gone(bench, PHASE_FINALIZED);
    conclude_truncated(bench);
    conclude_floods(bench);
}

static void reach_for_family(struct verdict *verdict, const struct seat *seats, size_t n)
{
    struct model model;
    struct graph graph;
    bool *live, *with_busy_stuck, *with_absent_stuck;
    struct bench bench = {.verdict = verdict, .model = &model, .first_finding = verdict->n, .graph = &graph};

    model_build(&model, seats, n);
    model_find_waits(&model);
    live = model_who_lives(&model, true, true);
    with_busy_stuck = model_who_lives(&model, false, true);
    with_absent_stuck = model_who_lives(&model, false, false);
    bench.live = live;
    bench.told = allocate(model.n_operations + 1, sizeof *bench.told);
    graph_build(&graph, &model, live);
    conclude(&bench);
    conclude_dependants(&bench, live, with_busy_stuck, false);
    conclude_dependants(&bench, with_busy_stuck, with_absent_stuck, true);
    doubt_findings(&bench, bench.first_finding);
    note_waiting(&bench);
    note_unknown(&bench);
    note_moments(&bench);
    findings_name_jobs(&bench);
    graph_clear(&graph);
    free(bench.told);
    free(live);
    free(with_busy_stuck);
    free(with_absent_stuck);
    model_clear(&model);
}

void verdict_reach(struct verdict *verdict, const struct witness *witnesses, size_t n)
{
    size_t n_seats, end;
    struct seat *seats = seats_take(witnesses, n, &n_seats);

    verdict_clear(verdict);
    for (size_t i = 0; i < n_seats; i = end) {
        end = seats_end(seats, n_seats, i);
        reach_for_family(verdict, &seats[i], end - i);
    }
    findings_order(verdict);
    free(seats);
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
