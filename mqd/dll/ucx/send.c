/*
 * send.c - lists the sends of the PML ucx.
 *
 * UCX keeps no order of sends: those to one destination are in the order of their addresses.
 */
#include "mqd/dll/ucx/send.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/request.h"
#include "mqd/dll/ucx/callbacks.h"
#include "mqd/dll/ucx/candidates.h"
#include "mqd/dll/ucx/envelope.h"
#include "mqd/dll/ucx/peers.h"
#include "mqd/dll/ucx/persistent.h"
#include "mqd/dll/ucx/request.h"
#include "mqd/dll/banned.h"

/* A send that was found: its communicator is the key, so that the endpoints of each communicator are read once. */
struct found {
    uint64_t communicator;
    mqd_taddr endpoint_ta;         /* 0: it is not known */
    struct mqd_operation operation;
};


/* An index that is being made. */
struct index {
    struct mqd_process *process;
    struct mqd_queue *queue;
    struct mqd_vector found;       /* struct found */
    struct mqd_ucx_peers peers;    /* of the last communicator */
    bool no_memory;                /* it was missing while a communicator was looked for */
};

enum mqd_rc mqd_ucx_can_list_sends(struct mqd_process *process)
{
    enum mqd_rc rc = mqd_ucx_can(process, MQD_CAN_ucx_sends);

    return rc == MQD_OK && !mqd_ucx_has_send_callbacks(mqd_ucx_of(process)) ? MQD_RC_ucx_no_callbacks : rc;
}

/*
 * The index that a communicator has at one of its members. It is the same for all, except for communicators that were
 * made from a group.
 */
static bool remote_index(struct mqd_process *process, const struct mqd_communicator *communicator, int32_t rank,
                         uint32_t *index)
{
    struct mqd_object object;
    mqd_taddr indices_ta;
    int64_t value;

    *index = communicator->index;
    if (mqd_ucx_sends_have_own_context(process) || !communicator->extended)
        return true;
    if (rank < 0 || mqd_read_object(process, MQD_TYPE_ompi_communicator_t, communicator->ta, &object) != MQD_OK)
        return false;
    indices_ta = mqd_uint(&object.view, MQD_PATH_comm_remote_indices);
    if (object.view.rc != MQD_OK || indices_ta == 0 ||
        mqd_read_number(process, indices_ta + (mqd_taddr)rank * 4, MQD_KIND_u32, &value) != MQD_OK)
        return false;
    *index = (uint32_t)value;
    return true;
}

/* The rank that an endpoint leads to in a communicator; -1 if there is none. */
static int32_t rank_of(struct index *index, struct mqd_communicator *communicator, mqd_taddr endpoint_ta)
{
    if (mqd_ucx_peers_read(index->process, communicator, &index->peers) != MQD_OK) {
        index->no_memory = true;
        return -1;
    }
    return mqd_ucx_peers_find(&index->peers, endpoint_ta);
}

/* Is it a send of this communicator: does the endpoint lead to a member, to which the index in the tag belongs? */
static bool is_of(struct index *index, struct mqd_communicator *communicator, mqd_taddr endpoint_ta,
                  const struct mqd_ucx_envelope *envelope)
{
    uint32_t context;
    int32_t rank;

    if (communicator->my_rank != envelope->source)
        return false;
    rank = rank_of(index, communicator, endpoint_ta);
    return rank >= 0 && remote_index(index->process, communicator, rank, &context) && context == envelope->context;
}

/*
 * The communicator of a send. `stated_ta` is what Open MPI's request says; 0 if there is none, or if it may be stale.
 * NULL if the snapshot does not have it.
 */
static struct mqd_communicator *communicator_of(struct index *index, mqd_taddr stated_ta, mqd_taddr endpoint_ta,
                                                const struct mqd_ucx_envelope *envelope)
{
    struct mqd_process *process = index->process;
    struct mqd_communicator *communicator = mqd_find_communicator(process, stated_ta);

    if (mqd_ucx_sends_have_own_context(process))
        return mqd_ucx_communicator(process, envelope->context);
    if (stated_ta != 0 && communicator != NULL && is_of(index, communicator, endpoint_ta, envelope))
        return communicator;
    for (size_t i = 0; i < process->snapshot.communicators.n_items; i++) {
        communicator = mqd_communicator_at(process, i);
        if (is_of(index, communicator, endpoint_ta, envelope))
            return communicator;
    }
    return NULL;
}

