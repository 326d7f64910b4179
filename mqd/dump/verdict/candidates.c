/*
 * candidates.c - which of a rank's operations a call waits for.
 *
 * If that is not certain, all that are possible are candidates.
 */
#include "mqd/dump/verdict/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/verdict/call.h"

void candidates_add(struct candidates *candidates, uint32_t i)
{
    APPEND(candidates->operations, candidates->n, candidates->room, i);
}

void candidates_clear(struct candidates *candidates)
{
    free(candidates->operations);
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
            operation->probe || (kind != MQD_OPERATION_unknown && operation->said->kind != (int)kind))
            continue;
        if (before != NULL && !is_ordered_before(before, operation))
            candidates_add(candidates, last);
        last = at;
    }
    if (last != UINT32_MAX)
        candidates_add(candidates, last);
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
            candidates_add(candidates, at);
    }
}

static unsigned which_of_collective(const struct call *call)
{
    return strcmp(call->function, "MPI_Intercomm_create") == 0 ? USERS | COLLECTIVE : COLLECTIVE;
}

/* Does the thread in this call wait for the operation with an object on its own stack? */
static bool is_waited_by(const struct operation *operation, const struct call *call)
{
    return operation->said->waiter >= call->stack_low && operation->said->waiter < call->stack_high;
}

/* The operations that the thread in this call is known to wait for. */
static void add_own(const struct model *model, const struct model_rank *rank, const struct call *call,
                    struct candidates *candidates)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        uint32_t at = (uint32_t)(rank->first_operation + i);

        if (is_open(&model->operations[at]) && is_waited_by(&model->operations[at], call))
            candidates_add(candidates, at);
    }
}

/* What a call sends; of MPI_Ssend alone a synchronous one. */
static enum mqd_operation_kind kind_of_send(const char *function)
{
    const char *name = without_beginning(function, "MPI_");

    switch (*name) {
    case 'B':
        return MQD_OPERATION_bsend;
    case 'R':
        return MQD_OPERATION_rsend;
    default:
        return name_begins_with(name, "Ss") ? MQD_OPERATION_ssend : MQD_OPERATION_send;
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
            (class == mqs_pending_sends ? operation->said->found : operation->waited))
            candidates_add(candidates, at);
    }
}

/* All that may be the synchronous send of a call: it is listed, but in no known order. */
static void add_synchronous(const struct model *model, const struct model_rank *rank, struct candidates *candidates)
{
    for (size_t i = 0; i < rank->n_operations; i++) {
        uint32_t at = (uint32_t)(rank->first_operation + i);
        const struct operation *operation = &model->operations[at];

        if (is_open(operation) && !operation->internal && !operation->persistent && !operation->freed &&
            operation->said->kind == MQD_OPERATION_ssend)
            candidates_add(candidates, at);
    }
}

/* Are all candidates parts of a blocking collective operation? Others may have been started before the call. */
static bool are_of_blocking_collective(const struct model *model, const struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->n; i++)
        if (model->operations[candidates->operations[i]].purpose < PURPOSE_CALL)
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
    if (kind_of_send(call->function) == MQD_OPERATION_ssend)
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
bool is_part_of_same(const struct model *model, const struct operation *part, const struct operation *other)
{
    return part->nonblocking && other->nonblocking && is_open(other) && !other->freed && other->tag == part->tag &&
           model_same_communicator(model, part->rank, part->communicator, other->rank, other->communicator);
}

uint32_t find_part(const struct model *model, size_t rank, const struct operation *part)
{
    const int64_t numbers[3] = {(int64_t)part->communicator->unique_id, part->tag, (int64_t)rank};
    const struct keys *keys = &model->parts;

    for (size_t i = keys_find(keys, numbers, 3); keys_agree(keys, i, numbers, 3); i++)
        if (is_part_of_same(model, part, &model->operations[keys->keys[i].operation]))
            return keys->keys[i].operation;
    return UINT32_MAX;
}

bool has_complete_part(const struct model *model, size_t rank, const struct operation *part)
{
    const int64_t numbers[3] = {(int64_t)part->communicator->unique_id, part->tag, (int64_t)rank};
    const struct keys *keys = &model->parts;

    for (size_t i = keys_find(keys, numbers, 3); keys_agree(keys, i, numbers, 3); i++) {
        const struct operation *operation = &model->operations[keys->keys[i].operation];

        if (operation->class != mqs_unexpected_messages && operation->said->status == mqs_st_complete &&
            !operation->freed &&
            model_same_communicator(model, part->rank, part->communicator, operation->rank, operation->communicator))
            return true;
    }
    return false;
}

/* A nonblocking collective operation goes on when all of a rank's open sends and receives for it have ended. */
static bool are_of_one_part(const struct model *model, const struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->n; i++)
        if (!is_part_of_same(model, &model->operations[candidates->operations[0]],
                             &model->operations[candidates->operations[i]]))
            return false;
    return true;
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

bool call_may_be_hidden(const struct model_rank *rank, const struct call *call)
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
            candidates_add(candidates, at);
    }
    *guessed |= may_have_other_requests(rank) || waits_for_other_request(rank, CALL_WAIT);
}

/* The receive of a call. That of a sendrecv must complete in any case; if it is complete the call waits for its send. */
static void add_received(const struct model *model, const struct model_rank *rank, bool sends,
                         struct candidates *candidates)
{
    add_open(model, rank, WAITED | USERS, candidates);
    if (candidates->n == 0)
        add_last(model, rank, mqs_pending_receives, MQD_OPERATION_unknown, candidates);
    drop_complete(model, candidates);
    if (candidates->n == 0 && sends)
        add_last(model, rank, mqs_pending_sends, MQD_OPERATION_unknown, candidates);
    drop_complete(model, candidates);
}

/* A call that waits for requests, none of which is marked. As guess_candidates. */
static bool guess_among_all(const struct model *model, const struct model_rank *rank, enum call_kind kind,
                            struct candidates *candidates, bool *guessed)
{
    add_open(model, rank, USERS | INTERNAL, candidates);
    if (kind == CALL_WAIT && !may_have_other_requests(rank) && are_of_one_part(model, candidates))
        return true;
    *guessed = candidates->n > 1 || may_have_other_requests(rank) ||
               (!are_of_one_part(model, candidates) && waits_for_other_request(rank, kind));
    return false;
}

/*
 * The operations of a call where nothing tells which thread waits for which operation. Returns whether all of them must
 * complete; *guessed: it may wait for others.
 */
static bool guess_candidates(const struct model *model, const struct model_rank *rank, const struct call *call,
                             struct candidates *candidates, bool *guessed)
{
    enum call_kind kind = call_kind_of(call->function);

    if (call_may_be_hidden(rank, call)) {
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
        add_received(model, rank, kind == CALL_SENDRECV, candidates);
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
    return guess_among_all(model, rank, kind, candidates, guessed);
}

/* Is it known which operations the call waits for? A thread that waits for some says so in all of them. */
static bool knows_own(enum call_kind kind)
{
    return kind == CALL_RECEIVE || kind == CALL_SEND || kind == CALL_SENDRECV || kind == CALL_WAIT ||
           kind == CALL_WAIT_ALL || kind == CALL_WAIT_ANY || kind == CALL_COLLECTIVE;
}

/* Of several threads one that comes may let any get on, unless it is known which thread waits for it. */
bool candidates_find(const struct model *model, const struct model_rank *rank, const struct call *call,
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

void candidates_add_open(const struct model *model, const struct model_rank *rank, struct candidates *candidates)
{
    add_open(model, rank, USERS | INTERNAL, candidates);
}
