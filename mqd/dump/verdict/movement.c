/*
 * movement.c - has a process done something between two looks?
 */
#include "mqd/dump/verdict/movement.h"

#include <string.h>

#include "mqd/dump/verdict/call.h"
#include "mqd/dump/verdict/thread.h"

static bool are_same_facts(const struct queued *a, const struct queued *b)
{
    return a->kind == b->kind && a->protocol == b->protocol && a->progress == b->progress &&
           a->persistent == b->persistent && a->freed == b->freed && a->error_class == b->error_class &&
           a->sequence == b->sequence && a->request == b->request && a->arrived == b->arrived &&
           a->count == b->count && strcmp(a->datatype, b->datatype) == 0 && strcmp(a->purpose, b->purpose) == 0 &&
           a->has_peer == b->has_peer && a->peer.job == b->peer.job && a->peer.rank == b->peer.rank &&
           a->send_request == b->send_request;
}

static bool is_same_operation(const struct queued *a, const struct queued *b)
{
    return a->status == b->status && a->desired_local_rank == b->desired_local_rank &&
           a->desired_tag == b->desired_tag && a->tag_wild == b->tag_wild && a->desired_length == b->desired_length &&
           a->buffer == b->buffer && a->actual_local_rank == b->actual_local_rank && a->actual_tag == b->actual_tag &&
           a->actual_length == b->actual_length && are_same_facts(a, b);
}

static bool is_same_queue(const struct queue *a, const struct queue *b)
{
    if (a->available != b->available || a->n != b->n)
        return false;
    if (a->operations == b->operations)
        return true;
    for (size_t i = 0; i < a->n; i++)
        if (!is_same_operation(&a->operations[i], &b->operations[i]))
            return false;
    return true;
}

/* Does a thread test for messages? Open MPI then starts a receive at each test. */
static bool polls_for_any(const struct witness *witness)
{
    for (size_t i = 0; witness->calls != NULL && i < witness->calls->n; i++)
        if (witness->calls->calls[i].state == CALL_MPI && call_polls_for_any(witness->calls->calls[i].function))
            return true;
    return false;
}

static bool is_active(const struct communicator *communicator)
{
    return communicator->has_summary && communicator->summary.has_activity;
}

/* Has no message arrived meanwhile? Then receives that have been started have found none. */
static bool has_same_arrivals(const struct communicator *a, const struct communicator *b)
{
    if (a->n_traffic != b->n_traffic)
        return false;
    for (size_t i = 0; i < a->n_traffic; i++)
        if (a->traffic[i].peer != b->traffic[i].peer || a->traffic[i].n_arrived != b->traffic[i].n_arrived)
            return false;
    return true;
}

/*
 * Both have the same queues, so that messages that have arrived were received. Where arrivals are not known, receives
 * of a rank that tests for messages are taken for those of its tests.
 */
static bool has_only_tested(const struct communicator *a, const struct communicator *b, bool polling)
{
    return is_active(a) && is_active(b) && a->summary.n_sends == b->summary.n_sends &&
           a->summary.n_receives != b->summary.n_receives &&
           (a->has_traffic && b->has_traffic ? has_same_arrivals(a, b) : polling);
}

static bool has_same_activity(const struct communicator *a, const struct communicator *b, bool polling)
{
    if (!is_active(a) || !is_active(b))
        return a->has_summary == b->has_summary;
    return (a->summary.n_sends == b->summary.n_sends && a->summary.n_receives == b->summary.n_receives) ||
           has_only_tested(a, b, polling);
}

static bool has_same_windows(const struct listing *a, const struct listing *b)
{
    if (a->n_windows != b->n_windows)
        return false;
    for (size_t i = 0; i < a->n_windows; i++)
        if (!windows_are_same(&a->windows[i], &b->windows[i]))
            return false;
    return true;
}

static bool is_same_listing(const struct listing *a, const struct listing *b, bool polling)
{
    if (a->has_communicators != b->has_communicators || a->n != b->n || !has_same_windows(a, b))
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct communicator *x = &a->communicators[i], *y = &b->communicators[i];

        if (x->unique_id != y->unique_id || x->size != y->size || !has_same_activity(x, y, polling))
            return false;
        for (int class = 0; class < N_QUEUES; class++)
            if (!is_same_queue(&x->queues[class], &y->queues[class]))
                return false;
    }
    return true;
}