/* What is left to happen. UCX does not show whether another send waits for its receiver or for the network. */
static void read_progress(const struct mqd_process *process, const struct mqd_ucx_request *request,
                          struct mqd_operation *operation)
{
    if (mqd_ucx_has(process, MQD_CONSTANT_ucx_completed, request)) {
        operation->status = mqs_st_complete;
        operation->progress = MQD_PROGRESS_complete;
        return;
    }
    operation->status = mqs_st_pending;
    operation->progress = request->is_synchronous &&
                                  mqd_ucx_has(process, MQD_CONSTANT_ucx_local_completed, request) &&
                                  !mqd_ucx_has(process, MQD_CONSTANT_ucx_remote_completed, request)
                              ? MQD_PROGRESS_unmatched
                              : MQD_PROGRESS_unfinished;
}

/* Everything but the destination. */
static void read_send(struct mqd_process *process, const struct mqd_ucx_request *request, int32_t tag,
                      struct mqd_operation *operation)
{
    bool buffered = mqd_ucx_is_buffered_callback(mqd_ucx_of(process), request->callback_ta);

    *operation = (struct mqd_operation){.ta = request->ompi_ta != 0 ? request->ompi_ta : request->ta,
                                        .tag = tag,
                                        .actual_tag = tag,
                                        .in_bytes = true,
                                        .length = request->length,
                                        .actual_length = request->length,
                                        .buffer_ta = request->buffer_ta,
                                        .system_buffer = buffered,
                                        .waiter_ta = request->waiter_ta,
                                        .freed = mqd_ucx_has(process, MQD_CONSTANT_ucx_released, request)};
    operation->kind = buffered                  ? MQD_OPERATION_bsend
                      : request->is_synchronous ? MQD_OPERATION_ssend
                                                : MQD_OPERATION_send;
    read_progress(process, request, operation);
    operation->unknown.buffer = request->has_no_buffer;
    mqd_ucx_data_of(process, request, operation);
    operation->order = operation->ta;
    /* The copy that is sent is all bytes, whatever the program's datatype is. */
    if (buffered && operation->status == mqs_st_pending)
        operation->progress = MQD_PROGRESS_in_transit;
}

static enum mqd_rc keep(struct index *index, const struct mqd_communicator *communicator, mqd_taddr endpoint_ta,
                        const struct mqd_operation *operation)
{
    struct found *found = mqd_vector_append(&index->found);

    if (found == NULL)
        return MQD_RC_no_memory;
    *found = (struct found){.communicator = mqd_ucx_index_of(index->process, communicator),
                            .endpoint_ta = endpoint_ta,
                            .operation = *operation};
    found->operation.communicator = (uint32_t)found->communicator;
    return MQD_OK;
}

/*
 * When the program frees the request of a send that is not complete, UCX forgets that there is a callback, but not which
 * one. UCX's own requests may have one of ours too then, from their last use; but none of them is a send by a tag or by
 * a protocol. UCX 1.6 has no flags for these.
 */
static bool is_freed_send(const struct mqd_process *process, const struct mqd_ucx_request *request)
{
    if (!mqd_ucx_has(process, MQD_CONSTANT_ucx_released, request))
        return false;
    return !process->layout.constants[MQD_CONSTANT_ucx_send_tag].present ||
           mqd_ucx_has(process, MQD_CONSTANT_ucx_send_tag, request) ||
           mqd_ucx_has(process, MQD_CONSTANT_ucx_proto_send, request);
}

/*
 * A request of the pool that is a send of MPI has one of Open MPI's callbacks. UCX's own requests never have. A blocking
 * send does not complete Open MPI's request: its call is about to return.
 */
static bool is_send(const struct mqd_process *process, const struct mqd_ucx *ucx,
                    const struct mqd_ucx_request *request)
{
    return !request->is_receive && mqd_ucx_is_send_callback(ucx, request->callback_ta) &&
           !mqd_ucx_is_left_over(process, request) &&
           (mqd_ucx_has(process, MQD_CONSTANT_ucx_callback, request) || is_freed_send(process, request));
}

/* The communicator of a send, and its tag; the tag of some is not known. */
struct origin {
    struct mqd_communicator *communicator;
    int32_t tag;
    bool has_tag;
};

/*
 * Does the envelope in the request belong to a communicator here, in which this process is its source? The endpoint is
 * not looked for: the peers of all communicators would be read again and again.
 */
static bool is_origin(struct index *index, const struct mqd_ucx_request *request, mqd_taddr comm_ta,
                      const struct mqd_ucx_envelope *envelope, struct origin *origin)
{
    origin->communicator = communicator_of(index, comm_ta, request->endpoint_ta, envelope);
    origin->tag = envelope->tag;
    origin->has_tag = true;
    return origin->communicator != NULL && origin->communicator->my_rank == envelope->source;
}

/*
 * Once the receiver has answered, the newer protocols use the place of the tag for what it has answered; so do the older
 * ones, where they write the data into the receiver's memory. Open MPI's request still has the communicator then, and a
 * persistent one the tag.
 */
