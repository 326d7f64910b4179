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
 *
 * Ranks of which there is one look only, as cores, and ranks of different machines are not looked at together: what one of
 * them sends may arrive at the other after the look at that. There the counts of both must agree (traffic.h). If they do,
 * whoever gets on first after the look at it has to get what somebody has sent who got on before: none of them is the
 * first. Counts have 16 bits: 65,536 messages in one direction, and no other, would not show.
 *
 * The operation that a call waits for must be certain too: wait.c knows which calls may have operations that are not
 * listed.
 */
#include "mqd/dump/verdict/proof.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/traffic.h"

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
        return wait->target >= 0 && model->ranks[wait->target].held &&
               model_are_together(model, model_owner(model, wait), (size_t)wait->target);
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

/* Ranks whose listing alone shows it. Of cores there is no other look: their counts must agree. */
static void find_counted(struct model *model)
{
    for (size_t i = 0; i < model->n_ranks; i++) {
        struct model_rank *rank = &model->ranks[i];

        rank->held = rank->phase == PHASE_BLOCKED && rank->kind != CALL_WINDOW && is_numbered(rank->witness->listing) &&
                     (rank->once || is_counted(rank->witness->listing));
    }
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
    struct summary *summaries = allocate_array(model->n_ranks + 1, sizeof *summaries);
    size_t *n_old = allocate_array(model->n_conditions + 1, sizeof *n_old);

    find_counted(model);
    do
        summarise(model, n_old, summaries);
    while (extend_held(model, summaries) && ++n_rounds < MAX_ROUNDS);
    free(summaries);
    free(n_old);
}

/* The rank of a node that is a rank, or a part of one; SIZE_MAX: it stands for any of several. */
static size_t rank_of(const struct model *model, int64_t node)
{
    const struct virtual_node *virtual;

    if (node < 0)
        return SIZE_MAX;
    if (node < (int64_t)model->n_ranks)
        return (size_t)node;
    virtual = &model->virtuals[node - (int64_t)model->n_ranks];
    return virtual->is_part ? virtual->rank : SIZE_MAX;
}

/* Has the rank nothing but MPI_COMM_WORLD on which somebody else can send? */
static bool has_only_world(const struct model_rank *rank)
{
    for (size_t i = 0; i < rank->n_communicators; i++)
        if (rank->communicators[i]->unique_id != 0 && communicator_n_peers(rank->communicators[i]) > 1)
            return false;
    return true;
}

/*
 * Are what a rank has sent and what has arrived counted where it waits for anybody? The senders are in the waits of the
 * node that stands for them. A probe that is not listed may be for any communicator.
 */
static bool is_counted_for_any(const struct model *model, size_t rank, const struct wait *wait)
{
    const struct communicator *communicator = wait->operation != UINT32_MAX
                                                  ? model->operations[wait->operation].communicator
                                                  : model_find_communicator(model, rank, 0);
    size_t node = (size_t)wait->target - model->n_ranks;

    if (!model->several_looks && !model->ranks[rank].once)
        return true;
    return communicator != NULL && communicator->has_traffic &&
           (wait->operation != UINT32_MAX || has_only_world(&model->ranks[rank])) &&
           model_is_known(model, rank, model->virtuals[node].rank, communicator->unique_id);
}

/* The same of one of those for whom such a node stands. */
static bool is_counted_of_any(const struct model *model, uint32_t owner, size_t peer)
{
    const struct virtual_node *node = &model->virtuals[owner - model->n_ranks];

    return (!model->several_looks && !model->ranks[peer].once) ||
           (peer == node->rank ? node->communicator->has_traffic
                               : model_is_known(model, node->rank, peer, node->communicator->unique_id));
}

bool wait_is_known(const struct model *model, const struct wait *wait)
{
    uint32_t owner = model_owner(model, wait);
    size_t from = rank_of(model, (int64_t)owner), to = rank_of(model, wait->target);

    if (wait->target == NODE_NEVER)
        to = model_find_rank(model, wait->peer);
    if (from == SIZE_MAX)
        return to == SIZE_MAX || is_counted_of_any(model, owner, to);
    if (to == SIZE_MAX)
        return wait->target < 0 || is_counted_for_any(model, from, wait);
    if (wait->operation == UINT32_MAX)
        return model_are_together(model, from, to);
    return model_is_known(model, from, to, model->operations[wait->operation].communicator->unique_id);
}

/*
 * A rank's part of a nonblocking operation may have sent its message since the look before, if the rank has started it
 * since then.
 */
static bool is_proved(const struct model *model, const struct wait *wait)
{
    size_t rank = rank_of(model, wait->target);
    const struct operation *operation = wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;

    if (operation != NULL && operation->extra->named)
        return true;
    return wait_is_known(model, wait) && wait->target >= 0 && (rank == SIZE_MAX || model->ranks[rank].held);
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

    if (gone->witness->moved_last || !wait_is_known(model, wait))
        return false;
    if (wait->operation != UINT32_MAX && model->operations[wait->operation].class == mqs_pending_sends)
        return true;
    return owner < model->n_ranks && model->ranks[owner].held;
}
