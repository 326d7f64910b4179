/*
 * note.c - adds notes about all findings together: which other ranks wait, and of which ranks nothing is known.
 */
#include "mqd/dump/verdict/note.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/traffic.h"
#include "mqd/dump/verdict/window.h"

/* Marks the ranks that findings are about. */
static void mark(const struct model *model, const long *ids, size_t n, bool *named)
{
    for (size_t i = 0; i < n; i++) {
        size_t rank = model_find_rank(model, ids[i]);

        if (rank != SIZE_MAX)
            named[rank] = true;
    }
}

static bool *find_named(const struct conclusion *conclusion)
{
    bool *named = allocate_array(conclusion->model->n_ranks + 1, sizeof *named);

    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n; i++) {
        mark(conclusion->model, conclusion->verdict->findings[i].ranks, conclusion->verdict->findings[i].n_ranks, named);
        mark(conclusion->model, conclusion->verdict->findings[i].causes, conclusion->verdict->findings[i].n_causes,
             named);
    }
    return named;
}

void note_waiting(struct conclusion *conclusion)
{
    const struct graph *graph = conclusion->graph;
    RELEASED_BY(rank_set_clear) struct rank_set ranks = {0};
    OWNED bool *named = find_named(conclusion);
    OWNED char *who = NULL;

    for (uint32_t i = 0; i < conclusion->model->n_ranks; i++)
        if (graph->component[i] != UINT32_MAX && graph->leaves[graph->component[i]] && !named[i])
            rank_set_add(&ranks, conclusion->model->ranks[i].id);
    if (ranks.n == 0)
        return;
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    who = say_ranks(conclusion, ranks.ranks, ranks.n, "waits", "wait");
    verdict_add_note(conclusion->verdict, format_text("%s for these, directly or through others.", who));
}

static const char *what_hidden_waits_for(const struct model_rank *rank)
{
    if (rank->in_hidden)
        return "which waits for what is not listed";
    return call_awaits_program(rank->call->function) ? "which waits for another program"
                                                     : "which waits for what is not known";
}

/* Why it is not known of ranks whether they can get on, as notes. */
static void note_fold(struct conclusion *conclusion, struct fold *fold)
{
    struct finding lines = {0};

    conclusion->verdict->unclear |= fold->n > 0;
    fold_say(fold, conclusion, &lines);
    for (size_t i = 0; i < lines.n_details; i++)
        verdict_add_note(conclusion->verdict, lines.details[i]);
    free(lines.details);
}

/* A rank that stays in a call of which it is not known for what it waits may be stuck all the same. */
static void note_unclear(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct fold fold = {0};

    for (uint32_t i = 0; i < model->n_ranks; i++) {
        OWNED char *place = NULL;
        struct predicate where;
        const char *why;

        if (!model->ranks[i].unclear)
            continue;
        where = say_where(&model->ranks[i]);
        place = where.rest;
        why = window_unknown(model->ranks[i].witness->listing, model->ranks[i].call->function);
        fold_add(&fold, model->ranks[i].id,
                 (struct predicate){where.verb, format_text("%s, %s%s%s", place, what_hidden_waits_for(&model->ranks[i]),
                                                            why != NULL ? ": " : "", why != NULL ? why : "")});
    }
    note_fold(conclusion, &fold);
}

static void note_not_given(struct conclusion *conclusion, const struct model_job *job)
{
    bool several = conclusion->model->n_jobs > 1 || job->user >= 0;
    OWNED char *name = NULL;

    if (job->world_size <= (long)job->n_ranks)
        return;
    name = say_job(job);
    conclusion->verdict->unclear = true;
    verdict_add_note(conclusion->verdict,
                     format_text("%s of %s ranks of MPI_COMM_WORLD%s%s were not given: what they do is not known.",
                                 NUMBER(job->world_size - (long)job->n_ranks), NUMBER(job->world_size),
                                 several ? " of " : "", several ? name : ""));
}

/*
 * A rank that could not be read may wait for anything, even if it is known where it is. That MPI is not there yet, or
 * not any more, is known.
 */
static bool is_unread(const struct model_rank *rank)
{
    const struct listing *listing = rank->witness->listing;

    return rank->phase == PHASE_BUSY && !listing->has_communicators &&
           (listing->reason == MQD_REASON_unknown || listing->reason == MQD_REASON_unreadable ||
            listing->reason == MQD_REASON_no_memory);
}

static bool is_on_host(const struct model_rank *rank)
{
    const struct listing *listing = rank->witness->listing;

    return listing->host != NULL && listing->error != NULL && !listing->has_communicators;
}

