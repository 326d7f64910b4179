/* request.c - the PML cm's requests among the elements of the request lists. */
#include "mqd/dll/cm/request.h"

#include "mqd/dll/cm/ofi.h"
#include "mqd/dll/evidence.h"
#include "mqd/dll/request.h"
#include "mqd/dll/banned.h"

static const struct mqd_request_list receives = {"mca_pml_base_recv_requests", "mca_pml_cm_hvy_recv_request_t",
                                                 MQD_RC_no_recv_list};
static const struct mqd_request_list sends = {"mca_pml_base_send_requests", "mca_pml_cm_hvy_send_request_t",
                                              MQD_RC_no_send_list};

/* What the layout has to know of requests, of sends and of receives. */
static const enum mqd_path_id send_paths[] = {
    MQD_PATH_cm_request,    MQD_PATH_cm_complete,      MQD_PATH_cm_free_called,  MQD_PATH_cm_type,
    MQD_PATH_cm_comm,       MQD_PATH_cm_datatype,      MQD_PATH_cm_convertor,    MQD_PATH_convertor_flags,
    MQD_PATH_convertor_bytes, MQD_PATH_convertor_count, MQD_PATH_convertor_buffer, MQD_PATH_datatype_true_lb,
    MQD_PATH_cm_send_base,  MQD_PATH_cm_send_mode,     MQD_PATH_cm_thin_send,    MQD_PATH_cm_heavy_send,
    MQD_PATH_cm_send_addr,  MQD_PATH_cm_send_bytes,    MQD_PATH_cm_send_peer,    MQD_PATH_cm_send_tag,
    MQD_PATH_cm_send_buffer,
};
static const enum mqd_path_id receive_paths[] = {
    MQD_PATH_cm_request,      MQD_PATH_cm_complete,     MQD_PATH_cm_free_called,   MQD_PATH_cm_type,
    MQD_PATH_cm_comm,         MQD_PATH_cm_datatype,     MQD_PATH_cm_convertor,     MQD_PATH_convertor_flags,
    MQD_PATH_convertor_bytes, MQD_PATH_convertor_count, MQD_PATH_convertor_buffer, MQD_PATH_cm_thin_recv,
    MQD_PATH_cm_heavy_recv,   MQD_PATH_cm_recv_addr,    MQD_PATH_cm_recv_count,    MQD_PATH_cm_recv_peer,
    MQD_PATH_cm_recv_tag,
};
static const enum mqd_constant_id needed_constants[] = {
    MQD_CONSTANT_cm_heavy_send,       MQD_CONSTANT_cm_thin_send,       MQD_CONSTANT_cm_heavy_recv,
    MQD_CONSTANT_cm_thin_recv,        MQD_CONSTANT_convertor_committed, MQD_CONSTANT_convertor_completed,
};

/* A receive whose source is to be found by its address. */
struct addressed {
    mqd_taddr request_ta;
    uint64_t address;
};

/* An index that is being made. */
struct index {
    struct mqd_request_index base;
    struct mqd_ofi ofi;
    struct mqd_vector addressed;   /* struct addressed, by request_ta */
};

/* One element, with views of the structures that it begins with. */
struct request {
    struct mqd_view element, cm, ompi;
};

static struct request request_of(const struct mqd_view *element, struct mqd_view cm)
{
    return (struct request){.element = *element, .cm = cm, .ompi = mqd_inner(&cm, MQD_PATH_cm_request)};
}

/* Sends have one more structure around the common part than receives have. */
static struct request send_of(const struct mqd_view *element, enum mqd_path_id to_send)
{
    struct mqd_view send = mqd_inner(element, to_send);

    return request_of(element, mqd_inner(&send, MQD_PATH_cm_send_base));
}

static struct request receive_of(const struct mqd_view *element, enum mqd_path_id to_receive)
{
    return request_of(element, mqd_inner(element, to_receive));
}

static enum mqd_rc rc_of(const struct request *request)
{
    if (request->element.rc != MQD_OK)
        return request->element.rc;
    return request->cm.rc != MQD_OK ? request->cm.rc : request->ompi.rc;
}

static bool has_type(struct request *request, enum mqd_constant_id type)
{
    return mqd_is(request->cm.process, type, mqd_int(&request->cm, MQD_PATH_cm_type));
}

