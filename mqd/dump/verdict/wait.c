/*
 * wait.c - who waits for whom.
 *
 * If it is not certain which operation a call waits for, all that are possible are considered: a rank is stuck only if
 * none of them can come.
 */
#include "mqd/dump/verdict/wait.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/collective_call.h"
#include "mqd/dump/verdict/traffic.h"
#include "mqd/dump/verdict/window.h"

/* Waits. */

static uint32_t add_condition(struct model *model, uint32_t owner, bool all, const struct call *call)
{
    model->conditions =
        grow_array(model->conditions, model->n_conditions, &model->condition_room, sizeof *model->conditions);
    model->conditions[model->n_conditions] = (struct condition){.owner = owner, .all = all, .call = call};
    return (uint32_t)model->n_conditions++;
}

static void add_wait(struct model *model, uint32_t condition, int64_t target, uint32_t operation, long peer)
{
    model->waits = grow_array(model->waits, model->n_waits, &model->wait_room, sizeof *model->waits);
    model->waits[model->n_waits++] =
        (struct wait){.condition = condition, .target = target, .operation = operation, .peer = peer};
    model->conditions[condition].n_waits++;
}

/* Virtual nodes. */

static int64_t add_virtual(struct model *model, size_t rank, const struct communicator *communicator)
{
    model->virtuals = grow_array(model->virtuals, model->n_virtuals, &model->virtual_room, sizeof *model->virtuals);
    model->virtuals[model->n_virtuals] = (struct virtual_node){.rank = rank, .communicator = communicator};
    return (int64_t)(model->n_ranks + model->n_virtuals++);
}

static int64_t find_virtual(const struct model *model, size_t rank, const struct communicator *communicator)
{
    for (size_t i = 0; i < model->n_virtuals; i++) {
        const struct virtual_node *known = &model->virtuals[i];

        if (!known->is_part &&
            (known->communicator == communicator ||
             model_same_side(model, known->rank, known->communicator, rank, communicator)))
            return (int64_t)(model->n_ranks + i);
    }
    return NODE_LIVE;
}

static bool are_peers_known(const struct model *model, size_t rank, const struct communicator *communicator)
{
    for (long i = 0; i < communicator_n_peers(communicator); i++)
        if (model_peer(model, rank, communicator, i) < 0)
            return false;
    return communicator_n_peers(communicator) > 0;
}

/* The target of a wait for a rank. */
static int64_t target_rank(const struct model *model, long id)
{
    size_t index = model_find_rank(model, id);

    if (index == SIZE_MAX)
        return NODE_ABSENT;
    switch (model->ranks[index].phase) {
    case PHASE_FINALIZED:
    case PHASE_ENDED:
        return NODE_NEVER;
    case PHASE_UNKNOWN:
        return NODE_ABSENT;
    case PHASE_BLOCKED:
    case PHASE_BUSY:
        break;
    }
    return (int64_t)index;
}

/* The virtual node for a message from any member of a communicator. */
static int64_t peers_node(struct model *model, size_t rank, const struct communicator *communicator)
{
    int64_t node = find_virtual(model, rank, communicator);
    uint32_t condition;

    if (node != NODE_LIVE)
        return node;
    if (!are_peers_known(model, rank, communicator))
        return NODE_LIVE;
    node = add_virtual(model, rank, communicator);
    condition = add_condition(model, (uint32_t)node, false, NULL);
    for (long i = 0; i < communicator_n_peers(communicator); i++) {
        long peer = model_peer(model, rank, communicator, i);

        add_wait(model, condition, target_rank(model, peer), UINT32_MAX, peer);
    }
    return node;
}