static struct predicate say_not_looked_at(const struct model_rank *rank)
{
    OWNED char *why = host_reason(rank->witness->listing->error, rank->witness->listing->host, false);

    return (struct predicate){VERB_NOT_LOOKED_AT, format_text(", and may wait for anything: %s", why)};
}

/* That it waits at each look does not show that nothing has come for it. */
static void note_starved(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    RELEASED_BY(rank_set_clear) struct rank_set ranks = {0};
    OWNED char *who = NULL;

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].witness->starved)
            rank_set_add(&ranks, model->ranks[i].id);
    if (ranks.n == 0)
        return;
    conclusion->verdict->unclear = true;
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    who = say_ranks(conclusion, ranks.ranks, ranks.n, "had", "had");
    verdict_add_note(conclusion->verdict,
                     format_text("%s no processor time between the looks, and may go on with some.", who));
}

void note_unknown(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    RELEASED_BY(rank_set_clear) struct rank_set ranks = {0};
    struct fold fold = {0};
    OWNED char *who = NULL;

    for (uint32_t i = 0; i < model->n_ranks; i++) {
        const struct model_rank *rank = &model->ranks[i];

        if (rank->phase != PHASE_UNKNOWN && !is_unread(rank))
            continue;
        if (is_on_host(rank))
            fold_add(&fold, rank->id, say_not_looked_at(rank));
        else
            rank_set_add(&ranks, rank->id);
    }
    note_fold(conclusion, &fold);
    if (ranks.n > 0) {
        conclusion->verdict->unclear = true;
        ranks.n = ranks_sort(ranks.ranks, ranks.n);
        who = say_ranks(conclusion, ranks.ranks, ranks.n, "is", "are");
        verdict_add_note(conclusion->verdict, format_text("%s not known well enough to say what %s.", who,
                                        ranks.n == 1 ? "it waits for" : "they wait for"));
    }
    note_starved(conclusion);
    note_unclear(conclusion);
    for (size_t i = 0; i < model->n_jobs; i++)
        note_not_given(conclusion, &model->jobs[i]);
}

/* What is only possible because messages may have been on their way. */

/* The ranks that possible findings are about which follow from several ranks at one moment, by their index. */
static bool *find_doubted(const struct conclusion *conclusion, size_t first)
{
    const struct model *model = conclusion->model;
    bool *doubted = allocate_array(model->n_ranks + 1, sizeof *doubted);

    for (size_t i = first; i < conclusion->verdict->n; i++) {
        const struct finding *finding = &conclusion->verdict->findings[i];

        for (size_t k = 0; k < finding->n_ranks && !finding->certain && !finding_rests_on_time(finding); k++) {
            size_t rank = model_find_rank(model, finding->ranks[k]);

            if (rank != SIZE_MAX)
                doubted[rank] = true;
        }
    }
    return doubted;
}

/* Does one of the ranks wait for what may be on its way because nobody has counted it? */
static bool is_any_unknown(const struct model *model, const bool *ranks)
{
    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]);

        if (owner < model->n_ranks && ranks[owner] && model->waits[i].target != NODE_LIVE &&
            !wait_is_known(model, &model->waits[i]))
            return true;
    }
    return false;
}

void note_uncounted(struct conclusion *conclusion)
{
    OWNED bool *doubted = find_doubted(conclusion, conclusion->first_finding);

    if (is_any_unknown(conclusion->model, doubted))
        verdict_note_once(conclusion->verdict,
                          conclusion->model->several_looks
                              ? "The ranks were not looked at together, and how many messages were exchanged is not known "
                                "of all of them and not between jobs: some may have been on their way."
                              : "How many messages were exchanged is not known of all cores and not between jobs: "
                                "some may have been on their way.");
}

void note_moments(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    size_t to;

    for (size_t i = 0; i < model->n_ranks; i++) {
        for (size_t k = 0; k < model->ranks[i].n_communicators; k++) {
            OWNED char *receiver = NULL, *sender = NULL;

            if ((!model->ranks[i].once && !model->several_looks) ||
                !traffic_contradicts(model, i, model->ranks[i].communicators[k], &to))
                continue;
            receiver = say_subject(conclusion, model->ranks[to].id);
            sender = say_rank(model, model->ranks[i].id);
            verdict_add_note(conclusion->verdict,
                             format_text("%s has received more messages of %s than that had sent: the %s "
                                         "are of different moments.",
                                         receiver, sender, model->several_looks ? "looks" : "cores"));
            return;
        }
    }
}
