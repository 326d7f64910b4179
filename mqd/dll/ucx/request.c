/* request.c - reads requests of UCX. */
#include "mqd/dll/ucx/request.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/request.h"
#include "mqd/dll/ucx/pool.h"
#include "mqd/dll/banned.h"

/* The number at a path that not all releases have; 0 if this one does not. */
static uint64_t optional(struct mqd_view *view, enum mqd_path_id path)
{
    return mqd_has_path(view->process, path) ? mqd_uint(view, path) : 0;
}

/* The class of a datatype is in its lowest bits. */
static uint64_t class_of(const struct mqd_process *process, uint64_t datatype)
{
    const struct mqd_constant *mask = &process->layout.constants[MQD_CONSTANT_ucx_class_mask];

    return mask->present ? datatype & (uint64_t)mask->value : datatype;
}

/* Open MPI gives UCX a generic datatype for each datatype that is not contiguous, and its own datatype with it. */
static mqd_taddr ompi_datatype(struct mqd_process *process, mqd_taddr generic_ta)
{
    struct mqd_object generic;
    mqd_taddr ta;

    if (generic_ta == 0 || mqd_read_object(process, MQD_TYPE_ucp_dt_generic_t, generic_ta, &generic) != MQD_OK)
        return 0;
    ta = mqd_uint(&generic.view, MQD_PATH_ucx_generic_context);
    return generic.view.rc == MQD_OK && mqd_object_is(process, ta, "opal_datatype_t") ? ta : 0;
}

/* From a ucp_datatype_t, as sends of the older protocols and receives before 1.16 have it. */
static mqd_taddr datatype_of(struct mqd_process *process, uint64_t datatype)
{
    uint64_t kind = class_of(process, datatype);

    return mqd_is(process, MQD_CONSTANT_ucx_generic, (int64_t)kind) ? ompi_datatype(process, datatype - kind) : 0;
}

/* Where the members of an iterator over data are, in a send or in a receive. */
struct iterator {
    enum mqd_path_id kind, length, buffer, generic, start;
};
static const struct iterator of_send = {MQD_PATH_ucx_send_iter_class, MQD_PATH_ucx_send_iter_length,
                                        MQD_PATH_ucx_send_iter_buffer, MQD_PATH_ucx_send_iter_generic,
                                        MQD_PATH_ucx_send_iter_start};
static const struct iterator of_receive = {MQD_PATH_ucx_recv_iter_class, MQD_PATH_ucx_recv_length,
                                           MQD_PATH_ucx_recv_buffer, MQD_PATH_ucx_recv_iter_generic,
                                           MQD_PATH_ucx_recv_iter_start};

/* Before 1.14 the iterator over a generic datatype does not keep the user's buffer. */
static void take_iterator(struct mqd_process *process, struct mqd_view *view, const struct iterator *paths, struct mqd_ucx_request *request)
{
    request->length = mqd_uint(view, paths->length);
    if (!mqd_is(process, MQD_CONSTANT_ucx_generic, (int64_t)class_of(process, mqd_uint(view, paths->kind)))) {
        request->buffer_ta = mqd_uint(view, paths->buffer);
        return;
    }
    request->has_no_buffer = !mqd_has_path(view->process, paths->start);
    request->buffer_ta = optional(view, paths->start);
    request->datatype_ta = ompi_datatype(process, optional(view, paths->generic));
}

/*
 * What the protocol that was selected for a send of the newer protocols is for. It tells synchronous sends. Once the
 * receiver has answered, another protocol is selected: one for an operation of UCX's own. The sends with a tag come first
 * among the operations, the synchronous one last of them.
 */
static void take_protocol(struct mqd_process *process, struct mqd_view *view, struct mqd_ucx_request *request)
{
    const struct mqd_constant *flags = &process->layout.constants[MQD_CONSTANT_ucx_operation_flags];
    const struct mqd_constant *sync = &process->layout.constants[MQD_CONSTANT_ucx_operation_sync];
    mqd_taddr protocol_ta = optional(view, MQD_PATH_ucx_send_proto);
    struct mqd_object protocol;
    uint64_t operation;

    if (protocol_ta == 0 || !sync->present ||
        mqd_read_object(process, MQD_TYPE_ucp_proto_config_t, protocol_ta, &protocol) != MQD_OK)
        return;
    operation = mqd_uint(&protocol.view, MQD_PATH_ucx_proto_operation);
    if (flags->present && flags->value > 0)
        operation &= (uint64_t)flags->value - 1;
    if (protocol.view.rc != MQD_OK)
        return;
    request->is_synchronous = operation == (uint64_t)sync->value;
    request->is_answered = operation > (uint64_t)sync->value;
}

