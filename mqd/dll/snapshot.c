/* snapshot.c - taking snapshots and stepping through them. */
#include "mqd/dll/snapshot.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/internal.h"
#include "mqd/dll/pml.h"
#include "mqd/dll/banned.h"

/* Takes the room of a queue's operations, unless the last ones have used little of it: the next ones may be as many. */
static struct mqd_vector take_room(struct mqd_queue *queue)
{
    struct mqd_vector room = queue->operations;

    if (queue->indexed && room.n_items < room.n_room / 4)
        mqd_vector_release(&room);
    queue->operations = (struct mqd_vector){0};
    return (struct mqd_vector){.items = room.items, .item_size = sizeof(struct mqd_operation), .n_room = room.n_room};
}

void mqd_snapshot_take_room(struct mqd_process *process, struct mqd_process *before)
{
    for (size_t i = 0; i < MQD_N_QUEUES; i++)
        process->snapshot.queues[i].operations = take_room(&before->snapshot.queues[i]);
}

void mqd_snapshot_release(struct mqd_process *process)
{
    mqd_snapshot_drop(process);
    for (size_t i = 0; i < MQD_N_QUEUES; i++)
        mqd_vector_release(&process->snapshot.queues[i].operations);
}

void mqd_snapshot_drop(struct mqd_process *process)
{
    struct mqd_snapshot *snapshot = &process->snapshot;
    struct mqd_vector operations[MQD_N_QUEUES];

    mqd_pml_end(process);
    for (size_t i = 0; i < snapshot->communicators.n_items; i++)
        mqd_communicator_release(mqd_communicator_at(process, i));
    mqd_vector_release(&snapshot->communicators);
    mqd_vector_release(&snapshot->addresses);
    for (size_t i = 0; i < MQD_N_QUEUES; i++)
        operations[i] = take_room(&snapshot->queues[i]);
    mqd_vector_release(&snapshot->found);
    mqd_vector_release(&snapshot->requested);
    mqd_vector_release(&snapshot->window.peers);
    mqd_vector_release(&snapshot->handle.items);
    memset(snapshot, 0, sizeof *snapshot);
    snapshot->communicators.item_size = sizeof(struct mqd_communicator);
    snapshot->addresses.item_size = sizeof(struct mqd_address);
    for (size_t i = 0; i < MQD_N_QUEUES; i++)
        snapshot->queues[i].operations = operations[i];
    snapshot->found.item_size = sizeof(struct mqd_operation);
    snapshot->window.peers.item_size = sizeof(struct mqd_window_peer);
    snapshot->current = SIZE_MAX;
    mqd_cache_drop(process);
}

bool mqd_inside_init(struct mqd_process *process)
{
    int64_t state;

    return mqd_mpi_state(process, &state) && mqd_is(process, MQD_CONSTANT_state_init_started, state);
}

static enum mqd_rc read_communicators(struct mqd_process *process)
{
    mqd_begin_stage(process);
    return mqd_because(process, mqd_read_communicators(process));
}

static enum mqd_rc find_and_read(struct mqd_process *process)
{
    enum mqd_rc rc = mqd_find_layout(process);

    return rc == MQD_OK ? read_communicators(process) : rc;
}

/* Records which capabilities of a process that has communicators are off, and why. */
static void note_limits(struct mqd_process *process)
{
    static const enum mqd_capability queues[MQD_N_QUEUES] = {[mqs_pending_sends] = MQD_CAN_sends,
                                                             [mqs_pending_receives] = MQD_CAN_receives,
                                                             [mqs_unexpected_messages] = MQD_CAN_unexpected};
    enum mqd_rc *limits = process->findings.limits;

    for (unsigned can = 0; can < MQD_N_CAPABILITIES; can++)
        limits[can] = mqd_capability_rc(process, (enum mqd_capability)can);
    mqd_begin_stage(process);
    if (limits[MQD_CAN_requests] == MQD_OK)
        limits[MQD_CAN_requests] = mqd_probe_requests(process);
    for (int op = 0; op < MQD_N_QUEUES; op++) {
        limits[queues[op]] = mqd_pml_can_index(process, op);
        process->findings.hindrances[queues[op]] = mqd_pml_hindrance(process, op);
    }
}

enum mqd_rc mqd_snapshot_take(struct mqd_process *process)
{
    enum mqd_rc rc = MQD_RC_not_initialised;

    mqd_snapshot_drop(process);
    memset(&process->findings, 0, sizeof process->findings);
    process->second.in_use = false;
    if (mqd_layout_stands(process))
        rc = read_communicators(process);
    /* There is no layout yet, or the process contradicts it now: perhaps by addresses that lead nowhere. */
    if (rc == MQD_RC_not_initialised || mqd_is_contradiction(rc) || mqd_rc_is_unreadable(rc)) {
        mqd_snapshot_drop(process);
        rc = find_and_read(process);
    }
    if (rc == MQD_OK)
        rc = mqd_hide_internal(process);
    if (rc == MQD_OK)
        mqd_pml_begin(process);
    /* Objects may be incomplete while MPI_Init builds them. */
    if (mqd_is_contradiction(rc) && mqd_inside_init(process))
        rc = MQD_RC_not_initialised;
    if (rc == MQD_OK)
        note_limits(process);
    else
        mqd_snapshot_drop(process);
    process->snapshot.taken = true;
    process->snapshot.show_internal = process->show_internal;
    process->snapshot.rc = rc;
    return rc;
}