static bool is_transport_done(struct request *request)
{
    return mqd_int(&request->cm, MQD_PATH_cm_complete) != 0;
}

/*
 * Is it a persistent send that is complete for the user, but whose data is still in the attached buffer or with the
 * network's library?
 */
static bool is_waited_for_in_transit(struct request *request)
{
    return mqd_request_has_state(&request->ompi, MQD_CONSTANT_request_inactive) &&
           mqd_request_is_persistent(&request->ompi) && !is_transport_done(request);
}

/*
 * Is the element in use, and on a communicator that is listed? Elements are of the heavy types, and say in use whether
 * they are thin. One that was never used has no type yet.
 */
static bool in_use(struct index *index, struct request *request, bool is_send)
{
    bool is_in_transit = is_send && is_waited_for_in_transit(request);
    bool is_heavy = has_type(request, is_send ? MQD_CONSTANT_cm_heavy_send : MQD_CONSTANT_cm_heavy_recv);

    if (!mqd_request_is_pml(&request->ompi)) {
        mqd_note(index->base.queue, MQD_RC_bad_request);
        return false;
    }
    if (!mqd_request_has_state(&request->ompi, MQD_CONSTANT_request_active) && !is_in_transit)
        return false;
    if (!is_heavy && !has_type(request, is_send ? MQD_CONSTANT_cm_thin_send : MQD_CONSTANT_cm_thin_recv)) {
        mqd_note(index->base.queue, MQD_RC_bad_request);
        return false;
    }
    return mqd_on_listed_communicator(&index->base, mqd_uint(&request->cm, MQD_PATH_cm_comm));
}

/* What all requests have. Source, destination and tag are not known before a request proves to have them. */
static void read_common(struct index *index, struct request *request, struct mqd_operation *operation)
{
    *operation = (struct mqd_operation){.communicator = index->base.communicator, .ta = request->element.ta};
    operation->persistent = mqd_request_is_persistent(&request->ompi);
    operation->waiter_ta = mqd_request_waiter(&request->ompi);
    operation->freed = mqd_int(&request->cm, MQD_PATH_cm_free_called) != 0;
    operation->datatype_ta = mqd_uint(&request->cm, MQD_PATH_cm_datatype);
    operation->peer = MQD_ANY;
    operation->tag = MQD_ANY;
    operation->unknown.peer = 1;
    operation->unknown.tag = 1;
}

/* A convertor of a request that is thin: it stands for the arguments that describe the data. */
static struct mqd_view read_convertor(struct request *request, struct mqd_operation *operation)
{
    struct mqd_view convertor = mqd_inner(&request->cm, MQD_PATH_cm_convertor);

    operation->count = mqd_uint(&convertor, MQD_PATH_convertor_count);
    operation->length = mqd_uint(&convertor, MQD_PATH_convertor_bytes);
    operation->buffer_ta = mqd_uint(&convertor, MQD_PATH_convertor_buffer);
    return convertor;
}

/*
 * Before 5.0 a send of contiguous data fills in the convertor by itself: with the address of the data, which lie at the
 * datatype's true lower bound behind the buffer. Such a convertor has no flag that a prepared one has.
 */
static void correct_buffer(struct mqd_process *process, struct mqd_view *convertor, struct mqd_operation *operation)
{
    uint64_t flags = mqd_uint(convertor, MQD_PATH_convertor_flags);
    struct mqd_object datatype;
    int64_t true_lb = 0;

    if (mqd_has_flag(process, MQD_CONSTANT_convertor_committed, flags) ||
        mqd_has_flag(process, MQD_CONSTANT_convertor_completed, flags))
        return;
    if (mqd_read_object(process, MQD_TYPE_ompi_datatype_t, operation->datatype_ta, &datatype) == MQD_OK)
        true_lb = mqd_int(&datatype.view, MQD_PATH_datatype_true_lb);
    operation->unknown.buffer = datatype.view.rc != MQD_OK;
    operation->buffer_ta = operation->unknown.buffer ? 0 : operation->buffer_ta - (uint64_t)true_lb;
}