static void take_send(struct mqd_process *process, struct mqd_view *view, struct mqd_ucx_request *request)
{
    bool by_iterator = mqd_ucx_has(process, MQD_CONSTANT_ucx_proto_send, request) &&
                       !mqd_ucx_has(process, MQD_CONSTANT_ucx_send_tag, request);

    request->endpoint_ta = mqd_uint(view, MQD_PATH_ucx_send_endpoint);
    request->callback_ta = mqd_uint(view, MQD_PATH_ucx_send_callback);
    request->tag = mqd_uint(view, MQD_PATH_ucx_send_tag);
    if (by_iterator) {
        take_protocol(process, view, request);
        take_iterator(process, view, &of_send, request);
        return;
    }
    request->is_synchronous = mqd_ucx_has(process, MQD_CONSTANT_ucx_sync, request);
    request->buffer_ta = mqd_uint(view, MQD_PATH_ucx_send_buffer);
    request->length = mqd_uint(view, MQD_PATH_ucx_send_length);
    request->datatype_ta = datatype_of(process, mqd_uint(view, MQD_PATH_ucx_send_datatype));
}

/*
 * A receive that found its message already there is completed at once: UCX then writes its status and the message's
 * envelope, and nothing else. What the other members hold is an earlier request's. Up to 1.11 all other receives have the
 * flag `expected`. Later releases set the callback of all others, but of no such one; 1.6 to 1.8 set it of both.
 */
static bool was_never_posted(const struct mqd_process *process, const struct mqd_ucx_request *request)
{
    if (!mqd_ucx_has(process, MQD_CONSTANT_ucx_completed, request))
        return false;
    if (process->layout.constants[MQD_CONSTANT_ucx_expected].present)
        return !mqd_ucx_has(process, MQD_CONSTANT_ucx_expected, request);
    return !mqd_ucx_has(process, MQD_CONSTANT_ucx_callback, request);
}

static void take_receive(struct mqd_process *process, struct mqd_view *view, struct mqd_ucx_request *request)
{
    struct mqd_view element;

    request->arrived_tag = mqd_uint(view, MQD_PATH_ucx_recv_sender_tag);
    request->arrived_length = mqd_uint(view, MQD_PATH_ucx_recv_info_length);
    request->is_written = !was_never_posted(process, request);
    if (!request->is_written)
        return;
    element = mqd_inner(view, MQD_PATH_ucx_recv_element);
    request->next_ta = mqd_uint(&element, MQD_PATH_ucx_element_next);
    if (view->rc == MQD_OK)
        view->rc = element.rc;
    request->callback_ta = mqd_uint(view, MQD_PATH_ucx_recv_callback);
    request->worker_ta = mqd_uint(view, MQD_PATH_ucx_recv_worker);
    request->tag = mqd_uint(view, MQD_PATH_ucx_recv_tag);
    request->mask = mqd_uint(view, MQD_PATH_ucx_recv_mask);
    request->sequence = mqd_uint(view, MQD_PATH_ucx_recv_sn);
    if (mqd_has_path(view->process, MQD_PATH_ucx_recv_iter_class)) {
        take_iterator(process, view, &of_receive, request);
        return;
    }
    request->buffer_ta = mqd_uint(view, MQD_PATH_ucx_recv_buffer);
    request->length = mqd_uint(view, MQD_PATH_ucx_recv_length);
    request->datatype_ta = datatype_of(process, optional(view, MQD_PATH_ucx_recv_datatype));
}

/* Open MPI's request follows UCX's. The communicator in it is not always the one of this operation. */
static enum mqd_rc take_ompi(const struct mqd_view *view, struct mqd_ucx_request *request)
{
    uint32_t size = view->process->layout.type_size[MQD_TYPE_ucp_request_t];
    struct mqd_view ompi = *view;

