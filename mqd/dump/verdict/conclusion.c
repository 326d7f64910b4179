/*
 * conclusion.c - makes findings from a model.
 */
#include "mqd/dump/verdict/conclusion.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/verdict/collective.h"
#include "mqd/dump/verdict/say.h"

struct finding *finding_add(struct conclusion *conclusion, enum finding_kind kind, bool certain)
{
    struct verdict *verdict = conclusion->verdict;

    APPEND(verdict->findings, verdict->n, verdict->room,
           (struct finding){.kind = kind, .certain = certain, .job = conclusion->model->jobs[0].name,
               .user = conclusion->model->jobs[0].user});
    return &verdict->findings[verdict->n - 1];
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
               .rank = model_world_rank(conclusion->model, rank->id), .pid = rank->witness->listing->pid,
               .communicator = operation->communicator->unique_id, .class = operation->class,
               .operation = *operation->said});
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
    OWNED char *who = say_subject(conclusion, model->ranks[model_owner(model, wait)].id);
    OWNED char *text = say_predicate(who, say_wait(model, wait));

    return format_text("%s.", text);
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

/* The collective in which a rank waits; SIZE_MAX: it is no wait in a collective operation. */
static size_t collective_of_wait(const struct conclusion *conclusion, const struct wait *wait)
{
    const struct operation *operation =
        wait->operation != UINT32_MAX ? &conclusion->model->operations[wait->operation] : NULL;

    return operation != NULL && operation->collective
               ? collective_of(conclusion->collectives, conclusion->model, operation)
               : SIZE_MAX;
}

void finding_add_wait(const struct conclusion *conclusion, struct finding *finding, const struct wait *wait)
{
    size_t collective = collective_of_wait(conclusion, wait);

    if (wait->operation != UINT32_MAX)
        finding_add_evidence(conclusion, finding, wait->operation);
    if (collective == SIZE_MAX)
        finding_add_detail(finding, say_rank_wait(conclusion, wait));
    else
        add_detail_once(finding, say_collective_missing(conclusion->collectives, conclusion->model, collective));
}

void finding_add_place(const struct conclusion *conclusion, struct finding *finding, uint32_t rank)
{
    OWNED char *who = say_subject(conclusion, conclusion->model->ranks[rank].id);
    OWNED char *text = say_predicate(who, say_where(&conclusion->model->ranks[rank]));

    finding_add_detail(finding, format_text("%s.", text));
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
    APPEND(finding->others, finding->n_others, finding->other_room,
           (struct finding_share){.job = job, .ranks = ranks.ranks, .causes = causes.ranks, .n_ranks = ranks.n,
               .n_causes = causes.n});
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
    FREE_ALL(finding->ranks, finding->causes);
    finding->job = own->name;
    finding_set_ranks(finding, own_ranks);
    finding_set_causes(finding, own_causes);
}

void findings_name_jobs(struct conclusion *conclusion)
{
    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n && conclusion->model->n_jobs > 1; i++)
        name_jobs(conclusion->model, &conclusion->verdict->findings[i]);
}

/* Sentences about many ranks: those of which the same is to be said are in one sentence. */

/* With one more for the remaining ranks. A finding has room for some other details beside them. */
enum { MAX_SENTENCES = 4 };

void fold_add(struct fold *fold, long id, struct predicate predicate)
{
    size_t order = fold->n;

    APPEND(fold->lines, fold->n, fold->room, (struct folded){id, order, predicate});
}

static void add_collective(struct fold *fold, size_t collective)
{
    if (fold->n_collectives == MAX_SENTENCES)
        return;
    for (size_t i = 0; i < fold->n_collectives; i++)
        if (fold->collectives[i] == collective)
            return;
    APPEND(fold->collectives, fold->n_collectives, fold->collective_room, collective);
}

void fold_wait(struct fold *fold, const struct conclusion *conclusion, const struct wait *wait)
{
    const struct model *model = conclusion->model;
    const struct operation *operation = wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;
    size_t collective = operation != NULL && operation->collective
                           ? collective_of(conclusion->collectives, model, operation)
                           : SIZE_MAX;

    if (collective != SIZE_MAX)
        add_collective(fold, collective);
    else
        fold_add(fold, model->ranks[model_owner(model, wait)].id, say_wait(model, wait));
}

static int compare_folded(const void *a, const void *b)
{
    const struct folded *x = a, *y = b;

    return ORDER(x->id, y->id) ?: ORDER(x->order, y->order);
}

/* Keeps what was added first of each rank, in the order of the ranks. */
static void keep_first(struct fold *fold)
{
    size_t n = 0;

    SORT(fold->lines, fold->n, compare_folded);
    for (size_t i = 0; i < fold->n; i++) {
        if (n > 0 && fold->lines[n - 1].id == fold->lines[i].id)
            free(fold->lines[i].predicate.rest);
        else
            fold->lines[n++] = fold->lines[i];
    }
    fold->n = n;
}

/* Takes all ranks of which the same is said as of the first one that is left, or all that are left. */
static struct rank_set take(struct fold *fold, size_t first, bool all)
{
    struct rank_set ranks = {0};
    struct predicate same = fold->lines[first].predicate;

    for (size_t i = first; i < fold->n; i++) {
        struct predicate *said = &fold->lines[i].predicate;

        if (said->rest == NULL || (!all && (said->verb != same.verb || strcmp(said->rest, same.rest) != 0)))
            continue;
        rank_set_add(&ranks, fold->lines[i].id);
        if (i > first)
            free(said->rest);
        said->rest = NULL;
    }
    return ranks;
}

/* What is said of all the remaining ranks, the first of which is this. */
static struct predicate say_similar(enum verb verb)
{
    switch (verb) {
    case VERB_NOT_LOOKED_AT:
        return (struct predicate){verb, copy_string(" for other reasons")};
    case VERB_IS:
        return (struct predicate){verb, copy_string(" at a similar place")};
    default:
        return (struct predicate){VERB_WAITS, copy_string(" in a similar way")};
    }
}

void fold_say(struct fold *fold, const struct conclusion *conclusion, struct finding *finding)
{
    size_t n_said = 0;

    keep_first(fold);
    for (size_t i = 0; i < fold->n_collectives; i++)
        finding_add_detail(finding, say_collective_missing(conclusion->collectives, conclusion->model,
                                                          fold->collectives[i]));
    for (size_t i = 0; i < fold->n; i++) {
        struct predicate said = fold->lines[i].predicate;
        OWNED char *first = said.rest, *who = NULL, *rest = NULL;
        RELEASED_BY(rank_set_clear) struct rank_set ranks = {0};

        if (first == NULL)
            continue;
        ranks = take(fold, i, n_said == MAX_SENTENCES);
        if (n_said++ == MAX_SENTENCES)
            said = say_similar(said.verb);
        rest = said.rest != first ? said.rest : NULL;
        who = say_ranks(conclusion, ranks.ranks, ranks.n, verb_form(said.verb, 1), verb_form(said.verb, 2));
        finding_add_detail(finding, format_text("%s%s.", who, said.rest));
    }
    FREE_ALL(fold->lines, fold->collectives);
}

void fold_say_places(const struct conclusion *conclusion, struct finding *finding, const struct rank_set *ranks)
{
    const struct model *model = conclusion->model;
    struct fold fold = {0};

    for (size_t i = 0; i < ranks->n; i++)
        fold_add(&fold, ranks->ranks[i], say_where(&model->ranks[model_find_rank(model, ranks->ranks[i])]));
    fold_say(&fold, conclusion, finding);
}
