/*
 * conclusion.c - findings, as they are made.
 */
#include "mqd/dump/verdict/conclusion.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"

struct finding finding_of(const struct conclusion *conclusion, enum claim claim, bool certain)
{
    return (struct finding){.kind = finding_kind_of(claim), .certain = certain && !conclusion->is_only_possible,
                            .facts = {.claim = claim, .part = conclusion->part}};
}

bool finding_keep(struct conclusion *conclusion, struct finding *finding)
{
    struct verdict *verdict = conclusion->verdict;

    if (finding->facts.who.n == 0) {
        finding_free(finding);
        return false;
    }
    APPEND(verdict->findings, verdict->n, verdict->room, *finding);
    return true;
}

void finding_add_evidence(const struct conclusion *conclusion, struct finding *finding, uint32_t i)
{
    const struct operation *operation = &conclusion->model->operations[i];
    const struct model_rank *rank = &conclusion->model->ranks[operation->rank];

    if (finding->n_evidence == MAX_EVIDENCE)
        return;
    /* Most findings have little: there may be one for every other rank. */
    if (finding->n_evidence == 0) {
        finding->evidence_room = 2;
        finding->evidence = allocate_array(finding->evidence_room, sizeof *finding->evidence);
    }
    APPEND(finding->evidence, finding->n_evidence, finding->evidence_room,
           (struct evidence){.job = conclusion->model->jobs[rank->job].name,
               .rank = rank->world, .pid = rank->witness->listing->pid,
               .communicator = operation->communicator->unique_id, .class = operation->class,
               .operation = *operation->said});
}

void finding_set_operation(const struct conclusion *conclusion, struct finding *finding, uint32_t i)
{
    finding->facts.operation = &conclusion->model->operations[i];
    finding->facts.communicator = finding->facts.operation->communicator;
    finding_add_evidence(conclusion, finding, i);
}

void finding_add_wait(const struct conclusion *conclusion, struct finding *finding, const struct wait *wait)
{
    if (wait->operation != UINT32_MAX)
        finding_add_evidence(conclusion, finding, wait->operation);
    finding_add_fact(finding, FACT_WAIT, (size_t)(wait - conclusion->model->waits));
}

void ranks_mark(const struct model *model, const struct rank_set *set, bool *marks)
{
    for (size_t i = 0; i < set->n; i++) {
        size_t rank = model_find_rank(model, set->ranks[i]);

        if (rank != SIZE_MAX)
            marks[rank] = true;
    }
}

void note_add(const struct conclusion *conclusion, enum note_kind kind, struct facts facts)
{
    facts.part = conclusion->part;
    APPEND(conclusion->verdict->notes, conclusion->verdict->n_notes, conclusion->verdict->note_room,
           (struct note){kind, facts});
}

void note_ranks(const struct conclusion *conclusion, enum note_kind kind, struct rank_set who)
{
    rank_set_sort(&who);
    if (who.n > 0)
        note_add(conclusion, kind, (struct facts){.who = who});
}

void note_unclear(const struct conclusion *conclusion, enum note_kind kind, struct rank_set who)
{
    conclusion->verdict->unclear |= who.n > 0;
    note_ranks(conclusion, kind, who);
}

/* Jobs. */

/* Returns the ranks of one job whose ids are in a set: all if there is no other. */
static struct rank_set ranks_of_job(const struct model *model, const struct model_job *job, const struct rank_set *ids)
{
    struct rank_set ranks = {0};

    for (size_t i = 0; i < ids->n; i++)
        if (model->n_jobs == 1 || (ids->ranks[i] >= job->base && ids->ranks[i] < job->base + job->n_ids))
            rank_set_add(&ranks, ids->ranks[i] - job->base);
    return ranks;
}

static void name_communicator(struct finding *finding, const struct communicator *communicator)
{
    finding->has_communicator = true;
    finding->communicator = communicator->unique_id;
    finding->communicator_name = copy_string(communicator->name);
}

/* The job of a finding is that of its first rank. */
static void name_jobs(const struct model *model, struct finding *finding)
{
    const struct model_job *own = model_job_of(model, finding->facts.who.ranks[0]);

    finding->user = model->jobs[0].user;
    for (size_t i = 0; i < model->n_jobs; i++) {
        const struct model_job *job = &model->jobs[i];
        struct rank_set ranks = ranks_of_job(model, job, &finding->facts.who);
        struct rank_set causes = ranks_of_job(model, job, &finding->facts.whom);

        if (job == own) {
            finding->job = own->name;
            finding->ranks = ranks.ranks;
            finding->n_ranks = ranks.n;
            finding->causes = causes.ranks;
            finding->n_causes = causes.n;
        } else if (ranks.n > 0 || causes.n > 0) {
            APPEND(finding->others, finding->n_others, finding->other_room,
                   (struct finding_share){job->name, ranks.ranks, causes.ranks, ranks.n, causes.n});
        }
    }
}

void findings_finish(struct conclusion *conclusion)
{
    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n; i++) {
        struct finding *finding = &conclusion->verdict->findings[i];

        rank_set_sort(&finding->facts.who);
        rank_set_sort(&finding->facts.whom);
        name_jobs(conclusion->model, finding);
        if (finding->facts.communicator != NULL)
            name_communicator(finding, finding->facts.communicator);
    }
}
