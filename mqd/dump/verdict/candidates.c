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

struct search {
    const struct model *model;
    const struct model_rank *rank;
    const struct call *call;
    enum call_kind kind;
    struct waiting_call *found;
};

static void add(struct search *search, uint32_t operation)
{
    APPEND(search->found->operations, search->found->n, search->found->room, operation);
}

/* A probe is no operation that the program has started: only the call of MPI_Probe waits for it. */
static bool is_open(const struct operation *operation)
{
    return operation->class != mqs_unexpected_messages && operation->said->status != mqs_st_complete &&
           !operation->probe;
}

/*
 * Of the operations that are open and no probes: whose, and what must hold besides. The library's own are those of
 * collective operations, and those for windows, files and the like.
 */
enum which {
    USERS = 1, COLLECTIVE = 2, LIBRARYS = 4, ANYBODYS = USERS | COLLECTIVE | LIBRARYS,
    SENDS = 8, RECEIVES = 16,
    PARTS = 32, NO_PARTS = 64,     /* of collective operations */
    NONBLOCKING = 128, OTHERS = 256, /* parts of nonblocking ones, and all others */
    KEPT = 512,                    /* their requests were not freed */
    WAITED = 1024,                 /* a thread is known to wait for them */
    OWN = 2048,                    /* the thread in this call does, with an object on its own stack */
    FOUND = 4096,                  /* nothing but a message shows them */
    SYNCHRONOUS = 8192             /* sends that MPI_Ssend may have started */
};

static unsigned properties(const struct search *search, const struct operation *operation)
{
    const struct queued *said = operation->said;
    const struct call *call = search->call;
    unsigned whose = !said->internal ? USERS : said->collective ? COLLECTIVE : LIBRARYS;
    bool own = call != NULL && said->waiter >= call->stack_low && said->waiter < call->stack_high;

    return whose | (operation->class == mqs_pending_sends ? SENDS : RECEIVES) | (said->collective ? PARTS : NO_PARTS) |
           (operation->purpose == PURPOSE_NONBLOCKING ? NONBLOCKING : OTHERS) | (said->freed ? 0 : KEPT) |
           (said->progress == MQD_PROGRESS_waited_for ? WAITED : 0) | (own ? OWN : 0) | (said->found ? FOUND : 0) |
           (said->kind == MQD_OPERATION_ssend && !said->persistent ? SYNCHRONOUS : 0);
}

static void add_open(struct search *search, unsigned which)
{
    for (size_t i = 0; i < search->rank->n_operations; i++) {
        uint32_t at = (uint32_t)(search->rank->first_operation + i);
        const struct operation *operation = &search->model->operations[at];
        unsigned has = is_open(operation) ? properties(search, operation) : 0;

        if ((has & which & ANYBODYS) != 0 && (which & ~has & ~(unsigned)ANYBODYS) == 0)
            add(search, at);
    }
}

/* Sends are listed in the order of their numbers, which the messages of some communicators do not have. */
static bool is_ordered_before(const struct operation *a, const struct operation *b)
{
    return a->communicator == b->communicator &&
           (a->class == mqs_pending_receives || (a->peer == b->peer && a->communicator->use.allow_overtaking == 0));
}

/*
 * The operation of a blocking call is the one that was started last. So it is the last possible one of each queue; for
 * sends the last one of each destination. It is of one kind, or of any kind if the kind is not known. If it is complete
 * nobody waits for it.
 */
static void add_last(struct search *search, int class, enum mqd_operation_kind kind)
{
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < search->rank->n_operations; i++) {
        uint32_t at = (uint32_t)(search->rank->first_operation + i);
        const struct operation *operation = &search->model->operations[at];
        const struct operation *before = last != UINT32_MAX ? &search->model->operations[last] : NULL;

        if (operation->class != class || operation->said->internal || operation->said->persistent ||
            operation->said->freed || operation->probe ||
            (kind != MQD_OPERATION_unknown && operation->said->kind != (int)kind))
            continue;
        if (before != NULL && is_open(before) && !is_ordered_before(before, operation))
            add(search, last);
        last = at;
    }
    if (last != UINT32_MAX && is_open(&search->model->operations[last]))
        add(search, last);
}

