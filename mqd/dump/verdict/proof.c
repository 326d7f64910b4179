/*
 * proof.c - what proves that no message is on its way to ranks that seem to be stuck.
 *
 * What is on its way at the one look has arrived at the next: mqdump gives every rank time to look for messages. So
 * nothing comes from a rank that has done nothing since the look before. That a rank has done nothing follows from
 *
 *   counts      of the receives and sends that it has started, as ob1 keeps them: they have not changed. On
 *               communicators with mpi_assert_allow_overtaking it keeps none;
 *   a number    of the receive that it waits for: UCX numbers the receives that a process posts, so one with the same
 *               number is the same receive, and has been waited for all the time. The address of a request is no proof:
 *               the next one gets it again;
 *   a message   that names the send that it waits for, and lies at a rank that has done nothing itself: as long as
 *               nobody takes the message the send cannot end;
 *   a rank      that has done nothing itself, if it is waited for in a window: it keeps its lock, and calls none of
 *               MPI_Win_post and MPI_Win_complete. Calls on windows are not counted: ranks that wait for each other only
 *               there prove nothing.
 *
 * A rank that only looks the same may have gone on, and come back to the same place of a loop.
 *
 * What stands for the counts where they are missing (PML ucx and cm), by conclusion:
 *
 *   circles, near misses, collective     every wait of the group must be proved: a receive by the look before (the rank
 *   operations (MOMENT)                  that should send has done nothing); a send by the message that names it, at
 *                                        one look, or by the look before (the receiver has done nothing). Else the
 *                                        finding is possible.
 *   ended and finalized ranks (MOMENT)   the look before: they had ended, or were in MPI_Finalize, already then. Messages
 *                                        that they sent have arrived; but a receive must be proved all the same, else the
 *                                        rank may be taking these messages one after the other. Else possible.
 *   busy and unknown ranks (TIME)        never certain.
 *   crashes, truncated messages, floods  need no counts: one rank shows them. On ucx a rank outside of MPI shows what it
 *   (ONE_RANK)                           had at its last progress: there may be more messages, never fewer.
 *   cores                                one look: doubt.c makes all findings from several ranks possible.
 *
 * The operation that a call waits for must be certain too: wait.c knows which calls may have operations that are not
 * listed.
 */
#include "mqd/dump/verdict/proof.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"

/* Messages that may overtake each other have no numbers: how many were sent is not known. */
static bool is_numbered(const struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++)
        if (listing->communicators[i].use.allow_overtaking != 0)
            return false;
    return true;
}

static bool is_counted(const struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++)
        if (!listing->communicators[i].has_summary || !listing->communicators[i].summary.has_activity)
            return false;
    return true;
}

/* Has the operation been pending since the look before, in which the rank looked the same? */
static bool is_old(const struct model *model, const struct wait *wait)
{
    const struct operation *operation = wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;
    size_t receiver;

    if (wait->what != NULL)
        return wait->target >= 0 && wait->target < (int64_t)model->n_ranks && model->ranks[wait->target].held &&
               !model->ranks[model_owner(model, wait)].once;
    if (operation == NULL || operation->said->status != mqs_st_pending)
        return false;
    if (operation->class == mqs_pending_receives)
        return operation->facts->sequence >= 0;
    receiver = operation->needs_receiver && operation->extra->named ? model_find_rank(model, operation->peer) : SIZE_MAX;
    return receiver != SIZE_MAX && model->ranks[receiver].held;
}

/* What the calls of a rank wait for. */
struct summary {
    size_t n_conditions, n_held;
};

/* If all of its waits must end one old one is enough; if one is enough all must be old. */
static bool is_condition_held(const struct model *model, uint32_t index, size_t n_old)
{
    const struct condition *condition = &model->conditions[index];

    return n_old > 0 && (condition->all || n_old == condition->n_waits);
}

static void summarise(const struct model *model, size_t *n_old, struct summary *summaries)
{
    for (size_t i = 0; i < model->n_conditions; i++)
        n_old[i] = 0;
    for (size_t i = 0; i < model->n_waits; i++)
        n_old[model->waits[i].condition] += is_old(model, &model->waits[i]);
    for (size_t i = 0; i < model->n_ranks; i++)
        summaries[i] = (struct summary){0};
    for (size_t i = 0; i < model->n_conditions; i++) {
        uint32_t owner = model->conditions[i].owner;

        if (owner >= model->n_ranks)
            continue;
        summaries[owner].n_conditions++;
        summaries[owner].n_held += is_condition_held(model, (uint32_t)i, n_old[i]);
    }
}

/* Ranks whose listing alone shows it. Of cores there is no other look: doubt.c judges what rests on them. */
static bool find_counted(struct model *model)
{
    bool all = true;

    for (size_t i = 0; i < model->n_ranks; i++) {
        struct model_rank *rank = &model->ranks[i];

        rank->held = rank->phase == PHASE_BLOCKED && rank->kind != CALL_WINDOW && is_numbered(rank->witness->listing) &&
                     (rank->once || is_counted(rank->witness->listing));
        all &= rank->held || rank->phase != PHASE_BLOCKED;
    }
    return all;
}

/* One more round: a rank that is held may show that others are. */
static bool extend_held(struct model *model, const struct summary *summaries)
{
    bool any = false;

    for (size_t i = 0; i < model->n_ranks; i++) {
        struct model_rank *rank = &model->ranks[i];

        if (rank->held || rank->phase != PHASE_BLOCKED || rank->guessed || summaries[i].n_conditions == 0 ||
            summaries[i].n_held < summaries[i].n_conditions)
            continue;
        rank->held = any = true;
    }
    return any;
}

/* In each round sends to ranks of the round before are added. A longer chain of sends is left unproved. */
enum { MAX_ROUNDS = 64 };

void model_find_held(struct model *model)
{
    int n_rounds = 0;
    struct summary *summaries;
    size_t *n_old;

    if (find_counted(model))
        return;
    summaries = allocate_array(model->n_ranks + 1, sizeof *summaries);
    n_old = allocate_array(model->n_conditions + 1, sizeof *n_old);
    do
        summarise(model, n_old, summaries);
    while (extend_held(model, summaries) && ++n_rounds < MAX_ROUNDS);
    free(summaries);
    free(n_old);
}

static bool is_proved(const struct model *model, const struct wait *wait)
{
    const struct operation *operation = wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;

    if (operation != NULL && operation->class == mqs_pending_sends && operation->extra->named)
        return true;
    return wait->target >= (int64_t)model->n_ranks || (wait->target >= 0 && model->ranks[wait->target].held);
}

bool node_is_proved(const struct model *model, const struct graph *graph, uint32_t node)
{
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
        if (!is_proved(model, &model->waits[graph->edges[i].wait]))
            return false;
    return true;
}

bool gone_is_proved(const struct model *model, const struct model_rank *gone, const struct wait *wait)
{
    uint32_t owner = model_owner(model, wait);

    if (gone->witness->moved_last)
        return false;
    if (wait->operation != UINT32_MAX && model->operations[wait->operation].class == mqs_pending_sends)
        return true;
    return owner < model->n_ranks && model->ranks[owner].held;
}
