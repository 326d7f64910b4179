/*
 * note.c - adds notes about all findings together: which other ranks wait, and of which ranks nothing is known.
 */
#include "mqd/dump/verdict/conclusion.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/traffic.h"

/*
 * The ranks that findings are about, by their index; or those that wait in possible findings which follow from several
 * ranks at one moment.
 */
static bool *find_named(const struct conclusion *conclusion, bool doubted)
{
    bool *named = allocate_array(conclusion->model->n_ranks + 1, sizeof *named);

    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n; i++) {
        const struct finding *finding = &conclusion->verdict->findings[i];

        if (!doubted || (!finding->certain && !finding_rests_on_time(finding)))
            ranks_mark(conclusion->model, &finding->facts.who, named);
        if (!doubted)
            ranks_mark(conclusion->model, &finding->facts.whom, named);
    }
    return named;
}

void note_held(struct conclusion *conclusion)
{
    struct rank_set ranks = {0};

    for (size_t i = 0; i < conclusion->model->n_ranks; i++)
        if (witness_is_held(conclusion->model->ranks[i].witness))
            rank_set_add(&ranks, conclusion->model->ranks[i].id);
    note_ranks(conclusion, NOTE_HELD, ranks);
}

void note_waiting(struct conclusion *conclusion)
{
    const struct graph *graph = conclusion->graph;
    struct rank_set ranks = {0};
    OWNED bool *named = find_named(conclusion, false);

    for (uint32_t i = 0; i < conclusion->model->n_ranks; i++)
        if (graph->component[i] != UINT32_MAX && graph->leaves[graph->component[i]] && !named[i])
            rank_set_add(&ranks, conclusion->model->ranks[i].id);
    note_ranks(conclusion, NOTE_WAITING, ranks);
}

static void note_not_given(struct conclusion *conclusion, const struct model_job *job)
{
    if (job->world_size <= (long)job->n_ranks)
        return;
    conclusion->verdict->unclear = true;
    note_add(conclusion, NOTE_NOT_GIVEN, (struct facts){.job = job});
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

void note_unknown(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct rank_set unknown = {0}, not_looked_at = {0}, starved = {0}, unclear = {0};

    for (uint32_t i = 0; i < model->n_ranks; i++) {
        const struct model_rank *rank = &model->ranks[i];

        if (rank->phase == PHASE_UNKNOWN || is_unread(rank))
            rank_set_add(is_on_host(rank) ? &not_looked_at : &unknown, rank->id);
        /* That it waits at each look does not show that nothing has come for it. */
        if (rank->witness->starved)
            rank_set_add(&starved, rank->id);
        /* One that stays in a call of which it is not known what it waits for may be stuck all the same. */
        if (rank->unclear)
            rank_set_add(&unclear, rank->id);
    }
    note_unclear(conclusion, NOTE_NOT_LOOKED_AT, not_looked_at);
    note_unclear(conclusion, NOTE_UNKNOWN, unknown);
    note_unclear(conclusion, NOTE_STARVED, starved);
    note_unclear(conclusion, NOTE_UNCLEAR, unclear);
    for (size_t i = 0; i < model->n_jobs; i++)
        note_not_given(conclusion, &model->jobs[i]);
}

/* What is only possible because messages may have been on their way. */

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
    OWNED bool *doubted = find_named(conclusion, true);

    if (is_any_unknown(conclusion->model, doubted))
        note_add(conclusion, conclusion->model->several_looks ? NOTE_LOOKS_UNCOUNTED : NOTE_CORES_UNCOUNTED,
                 (struct facts){0});
}

void note_moments(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    size_t to;

    for (size_t i = 0; i < model->n_places; i++) {
        const struct model_rank *from = &model->ranks[model->places[i].rank];
        struct facts facts = {0};

        if ((!from->once && !model->several_looks) ||
            !traffic_contradicts(model, model->places[i].rank, model->places[i].communicator, &to))
            continue;
        rank_set_add(&facts.who, model->ranks[to].id);
        rank_set_add(&facts.whom, from->id);
        note_add(conclusion, model->several_looks ? NOTE_LOOKS_DIFFER : NOTE_CORES_DIFFER, facts);
        return;
    }
}