/* Is there a message, arrived or sent, that matches this receive? MPI_ANY_TAG does not match internal tags. */
static bool has_message(const struct model *model, const struct operation *receive)
{
    int64_t id = (int64_t)receive->communicator->unique_id, here = model->ranks[receive->rank].id;
    const struct keys *keys = receive->peer == PEER_ANY && receive->tag != TAG_ANY ? &model->messages_by_tag
                                                                                   : &model->messages_by_source;
    int64_t numbers[4] = {here, id};
    size_t n = 2;

    if (receive->peer == PEER_ANY && receive->tag != TAG_ANY) {
        numbers[n++] = receive->tag;
    } else if (receive->peer != PEER_ANY) {
        numbers[n++] = receive->peer;
        if (receive->tag != TAG_ANY)
            numbers[n++] = receive->tag;
    }
    for (size_t i = keys_find(keys, numbers, n); keys_agree(keys, i, numbers, n); i++)
        if (receive->tag != TAG_ANY || model->operations[keys->keys[i].operation].tag >= 0)
            return true;
    return false;
}

/* Is there a receive, posted or matched, for this message? */
static bool has_receive(const struct model *model, const struct operation *send)
{
    int64_t here = model->ranks[send->rank].id, id = (int64_t)send->communicator->unique_id;
    const int64_t sources[2] = {here, PEER_ANY}, tags[2] = {send->tag, TAG_ANY};

    for (int i = 0; i < 4; i++) {
        int64_t numbers[4] = {send->peer, id, sources[i / 2], tags[i % 2]};

        if ((tags[i % 2] != TAG_ANY || send->tag >= 0) && keys_find(&model->receives, numbers, 4) < model->receives.n)
            return true;
    }
    return false;
}

/* Are all queues known that could show a message on its way? */
static bool queue_is_known(const struct communicator *communicator, int class)
{
    return communicator != NULL && communicator->queues[class].available && communicator->queues[class].error == NULL;
}

static bool peer_queue_is_known(const struct model *model, const struct operation *operation, int class)
{
    size_t peer = operation->peer >= 0 ? model_find_rank(model, operation->peer) : SIZE_MAX;
    const struct communicator *theirs;

    /* One that has ended or left MPI has none any more; anybody is a crowd that counts if one of it may get on. */
    if (peer == SIZE_MAX || model->ranks[peer].phase == PHASE_ENDED || model->ranks[peer].phase == PHASE_FINALIZED)
        return true;
    theirs = model_find_communicator(model, peer, operation->communicator->unique_id);
    /* A communicator that the peer does not have any more, or does not have yet. */
    return theirs == NULL || queue_is_known(theirs, class);
}

/*
 * May somebody have a send whose destination or tag is not known, and which this receive may match? Sends of anybody
 * count if the receive is for anybody.
 */
static bool has_vague_send(const struct model *model, long from)
{
    size_t rank = from != PEER_ANY ? model_find_rank(model, from) : 0;

    if (from != PEER_ANY)
        return rank != SIZE_MAX && model->ranks[rank].has_vague[mqs_pending_sends];
    for (size_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].has_vague[mqs_pending_sends])
            return true;
    return false;
}

/* The same for receives of the process that a send is for. */
static bool has_vague_receive(const struct model *model, const struct operation *send)
{
    size_t peer = model_find_rank(model, send->peer);

    return peer != SIZE_MAX && model->ranks[peer].has_vague[mqs_pending_receives];
}

static int64_t target_of_receive(struct model *model, const struct operation *receive)
{
    if (receive->said->status != mqs_st_pending)
        return NODE_LIVE;
    if (receive->peer == PEER_UNKNOWN)
        return NODE_ABSENT;
    if (!queue_is_known(receive->communicator, mqs_unexpected_messages) ||
        !peer_queue_is_known(model, receive, mqs_pending_sends) || has_message(model, receive) ||
        model_message_travels(model, receive->peer, receive->rank, receive->communicator->unique_id) ||
        receive->vague || has_vague_send(model, receive->peer))
        return NODE_LIVE;
    if (receive->peer == PEER_ANY)
        return peers_node(model, receive->rank, receive->communicator);
    return target_rank(model, receive->peer);
}

