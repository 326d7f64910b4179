/*
 * analysis.c - who waits for whom, and who can get on.
 *
 * If it is not certain which operation a call waits for, all that are possible are considered: a rank is stuck only if
 * none of them can come.
 */
#include "mqd/dump/verdict/analysis.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/answer.h"
#include "mqd/dump/verdict/candidates.h"
#include "mqd/dump/verdict/phase.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/traffic.h"
#include "mqd/dump/verdict/window.h"

/* Parts of nonblocking collective operations. */

/*
 * The virtual node for a rank's part of a nonblocking collective operation, of which this is the first open operation.
 * What it waits for is added later.
 */
static int64_t part_node(struct model *model, size_t rank, uint32_t part)
{
    struct operation *first = &model->operations[part];

    if (first->part_node == 0) {
        first->part_node = answer_add_node(model, rank, first->communicator);
        model->virtuals[model->n_virtuals - 1].is_part = true;
        model->virtuals[model->n_virtuals - 1].operation = part;
    }
    return first->part_node;
}

/* Does the rank do nothing but wait for that part? */
static bool waits_for_part(const struct model *model, const struct model_rank *rank, const struct operation *part)
{
    const struct waiting_call *waiting = &model->waiting[rank->first_waiting];
    bool same = rank->witness->calls->n == 1 && waiting->n > 0;

    for (size_t i = 0; i < waiting->n && same; i++)
        same = is_part_of_same(part, &model->operations[waiting->operations[i]]);
    return same;
}

/* A rank that has started a nonblocking operation does its part of it whatever it waits for in MPI. */
static int64_t target_of_part(struct model *model, int64_t target, const struct operation *operation)
{
    uint32_t part;

    if (operation->purpose != PURPOSE_NONBLOCKING || target < 0 || target >= (int64_t)model->n_ranks ||
        model->ranks[target].phase != PHASE_BLOCKED || model->ranks[target].n_in_mpi == 0)
        return target;
    part = find_part(model, (size_t)target, operation);
    if (part == UINT32_MAX && has_complete_part(model, (size_t)target, operation))
        return NODE_LIVE;
    if (part == UINT32_MAX || waits_for_part(model, &model->ranks[target], operation))
        return target;
    return part_node(model, (size_t)target, part);
}

static void wait_for_operation(struct model *model, uint32_t condition, uint32_t i)
{
    const struct operation *operation = &model->operations[i];
    int64_t target = answer_of_operation(model, operation);

    model_add_wait(model, condition, target_of_part(model, target, operation), i, operation->peer);
}

/* What a rank's part of a nonblocking collective operation waits for. */
static void add_part_waits(struct model *model, uint32_t index)
{
    size_t rank = model->virtuals[index].rank;
    uint32_t first = (uint32_t)model->ranks[rank].first_operation;
    uint32_t condition = model_add_condition(model, (uint32_t)model->n_ranks + index, true, NULL);

    for (uint32_t i = first; i < first + model->ranks[rank].n_operations; i++)
        if (is_part_of_same(&model->operations[model->virtuals[index].operation], &model->operations[i]))
            wait_for_operation(model, condition, i);
}

/* The same for the virtual nodes from the first one on. This may add further parts. */
static void add_all_part_waits(struct model *model, size_t first)
{
    for (size_t i = first; i < model->n_virtuals; i++)
        if (model->virtuals[i].is_part)
            add_part_waits(model, (uint32_t)i);
}

/* Calls. */

/*
 * The node for a message from anybody on any communicator; NODE_LIVE if somebody may send who is not known. A message
 * that is there while the rank still probes does not match.
 */
static int64_t anybody(struct model *model, uint32_t index)
{
    const struct listing *listing = model->ranks[index].witness->listing;
    const struct communicator *world = model_find_communicator(model, index, 0);
    int64_t node = world != NULL ? answer_of_peers(model, index, world) : NODE_LIVE;

    /* Processes that are not in MPI_COMM_WORLD can send on such communicators. */
    for (size_t i = 0; i < listing->n; i++)
        if (communicator_is_inter(&listing->communicators[i]) || listing->communicators[i].peers != NULL)
            node = NODE_LIVE;
    return node;
}

/* False if it is not known for whom the rank in MPI_Probe waits, which is in no probe that is listed. */
static bool add_unlisted_probe(struct model *model, uint32_t index, const struct call *call)
{
    const struct listing *listing = model->ranks[index].witness->listing;
    int64_t node = anybody(model, index);

    if (node == NODE_LIVE)
        return false;
    for (size_t i = 0; i < listing->n; i++)
        if (model_message_travels(model, PEER_ANY, index, listing->communicators[i].unique_id))
            node = NODE_LIVE;
    model_add_wait(model, model_add_condition(model, index, true, call), node, UINT32_MAX, PEER_ANY);
    return true;
}