/* Nor does a blocking collective call wait for nonblocking operations that were started before. */
static unsigned which_of_collective(const struct call *call)
{
    return KEPT | COLLECTIVE | (strcmp(call->function, "MPI_Intercomm_create") == 0 ? USERS : 0);
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

/* Are all candidates parts of a blocking collective operation? Others may have been started before the call. */
static bool are_of_blocking_collective(const struct search *search)
{
    for (size_t i = 0; i < search->found->n; i++)
        if (search->model->operations[search->found->operations[i]].purpose < PURPOSE_CALL)
            return false;
    return true;
}

/*
 * The operations of a call that may have some that are not listed: with some PMLs a blocking call keeps its operation
 * where nothing points to it. Then the operation that was listed last says nothing about the call: only one that is known
 * to be a blocking call's does. These are sends that were found through their message, receives that a thread is known to
 * wait for, and synchronous sends, which are listed in no known order. If there is none, MPI_Sendrecv and collective
 * operations wait, in the end, for one of those that may be the call's; others for one that is not known.
 */
static void find_among_hidden(struct search *search)
{
    struct waiting_call *found = search->found;
    bool collective = search->kind == CALL_COLLECTIVE;
    unsigned parts = collective ? PARTS : NO_PARTS;

    if (search->kind != CALL_RECEIVE)
        add_open(search, ANYBODYS | SENDS | FOUND | parts);
    if (search->kind != CALL_SEND)
        add_open(search, ANYBODYS | RECEIVES | WAITED | parts);
    if (kind_of_send(search->call->function) == MQD_OPERATION_ssend)
        add_open(search, USERS | KEPT | SYNCHRONOUS);
    found->guessed = found->n > 1;
    if (found->n > 0)
        return;
    if (collective) {
        add_open(search, which_of_collective(search->call));
        found->guessed = !are_of_blocking_collective(search);
    } else if (search->kind == CALL_SENDRECV) {
        add_open(search, USERS | KEPT);
        found->guessed = true;
    }
}

/* Is it a part of the same nonblocking collective operation, not given back yet? */
static bool is_of_same(const struct operation *part, const struct operation *other)
{
    return part->purpose == PURPOSE_NONBLOCKING && other->purpose == PURPOSE_NONBLOCKING &&
           other->class != mqs_unexpected_messages && !other->said->freed && other->tag == part->tag &&
           other->number == part->number && part->number != NO_NUMBER;
}

bool is_part_of_same(const struct operation *part, const struct operation *other)
{
    return is_of_same(part, other) && is_open(other);
}

static uint32_t find_first_part(const struct model *model, size_t rank, const struct operation *part, bool complete)
{
    const int64_t numbers[3] = {(int64_t)part->communicator->unique_id, part->tag, (int64_t)rank};
    const struct keys *keys = &model->parts;

    for (size_t i = keys_find(keys, numbers, 3); keys_agree(keys, i, numbers, 3); i++) {
        const struct operation *found = &model->operations[keys->keys[i].operation];

        if (is_of_same(part, found) && (complete ? found->said->status == mqs_st_complete : is_open(found)))
            return keys->keys[i].operation;
    }
    return UINT32_MAX;
}

uint32_t find_part(const struct model *model, size_t rank, const struct operation *part)
{
    return find_first_part(model, rank, part, false);
}

bool has_complete_part(const struct model *model, size_t rank, const struct operation *part)
{
    return find_first_part(model, rank, part, true) != UINT32_MAX;
}

/* A nonblocking collective operation goes on when all of a rank's open sends and receives for it have ended. */
static bool are_of_one_part(const struct search *search)
{
    const struct operation *operations = search->model->operations;
    const struct waiting_call *found = search->found;

    for (size_t i = 0; i < found->n; i++)
        if (!is_part_of_same(&operations[found->operations[0]], &operations[found->operations[i]]))
            return false;
    return true;
}

bool call_may_be_hidden(const struct model_rank *rank, const struct call *call)
{
    enum call_kind kind = call_kind_of(call->function);

    return listing_hides_blocking(rank->witness->listing) &&
           (kind == CALL_SEND || kind == CALL_RECEIVE || kind == CALL_SENDRECV || kind == CALL_COLLECTIVE);
}

/*
 * May the rank have requests that are in no queue? MPI_Rget and MPI_File_iread, for example, make such requests: then
 * there is a window or a file, and a communicator of the library's for it. So do nonblocking collective operations
 * that a library beside Open MPI performs: then how many were started is not known. Generalized requests show nowhere.
 */
static bool may_have_other_requests(const struct model_rank *rank)
{
    const struct listing *listing = rank->witness->listing;

    for (size_t i = 0; i < listing->n; i++) {
        const struct communicator *communicator = &listing->communicators[i];

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
static void add_unmarked(struct search *search)
{
    add_open(search, ANYBODYS | NONBLOCKING | KEPT);
    search->found->guessed |=
        may_have_other_requests(search->rank) || waits_for_other_request(search->rank, CALL_WAIT);
}

/* The receive of a call. That of a sendrecv must complete in any case; if it is complete the call waits for its send. */
static void add_received(struct search *search)
{
    add_open(search, KEPT | WAITED | USERS);
    if (search->found->n == 0)
        add_last(search, mqs_pending_receives, MQD_OPERATION_unknown);
    if (search->found->n == 0 && search->kind == CALL_SENDRECV)
        add_last(search, mqs_pending_sends, MQD_OPERATION_unknown);
}

/* A call that waits for requests, none of which is marked. */
static void guess_among_all(struct search *search)
{
    struct waiting_call *found = search->found;

    add_open(search, KEPT | ANYBODYS);
    found->all = search->kind == CALL_WAIT && !may_have_other_requests(search->rank) && are_of_one_part(search);
    if (!found->all)
        found->guessed = found->n > 1 || may_have_other_requests(search->rank) ||
                         (!are_of_one_part(search) && waits_for_other_request(search->rank, search->kind));
}

/* The operations of a call where nothing tells which thread waits for which operation. */
static void guess_candidates(struct search *search)
{
    struct waiting_call *found = search->found;

    switch (search->kind) {
    case CALL_SEND:
        add_last(search, mqs_pending_sends, kind_of_send(search->call->function));
        found->guessed = found->n > 1;
        break;
    case CALL_RECEIVE:
    case CALL_SENDRECV:
        add_received(search);
        found->guessed = found->n > 1;
        break;
    case CALL_WAIT_ANY:
        add_open(search, KEPT | WAITED | ANYBODYS);
        found->guessed = found->n == 0;
        add_open(search, KEPT | SENDS | USERS);
        if (found->n > 0)
            add_unmarked(search);
        else
            guess_among_all(search);
        break;
    case CALL_COLLECTIVE:
        add_open(search, which_of_collective(search->call) |
                             (call_makes_communicator(search->call->function) ? 0 : OTHERS));
        break;
    case CALL_WAIT:
    case CALL_WAIT_ALL:
        add_open(search, KEPT | WAITED | ANYBODYS);
        found->all = search->kind == CALL_WAIT_ALL;
        if (found->n == 0)
            guess_among_all(search);
        break;
    default:
        break;
    }
}

static void add_probes(struct search *search)
{
    for (size_t i = 0; i < search->rank->n_operations; i++) {
        uint32_t at = (uint32_t)(search->rank->first_operation + i);

        if (search->model->operations[at].probe && search->model->operations[at].said->status == mqs_st_pending)
            add(search, at);
    }
    search->found->guessed = search->found->n > 1;
}

/*
 * It is known which operations a call waits for if its thread says so in all of them. Else, of several threads one that
 * comes may let any get on.
 */
void candidates_find(const struct model *model, const struct model_rank *rank, struct waiting_call *found)
{
    struct search search = {model, rank, found->call, call_kind_of(found->call->function), found};
    bool several = rank->n_in_mpi > 1;

    if (search.kind == CALL_PROBE) {
        add_probes(&search);
        return;
    }
    if (search.kind != CALL_LOCAL && search.kind != CALL_FINALIZE)
        add_open(&search, ANYBODYS | OWN);
    if (found->n > 0) {
        found->all = search.kind == CALL_WAIT_ALL;
        if (search.kind == CALL_WAIT_ANY)
            add_unmarked(&search);
        return;
    }
    if (call_may_be_hidden(rank, found->call))
        find_among_hidden(&search);
    else
        guess_candidates(&search);
    found->guessed |= several;
    found->all &= !several;
}

void candidates_find_open(const struct model *model, const struct model_rank *rank, struct waiting_call *found)
{
    add_open(&(struct search){.model = model, .rank = rank, .found = found}, KEPT | ANYBODYS);
}