/* May the thread be at a place that cannot be told? */
static bool is_untold(const struct calls *calls, pid_t thread)
{
    for (size_t i = 0; calls != NULL && i < calls->n; i++)
        if (calls->calls[i].thread == thread)
            return calls->calls[i].state == CALL_UNKNOWN;
    return calls == NULL || !calls->complete;
}

enum compared { ALL_CALLS, WAITS, WAITS_THAT_ARE_TOLD };   /* the last one: of threads that both looks tell of */

/* The next call from *i on that is in MPI and one of those. */
static const struct call *next_call(const struct calls *calls, const struct calls *other, size_t *i, enum compared which)
{
    while (calls != NULL && *i < calls->n) {
        const struct call *call = &calls->calls[(*i)++];

        if (call->state == CALL_MPI && (which == ALL_CALLS || call_kind_of(call->function) != CALL_LOCAL) &&
            (which != WAITS_THAT_ARE_TOLD || !is_untold(other, call->thread)))
            return call;
    }
    return NULL;
}

static bool are_same_calls(const struct calls *a, const struct calls *b, enum compared which)
{
    size_t i = 0, k = 0;
    const struct call *x, *y;

    do {
        x = next_call(a, b, &i, which);
        y = next_call(b, a, &k, which);
        if ((x == NULL) != (y == NULL) ||
            (x != NULL && (x->thread != y->thread || x->mark != y->mark || strcmp(x->function, y->function) != 0)))
            return false;
    } while (x != NULL);
    return true;
}

static bool has_moved(const struct witness *before, const struct witness *after, enum compared which)
{
    return before->ended != after->ended || !are_same_calls(before->calls, after->calls, which) ||
           !is_same_listing(before->listing, after->listing, polls_for_any(before) || polls_for_any(after));
}

bool witness_has_moved(const struct witness *before, const struct witness *after)
{
    return has_moved(before, after, WAITS);
}

bool witness_is_seen_to_move(const struct witness *before, const struct witness *after)
{
    return has_moved(before, after, WAITS_THAT_ARE_TOLD);
}

bool witness_has_tested(const struct witness *before, const struct witness *after)
{
    const struct listing *a = before->listing, *b = after->listing;
    bool polling = polls_for_any(before) || polls_for_any(after);

    for (size_t i = 0; i < a->n && i < b->n && !polling; i++)
        polling = a->communicators[i].unique_id == b->communicators[i].unique_id &&
                  has_only_tested(&a->communicators[i], &b->communicators[i], false);
    return polling && !witness_has_moved(before, after);
}

bool witness_has_gone_on(const struct witness *before, const struct witness *after)
{
    return !are_same_calls(before->calls, after->calls, ALL_CALLS);
}

/* Threads. */

static const struct openmp_thread *find_row(const struct openmp *openmp, pid_t thread)
{
    for (size_t i = 0; i < openmp->n_threads; i++)
        if (openmp->threads[i].thread == thread)
            return &openmp->threads[i];
    return NULL;
}

static uint64_t team_address(const struct openmp *openmp, const struct openmp_thread *row)
{
    return row->team >= 0 ? openmp->teams[row->team].address : 0;
}

static bool is_each_wait_old(const struct openmp *before, const struct openmp *after)
{
    for (size_t i = 0; i < after->n_threads; i++) {
        const struct openmp_thread *row = &after->threads[i], *was = find_row(before, row->thread);

        if (openmp_waits(row->state) &&
            (was == NULL || was->state != row->state || was->object != row->object || was->holder != row->holder ||
             was->task != row->task || team_address(before, was) != team_address(after, row)))
            return false;
    }
    return true;
}

bool witness_threads_have_moved(const struct witness *before, const struct witness *after)
{
    static const struct openmp none = {0};

    return after->openmp != NULL &&
           !is_each_wait_old(before->openmp != NULL ? before->openmp : &none, after->openmp);
}

bool witness_has_changed(const struct witness *before, const struct witness *after)
{
    return before->listing->pid != after->listing->pid || witness_has_moved(before, after);
}

