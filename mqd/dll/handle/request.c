/* request.c - what is told of requests and of matched messages. */
#include "mqd/dll/handle/object.h"

#include <string.h>

#include "mqd/dll/nonblocking.h"
#include "mqd/dll/request.h"
#include "mqd/dll/banned.h"

static const struct mqd_meaning request_kinds[] = {
    {MQD_CONSTANT_request_pml, MQD_REQUEST_OF_message},
    {MQD_CONSTANT_request_io, MQD_REQUEST_OF_file},
    {MQD_CONSTANT_request_generalized, MQD_REQUEST_OF_program},
    {MQD_CONSTANT_request_window, MQD_REQUEST_OF_window},
    {MQD_CONSTANT_request_collective, MQD_REQUEST_OF_collective},
    {MQD_CONSTANT_request_communicator, MQD_REQUEST_OF_communicator},
    {MQD_CONSTANT_request_partitions, MQD_REQUEST_OF_partitions},
};

/* Of the type of null are MPI_REQUEST_NULL, and the one request, active and complete, of all that ended at once. */
static enum mqd_request_state state_of(struct mqd_view *request, bool is_null_type)
{
    if (is_null_type && !mqd_request_has_state(request, MQD_CONSTANT_request_active))
        return MQD_REQUEST_null;
    if (mqd_request_has_state(request, MQD_CONSTANT_request_invalid))
        return MQD_REQUEST_invalid;
    if (mqd_request_has_state(request, MQD_CONSTANT_request_inactive))
        return MQD_REQUEST_inactive;
    if (mqd_request_is_completed(request))
        return MQD_REQUEST_complete;
    return mqd_request_has_state(request, MQD_CONSTANT_request_active) ? MQD_REQUEST_active : MQD_REQUEST_unknown;
}

/* What a listing has of the operation: that is not read a second time. */
static void tell_operation(struct mqd_process *process, const struct mqd_operation *operation)
{
    struct mqd_communicator *communicator = mqd_communicator_at(process, operation->communicator);
    uint64_t number = mqd_nonblocking_number(process, communicator, mqd_tag_of(operation));

    mqd_fact_number(process, MQD_FACT_operation, 0, operation->kind);
    mqd_fact_number(process, MQD_FACT_progress, 0, operation->progress);
    mqd_fact_handle(process, MQD_FACT_object, 0, MQD_HANDLE_communicator, communicator->ta);
    if (operation->unknown.peer == 0)
        mqd_fact_number(process, MQD_FACT_peer, 0, operation->peer);
    if (operation->unknown.tag == 0 && !operation->tag_wild)
        mqd_fact_number(process, MQD_FACT_tag, 0, operation->tag);
    if (operation->datatype_ta != 0 && !operation->in_bytes) {
        mqd_fact_number(process, MQD_FACT_elements, 0, (long long)operation->count);
        mqd_fact_handle(process, MQD_FACT_datatype, 0, MQD_HANDLE_datatype, operation->datatype_ta);
    }
    if (!mqd_is_receive(operation) || operation->in_bytes)
        mqd_fact_number(process, MQD_FACT_bytes, 0, (long long)operation->length);
    if (mqd_is_internal(operation) && number != 0)
        mqd_fact_number(process, MQD_FACT_collective_number, 0, (long long)number);
}