static int64_t target_of_send(const struct model *model, const struct operation *send)
{
    if (send->needs_receiver && send->peer < 0)
        return NODE_ABSENT;
    if (!send->needs_receiver || !peer_queue_is_known(model, send, mqs_pending_receives) ||
        has_receive(model, send) || model_answer_travels(model, send) || send->vague || has_vague_receive(model, send))
        return NODE_LIVE;
    return target_rank(model, send->peer);
}

/* Which operations a call waits for. */

/* The positions of operations that a call may be waiting for. */
struct candidates {
    uint32_t *operations;
    size_t n, room;
};

static void add_candidate(struct candidates *candidates, uint32_t i)
{
    candidates->operations = grow_array(candidates->operations, candidates->n, &candidates->room,
                                        sizeof *candidates->operations);
    candidates->operations[candidates->n++] = i;
}

/* A probe is no operation that the program has started: only the call of MPI_Probe waits for it. */
static bool is_open(const struct operation *operation)
{
    return operation->class != mqs_unexpected_messages && operation->said->status != mqs_st_complete &&
           !operation->probe;
}

/* Sends are listed in the order of their numbers, which the messages of some communicators do not have. */
static bool is_ordered_before(const struct operation *a, const struct operation *b)
{
    return a->communicator == b->communicator &&
           (a->class == mqs_pending_receives || (a->peer == b->peer && a->communicator->use.allow_overtaking == 0));
}

/*
 * The operation of a blocking call is the one that was started last. So it is the last possible one of each queue; for
 * sends the last one of each destination. It is of one kind, or of any kind if the kind is not known.
 */
static void add_last(const struct model *model, const struct model_rank *rank, int class,
                     enum mqd_operation_kind kind, struct candidates *candidates)
{
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < rank->n_operations; i++) {
        uint32_t at = (uint32_t)(rank->first_operation + i);
        const struct operation *operation = &model->operations[at];
        const struct operation *before = last != UINT32_MAX ? &model->operations[last] : NULL;

        if (operation->class != class || operation->internal || operation->persistent || operation->freed ||
            operation->probe || (kind != MQD_OPERATION_unknown && operation->facts->kind != (int)kind))
            continue;
        if (before != NULL && !is_ordered_before(before, operation))
            add_candidate(candidates, last);
        last = at;
    }
    if (last != UINT32_MAX)
        add_candidate(candidates, last);
}

/* Drops complete operations: nobody waits for them. */
static void drop_complete(const struct model *model, struct candidates *candidates)
{
    size_t n = 0;

    for (size_t i = 0; i < candidates->n; i++)
        if (is_open(&model->operations[candidates->operations[i]]))
            candidates->operations[n++] = candidates->operations[i];
    candidates->n = n;
}

/* The library's own operations are those of collective operations, and those for windows, files and the like. */
enum which { WAITED = 1, USERS = 2, COLLECTIVE = 4, LIBRARYS = 8, INTERNAL = COLLECTIVE | LIBRARYS, SENDS_ONLY = 16 };

static enum which whose(const struct operation *operation)
{
    if (!operation->internal)
        return USERS;
    return operation->collective ? COLLECTIVE : LIBRARYS;
}

static void add_open(const struct model *model, const struct model_rank *rank, unsigned which,
                     struct candidates *candidates)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        uint32_t at = (uint32_t)(rank->first_operation + i);
        const struct operation *operation = &model->operations[at];

        if (!is_open(operation) || operation->freed || ((which & WAITED) != 0 && !operation->waited) ||
            ((which & SENDS_ONLY) != 0 && operation->class != mqs_pending_sends))
            continue;
        if ((which & whose(operation)) != 0)
            add_candidate(candidates, at);
    }
}

static unsigned which_of_collective(const struct call *call)
{
    return strcmp(call->function, "MPI_Intercomm_create") == 0 ? USERS | COLLECTIVE : COLLECTIVE;
}

