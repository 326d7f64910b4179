/* receive.c - lists the receives of the PML ucx. */
#include "mqd/dll/ucx/receive.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/ucx/candidates.h"
#include "mqd/dll/ucx/envelope.h"
#include "mqd/dll/ucx/persistent.h"
#include "mqd/dll/ucx/posted.h"
#include "mqd/dll/ucx/request.h"
#include "mqd/dll/banned.h"

/* An index that is being made. */
struct index {
    struct mqd_process *process;
    struct mqd_queue *queue;
};

static enum mqd_rc stop_at_first(mqd_taddr head_ta, mqd_taddr end_ta, uint32_t bucket, void *context)
{
    (void)head_ta;
    (void)end_ta;
    (void)bucket;
    (void)context;
    return MQD_RC_ucx_undecided;
}

/* Are there no receives at all? The candidates for a layout agree on where the queues are. */
static bool has_none(struct mqd_process *process)
{
    struct mqd_ucx *ucx = mqd_ucx_of(process);
    struct mqd_ucx_matching matching;

    if (mqd_ucx_matching_read(process, ucx, &matching) != MQD_OK ||
        mqd_ucx_visit_queues(process, &matching, stop_at_first, NULL) != MQD_OK ||
        mqd_ucx_read_pool(process) != MQD_OK || ucx->pool_rc != MQD_OK)
        return false;
    for (size_t i = 0; i < ucx->pool.n_items; i++) {
        const struct mqd_ucx_request *request = mqd_vector_at(&ucx->pool, i);

        if (request->is_receive)
            return false;
    }
    return true;
}

enum mqd_rc mqd_ucx_can_list_receives(struct mqd_process *process)
{
    enum mqd_rc rc = mqd_ucx_can(process, MQD_CAN_ucx_receives);

    if (rc == MQD_RC_ucx_undecided && has_none(process))
        rc = MQD_OK;
    return rc == MQD_OK && mqd_ucx_of(process)->receives_changing ? MQD_RC_ucx_changing : rc;
}

static enum mqd_rc append(struct index *index, const struct mqd_operation *operation)
{
    const struct mqd_communicator *communicator = mqd_communicator_at(index->process, operation->communicator);
    struct mqd_operation *item;

    if (operation->peer < MQD_ANY || operation->peer >= communicator->n_remote || operation->actual_peer < MQD_ANY ||
        operation->actual_peer >= communicator->n_remote) {
        mqd_note(index->queue, MQD_RC_ucx_bad_request);
        return MQD_OK;
    }
    item = mqd_vector_append(&index->queue->operations);
    if (item == NULL)
        return MQD_RC_no_memory;
    *item = *operation;
    return MQD_OK;
}

/* What the call asked for, where UCX has kept it. */
static void read_desired(const struct mqd_process *process, const struct mqd_ucx_request *request,
                         const struct mqd_ucx_envelope *desired, struct mqd_operation *operation)
{
    struct mqd_ucx_wild wild = mqd_ucx_wild_of(process, request->mask);

    operation->peer = wild.source ? MQD_ANY : desired->source;
    operation->tag_wild = wild.tag;
    operation->tag = wild.tag ? MQD_ANY : desired->tag;
    operation->buffer_ta = request->buffer_ta;
    operation->unknown.buffer = request->has_no_buffer;
    operation->length = request->length;
    operation->order = request->sequence + 1;
}

/* The call's arguments were never written: those of a receive that was complete at once. It was not posted. */
static void read_nothing(struct mqd_operation *operation)
{
    operation->peer = MQD_ANY;
    operation->tag = MQD_ANY;
    operation->unknown = (struct mqd_unknown){.peer = true, .tag = true, .length = true, .buffer = true};
    operation->order = 0;
}