static void read_send_progress(struct request *request, struct mqd_operation *operation)
{
    bool mpi_done = mqd_request_is_completed(&request->ompi), transport_done = is_transport_done(request);
    bool is_let_go = operation->freed || is_waited_for_in_transit(request);

    if (mpi_done && (transport_done || (!is_let_go && !operation->system_buffer))) {
        operation->status = mqs_st_complete;
        operation->progress = transport_done ? MQD_PROGRESS_complete : MQD_PROGRESS_in_transit;
    } else {
        operation->status = mqs_st_pending;
        operation->progress = mpi_done ? MQD_PROGRESS_in_transit : MQD_PROGRESS_handed_over;
    }
}

/* A thin send has its tag in the status, from the start on. */
static enum mqd_rc read_thin_send(struct index *index, struct request *request, struct mqd_operation *send)
{
    struct mqd_view convertor = read_convertor(request, send);

    send->tag = (int32_t)mqd_int(&request->ompi, MQD_PATH_request_tag);
    send->unknown.tag = 0;
    correct_buffer(index->base.process, &convertor, send);
    return convertor.rc;
}

/* The status of a heavy send has the number of elements; req_count is the number of bytes. */
static enum mqd_rc read_heavy_send(struct request *request, struct mqd_operation *send)
{
    struct mqd_view *element = &request->element;

    send->peer = (int32_t)mqd_int(element, MQD_PATH_cm_send_peer);
    send->tag = (int32_t)mqd_int(element, MQD_PATH_cm_send_tag);
    send->unknown = (struct mqd_unknown){.peer = false};
    send->count = mqd_uint(&request->ompi, MQD_PATH_request_bytes);
    send->length = mqd_uint(element, MQD_PATH_cm_send_bytes);
    /* The data of a buffered send is in the attached buffer until it is sent. */
    send->system_buffer = send->kind == MQD_OPERATION_bsend && !is_transport_done(request) && send->length > 0;
    send->buffer_ta = mqd_uint(element, send->system_buffer ? MQD_PATH_cm_send_buffer : MQD_PATH_cm_send_addr);
    return element->rc;
}

static enum mqd_rc visit_send(struct mqd_view *element, void *context)
{
    struct index *index = context;
    struct request request = send_of(element, MQD_PATH_cm_heavy_send);
    bool is_heavy = has_type(&request, MQD_CONSTANT_cm_heavy_send);
    struct mqd_operation operation;
    struct mqd_view send;
    enum mqd_rc rc;

    if (!is_heavy)
        request = send_of(element, MQD_PATH_cm_thin_send);
    if (!in_use(index, &request, true))
        return rc_of(&request);
    send = mqd_inner(element, is_heavy ? MQD_PATH_cm_heavy_send : MQD_PATH_cm_thin_send);
    read_common(index, &request, &operation);
    operation.kind = (uint8_t)mqd_kind_of_mode(index->base.process, mqd_int(&send, MQD_PATH_cm_send_mode));
    rc = is_heavy ? read_heavy_send(&request, &operation) : read_thin_send(index, &request, &operation);
    read_send_progress(&request, &operation);
    operation.actual_peer = operation.peer;
    operation.actual_tag = operation.tag;
    operation.actual_length = operation.length;
    operation.destination = (uint32_t)operation.peer;
    if (rc != MQD_OK || send.rc != MQD_OK || rc_of(&request) != MQD_OK)
        return rc != MQD_OK ? rc : send.rc != MQD_OK ? send.rc : rc_of(&request);
    if (!mqd_has_possible_peer(&index->base, &operation) || (operation.freed && operation.status == mqs_st_complete))
        return MQD_OK;
    return mqd_append_operation(&index->base, &operation);
}

static enum mqd_rc read_heavy_receive(struct request *request, struct mqd_operation *receive)
{
    struct mqd_view *element = &request->element;

    receive->peer = (int32_t)mqd_int(element, MQD_PATH_cm_recv_peer);
    receive->tag = (int32_t)mqd_int(element, MQD_PATH_cm_recv_tag);
    receive->unknown = (struct mqd_unknown){.peer = false};
    receive->count = mqd_uint(element, MQD_PATH_cm_recv_count);
    receive->buffer_ta = mqd_uint(element, MQD_PATH_cm_recv_addr);
    mqd_read_wildcards(element->process, receive);
    return element->rc;
}

static enum mqd_rc remember_address(struct index *index, mqd_taddr request_ta, uint64_t address)
{
    struct addressed *addressed = mqd_vector_append(&index->addressed);