/* Does the thread in this call wait for the operation with an object on its own stack? */
static bool is_waited_by(const struct operation *operation, const struct call *call)
{
    return operation->extra->waiter != 0 && operation->extra->waiter >= call->stack_low &&
           operation->extra->waiter < call->stack_high;
}

/* The operations that the thread in this call is known to wait for. */
static void add_own(const struct model *model, const struct model_rank *rank, const struct call *call,
                    struct candidates *candidates)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        uint32_t at = (uint32_t)(rank->first_operation + i);

        if (is_open(&model->operations[at]) && is_waited_by(&model->operations[at], call))
            add_candidate(candidates, at);
    }
}

/* What a call of CALL_SEND sends. */
static enum mqd_operation_kind kind_of_send(const char *function)
{
    const char *name = strncmp(function, "MPI_", 4) == 0 ? function + 4 : function;

    switch (*name) {
    case 'B':
        return MQD_OPERATION_bsend;
    case 'R':
        return MQD_OPERATION_rsend;
    default:
        return strncmp(name, "Ss", 2) == 0 ? MQD_OPERATION_ssend : MQD_OPERATION_send;
    }
}

/*
 * With some PMLs a blocking call keeps its operation where nothing points to it. Then the operation that was listed last
 * says nothing about the call: only one that is known to be a blocking call's does. These are sends that were found
 * through their message, and receives that a thread is known to wait for.
 */
static void add_blocking(const struct model *model, const struct model_rank *rank, int class, bool collective,
                         struct candidates *candidates)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        uint32_t at = (uint32_t)(rank->first_operation + i);
        const struct operation *operation = &model->operations[at];

        if (operation->class == class && is_open(operation) && operation->collective == collective &&
            (class == mqs_pending_sends ? operation->extra->found : operation->waited))
            add_candidate(candidates, at);
    }
}

/* All that may be the synchronous send of a call: it is listed, but in no known order. */
static void add_synchronous(const struct model *model, const struct model_rank *rank, struct candidates *candidates)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        uint32_t at = (uint32_t)(rank->first_operation + i);
        const struct operation *operation = &model->operations[at];

        if (operation->class == mqs_pending_sends && is_open(operation) && !operation->internal &&
            !operation->persistent && !operation->freed && operation->facts->kind == MQD_OPERATION_ssend)
            add_candidate(candidates, at);
    }
}

/* Are all candidates parts of a blocking collective operation? Others may have been started before the call. */
static bool are_of_blocking_collective(const struct model *model, const struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->n; i++)
        if (strncmp(model->operations[candidates->operations[i]].facts->purpose, "MPI_", 4) != 0)
            return false;
    return true;
}

/*
 * The operations of a call that may have some that are not listed. If none of those that are listed is certain to be
 * the call's, MPI_Sendrecv and collective operations wait, in the end, for one of those that may be; others for one that
 * is not known.
 */
static void find_candidates_among_hidden(const struct model *model, const struct model_rank *rank,
                                         const struct call *call, struct candidates *candidates, bool *guessed)
{
    enum call_kind kind = call_kind_of(call->function);
    bool collective = kind == CALL_COLLECTIVE;

    if (kind != CALL_RECEIVE)
        add_blocking(model, rank, mqs_pending_sends, collective, candidates);
    if (kind != CALL_SEND)
        add_blocking(model, rank, mqs_pending_receives, collective, candidates);
    if (kind == CALL_SEND && kind_of_send(call->function) == MQD_OPERATION_ssend)
        add_synchronous(model, rank, candidates);
    *guessed = candidates->n > 1;
    if (candidates->n > 0)
        return;
    if (collective) {
        add_open(model, rank, which_of_collective(call), candidates);
        *guessed = !are_of_blocking_collective(model, candidates);
    } else if (kind == CALL_SENDRECV) {
        add_open(model, rank, USERS, candidates);
        *guessed = true;
    }
}

/* Is it an open part of the same nonblocking collective operation? */
static bool is_part_of_same(const struct model *model, const struct operation *part, const struct operation *other)
{
    return part->nonblocking && other->nonblocking && is_open(other) && !other->freed && other->tag == part->tag &&
           model_same_communicator(model, part->rank, part->communicator, other->rank, other->communicator);
}

