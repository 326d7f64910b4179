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
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/traffic.h"
#include "mqd/dump/verdict/window.h"

/* Parts of nonblocking collective operations. */

/* The virtual node for a rank's part of a nonblocking collective operation. What it waits for is added later. */
static int64_t part_node(struct model *model, size_t rank, const struct operation *part)
{
    struct model_rank *owner = &model->ranks[rank];
    struct virtual_node *added;
    int64_t node;

    for (uint32_t i = owner->parts; i != 0; i = model->virtuals[i - 1].next)
        if (is_part_of_same(model, part, &model->operations[model->virtuals[i - 1].operation]))
            return (int64_t)(model->n_ranks + i - 1);
    node = answer_add_node(model, rank, part->communicator);
    added = &model->virtuals[model->n_virtuals - 1];
    added->is_part = true;
    added->operation = (uint32_t)(part - model->operations);
    added->next = owner->parts;
    owner->parts = (uint32_t)model->n_virtuals;
    return node;
}

/* Does the rank do nothing but wait for that part? */
static bool waits_for_part(const struct model *model, const struct model_rank *rank, const struct operation *part)
{
    const struct calls *calls = rank->witness->calls;
    RELEASED_BY(candidates_clear) struct candidates candidates = {0};
    bool guessed, same;

    if (calls->n != 1 || calls->calls[0].state != CALL_MPI)
        return false;
    candidates_find(model, rank, &calls->calls[0], &candidates, &guessed);
    same = candidates.n > 0;
    for (size_t i = 0; i < candidates.n; i++)
        same &= is_part_of_same(model, part, &model->operations[candidates.operations[i]]);
    return same;
}

/* A rank that has started a nonblocking operation does its part of it whatever it waits for. */
static int64_t target_of_part(struct model *model, int64_t target, const struct operation *operation)
{
    uint32_t part;

    if (!operation->nonblocking || target < 0 || target >= (int64_t)model->n_ranks ||
        model->ranks[target].phase != PHASE_BLOCKED)
        return target;
    part = find_part(model, (size_t)target, operation);
    if (part == UINT32_MAX && has_complete_part(model, (size_t)target, operation))
        return NODE_LIVE;
    if (part == UINT32_MAX || waits_for_part(model, &model->ranks[target], operation))
        return target;
    return part_node(model, (size_t)target, &model->operations[part]);
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
        if (is_part_of_same(model, &model->operations[model->virtuals[index].operation], &model->operations[i]))
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

/* The probes of a call, where they are listed. */
static void find_probes(const struct model *model, const struct model_rank *rank, struct candidates *candidates)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        const struct operation *operation = &model->operations[rank->first_operation + i];

        if (operation->probe && operation->said->status == mqs_st_pending)
            candidates_add(candidates, (uint32_t)(rank->first_operation + i));
    }
}

/*
 * The node for a message from anybody on any communicator; NODE_LIVE if somebody may send who is not known. A message
 * that is there while the rank still probes does not match.
 */
static int64_t anybody(struct model *model, uint32_t index)
{
    const struct communicator *world = model_find_communicator(model, index, 0);
    int64_t node = world != NULL ? answer_of_peers(model, index, world) : NODE_LIVE;

    /* Processes that are not in MPI_COMM_WORLD can send on such communicators. */
    for (size_t i = 0; i < model->ranks[index].n_communicators; i++)
        if (communicator_is_inter(model->ranks[index].communicators[i]) ||
            model->ranks[index].communicators[i]->peers != NULL)
            node = NODE_LIVE;
    return node;
}