    if (addressed == NULL)
        return MQD_RC_no_memory;
    *addressed = (struct addressed){.request_ta = request_ta, .address = address};
    return MQD_OK;
}

/* A thin receive has neither source nor tag. While it is pending, the MTL may have them. */
static enum mqd_rc read_thin_receive(struct index *index, struct request *request, struct mqd_operation *receive)
{
    struct mqd_view convertor = read_convertor(request, receive);
    struct mqd_view mtl = mqd_inner(&request->element, MQD_PATH_cm_thin_recv_mtl);
    struct mqd_ofi_receive known = {
        .request_ta = request->element.ta,
        .comm_ta = mqd_uint(&request->cm, MQD_PATH_cm_comm),
        .convertor_ta = convertor.ta,
        .bytes = receive->length,
        .context = mqd_communicator_at(index->base.process, receive->communicator)->index,
    };
    uint64_t address;

    if (convertor.rc != MQD_OK || mtl.rc != MQD_OK || receive->status != mqs_st_pending ||
        !mqd_ofi_read_receive(&index->ofi, &mtl, &known, receive, &address))
        return convertor.rc;
    return remember_address(index, receive->ta, address);
}

/* The status of a receive that has failed may name a message that there is not. */
static void read_progress(struct request *request, struct mqd_operation *receive)
{
    mqd_read_receive_progress(&request->ompi, receive);
    if (receive->progress == MQD_PROGRESS_failed) {
        receive->actual_peer = MQD_ANY;
        receive->actual_tag = MQD_ANY;
        receive->actual_length = 0;
    }
}

static enum mqd_rc visit_receive(struct mqd_view *element, void *context)
{
    struct index *index = context;
    struct request request = receive_of(element, MQD_PATH_cm_heavy_recv);
    bool is_heavy = has_type(&request, MQD_CONSTANT_cm_heavy_recv);
    struct mqd_operation operation;
    enum mqd_rc rc;

    if (!is_heavy)
        request = receive_of(element, MQD_PATH_cm_thin_recv);
    if (!in_use(index, &request, false))
        return rc_of(&request);
    read_common(index, &request, &operation);
    operation.kind = MQD_OPERATION_recv;
    read_progress(&request, &operation);
    rc = is_heavy ? read_heavy_receive(&request, &operation) : read_thin_receive(index, &request, &operation);
    if (rc != MQD_OK || rc_of(&request) != MQD_OK)
        return rc != MQD_OK ? rc : rc_of(&request);
    if (!mqd_has_possible_peer(&index->base, &operation) || (operation.freed && operation.status == mqs_st_complete))
        return MQD_OK;
    return mqd_append_operation(&index->base, &operation);
}

/* Gives the receives of one communicator, from the i-th operation on, the sources that their addresses tell. */
static enum mqd_rc find_sources_on(struct index *index, uint32_t communicator, size_t *i)
{
    struct mqd_vector *operations = &index->base.queue->operations;
    struct mqd_ofi_peers peers;
    enum mqd_rc rc =
        mqd_ofi_find_peers(index->base.process, mqd_communicator_at(index->base.process, communicator), &peers);

    for (; *i < operations->n_items && rc == MQD_OK; (*i)++) {
        struct mqd_operation *operation = mqd_vector_at(operations, *i);
        const struct addressed *addressed = mqd_vector_find(&index->addressed, operation->ta);
        int32_t rank;

        if (operation->communicator != communicator)
            break;
        rank = addressed != NULL ? mqd_ofi_rank_of(&index->ofi, &peers, addressed->address) : -1;
        if (rank >= 0) {
            operation->peer = rank;
            operation->unknown.peer = 0;
        }
    }
    mqd_ofi_release_peers(&peers);
    return rc;
}

/* The operations are sorted, so the peers of each communicator are read once. */
static enum mqd_rc find_sources(struct index *index)
{
    const struct mqd_vector *operations = &index->base.queue->operations;
    enum mqd_rc rc = MQD_OK;

    if (index->addressed.n_items == 0)
        return MQD_OK;
    rc = mqd_vector_sort_by_key(&index->addressed);
    for (size_t i = 0; i < operations->n_items && rc == MQD_OK;) {
        const struct mqd_operation *operation = mqd_vector_at(operations, i);

        rc = find_sources_on(index, operation->communicator, &i);
    }
    return rc;
}

