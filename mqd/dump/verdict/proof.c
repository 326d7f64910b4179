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
 * The operation that a call waits for must be certain too: candidates.c knows which calls may have operations that are not
 * listed.
 */
#include "mqd/dump/verdict/proof.h"

#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/traffic.h"

/*
 * What shows that a wait is as old as the look before, in which the rank looked the same: NODE_LIVE, its own operation;
 * a rank, if that is proved to have been idle; NODE_NEVER: nothing.
 */
static int64_t witness_of_age(const struct model *model, const struct wait *wait)
{
    const struct operation *operation = model_operation(model, wait);
    size_t receiver;

    if (wait->in_window != NULL)
        return wait->target >= 0 && model_are_together(model, model_owner(model, wait), (size_t)wait->target)
                   ? wait->target : NODE_NEVER;
    if (operation == NULL || operation->said->status != mqs_st_pending)
        return NODE_NEVER;
    if (operation->class == mqs_pending_receives)
        return operation->said->sequence >= 0 ? NODE_LIVE : NODE_NEVER;
    receiver = operation->said->needs_receiver && operation->said->named ? model_find_rank(model, operation->peer) : SIZE_MAX;
    return receiver != SIZE_MAX ? (int64_t)receiver : NODE_NEVER;
}

/*
 * Does its listing alone show it? Of cores there is no other look: their counts must agree. Messages that may overtake
 * each other have no numbers: how many were sent is not known.
 */
static bool is_counted_idle(const struct model_rank *rank)
{
    const struct listing *listing = rank->witness->listing;

    for (size_t i = 0; i < listing->n; i++) {
        const struct communicator *communicator = &listing->communicators[i];

        if (communicator->use.allow_overtaking != 0 ||
            (!rank->once && (!communicator->has_summary || !communicator->summary.has_activity)))
            return false;
    }
    return rank->phase == PHASE_BLOCKED && rank->kind != CALL_WINDOW;
}

/* Do all conditions of a rank show how old its waits are? */
static bool shows_age(const struct model *model, uint32_t owner)
{
    return owner < model->n_ranks && model->ranks[owner].phase == PHASE_BLOCKED && !model->ranks[owner].guessed;
}

static void add_age(struct and_or *graph, struct condition *conditions, struct wait *waits, size_t condition,
                    int64_t target)
{
    waits[graph->n_waits++] = (struct wait){.condition = (uint32_t)condition, .target = target};
    conditions[condition].n_waits++;
}

static unsigned char is_idle_below(const void *of, uint32_t node)
{
    const struct model *model = of;

    return node < model->n_ranks && is_counted_idle(&model->ranks[node]);
}

static unsigned char is_old_below(const void *of, const struct wait *wait)
{
    (void)of;
    return wait->target == NODE_LIVE;
}

/*
 * Idle is a rank all of whose conditions are old. If all waits of a condition must end one old one is enough; if one is
 * enough all must be old. So each condition is a node of its own, after those of the ranks, and its opposite.
 */
static struct and_or find_ages(const struct model *model, struct condition *conditions, struct wait *waits)
{
    struct and_or graph = {.n_nodes = model->n_ranks + model->n_conditions, .conditions = conditions, .waits = waits,
                           .of = model, .lives_below = is_idle_below, .met_below = is_old_below};

    graph.n_conditions = graph.n_nodes;
    for (size_t i = 0; i < graph.n_nodes; i++)
        conditions[i] = (struct condition){.owner = (uint32_t)i, .counts_below = N_DOUBTS,
                                           .all = i < model->n_ranks || !model->conditions[i - model->n_ranks].all};
    for (size_t i = 0; i < model->n_conditions; i++)
        if (shows_age(model, model->conditions[i].owner))
            add_age(&graph, conditions, waits, model->conditions[i].owner, (int64_t)(model->n_ranks + i));
    for (size_t i = 0; i < model->n_waits; i++)
        add_age(&graph, conditions, waits, model->n_ranks + model->waits[i].condition,
                witness_of_age(model, &model->waits[i]));
    return graph;
}

void model_find_proved_idle(struct model *model)
{
    OWNED struct condition *conditions = allocate_array(model->n_ranks + model->n_conditions, sizeof *conditions);
    OWNED struct wait *waits = allocate_array(model->n_conditions + model->n_waits + 1, sizeof *waits);
    const struct and_or graph = find_ages(model, conditions, waits);
    OWNED unsigned char *idle = and_or_solve(&graph, 1);

    for (size_t i = 0; i < model->n_ranks; i++)
        model->ranks[i].proved_idle = idle[i] > 0;
}

/* Has the rank nothing but MPI_COMM_WORLD on which somebody else can send? */
static bool has_only_world(const struct model_rank *rank)
{
    const struct listing *listing = rank->witness->listing;

    for (size_t i = 0; i < listing->n; i++)
        if (listing->communicators[i].unique_id != 0 && communicator_n_peers(&listing->communicators[i]) > 1)
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
    size_t from = model_rank_of(model, (int64_t)owner), to = model_rank_of(model, wait->target);

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

/* A rank's part may have sent its message since the look before, if the rank has started it since then. */
bool wait_is_proved(const struct model *model, const struct wait *wait)
{
    size_t rank = model_rank_of(model, wait->target);
    const struct operation *operation = model_operation(model, wait);

    if (operation != NULL && operation->said->named)
        return true;
    return wait_is_known(model, wait) && wait->target >= 0 && (rank == SIZE_MAX || model->ranks[rank].proved_idle);
}

bool node_is_proved(const struct model *model, const struct graph *graph, uint32_t node)
{
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
        if (!wait_is_proved(model, &model->waits[graph->edges[i]]))
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
    return owner < model->n_ranks && model->ranks[owner].proved_idle;
}