    if (size == 0 || size > view->n_bytes)
        return MQD_RC_ucx_bad_pool;
    ompi.bytes += size;
    ompi.n_bytes -= size;
    ompi.ta += size;
    request->ompi_ta = ompi.ta;
    request->comm_ta = optional(&ompi, MQD_PATH_request_comm);
    request->callback_data_ta = optional(&ompi, MQD_PATH_request_callback_data);
    request->completed = mqd_request_is_completed(&ompi);
    request->waiter_ta = mqd_request_waiter(&ompi);
    request->source = (int32_t)mqd_int(&ompi, MQD_PATH_request_source);
    request->mpi_tag = (int32_t)mqd_int(&ompi, MQD_PATH_request_tag);
    request->error = (int32_t)mqd_int(&ompi, MQD_PATH_request_error);
    request->cancelled = mqd_int(&ompi, MQD_PATH_request_cancelled) != 0;
    request->bytes = mqd_uint(&ompi, MQD_PATH_request_bytes);
    return ompi.rc;
}

/* Since 1.10 a flag tells receives with a tag from other receives. */
static bool is_receive(const struct mqd_process *process, const struct mqd_ucx_request *request)
{
    if (process->layout.constants[MQD_CONSTANT_ucx_recv_tag].present)
        return mqd_ucx_has(process, MQD_CONSTANT_ucx_recv_tag, request);
    return mqd_ucx_has(process, MQD_CONSTANT_ucx_recv, request);
}

enum mqd_rc mqd_ucx_request_take(struct mqd_process *process, struct mqd_view *view, bool in_pool,
                                 struct mqd_ucx_request *request)
{
    enum mqd_rc rc = MQD_OK;

    *request = (struct mqd_ucx_request){.ta = view->ta};
    request->flags = (uint32_t)mqd_uint(view, MQD_PATH_ucx_flags);
    request->status = (int32_t)mqd_int(view, MQD_PATH_ucx_status);
    request->is_receive = is_receive(process, request);
    /* What the candidates for a layout do not agree on is not read; nothing is listed of it then. */
    if (request->is_receive && process->layout.can[MQD_CAN_ucx_receives])
        take_receive(process, view, request);
    if (!request->is_receive && process->layout.can[MQD_CAN_ucx_sends])
        take_send(process, view, request);
    if (in_pool)
        rc = take_ompi(view, request);
    return view->rc != MQD_OK ? view->rc : rc;
}

enum mqd_rc mqd_ucx_request_read(struct mqd_process *process, mqd_taddr ta, struct mqd_ucx_request *request)
{
    struct mqd_object object;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ucp_request_t, ta, &object);

    return rc == MQD_OK ? mqd_ucx_request_take(process, &object.view, false, request) : rc;
}

static enum mqd_rc keep_request(struct mqd_view *view, void *context)
{
    struct mqd_process *process = context;
    struct mqd_ucx_request *request = mqd_vector_append(&mqd_ucx_of(process)->pool);

    return request != NULL ? mqd_ucx_request_take(process, view, true, request) : MQD_RC_no_memory;
}

enum mqd_rc mqd_ucx_read_pool(struct mqd_process *process)
{
    struct mqd_ucx *ucx = mqd_ucx_of(process);
    struct mqd_ucx_pool pool;
    enum mqd_rc rc;

    if (ucx->is_pool_read)
        return ucx->pool_failed;
    rc = mqd_ucx_pool_read(process, ucx, &pool);
    if (rc == MQD_OK && pool.element_size - pool.header < process->layout.type_size[MQD_TYPE_ucp_request_t])
        rc = MQD_RC_ucx_bad_pool;
    if (rc == MQD_OK)
        ucx->pool_rc = mqd_because(process, mqd_ucx_pool_sweep(process, &pool, keep_request, process));
    if (ucx->pool_rc == MQD_RC_no_memory || mqd_vector_sort_by_key(&ucx->pool) != MQD_OK) {
        mqd_vector_release(&ucx->pool);
        ucx->pool_rc = MQD_OK;
        return MQD_RC_no_memory;
    }
    ucx->is_pool_read = true;
    ucx->pool_failed = mqd_because(process, rc);
    return ucx->pool_failed;
}