/* The layout must have all that requests need, and their class descriptor the size that they have in it. */
static enum mqd_rc check_layout(struct mqd_process *process, enum mqd_type_id type, const enum mqd_path_id *paths,
                                size_t n_paths, const struct mqd_free_list *list)
{
    const struct mqd_layout *layout = &process->layout;
    struct mqd_class descriptor;

    if (layout->paths[MQD_PATH_cm_type].source == MQD_SOURCE_absent)
        return MQD_RC_pml_cm;
    for (size_t i = 0; i < n_paths; i++)
        if (layout->paths[paths[i]].source == MQD_SOURCE_absent)
            return mqd_rc_unknown(paths[i]);
    for (size_t i = 0; i < sizeof needed_constants / sizeof needed_constants[0]; i++)
        if (!layout->constants[needed_constants[i]].present)
            return mqd_rc_unknown_constant(needed_constants[i]);
    if (mqd_read_class(process, list->class_ta, &descriptor) != MQD_OK)
        return MQD_RC_unreadable;
    if (descriptor.size != layout->type_size[type] || (list->n_elements > 0 && list->element_size < descriptor.size))
        return MQD_RC_cm_contradiction;
    return MQD_OK;
}

static enum mqd_rc find_sends(struct mqd_process *process, struct mqd_free_list *list)
{
    enum mqd_rc rc = mqd_read_request_list(process, &sends, list);

    return rc == MQD_OK ? check_layout(process, MQD_TYPE_mca_pml_cm_hvy_send_request_t, send_paths,
                                       sizeof send_paths / sizeof send_paths[0], list)
                        : rc;
}

static enum mqd_rc find_receives(struct mqd_process *process, struct mqd_free_list *list)
{
    enum mqd_rc rc = mqd_read_request_list(process, &receives, list);

    return rc == MQD_OK ? check_layout(process, MQD_TYPE_mca_pml_cm_hvy_recv_request_t, receive_paths,
                                       sizeof receive_paths / sizeof receive_paths[0], list)
                        : rc;
}

enum mqd_rc mqd_uses_cm(struct mqd_process *process)
{
    struct mqd_free_list list;

    return mqd_read_request_list(process, &receives, &list);
}

enum mqd_rc mqd_cm_can_list_sends(struct mqd_process *process)
{
    struct mqd_free_list list;

    return find_sends(process, &list);
}

enum mqd_rc mqd_cm_can_list_receives(struct mqd_process *process)
{
    struct mqd_free_list list;
    enum mqd_rc rc = find_receives(process, &list);

    return rc == MQD_OK ? mqd_probe_datatypes(process) : rc;
}

enum mqd_rc mqd_cm_index_sends(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.base = {.process = process, .queue = queue}};
    struct mqd_free_list list;
    enum mqd_rc rc = find_sends(process, &list);

    if (rc == MQD_OK)
        rc = mqd_sweep_requests(&index.base, &list, visit_send, &index);
    return rc == MQD_OK ? mqd_vector_sort(&queue->operations, mqd_operation_before) : rc;
}

enum mqd_rc mqd_cm_index_receives(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.base = {.process = process, .queue = queue},
                          .addressed.item_size = sizeof(struct addressed)};
    struct mqd_free_list list;
    enum mqd_rc rc = find_receives(process, &list);

    if (rc == MQD_OK) {
        mqd_ofi_begin(process, &index.ofi);
        rc = mqd_sweep_requests(&index.base, &list, visit_receive, &index);
    }
    if (rc == MQD_OK)
        rc = mqd_vector_sort(&queue->operations, mqd_operation_before);
    if (rc == MQD_OK)
        rc = find_sources(&index);
    mqd_vector_release(&index.addressed);
    return rc == MQD_OK ? mqd_probe_datatypes(process) : rc;
}

enum mqd_rc mqd_cm_hindrance(struct mqd_process *process)
{
    (void)process;
    return MQD_RC_cm_stack;
}

enum mqd_rc mqd_cm_can_list_unexpected(struct mqd_process *process)
{
    enum mqd_rc rc = mqd_uses_cm(process);

    return rc == MQD_OK ? MQD_RC_cm_provider : rc;
}

enum mqd_rc mqd_cm_index_unexpected(struct mqd_process *process, struct mqd_queue *queue)
{
    (void)queue;
    return mqd_cm_can_list_unexpected(process);
}