static bool find_origin(struct index *index, const struct mqd_ucx_request *request,
                        const struct mqd_ucx_envelope *envelope, struct origin *origin)
{
    struct mqd_process *process = index->process;
    bool nonblocking = mqd_ucx_is_nonblocking_callback(mqd_ucx_of(process), request->callback_ta);
    struct mqd_ucx_persistent persistent;
    struct mqd_ucx_envelope stated;

    if (mqd_ucx_persistent_of(process, request, &persistent)) {
        origin->communicator = mqd_find_communicator(process, persistent.comm_ta);
        origin->has_tag = persistent.described &&
                          mqd_ucx_envelope_of(process, persistent.tag, &stated) == MQD_OK;
        origin->tag = origin->has_tag ? stated.tag : MQD_ANY;
        if (origin->communicator != NULL && origin->has_tag)
            return true;
        return is_origin(index, request, persistent.comm_ta, envelope, origin);
    }
    if (!request->is_answered && is_origin(index, request, request->comm_ta, envelope, origin))
        return true;
    origin->communicator = nonblocking ? mqd_find_communicator(process, request->comm_ta) : NULL;
    origin->has_tag = false;
    origin->tag = MQD_ANY;
    return origin->communicator != NULL && rank_of(index, origin->communicator, request->endpoint_ta) >= 0;
}

static enum mqd_rc visit_pooled(struct index *index, const struct mqd_ucx_request *request)
{
    struct mqd_process *process = index->process;
    struct mqd_ucx_envelope envelope;
    struct mqd_operation operation;
    struct origin origin;
    enum mqd_rc rc = mqd_ucx_envelope_of(process, request->tag, &envelope);

    if (rc != MQD_OK)
        return rc;
    if (!mqd_ucx_is_endpoint(process, request->endpoint_ta)) {
        mqd_note(index->queue, MQD_RC_ucx_bad_request);
        return MQD_OK;
    }
    if (!find_origin(index, request, &envelope, &origin)) {
        if (index->no_memory)
            return MQD_RC_no_memory;
        /* Open MPI's own are not missed. */
        if (origin.communicator != NULL || envelope.tag >= 0)
            mqd_note(index->queue, MQD_RC_ucx_bad_request);
        return MQD_OK;
    }
    if (index->no_memory)
        return MQD_RC_no_memory;
    read_send(process, request, origin.tag, &operation);
    if (!origin.has_tag) {
        operation.unknown.tag = 1;
        if (operation.status == mqs_st_pending) {
            operation.status = mqs_st_matched;
            operation.progress = MQD_PROGRESS_transfer;
        }
    }
    if (operation.freed && operation.status == mqs_st_complete)
        return MQD_OK;
    return keep(index, origin.communicator, request->endpoint_ta, &operation);
}

/* A persistent send that is complete. UCX's request is gone, and with it the number of bytes, but not the datatype. */
static enum mqd_rc visit_complete(const struct mqd_ucx_persistent *persistent, void *context)
{
    struct index *index = context;
    struct mqd_process *process = index->process;
    struct mqd_communicator *communicator = mqd_find_communicator(process, persistent->comm_ta);
    struct mqd_operation operation = {.ta = persistent->ta,
                                      .order = persistent->ta,
                                      .kind = MQD_OPERATION_send,
                                      .status = mqs_st_complete,
                                      .progress = MQD_PROGRESS_complete,
                                      .persistent = true,
                                      .tag = MQD_ANY,
                                      .actual_tag = MQD_ANY,
                                      .buffer_ta = persistent->buffer_ta,
                                      .count = persistent->count};
    struct mqd_ucx_envelope envelope;
    enum mqd_rc rc;

    if (!persistent->is_send || communicator == NULL)
        return MQD_OK;
    if (!persistent->described) {
        operation.unknown = (struct mqd_unknown){.tag = true, .length = true};
        return keep(index, communicator, 0, &operation);
    }
    rc = mqd_ucx_envelope_of(process, persistent->tag, &envelope);
    if (rc != MQD_OK)
        return rc;
    operation.kind = (uint8_t)mqd_kind_of_mode(process, persistent->mode);
    operation.tag = operation.actual_tag = envelope.tag;
    operation.datatype_ta = persistent->datatype_ta;
    operation.length = operation.actual_length = mqd_ucx_bytes_of(process, persistent);
    return keep(index, communicator, persistent->endpoint_ta, &operation);
}

/* Fills in the destinations, communicator by communicator. A rank that is not found is not known. */
static enum mqd_rc list_found(struct index *index)
{
    enum mqd_rc rc = mqd_vector_sort_by_key(&index->found);

