/* request.c - requests in Open MPI's request lists, whatever PML has made them. */
#include "mqd/dll/request.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/banned.h"

bool mqd_on_listed_communicator(struct mqd_request_index *index, mqd_taddr comm_ta)
{
    struct mqd_communicator *communicator;

    if (comm_ta != 0 && comm_ta == index->comm_ta)
        return index->listed;
    communicator = mqd_find_communicator(index->process, comm_ta);
    index->comm_ta = comm_ta;
    index->listed = communicator != NULL;
    if (communicator != NULL)
        index->communicator = (uint32_t)(communicator - mqd_communicator_at(index->process, 0));
    else if (!mqd_object_is(index->process, comm_ta, "ompi_communicator_t"))
        mqd_note(index->queue, MQD_RC_bad_request);
    return index->listed;
}

bool mqd_has_possible_peer(struct mqd_request_index *index, const struct mqd_operation *operation)
{
    int32_t first = mqd_is_receive(operation) ? MQD_ANY : 0;

    if (operation->unknown.peer)
        return true;
    if (operation->peer >= first &&
        operation->peer < mqd_communicator_at(index->process, operation->communicator)->n_remote)
        return true;
    mqd_note(index->queue, MQD_RC_bad_request);
    return false;
}

enum mqd_rc mqd_append_operation(struct mqd_request_index *index, const struct mqd_operation *operation)
{
    struct mqd_operation *item = mqd_vector_append(&index->queue->operations);

    if (item == NULL)
        return MQD_RC_no_memory;
    *item = *operation;
    return MQD_OK;
}

bool mqd_request_is_pml(struct mqd_view *ompi)
{
    return mqd_is(ompi->process, MQD_CONSTANT_request_pml, mqd_int(ompi, MQD_PATH_request_type));
}

bool mqd_request_is_persistent(struct mqd_view *ompi)
{
    return mqd_int(ompi, MQD_PATH_request_persistent) != 0;
}

bool mqd_request_is_completed(struct mqd_view *ompi)
{
    return mqd_is(ompi->process, MQD_CONSTANT_request_completed, (int64_t)mqd_uint(ompi, MQD_PATH_request_complete));
}

bool mqd_request_has_state(struct mqd_view *ompi, enum mqd_constant_id state)
{
    return mqd_is(ompi->process, state, mqd_int(ompi, MQD_PATH_request_state));
}

mqd_taddr mqd_request_waiter(struct mqd_view *ompi)
{
    mqd_taddr ta = mqd_uint(ompi, MQD_PATH_request_complete);

    return mqd_is(ompi->process, MQD_CONSTANT_request_pending, (int64_t)ta) ||
                   mqd_is(ompi->process, MQD_CONSTANT_request_completed, (int64_t)ta)
               ? 0
               : ta;
}

/* The progress of a receive that is complete by its status, which names the message. */
static enum mqd_progress progress_of_complete(const struct mqd_process *process, int32_t error)
{
    if (mqd_is(process, MQD_CONSTANT_success, error))
        return MQD_PROGRESS_complete;
    return mqd_is(process, MQD_CONSTANT_err_truncate, error) ? MQD_PROGRESS_truncated : MQD_PROGRESS_failed;
}

/* From the match on the status of a receive names the message; the length is final at completion. */
void mqd_read_receive_progress(struct mqd_view *ompi, struct mqd_operation *receive)
{
    const struct mqd_process *process = ompi->process;
    int32_t source = (int32_t)mqd_int(ompi, MQD_PATH_request_source);
    int32_t tag = (int32_t)mqd_int(ompi, MQD_PATH_request_tag);
    int64_t complete = (int64_t)mqd_uint(ompi, MQD_PATH_request_complete);
    bool completed = mqd_is(process, MQD_CONSTANT_request_completed, complete);
    bool matched = !mqd_is(process, MQD_CONSTANT_any_tag, tag), cancelled;

    receive->actual_peer = MQD_ANY;
    receive->actual_tag = MQD_ANY;
    if (!completed && !matched) {
        receive->status = mqs_st_pending;
        receive->progress = mqd_is(process, MQD_CONSTANT_request_pending, complete) ? MQD_PROGRESS_posted
                                                                                    : MQD_PROGRESS_waited_for;
        return;
    }
    receive->error = (int32_t)mqd_int(ompi, MQD_PATH_request_error);
    /* The status of a cancelled receive may have the tag that it was posted with. */
    cancelled = completed && mqd_int(ompi, MQD_PATH_request_cancelled) != 0;
    if (!matched || cancelled) {
        receive->status = mqs_st_complete;
        receive->progress = cancelled ? MQD_PROGRESS_cancelled : MQD_PROGRESS_failed;
        return;
    }
    receive->actual_peer = source;
    receive->actual_tag = tag;
    receive->status = completed ? mqs_st_complete : mqs_st_matched;
    receive->progress = MQD_PROGRESS_receiving;
    if (completed) {
        receive->actual_length = mqd_uint(ompi, MQD_PATH_request_bytes);
        receive->progress = (uint8_t)progress_of_complete(process, receive->error);
    }
}

void mqd_read_wildcards(const struct mqd_process *process, struct mqd_operation *receive)
{
    if (mqd_is(process, MQD_CONSTANT_any_source, receive->peer))
        receive->peer = MQD_ANY;
    else if (receive->peer < 0)
        receive->peer = INT32_MIN;
    receive->tag_wild = mqd_is(process, MQD_CONSTANT_any_tag, receive->tag);
    if (receive->tag_wild)
        receive->tag = MQD_ANY;
}

enum mqd_operation_kind mqd_kind_of_mode(const struct mqd_process *process, int64_t mode)
{
    if (mqd_is(process, MQD_CONSTANT_send_synchronous, mode))
        return MQD_OPERATION_ssend;
    if (mqd_is(process, MQD_CONSTANT_send_buffered, mode))
        return MQD_OPERATION_bsend;
    return mqd_is(process, MQD_CONSTANT_send_ready, mode) ? MQD_OPERATION_rsend : MQD_OPERATION_send;
}

enum mqd_rc mqd_read_request_list(struct mqd_process *process, const struct mqd_request_list *source,
                                  struct mqd_free_list *list)
{
    mqd_taddr list_ta;
    enum mqd_rc rc = mqd_capability_rc(process, MQD_CAN_requests);

    if (rc == MQD_OK && !mqd_symbol(process, source->symbol, &list_ta))
        rc = source->no_symbol;
    if (rc == MQD_OK)
        rc = mqd_probe_requests(process);
    if (rc == MQD_OK)
        rc = mqd_free_list_read(process, list_ta, list);
    if (rc != MQD_OK)
        return rc;
    if (list->class_ta == 0)
        return MQD_RC_not_initialised;
    return mqd_class_is(process, list->class_ta, source->class_name) ? MQD_OK : MQD_RC_not_this_pml;
}

enum mqd_rc mqd_sweep_requests(struct mqd_request_index *index, const struct mqd_free_list *list,
                               enum mqd_rc (*visit)(struct mqd_view *element, void *context), void *context)
{
    enum mqd_rc rc = mqd_free_list_sweep(index->process, list, visit, context);

    if (rc == MQD_OK || rc == MQD_RC_no_memory)
        return rc;
    mqd_note(index->queue, rc);
    return MQD_OK;
}