enum mqd_rc mqd_snapshot_rc(const struct mqd_process *process)
{
    return process->snapshot.taken ? process->snapshot.rc : MQD_RC_no_evidence;
}

static bool visible(struct mqd_process *process, size_t i)
{
    return process->snapshot.show_internal || !mqd_communicator_at(process, i)->hidden;
}

/* The first communicator from i on that is to be listed, or the end. */
static size_t next_visible(struct mqd_process *process, size_t i)
{
    while (i < process->snapshot.communicators.n_items && !visible(process, i))
        i++;
    return i;
}

/*
 * At the end of the communicators: returns once what could not be read, then mqs_end_of_list. The listing is complete
 * then, so its pages are given back: a debugger keeps this state for every process of a node until it looks again.
 */
static int end_of_communicators(struct mqd_process *process)
{
    struct mqd_snapshot *snapshot = &process->snapshot;

    mqd_cache_release(process);
    if (snapshot->communicators_rc == MQD_OK || snapshot->communicators_error_told)
        return mqs_end_of_list;
    snapshot->communicators_error_told = true;
    return (int)snapshot->communicators_rc;
}

/* No operation is the current one any more. */
static void forget_operation(struct mqd_snapshot *snapshot)
{
    snapshot->has_operation = false;
    snapshot->found.n_items = 0;
}

static int step_to(struct mqd_process *process, size_t i)
{
    struct mqd_snapshot *snapshot = &process->snapshot;

    forget_operation(snapshot);
    snapshot->operations_ready = false;
    snapshot->current = next_visible(process, i);
    return snapshot->current < snapshot->communicators.n_items ? mqs_ok : end_of_communicators(process);
}

int mqd_communicators_begin(struct mqd_process *process)
{
    enum mqd_rc rc = process->snapshot.taken ? process->snapshot.rc : mqd_snapshot_take(process);

    /* This may read all messages. A debugger that only asks whether there are queues need not wait for it. */
    if (rc == MQD_OK && !process->snapshot.complete) {
        rc = mqd_pml_find_pending_communicators(process);
        process->snapshot.complete = rc == MQD_OK;
    }
    if (rc != MQD_OK)
        return (int)rc;
    process->snapshot.iterating = true;
    process->snapshot.communicators_error_told = false;
    return step_to(process, 0);
}

int mqd_communicators_next(struct mqd_process *process)
{
    if (!process->snapshot.iterating)
        return mqs_end_of_list;
    if (process->snapshot.current >= process->snapshot.communicators.n_items)
        return end_of_communicators(process);
    return step_to(process, process->snapshot.current + 1);
}

struct mqd_communicator *mqd_communicators_current(struct mqd_process *process)
{
    if (process->snapshot.current >= process->snapshot.communicators.n_items)
        return NULL;
    return mqd_communicator_at(process, process->snapshot.current);
}

static enum mqd_rc index_queue(struct mqd_process *process, int op)
{
    struct mqd_queue *queue = &process->snapshot.queues[op];

    if (queue->indexed)
        return queue->failed;
    queue->failed = mqd_pml_index(process, op, queue);
    queue->rc = mqd_because(process, queue->rc);
    if (op == mqs_unexpected_messages)
        for (size_t i = 0; i < process->snapshot.communicators.n_items; i++) {
            enum mqd_rc *rc = &mqd_communicator_at(process, i)->unexpected_rc;

            *rc = mqd_because(process, *rc);
        }
    if (queue->failed != MQD_OK) {
        mqd_vector_release(&queue->operations);
        queue->rc = MQD_OK;
    }
    queue->indexed = queue->failed != MQD_RC_no_memory;
    return queue->failed;
}