/* False if it is not known for whom the rank in MPI_Probe waits. */
static bool add_probe(struct model *model, uint32_t index, const struct call *call)
{
    struct model_rank *rank = &model->ranks[index];
    RELEASED_BY(candidates_clear) struct candidates probes = {0};
    uint32_t condition;
    int64_t node;

    find_probes(model, rank, &probes);
    rank->guessed |= probes.n > 1;
    if (probes.n > 0) {
        condition = model_add_condition(model, index, false, call);
        for (size_t i = 0; i < probes.n; i++)
            wait_for_operation(model, condition, probes.operations[i]);
        return true;
    }
    node = anybody(model, index);
    if (node == NODE_LIVE)
        return false;
    for (size_t i = 0; i < rank->n_communicators; i++)
        if (model_message_travels(model, PEER_ANY, index, rank->communicators[i]->unique_id))
            node = NODE_LIVE;
    model_add_wait(model, model_add_condition(model, index, true, call), node, UINT32_MAX, PEER_ANY);
    return true;
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
    RELEASED_BY(candidates_clear) struct candidates candidates = {0};
    uint32_t condition;

    candidates_add_open(model, rank, &candidates);
    rank->polls = for_any ? node != NODE_LIVE : candidates.n > 0;
    rank->aside = rank->polls && outside && !rank->witness->tested;
    if (rank->polls) {
        condition = model_add_condition(model, index, false, rank->call);
        for (size_t i = 0; i < candidates.n; i++)
            wait_for_operation(model, condition, candidates.operations[i]);
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
    const struct calls *calls = rank->witness->calls;

    if (rank->phase != PHASE_BUSY || rank->witness->moved || rank->witness->stopped || rank->call == NULL ||
        !calls->complete)
        return false;
    if (rank->call->state == CALL_OUTSIDE)
        return true;
    if (rank->call->state != CALL_MPI || !call_polls(rank->call->function))
        return false;
    for (size_t i = 0; i < calls->n; i++)
        if (calls->calls[i].state == CALL_UNKNOWN || calls->calls[i].runs)
            return false;
    return true;
}

static struct window_wait *copy_window_wait(const struct window_wait *wait)
{
    struct window_wait *copy = allocate_array(1, sizeof *copy);

    *copy = *wait;
    return copy;
}

/* False if it is not known what the call on a window waits for. */
static bool add_window_call(struct model *model, uint32_t index, const struct call *call)
{
    RELEASED_BY(window_waits_free) struct window_waits found = {0};
    uint32_t condition;

    window_waits_find(model, index, call, &found);
    if (found.n == 0)
        return false;
    model->ranks[index].guessed |= found.guessed;
    condition = model_add_condition(model, index, found.all, call);
    for (size_t i = 0; i < found.n; i++) {
        model_add_wait(model, condition, answer_of_rank(model, found.waits[i].peer), UINT32_MAX, found.waits[i].peer);
        model->waits[model->n_waits - 1].in_window = copy_window_wait(&found.waits[i]);
    }
    return true;
}

/* False if it is not known what the call waits for. */
static bool add_call(struct model *model, uint32_t index, const struct call *call)
{
    struct model_rank *rank = &model->ranks[index];
    RELEASED_BY(candidates_clear) struct candidates candidates = {0};
    bool all, guessed;
    uint32_t condition;

    if (call_kind_of(call->function) == CALL_PROBE)
        return add_probe(model, index, call);
    if (call_kind_of(call->function) == CALL_WINDOW)
        return add_window_call(model, index, call);
    all = candidates_find(model, rank, call, &candidates, &guessed);
    rank->guessed |= guessed;
    if (candidates.n > 0) {
        condition = model_add_condition(model, index, all, call);
        for (size_t i = 0; i < candidates.n; i++)
            wait_for_operation(model, condition, candidates.operations[i]);
    }
    return candidates.n > 0;
}

/* If one thread can get on, its rank can. */
static void add_rank_waits(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];
    const struct calls *calls = rank->witness->calls;

    for (size_t i = 0; i < calls->n; i++) {
        const struct call *call = &calls->calls[i];

        if (call->state == CALL_MPI && !add_call(model, index, call)) {
            rank->phase = PHASE_BUSY;
            rank->call = call;
            rank->unclear = !rank->witness->went_on;
        }
    }
    if (rank->call != NULL && rank->call->state == CALL_MPI)
        rank->kind = call_kind_of(rank->call->function);
}

/* Can it be told which operations the rank has started? */
static bool own_queues_are_known(const struct model_rank *rank)
{
    for (size_t i = 0; i < rank->n_communicators; i++)
        if (!queue_is_known(rank->communicators[i], mqs_pending_sends) ||
            !queue_is_known(rank->communicators[i], mqs_pending_receives))
            return false;
    return true;
}

static bool waits_in_window(const struct model *model, uint32_t index, const struct call *call)
{
    RELEASED_BY(window_waits_free) struct window_waits found = {0};

    if (call_kind_of(call->function) == CALL_WINDOW)
        window_waits_find(model, index, call, &found);
    return found.n > 0;
}

/* A rank whose call waits for nothing that is known may get on. This is decided before waits for the rank are added. */
static bool waits_for_something(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];
    const struct calls *calls = rank->witness->calls;

    for (size_t i = 0; i < calls->n; i++) {
        RELEASED_BY(candidates_clear) struct candidates candidates = {0};
        const struct call *call = &calls->calls[i];
        bool guessed;

        if (call->state != CALL_MPI)
            continue;
        candidates_find(model, rank, call, &candidates, &guessed);
        if (candidates.n == 0 && call_kind_of(call->function) != CALL_PROBE && !waits_in_window(model, index, call)) {
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
    /* If busy ranks do nothing, what they test for does not let them get on. */
    for (size_t i = 0; i < model->n_conditions; i++)
        if (model->conditions[i].owner < model->n_ranks && model->ranks[model->conditions[i].owner].polls)
            model->conditions[i].counts_below = DOUBT_BUSY;
}

/* The whole. */

static void analyse_connected_jobs(struct analysis_part *part, const struct rank_claim *claims, size_t n)
{
    model_build(&part->model, claims, n);
    find_waits(&part->model);
    find_polling(&part->model);
    model_find_proved_idle(&part->model);
    part->dies_at = model_find_deaths(&part->model);
    graph_build(&part->graph, &part->model, part->dies_at, DOUBT_NONE);
    collectives_find(&part->collectives, &part->model);
}

void analysis_make(struct analysis *analysis, const struct witness *witnesses, size_t n)
{
    size_t n_claims, end;
    OWNED struct rank_claim *claims = rank_claims_take(witnesses, n, &n_claims);

    *analysis = (struct analysis){.witnesses = witnesses, .n_witnesses = n};
    for (size_t i = 0; i < n_claims; i = end) {
        end = rank_claims_end(claims, n_claims, i);
        analysis->parts = grow_array(analysis->parts, analysis->n, &analysis->room, sizeof *analysis->parts);
        analyse_connected_jobs(&analysis->parts[analysis->n++], &claims[i], end - i);
    }
}

void analysis_clear(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->n; i++) {
        graph_clear(&analysis->parts[i].graph);
        collectives_clear(&analysis->parts[i].collectives);
        free(analysis->parts[i].dies_at);
        model_clear(&analysis->parts[i].model);
    }
    free(analysis->parts);
    *analysis = (struct analysis){0};
}