/* Adds a condition of a rank: what a call waits for. Returns it. */
static uint32_t add_waits(struct model *model, uint32_t index, const struct waiting_call *waiting)
{
    uint32_t condition = model_add_condition(model, index, waiting->all, waiting->call);

    for (size_t i = 0; i < waiting->n; i++)
        wait_for_operation(model, condition, waiting->operations[i]);
    for (size_t i = 0; i < waiting->n_in_windows; i++) {
        long peer = waiting->in_windows[i].peer;

        model_add_wait(model, condition, answer_of_rank(model, peer), UINT32_MAX, peer);
        model->waits[model->n_waits - 1].in_window = &waiting->in_windows[i];
    }
    return condition;
}

/*
 * A rank that tests again and again waits for any of its operations, or for a message from anybody: which of them it
 * tests for is not known. A rank without any tests for what is not known. The same holds of a rank that is outside of
 * MPI and has operations, which may be between two tests, or has tested for messages since it was first looked at.
 */
static void add_polling(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];
    bool outside = rank->call->state == CALL_OUTSIDE;
    bool for_any = rank->witness->tested || (!outside && call_polls_for_any(rank->call->function));
    int64_t node = for_any ? anybody(model, index) : NODE_LIVE;
    RELEASED_BY(waiting_call_clear) struct waiting_call tested = {.call = rank->call};

    candidates_find_open(model, rank, &tested);
    rank->polls = for_any ? node != NODE_LIVE : tested.n > 0;
    rank->aside = rank->polls && outside && !rank->witness->tested;
    if (rank->polls) {
        uint32_t condition = add_waits(model, index, &tested);

        if (for_any)
            model_add_wait(model, condition, node, UINT32_MAX, PEER_ANY);
    }
}

/*
 * Is every thread in MPI or waiting for another one, and does one of them test for messages? Or may the rank be between
 * two tests?
 */
static bool only_polls(const struct model_rank *rank)
{
    if (rank->phase != PHASE_BUSY || rank->witness->moved || rank->halted || rank->call == NULL ||
        !rank->witness->calls->complete)
        return false;
    if (rank->call->state == CALL_OUTSIDE)
        return true;
    return rank->call->state == CALL_MPI && call_polls(rank->call->function) && rank->n_unknown == 0 &&
           rank->n_running == 0;
}

/*
 * Each call in MPI of a blocked rank waits for something that is known, or is a probe. Of others nobody knows for what.
 * If one thread can get on, its rank can.
 */
static void add_rank_waits(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];

    for (size_t i = rank->first_waiting; i < rank->first_waiting + rank->n_waiting; i++) {
        const struct waiting_call *waiting = &model->waiting[i];

        if (waiting->n > 0 || waiting->n_in_windows > 0) {
            rank->guessed |= waiting->guessed;
            add_waits(model, index, waiting);
        } else if (!add_unlisted_probe(model, index, waiting->call)) {
            rank->phase = PHASE_BUSY;
            rank->call = waiting->call;
            rank->unclear = !rank->witness->went_on;
        }
    }
    if (rank->call != NULL && rank->call->state == CALL_MPI)
        rank->kind = call_kind_of(rank->call->function);
}

/* Can it be told which operations the rank has started? */
static bool own_queues_are_known(const struct model_rank *rank)
{
    const struct listing *listing = rank->witness->listing;

    for (size_t i = 0; i < listing->n; i++)
        if (!queue_is_known(&listing->communicators[i], mqs_pending_sends) ||
            !queue_is_known(&listing->communicators[i], mqs_pending_receives))
            return false;
    return true;
}

static struct waiting_call find_waiting(const struct model *model, uint32_t index, const struct call *call)
{
    struct waiting_call waiting = {.call = call};

    if (call_kind_of(call->function) == CALL_WINDOW)
        window_waits_find(model, index, &waiting);
    else
        candidates_find(model, &model->ranks[index], &waiting);
    return waiting;
}

/*
 * Finds what the calls of a rank wait for. A rank one of whose calls waits for nothing that is known may get on: false.
 * This is decided before waits for the rank are added.
 */
static bool waits_for_something(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];
    const struct calls *calls = rank->witness->calls;

    rank->first_waiting = model->n_waiting;
    for (size_t i = 0; i < calls->n; i++) {
        const struct call *call = &calls->calls[i];
        const struct waiting_call *last;

        if (call->state != CALL_MPI)
            continue;
        APPEND(model->waiting, model->n_waiting, model->waiting_room, find_waiting(model, index, call));
        last = &model->waiting[model->n_waiting - 1];
        rank->n_waiting++;
        if (last->n == 0 && last->n_in_windows == 0 && call_kind_of(call->function) != CALL_PROBE) {
            rank->call = call;
            rank->in_hidden = call_may_be_hidden(rank, call);
            rank->unclear = !call_polls(call->function) && !call_never_waits(call->function) &&
                            !rank->witness->went_on;
            return false;
        }
    }
    return true;
}

