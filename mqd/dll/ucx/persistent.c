/* persistent.c - reads persistent requests of the PML ucx. */
#include "mqd/dll/ucx/persistent.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/request.h"
#include "mqd/dll/ucx/module.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/*
 * The last members moved within a family of releases. The class descriptor states the size of the process's requests: it
 * tells whether they lie where the table has them.
 */
static bool is_described(struct mqd_process *process, struct mqd_view *view)
{
    const struct mqd_layout *layout = &process->layout;
    struct mqd_class descriptor;

    return mqd_read_class(process, mqd_uint(view, MQD_PATH_object_class), &descriptor) == MQD_OK &&
           descriptor.size == layout->type_size[MQD_TYPE_mca_pml_ucx_persistent_request_t] &&
           layout->paths[MQD_PATH_persistent_datatype].source != MQD_SOURCE_absent &&
           layout->paths[MQD_PATH_persistent_endpoint].source != MQD_SOURCE_absent &&
           layout->paths[MQD_PATH_persistent_mask].source != MQD_SOURCE_absent;
}

static enum mqd_rc take(struct mqd_process *process, struct mqd_view *view, struct mqd_ucx_persistent *persistent)
{
    struct mqd_view ompi = mqd_inner(view, MQD_PATH_persistent_request);
    uint64_t flags = mqd_uint(view, MQD_PATH_persistent_flags);

    *persistent = (struct mqd_ucx_persistent){.ta = view->ta, .described = is_described(process, view)};
    persistent->is_send = mqd_has_flag(process, MQD_CONSTANT_persistent_send, flags);
    persistent->buffer_ta = mqd_uint(view, MQD_PATH_persistent_addr);
    persistent->count = mqd_uint(view, MQD_PATH_persistent_count);
    persistent->comm_ta = mqd_uint(&ompi, MQD_PATH_request_comm);
    persistent->is_active =
        mqd_is(process, MQD_CONSTANT_request_active, mqd_int(&ompi, MQD_PATH_request_state));
    persistent->is_complete = mqd_request_is_completed(&ompi);
    persistent->waiter_ta = mqd_request_waiter(&ompi);
    persistent->source = (int32_t)mqd_int(&ompi, MQD_PATH_request_source);
    persistent->mpi_tag = (int32_t)mqd_int(&ompi, MQD_PATH_request_tag);
    persistent->error = (int32_t)mqd_int(&ompi, MQD_PATH_request_error);
    persistent->cancelled = mqd_int(&ompi, MQD_PATH_request_cancelled) != 0;
    persistent->bytes = mqd_uint(&ompi, MQD_PATH_request_bytes);
    if (persistent->described) {
        persistent->datatype_ta = mqd_uint(view, MQD_PATH_persistent_datatype);
        persistent->endpoint_ta = mqd_uint(view, MQD_PATH_persistent_endpoint);
        persistent->tag = mqd_uint(view, MQD_PATH_persistent_tag);
        persistent->mask = mqd_uint(view, MQD_PATH_persistent_mask);
        persistent->mode = mqd_int(view, MQD_PATH_persistent_mode);
    }
    return view->rc != MQD_OK ? view->rc : ompi.rc;
}

bool mqd_ucx_persistent_of(struct mqd_process *process, const struct mqd_ucx_request *request,
                           struct mqd_ucx_persistent *persistent)
{
    struct mqd_object object;
    mqd_taddr ta = request->callback_data_ta;

    return ta != 0 && mqd_object_is(process, ta, "mca_pml_ucx_persistent_request_t") &&
           mqd_read_object(process, MQD_TYPE_mca_pml_ucx_persistent_request_t, ta, &object) == MQD_OK &&
           mqd_uint(&object.view, MQD_PATH_persistent_started) == request->ompi_ta &&
           take(process, &object.view, persistent) == MQD_OK;
}

/* Bytes of data in one element of a datatype; 0 if that is not known, or if it has none. */
static uint64_t datatype_size(struct mqd_process *process, mqd_taddr ta)
{
    const struct mqd_datatype *datatype = mqd_read_datatype(process, ta);

    return datatype != NULL ? datatype->size : 0;
}

void mqd_ucx_data_of(struct mqd_process *process, const struct mqd_ucx_request *request,
                     struct mqd_operation *operation)
{
    struct mqd_ucx_persistent persistent;
    mqd_taddr datatype_ta = request->datatype_ta;
    uint64_t size;

    if (mqd_ucx_persistent_of(process, request, &persistent)) {
        operation->persistent = true;
        if (operation->progress == MQD_PROGRESS_posted && persistent.waiter_ta != 0)
            operation->progress = MQD_PROGRESS_waited_for;
        operation->waiter_ta = persistent.waiter_ta;
        operation->ta = persistent.ta;
        if (persistent.described)
            datatype_ta = persistent.datatype_ta;
        operation->buffer_ta = persistent.buffer_ta;
        operation->unknown.buffer = 0;
    }
    size = datatype_size(process, datatype_ta);
    if (size == 0 || operation->unknown.length || request->length % size != 0)
        return;
    operation->datatype_ta = datatype_ta;
    operation->count = request->length / size;
    operation->in_bytes = false;
}

uint64_t mqd_ucx_bytes_of(struct mqd_process *process, const struct mqd_ucx_persistent *persistent)
{
    uint64_t size = datatype_size(process, persistent->datatype_ta);

    return size > 0 && persistent->count <= INT64_MAX / size ? size * persistent->count : 0;
}

struct visit {
    struct mqd_process *process;
    enum mqd_rc (*visit)(const struct mqd_ucx_persistent *persistent, void *context);
    void *context;
};

static enum mqd_rc visit_element(struct mqd_view *element, void *context)
{
    const struct visit *visit = context;
    struct mqd_ucx_persistent persistent;
    enum mqd_rc rc = take(visit->process, element, &persistent);

    if (rc != MQD_OK || !persistent.is_active || !persistent.is_complete)
        return rc;
    return visit->visit(&persistent, visit->context);
}

enum mqd_rc mqd_ucx_visit_complete(struct mqd_process *process, enum mqd_rc *noted,
                                   enum mqd_rc (*visit)(const struct mqd_ucx_persistent *persistent, void *context),
                                   void *context)
{
    struct visit to_visit = {.process = process, .visit = visit, .context = context};
    struct mqd_free_list list;
    mqd_taddr list_ta;
    enum mqd_rc rc = mqd_ucx_find_persistent(process, mqd_ucx_of(process), &list_ta);

    if (rc == MQD_OK)
        rc = mqd_free_list_read(process, list_ta, &list);
    if (rc == MQD_OK)
        rc = mqd_free_list_sweep(process, &list, visit_element, &to_visit);
    if (rc == MQD_RC_no_memory)
        return rc;
    if (rc != MQD_OK && *noted == MQD_OK)
        *noted = rc;
    return MQD_OK;
}