/* A nonblocking collective operation goes on when all of a rank's open sends and receives for it have ended. */
static bool are_of_one_part(const struct model *model, const struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->n; i++)
        if (!is_part_of_same(model, &model->operations[candidates->operations[0]],
                             &model->operations[candidates->operations[i]]))
            return false;
    return candidates->n > 0;
}

/* A blocking collective call does not wait for nonblocking operations that were started before. */
static void drop_nonblocking(const struct model *model, const struct call *call, struct candidates *candidates)
{
    size_t n = 0;

    if (call_makes_communicator(call->function))
        return;
    for (size_t i = 0; i < candidates->n; i++)
        if (!model->operations[candidates->operations[i]].nonblocking)
            candidates->operations[n++] = candidates->operations[i];
    candidates->n = n;
}

static bool may_be_hidden(const struct model_rank *rank, const struct call *call)
{
    enum call_kind kind = call_kind_of(call->function);

    return listing_hides_blocking(rank->witness->listing) &&
           (kind == CALL_SEND || kind == CALL_RECEIVE || kind == CALL_SENDRECV || kind == CALL_COLLECTIVE);
}

static size_t count_calls(const struct model_rank *rank)
{
    size_t n = 0;

    for (size_t i = 0; i < rank->witness->calls->n; i++)
        n += rank->witness->calls->calls[i].state == CALL_MPI;
    return n;
}

/*
 * May the rank have requests that are in no queue? MPI_Rget and MPI_File_iread, for example, make such requests: then
 * there is a window or a file, and a communicator of the library's for it. So do nonblocking collective operations
 * that a library beside Open MPI performs: then how many were started is not known. Generalized requests show nowhere.
 */
static bool may_have_other_requests(const struct model_rank *rank)
{
    for (size_t i = 0; i < rank->n_communicators; i++) {
        const struct communicator *communicator = rank->communicators[i];

        if (communicator->use.owner == MQD_OWNER_window || communicator->use.owner == MQD_OWNER_file ||
            (communicator->use.owner == MQD_OWNER_unknown && communicator->summary.internal) ||
            (!communicator->use.has_nonblocking && !communicator->summary.internal))
            return true;
    }
    return false;
}

/*
 * Where threads may be in Open MPI at the same time, MPI_Wait marks the request that it waits for; MPI_Waitall marks
 * all of its requests in any case. If no request in a queue is marked, the call waits for one that is in none: for a
 * generalized request, for example, which another thread completes.
 */
static bool waits_for_other_request(const struct model_rank *rank, enum call_kind kind)
{
    const struct listing *listing = rank->witness->listing;

    return kind == CALL_WAIT_ALL || (kind == CALL_WAIT && listing->has_thread_level && !listing->one_caller);
}

/*
 * A call that waits for any of several requests may have others than those that are marked: nonblocking collective
 * operations, whose sends and receives are not marked, and requests that are in no queue.
 */
static void add_unmarked(const struct model *model, const struct model_rank *rank, struct candidates *candidates,
                         bool *guessed)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        uint32_t at = (uint32_t)(rank->first_operation + i);

        if (model->operations[at].nonblocking && is_open(&model->operations[at]) && !model->operations[at].freed)
            add_candidate(candidates, at);
    }
    *guessed |= may_have_other_requests(rank) || waits_for_other_request(rank, CALL_WAIT);
}

/*
 * The operations of a call where nothing tells which thread waits for which operation. Returns whether all of them must
 * complete; *guessed: it may wait for others.
 */
static bool guess_candidates(const struct model *model, const struct model_rank *rank, const struct call *call,
                             struct candidates *candidates, bool *guessed)
{
    enum call_kind kind = call_kind_of(call->function);