    for (size_t i = 0; i < index->found.n_items && rc == MQD_OK; i++) {
        struct found *found = mqd_vector_at(&index->found, i);
        struct mqd_communicator *communicator = mqd_communicator_at(index->process, (size_t)found->communicator);
        struct mqd_operation *item = mqd_vector_append(&index->queue->operations);

        rc = item != NULL ? mqd_ucx_peers_read(index->process, communicator, &index->peers) : MQD_RC_no_memory;
        if (rc != MQD_OK)
            break;
        *item = found->operation;
        item->peer = item->actual_peer = mqd_ucx_peers_find(&index->peers, found->endpoint_ta);
        item->unknown.peer = item->peer < 0;
        item->destination = (uint32_t)item->peer;
    }
    return rc == MQD_OK ? mqd_vector_sort(&index->queue->operations, mqd_operation_before) : rc;
}

static enum mqd_rc index_sends(struct index *index)
{
    struct mqd_process *process = index->process;
    struct mqd_ucx *ucx = mqd_ucx_of(process);
    enum mqd_rc rc = mqd_ucx_read_pool(process), noted = MQD_OK;

    for (size_t i = 0; i < ucx->pool.n_items && rc == MQD_OK; i++) {
        const struct mqd_ucx_request *request = mqd_vector_at(&ucx->pool, i);

        if (is_send(process, ucx, request))
            rc = visit_pooled(index, request);
    }
    if (rc == MQD_OK && ucx->pool_rc != MQD_OK)
        mqd_note(index->queue, ucx->pool_rc);
    if (rc == MQD_OK)
        rc = mqd_ucx_visit_complete(process, &noted, visit_complete, index);
    if (noted != MQD_OK)
        mqd_note(index->queue, noted);
    return rc == MQD_OK ? list_found(index) : rc;
}

enum mqd_rc mqd_ucx_index_sends(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.process = process, .queue = queue, .found.item_size = sizeof(struct found)};
    enum mqd_rc rc = mqd_ucx_can_list_sends(process);

    if (rc == MQD_OK)
        rc = index_sends(&index);
    mqd_vector_release(&index.found);
    mqd_ucx_peers_release(&index.peers);
    return rc;
}

/*
 * A blocking call has its request on the stack. Nothing in the process leads there, and what lies there now may be
 * anything: all that a send needs must be right.
 */
static enum mqd_rc read_named(struct index *index, mqd_taddr request_ta, struct mqd_operation *operation)
{
    struct mqd_process *process = index->process;
    struct mqd_ucx_request read;
    const struct mqd_ucx_request *request = mqd_vector_find(&mqd_ucx_of(process)->pool, request_ta);
    struct mqd_communicator *communicator;
    struct mqd_ucx_envelope envelope;

    if (request == NULL) {
        if (mqd_ucx_request_read(process, request_ta, &read) != MQD_OK)
            return MQD_RC_no_operation;
        request = &read;
    } else if (!is_send(process, mqd_ucx_of(process), request)) {
        return MQD_RC_no_operation;
    }
    if (request->is_receive || mqd_ucx_has(process, MQD_CONSTANT_ucx_completed, request) ||
        mqd_ucx_envelope_of(process, request->tag, &envelope) != MQD_OK ||
        !mqd_ucx_is_endpoint(process, request->endpoint_ta))
        return MQD_RC_no_operation;
    communicator = communicator_of(index, request->comm_ta, request->endpoint_ta, &envelope);
    if (communicator == NULL || communicator->my_rank != envelope.source)
        return MQD_RC_no_operation;
    if (mqd_ucx_peers_read(process, communicator, &index->peers) != MQD_OK)
        return MQD_RC_no_memory;
    read_send(process, request, envelope.tag, operation);
    operation->communicator = mqd_ucx_index_of(process, communicator);
    operation->peer = operation->actual_peer = mqd_ucx_peers_find(&index->peers, request->endpoint_ta);
    /* The receiver has the message: this send waits for it to be matched. */
    operation->progress = MQD_PROGRESS_unmatched;
    return operation->peer >= 0 ? MQD_OK : MQD_RC_no_operation;
}

enum mqd_rc mqd_ucx_find_send(struct mqd_process *process, mqd_taddr request_ta, struct mqd_operation *operation)
{
    struct index index = {.process = process};
    struct mqd_operation found;
    enum mqd_rc rc = mqd_ucx_can_list_sends(process);

    if (rc == MQD_OK)
        rc = mqd_ucx_read_pool(process);
    if (rc == MQD_OK)
        rc = request_ta != 0 ? read_named(&index, request_ta, &found) : MQD_RC_no_operation;
    mqd_ucx_peers_release(&index.peers);
    if (rc == MQD_OK)
        *operation = found;
    return rc;
}
