/*
 * conclusion.c - makes findings from a model.
 */
#include "mqd/dump/verdict/conclusion.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/gathering.h"
#include "mqd/dump/verdict/say.h"

struct finding *finding_add(struct conclusion *conclusion, enum finding_kind kind, bool certain)
{
    struct verdict *verdict = conclusion->verdict;
    struct finding *finding;

    verdict->findings = grow_array(verdict->findings, verdict->n, &verdict->room, sizeof *verdict->findings);
    finding = &verdict->findings[verdict->n++];
    *finding = (struct finding){.kind = kind, .certain = certain, .job = conclusion->model->jobs[0].name,
                                .user = conclusion->model->jobs[0].user};
    return finding;
}

void finding_add_evidence(const struct conclusion *conclusion, struct finding *finding, uint32_t i)
{
    const struct operation *operation = &conclusion->model->operations[i];
    const struct model_rank *rank = &conclusion->model->ranks[operation->rank];

    if (finding->n_evidence == MAX_EVIDENCE)
        return;
    finding->evidence = grow_array(finding->evidence, finding->n_evidence, &finding->evidence_room,
                                   sizeof *finding->evidence);
    finding->evidence[finding->n_evidence++] = (struct evidence){.job = conclusion->model->jobs[rank->job].name,
                                                                 .rank = model_world_rank(conclusion->model, rank->id),
                                                                 .pid = rank->witness->listing->pid,
                                                                 .communicator = operation->communicator->unique_id,
                                                                 .class = operation->class,
                                                                 .operation = *operation->said};
}

char *say_ranks(const struct conclusion *conclusion, const long *ids, size_t n, const char *one, const char *many)
{
    return say_capital(say_rank_set(conclusion->model, ids, n, one, many));
}

char *say_subject(const struct conclusion *conclusion, long id)
{
    return say_capital(say_rank(conclusion->model, id));
}

/* Returns "Rank 1 waits in MPI_Recv (ring.c:29) for ...". The owner of the wait must be a rank. */
char *say_rank_wait(const struct conclusion *conclusion, const struct wait *wait)
{
    const struct model *model = conclusion->model;
    char *text = say_wait(model, wait);
    char *who = say_subject(conclusion, model->ranks[model_owner(model, wait)].id);
    char *sentence = format_text("%s %s.", who, text);

    free(who);
    free(text);
    return sentence;
}

static void add_detail_once(struct finding *finding, char *text)
{
    for (size_t i = 0; i < finding->n_details; i++)
        if (strcmp(finding->details[i], text) == 0) {
            free(text);
            return;
        }
    finding_add_detail(finding, text);
}

/* The gathering in which a rank waits; SIZE_MAX: it is no wait in a collective operation. */
static size_t gathering_of_wait(const struct conclusion *conclusion, const struct wait *wait)
{
    const struct operation *operation =
        wait->operation != UINT32_MAX ? &conclusion->model->operations[wait->operation] : NULL;

    return operation != NULL && operation->collective
               ? gathering_of(conclusion->attendances, conclusion->model, operation)
               : SIZE_MAX;
}

void finding_add_wait(const struct conclusion *conclusion, struct finding *finding, const struct wait *wait)
{
    size_t gathering = gathering_of_wait(conclusion, wait);

    if (wait->operation != UINT32_MAX)
        finding_add_evidence(conclusion, finding, wait->operation);
    if (gathering == SIZE_MAX)
        finding_add_detail(finding, say_rank_wait(conclusion, wait));
    else
        add_detail_once(finding, say_gathering_missing(conclusion->attendances, conclusion->model, gathering));
}

void finding_add_place(const struct conclusion *conclusion, struct finding *finding, uint32_t rank)
{
    char *where = say_where(&conclusion->model->ranks[rank]);
    char *who = say_subject(conclusion, conclusion->model->ranks[rank].id);

    finding_add_detail(finding, format_text("%s %s.", who, where));
    free(who);
    free(where);
}

/* Jobs. */

/* Returns the ranks of one job whose ids are in a set. */
static struct rank_set ranks_of_job(const struct model_job *job, const long *ids, size_t n)
{
    struct rank_set ranks = {0};

    for (size_t i = 0; i < n; i++)
        if (ids[i] >= job->base && ids[i] < job->base + job->n_ids)
            rank_set_add(&ranks, ids[i] - job->base);
    return ranks;
}

static void add_share(struct finding *finding, const char *job, struct rank_set ranks, struct rank_set causes)
{
    finding->others = grow_array(finding->others, finding->n_others, &finding->other_room, sizeof *finding->others);
    finding->others[finding->n_others++] = (struct finding_share){
        .job = job, .ranks = ranks.ranks, .causes = causes.ranks, .n_ranks = ranks.n, .n_causes = causes.n};
}

/* Splits a finding's ranks and causes by job. The job of the finding is that of its first rank. */
static void name_jobs(const struct model *model, struct finding *finding)
{
    const struct model_job *own = finding->n_ranks > 0 ? model_job_of(model, finding->ranks[0]) : model->jobs;
    struct rank_set own_ranks = ranks_of_job(own, finding->ranks, finding->n_ranks);
    struct rank_set own_causes = ranks_of_job(own, finding->causes, finding->n_causes);

    for (size_t i = 0; i < model->n_jobs; i++) {
        struct rank_set ranks, causes;

        if (&model->jobs[i] == own)
            continue;
        ranks = ranks_of_job(&model->jobs[i], finding->ranks, finding->n_ranks);
        causes = ranks_of_job(&model->jobs[i], finding->causes, finding->n_causes);
        if (ranks.n > 0 || causes.n > 0)
            add_share(finding, model->jobs[i].name, ranks, causes);
    }
    free(finding->ranks);
    free(finding->causes);
    finding->job = own->name;
    finding_set_ranks(finding, own_ranks);
    finding_set_causes(finding, own_causes);
}

void findings_name_jobs(struct conclusion *conclusion)
{
    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n && conclusion->model->n_jobs > 1; i++)
        name_jobs(conclusion->model, &conclusion->verdict->findings[i]);
}