/* MPI_Finalize is the last of all calls: whoever is there starts nothing any more. */
static bool is_finalizing(const struct witness *witness)
{
    for (size_t i = 0; witness->calls != NULL && i < witness->calls->n; i++) {
        const struct call *call = &witness->calls->calls[i];

        if (call->state == CALL_MPI && call->function != NULL && call_kind_of(call->function) == CALL_FINALIZE)
            return true;
    }
    return false;
}

bool witness_is_shown(const struct witness *witness)
{
    return witness->calls != NULL && !witness->outdated &&
           (witness->listing->has_communicators || is_finalizing(witness));
}

/* Accesses to windows and files are not counted, nor messages that may overtake others: see proof.h. */
static bool is_wholly_counted(const struct communicator *communicator)
{
    return is_active(communicator) && communicator->use.allow_overtaking == 0 &&
           communicator->use.owner != MQD_OWNER_window && communicator->use.owner != MQD_OWNER_file;
}

/* Has the process an operation for what a call waits for? A collective operation has one with a tag of its own. */
static bool has_open_operation(const struct listing *listing, bool collective)
{
    static const int classes[] = {mqs_pending_sends, mqs_pending_receives};

    for (size_t i = 0; i < listing->n; i++) {
        for (size_t class = 0; class < sizeof classes / sizeof *classes; class++) {
            const struct queue *queue = &listing->communicators[i].queues[classes[class]];

            for (size_t k = 0; k < queue->n; k++)
                if (queue->operations[k].status != mqs_st_complete &&
                    (!collective || queue->operations[k].collective != 0))
                    return true;
        }
    }
    return false;
}

/* Names are looked up and published over the launcher, and so are ports opened: neither is counted. */
static bool is_counted_call(const struct witness *witness, const struct call *call)
{
    if (call->state != CALL_MPI)
        return call->state == CALL_OUTSIDE;
    if (call->function == NULL)
        return false;
    switch (call_kind_of(call->function)) {
    case CALL_WINDOW:
        return false;
    case CALL_LOCAL:
        return call_polls(call->function) || call_never_waits(call->function);
    case CALL_COLLECTIVE:
        return has_open_operation(witness->listing, true);
    case CALL_WAIT:
    case CALL_WAIT_ALL:
    case CALL_WAIT_ANY:
        return has_open_operation(witness->listing, false);
    default:
        return true;
    }
}

bool witness_waits_uncounted(const struct witness *witness)
{
    for (size_t i = 0; witness->calls != NULL && i < witness->calls->n; i++) {
        const struct call *call = &witness->calls->calls[i];

        if (call->state == CALL_MPI && call->function != NULL && call_kind_of(call->function) == CALL_COLLECTIVE &&
            !is_counted_call(witness, call))
            return true;
    }
    return false;
}

bool witness_waits_counted(const struct witness *witness)
{
    for (size_t i = 0; witness->calls != NULL && i < witness->calls->n; i++) {
        const struct call *call = &witness->calls->calls[i];

        if (call->is_main)
            return call->state == CALL_MPI && call->function != NULL && call_kind_of(call->function) != CALL_LOCAL &&
                   is_counted_call(witness, call);
    }
    return false;
}

/* Does it show all that the process has started? */
static bool is_counted(const struct witness *witness)
{
    const struct listing *listing = witness->listing;

    if (!listing_is_complete(listing) || listing->was_running || !witness->calls->complete || listing->n_windows > 0)
        return false;
    for (size_t i = 0; i < witness->calls->n; i++)
        if (!is_counted_call(witness, &witness->calls->calls[i]))
            return false;
    for (size_t i = 0; i < listing->n; i++)
        if (!is_wholly_counted(&listing->communicators[i]))
            return false;
    return true;
}

/* A process that tests for messages may have tested for one that has come. */
enum movement witness_movement(const struct witness *before, const struct witness *after)
{
    if (!witness_is_shown(before) || !witness_is_shown(after))
        return MOVEMENT_UNKNOWN;
    if (witness_has_changed(before, after) || (after->moved && !after->starved))
        return MOVEMENT_FOUND;
    if (is_finalizing(before) && is_finalizing(after))
        return MOVEMENT_NONE;
    if (after->starved || after->went_on || after->tested || witness_has_gone_on(before, after) ||
        witness_has_tested(before, after))
        return MOVEMENT_NOT_SEEN;
    return is_counted(before) && is_counted(after) ? MOVEMENT_NONE : MOVEMENT_NOT_SEEN;
}