/* Adds to the model what each rank waits for. */
static void find_waits(struct model *model)
{
    traffic_find(model);
    for (size_t i = 0; i < model->n_ranks; i++) {
        struct model_rank *rank = &model->ranks[i];

        if (rank->phase == PHASE_BLOCKED && !own_queues_are_known(rank))
            rank->phase = PHASE_UNKNOWN;
        else if (rank->phase == PHASE_BLOCKED && !waits_for_something(model, (uint32_t)i))
            rank->phase = PHASE_BUSY;
    }
    for (size_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_BLOCKED)
            add_rank_waits(model, (uint32_t)i);
    add_all_part_waits(model, 0);
}

/* Adds what ranks that only test for messages test for. */
static void find_polling(struct model *model)
{
    size_t n_virtuals = model->n_virtuals;

    model->n_blocking_waits = model->n_waits;
    model->n_blocking_nodes = model_n_nodes(model);
    for (size_t i = 0; i < model->n_ranks; i++)
        if (only_polls(&model->ranks[i]) && own_queues_are_known(&model->ranks[i]))
            add_polling(model, (uint32_t)i);
    add_all_part_waits(model, n_virtuals);
}

/*
 * What has come does not let a rank get on that stays stopped. If busy ranks do nothing, what they test for does not
 * either.
 */
static void limit_conditions(struct model *model)
{
    for (size_t i = 0; i < model->n_conditions; i++) {
        struct condition *condition = &model->conditions[i];
        size_t rank = model_rank_of(model, condition->owner);

        if (rank != SIZE_MAX && model->ranks[rank].kept)
            condition->counts_below = DOUBT_STOPPED;
        else if (rank == condition->owner && model->ranks[rank].polls)
            condition->counts_below = DOUBT_BUSY;
    }
}

/* Finds the operations without which their rank does not go on. */
static void find_needed(struct model *model)
{
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct condition *condition = &model->conditions[model->waits[i].condition];

        if (model->waits[i].operation != UINT32_MAX && condition->owner < model->n_ranks &&
            model->ranks[condition->owner].n_conditions == 1 && (condition->all || condition->n_waits == 1))
            model->operations[model->waits[i].operation].needed = !model->ranks[condition->owner].guessed;
    }
}

/* A rank in a debugger waits for that one, and not in MPI, if what it waits for there has come, or will. */
static void free_kept(struct analysis_part *part)
{
    for (size_t i = 0; i < part->model.n_ranks; i++) {
        struct model_rank *rank = &part->model.ranks[i];

        if (rank->kept && rank->phase == PHASE_BLOCKED && part->dies_at[i] == DOUBT_STOPPED)
            rank->phase = PHASE_BUSY;
    }
}

/* The whole. */

static void analyse_connected_jobs(struct analysis_part *part, const struct rank_claim *claims, size_t n)
{
    model_build(&part->model, claims, n);
    phases_find(&part->model);
    find_waits(&part->model);
    find_polling(&part->model);
    limit_conditions(&part->model);
    find_needed(&part->model);
    model_find_proved_idle(&part->model);
    part->dies_at = model_find_deaths(&part->model);
    graph_build(&part->graph, &part->model, part->dies_at, DOUBT_NONE);
    collectives_find(&part->collectives, &part->model);
    free_kept(part);
}

void analysis_make(struct analysis *analysis, const struct witness *witnesses, size_t n)
{
    size_t n_claims, n_parts = 0, end;
    OWNED struct rank_claim *claims = rank_claims_take(witnesses, n, &n_claims);

    for (size_t i = 0; i < n_claims; i = rank_claims_end(claims, n_claims, i))
        n_parts++;
    *analysis = (struct analysis){.witnesses = witnesses, .n_witnesses = n, .n = n_parts,
                                  .parts = allocate_array(n_parts + 1, sizeof *analysis->parts)};
    for (size_t i = 0, part = 0; i < n_claims; i = end) {
        end = rank_claims_end(claims, n_claims, i);
        analyse_connected_jobs(&analysis->parts[part++], &claims[i], end - i);
    }
}

void analysis_clear(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->n; i++) {
        graph_clear(&analysis->parts[i].graph);
        collectives_clear(&analysis->parts[i].collectives);
        free(analysis->parts[i].dies_at);
        phases_clear(&analysis->parts[i].model);
        model_clear(&analysis->parts[i].model);
    }
    free(analysis->parts);
    *analysis = (struct analysis){0};
}