    if (may_be_hidden(rank, call)) {
        find_candidates_among_hidden(model, rank, call, candidates, guessed);
        return false;
    }
    switch (kind) {
    case CALL_SEND:
        add_last(model, rank, mqs_pending_sends, kind_of_send(call->function), candidates);
        drop_complete(model, candidates);
        *guessed = candidates->n > 1;
        return false;
    case CALL_RECEIVE:
    case CALL_SENDRECV:
        add_open(model, rank, WAITED | USERS, candidates);
        if (candidates->n == 0)
            add_last(model, rank, mqs_pending_receives, MQD_OPERATION_unknown, candidates);
        drop_complete(model, candidates);
        /* The receive of a sendrecv must complete in any case. If it is complete the call waits for its send. */
        if (candidates->n == 0 && kind == CALL_SENDRECV)
            add_last(model, rank, mqs_pending_sends, MQD_OPERATION_unknown, candidates);
        drop_complete(model, candidates);
        *guessed = candidates->n > 1;
        return false;
    case CALL_WAIT_ALL:
        add_open(model, rank, WAITED | USERS | INTERNAL, candidates);
        if (candidates->n > 0)
            return true;
        break;
    case CALL_WAIT_ANY:
        add_open(model, rank, WAITED | USERS | INTERNAL, candidates);
        *guessed = candidates->n == 0;
        add_open(model, rank, SENDS_ONLY | USERS, candidates);
        if (candidates->n == 0)
            break;
        add_unmarked(model, rank, candidates, guessed);
        return false;
    case CALL_COLLECTIVE:
        add_open(model, rank, which_of_collective(call), candidates);
        drop_nonblocking(model, call, candidates);
        return false;
    case CALL_WAIT:
        add_open(model, rank, WAITED | USERS | INTERNAL, candidates);
        if (candidates->n > 0)
            return false;
        break;
    case CALL_PROBE:
    case CALL_FINALIZE:
    case CALL_WINDOW:
    case CALL_LOCAL:
        return false;
    }
    add_open(model, rank, USERS | INTERNAL, candidates);
    if (kind == CALL_WAIT && !may_have_other_requests(rank) && are_of_one_part(model, candidates))
        return true;
    *guessed = candidates->n > 1 || may_have_other_requests(rank) ||
               (!are_of_one_part(model, candidates) && waits_for_other_request(rank, kind));
    return false;
}

/* Is it known which operations the call waits for? A thread that waits for some says so in all of them. */
static bool knows_own(enum call_kind kind)
{
    return kind == CALL_RECEIVE || kind == CALL_SEND || kind == CALL_SENDRECV || kind == CALL_WAIT ||
           kind == CALL_WAIT_ALL || kind == CALL_WAIT_ANY || kind == CALL_COLLECTIVE;
}

/*
 * The operations of a call. Returns whether all of them must complete; *guessed: it may wait for others. Of several
 * threads one that comes may let any get on, unless it is known which thread waits for it.
 */
static bool find_candidates(const struct model *model, const struct model_rank *rank, const struct call *call,
                            struct candidates *candidates, bool *guessed)
{
    enum call_kind kind = call_kind_of(call->function);
    bool several = count_calls(rank) > 1, all;

    *guessed = false;
    if (knows_own(kind))
        add_own(model, rank, call, candidates);
    if (candidates->n > 0 && kind == CALL_WAIT_ANY)
        add_unmarked(model, rank, candidates, guessed);
    if (candidates->n > 0)
        return kind == CALL_WAIT_ALL;
    all = guess_candidates(model, rank, call, candidates, guessed);
    *guessed |= several;
    return all && !several;
}

/* A rank's part of the same operation; UINT32_MAX: it has none, or none any more. */
static uint32_t find_part(const struct model *model, size_t rank, const struct operation *part)
{
    const struct model_rank *owner = &model->ranks[rank];

    for (size_t i = 0; i < owner->n_operations; i++)
        if (is_part_of_same(model, part, &model->operations[owner->first_operation + i]))
            return (uint32_t)(owner->first_operation + i);
    return UINT32_MAX;
}