/* The first operation of the queue that is not on a communicator before the given one. */
static size_t first_operation_of(const struct mqd_queue *queue, size_t communicator)
{
    size_t low = 0, high = queue->operations.n_items;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct mqd_operation *operation = mqd_vector_at(&queue->operations, middle);

        if (operation->communicator < communicator)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int mqd_operations_begin(struct mqd_process *process, int op)
{
    struct mqd_snapshot *snapshot = &process->snapshot;
    struct mqd_communicator *communicator = mqd_communicators_current(process);
    enum mqd_rc rc;

    forget_operation(snapshot);
    snapshot->operations_ready = false;
    if (communicator == NULL)
        return MQD_RC_no_communicator;
    if (op < 0 || op >= MQD_N_QUEUES)
        return MQD_RC_bad_argument;
    rc = index_queue(process, op);
    if (rc != MQD_OK)
        return (int)rc;
    snapshot->operations_ready = true;
    snapshot->operation_queue = op;
    snapshot->next_operation = first_operation_of(&snapshot->queues[op], snapshot->current);
    snapshot->end_operation = first_operation_of(&snapshot->queues[op], snapshot->current + 1);
    snapshot->operation_rc = snapshot->queues[op].rc;
    if (op == mqs_unexpected_messages && snapshot->operation_rc == MQD_OK)
        snapshot->operation_rc = communicator->unexpected_rc;
    return mqs_ok;
}

int mqd_operations_next(struct mqd_process *process, mqs_pending_operation *out)
{
    struct mqd_snapshot *snapshot = &process->snapshot;
    enum mqd_rc rc;

    forget_operation(snapshot);
    if (!snapshot->operations_ready)
        return mqs_end_of_list;
    while (snapshot->next_operation < snapshot->end_operation) {
        const struct mqd_operation *operation =
            mqd_vector_at(&snapshot->queues[snapshot->operation_queue].operations, snapshot->next_operation++);

        if (mqd_is_internal(operation) && !snapshot->show_internal)
            continue;
        mqd_begin_stage(process);
        rc = mqd_because(process, mqd_describe(process, operation, out));
        snapshot->has_operation = rc == MQD_OK;
        if (rc == MQD_OK)
            return mqs_ok;
        if (snapshot->operation_rc == MQD_OK)
            snapshot->operation_rc = rc;
    }
    rc = snapshot->operation_rc;
    snapshot->operation_rc = MQD_OK;
    return rc == MQD_OK ? mqs_end_of_list : (int)rc;
}

enum mqd_rc mqd_operations_find(struct mqd_process *process, mqd_taddr request_ta, mqs_pending_operation *out)
{
    struct mqd_snapshot *snapshot = &process->snapshot;
    struct mqd_operation operation, *found;
    enum mqd_rc rc = mqd_snapshot_rc(process);

    forget_operation(snapshot);
    if (rc == MQD_OK)
        rc = mqd_pml_find_send(process, request_ta, &operation);
    if (rc == MQD_OK)
        rc = mqd_describe(process, &operation, out);
    if (rc != MQD_OK)
        return rc;
    found = mqd_vector_append(&snapshot->found);
    if (found == NULL)
        return MQD_RC_no_memory;
    *found = operation;
    return MQD_OK;
}

static const int started[] = {mqs_pending_sends, mqs_pending_receives};
enum { N_STARTED = sizeof started / sizeof started[0] };

size_t mqd_count_operations(struct mqd_process *process, const struct mqd_communicator *communicator)
{
    size_t count = 0, own = (size_t)(communicator - mqd_communicator_at(process, 0));

    for (size_t i = 0; i < N_STARTED; i++) {
        const struct mqd_queue *queue = &process->snapshot.queues[started[i]];

        if (index_queue(process, started[i]) != MQD_OK)
            return 0;
        count += first_operation_of(queue, own + 1) - first_operation_of(queue, own);
    }
    return count;
}

struct requested {
    uint64_t request_ta;
    const struct mqd_operation *operation;
};

static enum mqd_rc index_requests(struct mqd_process *process)
{
    struct mqd_vector requested = {.item_size = sizeof(struct requested)};
    enum mqd_rc rc = MQD_OK;

    for (size_t i = 0; i < N_STARTED && rc != MQD_RC_no_memory; i++) {
        const struct mqd_vector *operations = &process->snapshot.queues[started[i]].operations;

        rc = index_queue(process, started[i]);
        for (size_t n = 0; rc == MQD_OK && n < operations->n_items; n++) {
            const struct mqd_operation *operation = mqd_vector_at(operations, n);
            struct requested *item = mqd_vector_append(&requested);

            if (item == NULL)
                rc = MQD_RC_no_memory;
            else
                *item = (struct requested){operation->ta, operation};
        }
    }
    if (rc == MQD_RC_no_memory || mqd_vector_sort_by_key(&requested) != MQD_OK) {
        mqd_vector_release(&requested);
        return MQD_RC_no_memory;
    }
    process->snapshot.requested = requested;
    process->snapshot.requests_indexed = true;
    return MQD_OK;
}

enum mqd_rc mqd_operation_of_request(struct mqd_process *process, mqd_taddr request_ta,
                                     const struct mqd_operation **operation)
{
    enum mqd_rc rc = process->snapshot.requests_indexed ? MQD_OK : index_requests(process);
    const struct requested *found = rc == MQD_OK ? mqd_vector_find(&process->snapshot.requested, request_ta) : NULL;

    if (found != NULL)
        *operation = found->operation;
    return rc;
}

const struct mqd_operation *mqd_operations_current(struct mqd_process *process)
{
    const struct mqd_snapshot *snapshot = &process->snapshot;

    if (snapshot->found.n_items > 0)
        return mqd_vector_at(&snapshot->found, 0);
    if (!snapshot->has_operation)
        return NULL;
    return mqd_vector_at(&snapshot->queues[snapshot->operation_queue].operations, snapshot->next_operation - 1);
}