/* A message has matched the receive: its envelope, and how far it has come. */
static void read_match(const struct mqd_process *process, const struct mqd_ucx_request *request,
                       const struct mqd_ucx_envelope *arrived, struct mqd_operation *operation)
{
    operation->actual_peer = arrived->source;
    operation->actual_tag = arrived->tag;
    operation->actual_length = request->arrived_length;
    if (!mqd_ucx_has(process, MQD_CONSTANT_ucx_completed, request)) {
        operation->status = mqs_st_matched;
        operation->progress = MQD_PROGRESS_receiving;
        operation->no_arrived = true;
        return;
    }
    operation->status = mqs_st_complete;
    operation->error = request->error;
    operation->progress = mqd_is(process, MQD_CONSTANT_ucx_ok, request->status)          ? MQD_PROGRESS_complete
                          : mqd_is(process, MQD_CONSTANT_ucx_truncated, request->status) ? MQD_PROGRESS_truncated
                                                                                         : MQD_PROGRESS_failed;
}

static bool is_cancelled(const struct mqd_process *process, const struct mqd_ucx_request *request)
{
    return mqd_ucx_has(process, MQD_CONSTANT_ucx_completed, request) &&
           mqd_is(process, MQD_CONSTANT_ucx_cancelled, request->status);
}

/* Makes an operation of a receive. Returns false if it is on a communicator that is not listed. */
static bool read_receive(struct index *index, const struct mqd_ucx_request *request, bool is_posted,
                         struct mqd_operation *operation)
{
    struct mqd_process *process = index->process;
    struct mqd_ucx_envelope desired, arrived;
    const struct mqd_communicator *communicator;

    if (mqd_ucx_envelope_of(process, request->tag, &desired) != MQD_OK ||
        mqd_ucx_envelope_of(process, request->arrived_tag, &arrived) != MQD_OK)
        return false;
    communicator = mqd_ucx_communicator(process, request->is_written ? desired.context : arrived.context);
    if (communicator == NULL) {
        /* Open MPI's own are not missed. */
        if ((request->is_written ? desired.tag : arrived.tag) >= 0)
            mqd_note(index->queue, MQD_RC_ucx_bad_request);
        return false;
    }
    *operation = (struct mqd_operation){.communicator = mqd_ucx_index_of(process, communicator),
                                        .kind = MQD_OPERATION_recv,
                                        .ta = request->ompi_ta != 0 ? request->ompi_ta : request->ta,
                                        .status = mqs_st_pending,
                                        .progress = MQD_PROGRESS_posted,
                                        .actual_peer = MQD_ANY,
                                        .actual_tag = MQD_ANY,
                                        .in_bytes = true,
                                        .waiter_ta = request->waiter_ta,
                                        .freed = mqd_ucx_has(process, MQD_CONSTANT_ucx_released, request)};
    if (request->is_written)
        read_desired(process, request, &desired, operation);
    else
        read_nothing(operation);
    if (is_cancelled(process, request)) {
        operation->status = mqs_st_complete;
        operation->progress = MQD_PROGRESS_cancelled;
    } else if (!is_posted) {
        read_match(process, request, &arrived, operation);
    }
    mqd_ucx_data_of(process, request, operation);
    return true;
}

static enum mqd_rc visit_posted(struct mqd_ucx_request *request, bool on_stack, void *context)
{
    struct index *index = context;
    struct mqd_operation operation;

    request->is_queued = true;
    if (!read_receive(index, request, true, &operation))
        return MQD_OK;
    operation.is_numbered = operation.status == mqs_st_pending && request->is_written;
    /* Only a blocking call has its request on the stack. A thread that waits for another one leaves its address there. */
    if ((on_stack || request->waiter_ta != 0) && operation.status == mqs_st_pending)
        operation.progress = MQD_PROGRESS_waited_for;
    return append(index, &operation);
}

/* The receives of the pool that are in no queue: a message has matched them. */
static enum mqd_rc list_matched(struct index *index)
{
    struct mqd_ucx *ucx = mqd_ucx_of(index->process);
    enum mqd_rc rc = MQD_OK;