/* Has the rank a part of the same operation of which nothing is open, and which goes on in a moment? */
static bool has_complete_part(const struct model *model, size_t rank, const struct operation *part)
{
    const struct model_rank *owner = &model->ranks[rank];

    for (size_t i = 0; i < owner->n_operations; i++) {
        const struct operation *operation = &model->operations[owner->first_operation + i];

        if (operation->class != mqs_unexpected_messages && operation->said->status == mqs_st_complete &&
            operation->nonblocking && operation->tag == part->tag && !operation->freed &&
            model_same_communicator(model, part->rank, part->communicator, operation->rank, operation->communicator))
            return true;
    }
    return false;
}

/* The virtual node for a rank's part of a nonblocking collective operation. What it waits for is added later. */
static int64_t part_node(struct model *model, size_t rank, const struct operation *part)
{
    struct model_rank *owner = &model->ranks[rank];
    struct virtual_node *added;
    int64_t node;

    for (uint32_t i = owner->parts; i != 0; i = model->virtuals[i - 1].next)
        if (is_part_of_same(model, part, &model->operations[model->virtuals[i - 1].operation]))
            return (int64_t)(model->n_ranks + i - 1);
    node = add_virtual(model, rank, part->communicator);
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
    struct candidates candidates = {0};
    bool guessed, same;

    if (calls->n != 1 || calls->calls[0].state != CALL_MPI)
        return false;
    find_candidates(model, rank, &calls->calls[0], &candidates, &guessed);
    same = candidates.n > 0;
    for (size_t i = 0; i < candidates.n; i++)
        same &= is_part_of_same(model, part, &model->operations[candidates.operations[i]]);
    free(candidates.operations);
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
    int64_t target = operation->class == mqs_pending_sends ? target_of_send(model, operation)
                                                           : target_of_receive(model, operation);

    add_wait(model, condition, target_of_part(model, target, operation), i, operation->peer);
}

/* What a rank's part of a nonblocking collective operation waits for. */
static void add_part_waits(struct model *model, uint32_t index)
{
    size_t rank = model->virtuals[index].rank;
    uint32_t first = (uint32_t)model->ranks[rank].first_operation;
    uint32_t condition = add_condition(model, (uint32_t)model->n_ranks + index, true, NULL);

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

/* The probes of a call, where they are listed. */
static void find_probes(const struct model *model, const struct model_rank *rank, struct candidates *candidates)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        const struct operation *operation = &model->operations[rank->first_operation + i];

        if (operation->probe && operation->said->status == mqs_st_pending)
            add_candidate(candidates, (uint32_t)(rank->first_operation + i));
    }
}

/*
 * The node for a message from anybody on any communicator; NODE_LIVE if somebody may send who is not known. A message
 * that is there while the rank still probes does not match.
 */
static int64_t anybody(struct model *model, uint32_t index)
{
    const struct communicator *world = model_find_communicator(model, index, 0);
    int64_t node = world != NULL ? peers_node(model, index, world) : NODE_LIVE;

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
    struct candidates probes = {0};
    uint32_t condition;
    int64_t node;

    find_probes(model, rank, &probes);
    rank->guessed |= probes.n > 1;
    if (probes.n > 0) {
        condition = add_condition(model, index, false, call);
        for (size_t i = 0; i < probes.n; i++)
            wait_for_operation(model, condition, probes.operations[i]);
        free(probes.operations);
        return true;
    }
    node = anybody(model, index);
    if (node == NODE_LIVE)
        return false;
    for (size_t i = 0; i < rank->n_communicators; i++)
        if (model_message_travels(model, PEER_ANY, index, rank->communicators[i]->unique_id))
            node = NODE_LIVE;
    add_wait(model, add_condition(model, index, true, call), node, UINT32_MAX, PEER_ANY);
    return true;
}

/*
 * A rank that tests again and again waits for any of its operations, or for a message from anybody: which of them it
 * tests for is not known. A rank without any tests for what is not known. The same holds of a rank that is outside of
 * MPI and has operations: it may be between two tests.
 */