/* The object that the request is on: the class of what lies there tells its kind. */
static void tell_object(struct mqd_process *process, mqd_taddr ta)
{
    static const struct {
        const char *class_name;
        enum mqd_handle_kind kind;
    } kinds[] = {{"ompi_communicator_t", MQD_HANDLE_communicator},
                 {"ompi_file_t", MQD_HANDLE_file},
                 {"ompi_win_t", MQD_HANDLE_window}};

    for (size_t i = 0; ta != 0 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (mqd_object_is(process, ta, kinds[i].class_name)) {
            mqd_fact_handle(process, MQD_FACT_object, 0, kinds[i].kind, ta);
            return;
        }
}

/* A persistent request that is not started is in no listing. */
static void tell_inactive(struct mqd_process *process, mqd_taddr ta)
{
    struct mqd_operation operation = {.kind = MQD_OPERATION_recv};
    struct mqd_object object, send;
    struct mqd_view *request = &object.view;

    if (!mqd_object_is(process, ta, "mca_pml_base_request_t") ||
        mqd_read_object(process, MQD_TYPE_mca_pml_base_request_t, ta, &object) != MQD_OK)
        return;
    if (mqd_object_is(process, ta, "mca_pml_base_send_request_t")) {
        if (mqd_read_object(process, MQD_TYPE_mca_pml_base_send_request_t, ta, &send) != MQD_OK)
            return;
        operation.kind = (uint8_t)mqd_kind_of_mode(process, mqd_int(&send.view, MQD_PATH_base_send_mode));
    }
    operation.peer = (int32_t)mqd_int(request, MQD_PATH_pml_peer);
    operation.tag = (int32_t)mqd_int(request, MQD_PATH_pml_tag);
    if (mqd_is_receive(&operation))
        mqd_read_wildcards(process, &operation);
    if (request->rc != MQD_OK)
        return;
    mqd_fact_number(process, MQD_FACT_operation, 0, operation.kind);
    mqd_fact_number(process, MQD_FACT_peer, 0, operation.peer);
    if (!operation.tag_wild)
        mqd_fact_number(process, MQD_FACT_tag, 0, operation.tag);
    mqd_fact_number(process, MQD_FACT_elements, 0, (long long)mqd_uint(request, MQD_PATH_pml_count));
    mqd_fact_handle(process, MQD_FACT_datatype, 0, MQD_HANDLE_datatype, mqd_uint(request, MQD_PATH_pml_datatype));
}

/* Reads a request as one of a class of its own. False if it is of another, or if that is of another size here. */
static bool read_as(struct mqd_process *process, struct mqd_view *request, enum mqd_type_id type,
                    struct mqd_object *object)
{
    return mqd_object_is_exactly(process, request->ta, type) &&
           mqd_read_object(process, type, request->ta, object) == MQD_OK;
}

static void tell_collective(struct mqd_process *process, mqd_taddr comm_ta, struct mqd_view *request)
{
    struct mqd_communicator *communicator = mqd_find_communicator(process, comm_ta);
    int32_t tag = (int32_t)mqd_int(request, MQD_PATH_libnbc_tag);
    uint64_t number = communicator != NULL && request->rc == MQD_OK
                          ? mqd_nonblocking_number(process, communicator, tag)
                          : 0;

    if (number != 0)
        mqd_fact_number(process, MQD_FACT_collective_number, 0, (long long)number);
}

static void tell_file_operation(struct mqd_process *process, struct mqd_view *request)
{
    static const struct mqd_meaning operations[] = {{MQD_CONSTANT_ompio_write, MQD_FILE_write},
                                                    {MQD_CONSTANT_ompio_read, MQD_FILE_read},
                                                    {MQD_CONSTANT_ompio_write_all, MQD_FILE_write_all},
                                                    {MQD_CONSTANT_ompio_read_all, MQD_FILE_read_all}};
    int operation = MQD_MEANING_OF(process, operations, mqd_int(request, MQD_PATH_ompio_request_type));

    if (request->rc == MQD_OK && operation != MQD_FILE_unknown)
        mqd_fact_number(process, MQD_FACT_file_operation, 0, operation);
}

/* The class of what the steps of MPI_Comm_idup and the like work with. */
static void tell_context(struct mqd_process *process, struct mqd_view *request)
{
    mqd_taddr ta = mqd_address_at(request, MQD_PATH_comm_request_context);
    struct mqd_class descriptor;

    if (ta != 0 && mqd_read_class_of(process, ta, &descriptor))
        mqd_fact_text(process, MQD_FACT_context, 0, descriptor.name);
}

static void tell_window_operation(struct mqd_process *process, struct mqd_view *request)
{
    mqd_taddr peer_ta = mqd_address_at(request, MQD_PATH_rdma_request_peer);
    struct mqd_object peer;

    if (peer_ta != 0 && mqd_object_is(process, peer_ta, "ompi_osc_rdma_peer_t") &&
        mqd_read_object(process, MQD_TYPE_ompi_osc_rdma_peer_t, peer_ta, &peer) == MQD_OK)
        mqd_fact_at(process, MQD_FACT_peer, &peer.view, MQD_PATH_rdma_rank);
}

/* Sends and receives of partitions have classes of their own, of the same members. False if it is of neither. */
static bool tell_partitions(struct mqd_process *process, const struct mqd_class *descriptor, mqd_taddr ta)
{
    bool is_receive = strcmp(descriptor->name, "mca_part_persist_precv_request_t") == 0;
    struct mqd_object object;

    if ((!is_receive && strcmp(descriptor->name, "mca_part_persist_psend_request_t") != 0) ||
        descriptor->size != process->layout.type_size[MQD_TYPE_mca_part_persist_request_t] ||
        mqd_read_object(process, MQD_TYPE_mca_part_persist_request_t, ta, &object) != MQD_OK)
        return false;
    mqd_fact_number(process, MQD_FACT_operation, 0, is_receive ? MQD_OPERATION_recv : MQD_OPERATION_send);
    tell_object(process, mqd_address_at(&object.view, MQD_PATH_partitioned_comm));
    mqd_fact_at(process, MQD_FACT_peer, &object.view, MQD_PATH_partitioned_peer);
    mqd_fact_at(process, MQD_FACT_tag, &object.view, MQD_PATH_partitioned_tag);
    return true;
}

/* What the classes of requests that no PML makes have more. */
static void tell_derived(struct mqd_process *process, struct mqd_view *request)
{
    struct mqd_class descriptor;
    struct mqd_object object;

    if (mqd_read_class_of(process, request->ta, &descriptor) && tell_partitions(process, &descriptor, request->ta))
        return;
    if (read_as(process, request, MQD_TYPE_ompi_coll_libnbc_request_t, &object))
        tell_collective(process, mqd_address_at(request, MQD_PATH_request_comm), &object.view);
    else if (read_as(process, request, MQD_TYPE_mca_ompio_request_t, &object))
        tell_file_operation(process, &object.view);
    else if (read_as(process, request, MQD_TYPE_ompi_comm_request_t, &object))
        tell_context(process, &object.view);
    else if (read_as(process, request, MQD_TYPE_ompi_osc_rdma_request_t, &object))
        tell_window_operation(process, &object.view);
    else if (read_as(process, request, MQD_TYPE_ompi_grequest_t, &object))
        mqd_fact_address(process, MQD_FACT_function, mqd_address_at(&object.view, MQD_PATH_generalized_query));
}

void mqd_tell_request(struct mqd_process *process, struct mqd_view *request)
{
    int64_t type = mqd_int(request, MQD_PATH_request_type);
    int kind = MQD_MEANING_OF(process, request_kinds, type);
    bool is_null_type = mqd_is(process, MQD_CONSTANT_request_null, type);
    enum mqd_request_state state = state_of(request, is_null_type);
    bool is_persistent = mqd_request_is_persistent(request);
    const struct mqd_operation *operation = NULL;

    if (request->rc != MQD_OK) {
        mqd_fact_missing(process, request->rc);
        return;
    }
    mqd_fact_number(process, MQD_FACT_request_state, 0, (long long)state);
    if (is_null_type || state == MQD_REQUEST_invalid)
        return;
    mqd_fact_number(process, MQD_FACT_request_kind, 0, kind);
    mqd_fact_truth(process, MQD_FACT_persistent, is_persistent);
    if ((state == MQD_REQUEST_active || state == MQD_REQUEST_complete) &&
        mqd_operation_of_request(process, request->ta, &operation) != MQD_OK)
        mqd_fact_missing(process, MQD_RC_no_memory);
    if (operation != NULL) {
        tell_operation(process, operation);
        return;
    }
    tell_object(process, mqd_address_at(request, MQD_PATH_request_comm));
    if (state == MQD_REQUEST_inactive && kind == MQD_REQUEST_OF_message)
        tell_inactive(process, request->ta);
    else
        tell_derived(process, request);
}

void mqd_tell_message(struct mqd_process *process, struct mqd_view *message)
{
    mqd_taddr comm_ta = mqd_address_at(message, MQD_PATH_message_comm);

    if (!mqd_has_path(process, MQD_PATH_message_comm)) {
        mqd_fact_missing(process, MQD_RC_no_handle_layout);
        return;
    }
    /* MPI_MESSAGE_NULL and MPI_MESSAGE_NO_PROC are of none. */
    if (comm_ta == 0)
        return;
    mqd_fact_handle(process, MQD_FACT_object, 0, MQD_HANDLE_communicator, comm_ta);
    mqd_fact_at(process, MQD_FACT_peer, message, MQD_PATH_message_peer);
    mqd_fact_at(process, MQD_FACT_bytes, message, MQD_PATH_message_count);
    mqd_fact_handle(process, MQD_FACT_request, 0, MQD_HANDLE_request,
                    mqd_address_at(message, MQD_PATH_message_request));
}