    for (size_t i = 0; i < ucx->pool.n_items && rc == MQD_OK; i++) {
        const struct mqd_ucx_request *request = mqd_vector_at(&ucx->pool, i);
        struct mqd_operation operation;

        if (!request->is_receive || request->is_queued)
            continue;
        if (mqd_ucx_is_left_over(index->process, request)) {
            mqd_note(index->queue, MQD_RC_ucx_changing);
            continue;
        }
        if (!read_receive(index, request, false, &operation))
            continue;
        /* The program has freed the request and the data is there: nothing is pending any more. */
        if (!operation.freed || operation.status != mqs_st_complete)
            rc = append(index, &operation);
    }
    return rc;
}

/* A persistent receive that is complete: UCX has no request for it any more. */
static enum mqd_rc visit_complete(const struct mqd_ucx_persistent *persistent, void *context)
{
    struct index *index = context;
    struct mqd_process *process = index->process;
    const struct mqd_communicator *communicator = mqd_find_communicator(process, persistent->comm_ta);
    struct mqd_ucx_wild wild = mqd_ucx_wild_of(process, persistent->mask);
    struct mqd_operation operation = {.kind = MQD_OPERATION_recv,
                                      .ta = persistent->ta,
                                      .persistent = true,
                                      .status = mqs_st_complete,
                                      .buffer_ta = persistent->buffer_ta,
                                      .count = persistent->count,
                                      .datatype_ta = persistent->datatype_ta,
                                      .peer = MQD_ANY,
                                      .tag = MQD_ANY,
                                      .actual_peer = MQD_ANY,
                                      .actual_tag = MQD_ANY,
                                      .error = persistent->error};
    struct mqd_ucx_envelope desired;

    if (persistent->is_send || communicator == NULL)
        return MQD_OK;
    operation.communicator = mqd_ucx_index_of(process, communicator);
    if (!persistent->described) {
        operation.unknown = (struct mqd_unknown){.peer = true, .tag = true, .length = true};
        operation.in_bytes = true;
    } else if (mqd_ucx_envelope_of(process, persistent->tag, &desired) == MQD_OK) {
        operation.peer = wild.source ? MQD_ANY : desired.source;
        operation.tag_wild = wild.tag;
        operation.tag = wild.tag ? MQD_ANY : desired.tag;
    }
    if (persistent->cancelled) {
        operation.progress = MQD_PROGRESS_cancelled;
        return append(index, &operation);
    }
    operation.actual_peer = persistent->source;
    operation.actual_tag = persistent->mpi_tag;
    operation.actual_length = persistent->bytes;
    operation.progress = mqd_is(process, MQD_CONSTANT_success, persistent->error)        ? MQD_PROGRESS_complete
                         : mqd_is(process, MQD_CONSTANT_err_truncate, persistent->error) ? MQD_PROGRESS_truncated
                                                                                         : MQD_PROGRESS_failed;
    return append(index, &operation);
}

enum mqd_rc mqd_ucx_index_receives(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.process = process, .queue = queue};
    enum mqd_rc rc = mqd_ucx_can_list_receives(process), noted = MQD_OK;

    if (rc == MQD_OK)
        rc = mqd_ucx_read_pool(process);
    if (rc != MQD_OK)
        return rc;
    if (mqd_ucx_of(process)->pool_rc != MQD_OK)
        mqd_note(queue, mqd_ucx_of(process)->pool_rc);
    rc = mqd_ucx_visit_posted(process, mqd_ucx_of(process), UINT64_MAX, visit_posted, &index);
    /* Which receives are still posted is not known then, and none can be told from one that is matched. */
    if (rc != MQD_OK)
        return rc;
    rc = list_matched(&index);
    if (rc == MQD_OK)
        rc = mqd_ucx_visit_complete(process, &noted, visit_complete, &index);
    if (rc != MQD_OK)
        return rc;
    if (noted != MQD_OK)
        mqd_note(queue, noted);
    return mqd_vector_sort(&queue->operations, mqd_operation_before);
}