static void add_polling(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];
    bool aside = rank->call->state == CALL_OUTSIDE;
    bool for_any = !aside && call_polls_for_any(rank->call->function);
    int64_t node = for_any ? anybody(model, index) : NODE_LIVE;
    struct candidates candidates = {0};
    uint32_t condition;

    add_open(model, rank, USERS | INTERNAL, &candidates);
    rank->polls = for_any ? node != NODE_LIVE : candidates.n > 0;
    rank->aside = rank->polls && aside;
    if (rank->polls) {
        condition = add_condition(model, index, false, rank->call);
        for (size_t i = 0; i < candidates.n; i++)
            wait_for_operation(model, condition, candidates.operations[i]);
        if (for_any)
            add_wait(model, condition, node, UINT32_MAX, PEER_ANY);
    }
    free(candidates.operations);
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

/* False if it is not known what the call on a window waits for. */
static bool add_window_call(struct model *model, uint32_t index, const struct call *call)
{
    struct window_waits found;
    uint32_t condition;

    window_waits_find(model, index, call, &found);
    if (found.n == 0)
        return false;
    model->ranks[index].guessed |= found.guessed;
    condition = add_condition(model, index, found.all, call);
    for (size_t i = 0; i < found.n; i++) {
        add_wait(model, condition, target_rank(model, found.waits[i].peer), UINT32_MAX, found.waits[i].peer);
        model->waits[model->n_waits - 1].what = found.waits[i].what;
        found.waits[i].what = NULL;
    }
    window_waits_free(&found);
    return true;
}

/* False if it is not known what the call waits for. */
static bool add_call(struct model *model, uint32_t index, const struct call *call)
{
    struct model_rank *rank = &model->ranks[index];
    struct candidates candidates = {0};
    bool all, guessed;
    uint32_t condition;

    if (call_kind_of(call->function) == CALL_PROBE)
        return add_probe(model, index, call);
    if (call_kind_of(call->function) == CALL_WINDOW)
        return add_window_call(model, index, call);
    all = find_candidates(model, rank, call, &candidates, &guessed);
    rank->guessed |= guessed;
    if (candidates.n > 0) {
        condition = add_condition(model, index, all, call);
        for (size_t i = 0; i < candidates.n; i++)
            wait_for_operation(model, condition, candidates.operations[i]);
    }
    free(candidates.operations);
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
    struct window_waits found = {0};
    bool any;

    if (call_kind_of(call->function) == CALL_WINDOW)
        window_waits_find(model, index, call, &found);
    any = found.n > 0;
    window_waits_free(&found);
    return any;
}

/* A rank whose call waits for nothing that is known may get on. This is decided before waits for the rank are added. */
static bool waits_for_something(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];
    const struct calls *calls = rank->witness->calls;

    for (size_t i = 0; i < calls->n; i++) {
        struct candidates candidates = {0};
        const struct call *call = &calls->calls[i];
        bool guessed;
        size_t n;

        if (call->state != CALL_MPI)
            continue;
        find_candidates(model, rank, call, &candidates, &guessed);
        n = candidates.n;
        free(candidates.operations);
        if (n == 0 && call_kind_of(call->function) != CALL_PROBE && !waits_in_window(model, index, call)) {
            rank->call = call;
            rank->in_hidden = may_be_hidden(rank, call);
            rank->unclear = !call_polls(call->function) && !rank->witness->went_on;
            return false;
        }
    }
    return true;
}

void model_find_waits(struct model *model)
{
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

void model_find_polling(struct model *model)
{
    size_t n_virtuals = model->n_virtuals;

    for (size_t i = 0; i < model->n_ranks; i++)
        if (only_polls(&model->ranks[i]) && own_queues_are_known(&model->ranks[i]))
            add_polling(model, (uint32_t)i);
    add_all_part_waits(model, n_virtuals);
}
