/* request.c - which elements of the request lists are operations, and what they say. */
#include "mqd/dll/ob1/request.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/ob1/match.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* A receive that may stand in one of ob1's lists of posted ones, with its neighbours there. */
struct posted {
    mqd_taddr ta, next_ta, prev_ta;
    bool is_listed;                /* as an operation already */
};

/* An index being made. */
struct index {
    struct mqd_process *process;
    struct mqd_queue *queue;
    struct mqd_vector posted;      /* struct posted, by address: all that the free list of receives has */
    mqd_taddr comm_ta;             /* the last communicator looked up, and its index; elements of one come together */
    uint32_t communicator;
    bool listed;
};

/* One element, seen as each of the structs that it begins with. */
struct request {
    struct mqd_view ob1, pml, ompi;
};

static struct request request_of(const struct mqd_view *element, enum mqd_path_id to_pml)
{
    struct request request = {.ob1 = *element};

    request.pml = mqd_inner(&request.ob1, to_pml);
    request.ompi = mqd_inner(&request.pml, MQD_PATH_pml_request);
    return request;
}

static enum mqd_rc rc_of(const struct request *request)
{
    if (request->ob1.rc != MQD_OK)
        return request->ob1.rc;
    return request->pml.rc != MQD_OK ? request->pml.rc : request->ompi.rc;
}

/* A failure that costs single operations: told once after the others. */
static void note(struct index *index, enum mqd_rc rc)
{
    if (index->queue->rc == MQD_OK)
        index->queue->rc = rc;
}

/*
 * Is the request on a communicator of the snapshot? One that is not (freed, or being made) has no place in a listing;
 * what is no communicator at all says that the request is none.
 */
static bool on_listed_communicator(struct index *index, mqd_taddr comm_ta)
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
        note(index, MQD_RC_bad_request);
    return index->listed;
}

/* What stands in a request's members, by the layout in force. */

static bool has_state(struct request *request, enum mqd_constant_id state)
{
    return mqd_is(request->ompi.process, state, mqd_int(&request->ompi, MQD_PATH_request_state));
}

static bool is_completed(struct request *request)
{
    return mqd_is(request->ompi.process, MQD_CONSTANT_request_completed,
                  (int64_t)mqd_uint(&request->ompi, MQD_PATH_request_complete));
}

static bool has_type(struct request *request, enum mqd_constant_id type)
{
    return mqd_is(request->pml.process, type, mqd_int(&request->pml, MQD_PATH_pml_type));
}

static bool is_queued(struct request *send)
{
    return !mqd_is(send->ob1.process, MQD_CONSTANT_send_not_queued, mqd_int(&send->ob1, MQD_PATH_send_queued));
}

/* A persistent send that has been waited for, but whose data have not left the attached buffer or the transport. */
static bool is_waited_for_in_transit(struct request *request)
{
    return has_state(request, MQD_CONSTANT_request_inactive) &&
           mqd_int(&request->ompi, MQD_PATH_request_persistent) != 0 && has_type(request, MQD_CONSTANT_pml_send) &&
           mqd_int(&request->pml, MQD_PATH_pml_complete) == 0;
}

/* Free ones too are requests of the PML, and say from the first day on which of its kinds they are. */
static bool is_request_of(struct request *request, bool is_send)
{
    static const enum mqd_constant_id types[] = {MQD_CONSTANT_pml_recv, MQD_CONSTANT_pml_iprobe,
                                                 MQD_CONSTANT_pml_probe, MQD_CONSTANT_pml_improbe,
                                                 MQD_CONSTANT_pml_mprobe};

    if (!mqd_is(request->ompi.process, MQD_CONSTANT_request_pml, mqd_int(&request->ompi, MQD_PATH_request_type)))
        return false;
    if (is_send)
        return has_type(request, MQD_CONSTANT_pml_send);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (has_type(request, types[i]))
            return true;
    return false;
}

/* Is this element in use, as a send or as a receive, and on a communicator that is listed? */
static bool in_use(struct index *index, struct request *request, bool is_send)
{
    if (!is_request_of(request, is_send)) {
        note(index, MQD_RC_bad_request);
        return false;
    }
    /* INVALID: free, or ob1's spare one. INACTIVE: a persistent request that is not started. */
    if (!has_state(request, MQD_CONSTANT_request_active) && !is_waited_for_in_transit(request))
        return false;
    return on_listed_communicator(index, mqd_uint(&request->pml, MQD_PATH_pml_comm));
}

/* A rank in the group of the peers; for a receive also any source. */
static bool has_possible_peer(struct index *index, const struct mqd_operation *operation)
{
    int32_t first = mqd_is_receive(operation) ? MQD_ANY : 0;

    if (operation->peer >= first &&
        operation->peer < mqd_communicator_at(index->process, operation->communicator)->n_remote)
        return true;
    note(index, MQD_RC_bad_request);
    return false;
}

/* What sends and receives have in common. */
static void read_common(struct index *index, struct request *request, struct mqd_operation *operation)
{
    *operation = (struct mqd_operation){.communicator = index->communicator, .ta = request->ob1.ta};
    operation->persistent = mqd_int(&request->ompi, MQD_PATH_request_persistent) != 0;
    operation->freed = mqd_int(&request->pml, MQD_PATH_pml_free_called) != 0;
    operation->peer = (int32_t)mqd_int(&request->pml, MQD_PATH_pml_peer);
    operation->tag = (int32_t)mqd_int(&request->pml, MQD_PATH_pml_tag);
    operation->count = mqd_uint(&request->pml, MQD_PATH_pml_count);
    operation->buffer_ta = mqd_uint(&request->pml, MQD_PATH_pml_addr);
    operation->datatype_ta = mqd_uint(&request->pml, MQD_PATH_pml_datatype);
}

static enum mqd_rc append(struct index *index, const struct mqd_operation *operation)
{
    struct mqd_operation *item = mqd_vector_append(&index->queue->operations);

    if (item == NULL)
        return MQD_RC_no_memory;
    *item = *operation;
    return MQD_OK;
}

/* Where a receive stands: its status names the message from the match on, its length is final when it is complete. */
static void read_receive_progress(struct request *request, struct mqd_operation *operation)
{
    const struct mqd_process *process = request->ompi.process;
    int32_t source = (int32_t)mqd_int(&request->ompi, MQD_PATH_request_source);
    int32_t tag = (int32_t)mqd_int(&request->ompi, MQD_PATH_request_tag);
    bool completed = is_completed(request), matched = !mqd_is(process, MQD_CONSTANT_any_tag, tag);
    bool is_posted = mqd_is(process, MQD_CONSTANT_request_pending,
                            (int64_t)mqd_uint(&request->ompi, MQD_PATH_request_complete));

    operation->actual_peer = MQD_ANY;
    operation->actual_tag = MQD_ANY;
    if (!completed && !matched) {
        operation->status = mqs_st_pending;
        operation->progress = is_posted ? MQD_PROGRESS_posted : MQD_PROGRESS_waited_for;
        return;
    }
    operation->error = (int32_t)mqd_int(&request->ompi, MQD_PATH_request_error);
    if (!matched) {
        operation->status = mqs_st_complete;
        operation->progress = mqd_int(&request->ompi, MQD_PATH_request_cancelled) != 0 ? MQD_PROGRESS_cancelled
                                                                                        : MQD_PROGRESS_failed;
        return;
    }
    operation->actual_peer = source;
    operation->actual_tag = tag;
    if (completed) {
        operation->status = mqs_st_complete;
        operation->actual_length = mqd_uint(&request->ompi, MQD_PATH_request_bytes);
        operation->progress = mqd_is(process, MQD_CONSTANT_success, operation->error)        ? MQD_PROGRESS_complete
                              : mqd_is(process, MQD_CONSTANT_err_truncate, operation->error) ? MQD_PROGRESS_truncated
                                                                                             : MQD_PROGRESS_failed;
        return;
    }
    operation->status = mqs_st_matched;
    operation->progress = MQD_PROGRESS_receiving;
}

static enum mqd_operation_kind kind_of_receive(struct request *request)
{
    if (has_type(request, MQD_CONSTANT_pml_probe))
        return MQD_OPERATION_probe;
    return has_type(request, MQD_CONSTANT_pml_mprobe) ? MQD_OPERATION_mprobe : MQD_OPERATION_recv;
}

/* From Open MPI's words for any source and any tag to ours; what else is negative is no rank. */
static void read_wildcards(const struct mqd_process *process, struct mqd_operation *receive)
{
    if (mqd_is(process, MQD_CONSTANT_any_source, receive->peer))
        receive->peer = MQD_ANY;
    else if (receive->peer < 0)
        receive->peer = INT32_MIN;
    receive->tag_wild = mqd_is(process, MQD_CONSTANT_any_tag, receive->tag);
    if (receive->tag_wild)
        receive->tag = MQD_ANY;
}

static enum mqd_rc read_receive(struct index *index, struct request *request, struct mqd_operation *operation)
{
    struct mqd_view base = request->ob1;

    read_common(index, request, operation);
    operation->kind = (uint8_t)kind_of_receive(request);
    read_wildcards(index->process, operation);
    read_receive_progress(request, operation);
    if (operation->status == mqs_st_matched) {
        operation->actual_length = mqd_uint(&base, MQD_PATH_recv_bytes);
        operation->arrived = mqd_uint(&base, MQD_PATH_recv_received);
    }
    operation->order = (uint32_t)mqd_uint(&request->pml, MQD_PATH_pml_sequence);
    return base.rc != MQD_OK ? base.rc : rc_of(request);
}

/* Remembers a posted receive for the walk through ob1's lists, so that it need not be read again there. */
static enum mqd_rc remember(struct index *index, const struct mqd_view *element, bool is_listed)
{
    struct mqd_view view = *element;
    struct posted *posted = mqd_vector_append(&index->posted);

    if (posted == NULL)
        return MQD_RC_no_memory;
    *posted = (struct posted){.ta = view.ta, .is_listed = is_listed};
    posted->next_ta = mqd_uint(&view, MQD_PATH_item_next);
    posted->prev_ta = mqd_uint(&view, MQD_PATH_item_prev);
    return view.rc;
}

/*
 * Probes have the same requests as receives; one that waits is found in ob1's lists, since that of a plain MPI_Probe is
 * on a stack. One that does not wait is a message taken by MPI_Mprobe: no operation any more, and none yet.
 */
static enum mqd_rc visit_receive(struct mqd_view *element, void *context)
{
    struct index *index = context;
    struct request request = request_of(element, MQD_PATH_recv_pml);
    struct mqd_operation operation;
    bool is_listed;
    enum mqd_rc rc;

    if (!in_use(index, &request, false))
        return rc_of(&request);
    rc = read_receive(index, &request, &operation);
    if (rc != MQD_OK)
        return rc;
    is_listed = has_type(&request, MQD_CONSTANT_pml_recv);
    if (operation.status == mqs_st_pending)
        rc = remember(index, element, is_listed);
    /* The user has let it go and the data is there: nothing is pending any more. */
    if (rc != MQD_OK || !is_listed || (operation.freed && operation.status == mqs_st_complete))
        return rc;
    return has_possible_peer(index, &operation) ? append(index, &operation) : MQD_OK;
}

/* What stands in a list of posted receives and is not listed yet: probes, and what the free list did not lead to. */
static enum mqd_rc append_posted(struct index *index, mqd_taddr ta, struct posted *posted)
{
    struct mqd_object object;
    struct request request;
    struct mqd_operation operation;
    enum mqd_rc rc;

    if (mqd_read_object(index->process, MQD_TYPE_mca_pml_ob1_recv_request_t, ta, &object) != MQD_OK ||
        !mqd_object_is(index->process, ta, "mca_pml_ob1_recv_request_t"))
        return MQD_RC_bad_list;
    posted->next_ta = mqd_uint(&object.view, MQD_PATH_item_next);
    posted->prev_ta = mqd_uint(&object.view, MQD_PATH_item_prev);
    request = request_of(&object.view, MQD_PATH_recv_pml);
    if (!in_use(index, &request, false))
        return rc_of(&request);
    rc = read_receive(index, &request, &operation);
    if (rc != MQD_OK || operation.status != mqs_st_pending || !has_possible_peer(index, &operation))
        return rc;
    return append(index, &operation);
}

static enum mqd_rc visit_posted(struct index *index, mqd_taddr ta, struct posted *posted)
{
    const struct posted *known = mqd_vector_find(&index->posted, ta);

    if (known == NULL || !known->is_listed)
        return append_posted(index, ta, posted);
    *posted = *known;
    return MQD_OK;
}

static enum mqd_rc walk_posted(struct index *index, mqd_taddr list_ta)
{
    struct mqd_list list;
    enum mqd_rc rc = mqd_list_begin_at(index->process, list_ta, &list);

    while (rc == MQD_OK && !mqd_list_at_end(&list)) {
        struct posted posted = {.ta = list.next_ta};

        rc = visit_posted(index, list.next_ta, &posted);
        if (rc == MQD_OK)
            rc = mqd_list_step(&list, posted.next_ta, posted.prev_ta);
    }
    return rc;
}

static enum mqd_rc visit_posted_of_peer(const struct mqd_object *peer, uint32_t rank, void *context)
{
    struct index *index = context;

    (void)rank;
    return walk_posted(index, peer->view.ta + index->process->layout.paths[MQD_PATH_peer_posted].offset);
}

static enum mqd_rc visit_posted_in_queue(mqd_taddr ta, void *context)
{
    struct posted posted;

    return visit_posted(context, ta, &posted);
}

/* The posted receives of one communicator. What cannot be read is noted; MQD_RC_no_memory is returned. */
static enum mqd_rc find_probes_on(struct index *index, const struct mqd_communicator *communicator)
{
    const struct mqd_layout *layout = &index->process->layout;
    struct mqd_matching matching;
    enum mqd_rc noted = MQD_OK, rc = mqd_read_matching(index->process, communicator, &matching);

    if (rc == MQD_OK && mqd_matches_custom(index->process))
        rc = mqd_visit_posted(index->process, &matching, visit_posted_in_queue, index);
    else if (rc == MQD_OK)
        rc = walk_posted(index, matching.ta + layout->paths[MQD_PATH_ob1_wild].offset);
    if (rc == MQD_RC_no_memory)
        return rc;
    if (rc != MQD_OK)
        note(index, rc);
    if (rc == MQD_RC_bad_match || mqd_matches_custom(index->process))
        return MQD_OK;
    rc = mqd_visit_peers(index->process, &matching, 0, visit_posted_of_peer, index, &noted);
    if (noted != MQD_OK)
        note(index, noted);
    return rc;
}

/* Probes that wait for a message, on all communicators. */
static enum mqd_rc find_probes(struct index *index)
{
    const struct mqd_layout *layout = &index->process->layout;
    enum mqd_rc rc = MQD_OK;

    if (!mqd_matches_custom(index->process) && (layout->paths[MQD_PATH_ob1_wild].source == MQD_SOURCE_absent ||
                                                layout->paths[MQD_PATH_peer_posted].source == MQD_SOURCE_absent)) {
        note(index, mqd_rc_unknown(MQD_PATH_ob1_wild));
        return MQD_OK;
    }
    mqd_vector_sort_by_key(&index->posted);
    for (size_t i = 0; i < index->process->snapshot.communicators.n_items && rc == MQD_OK; i++) {
        const struct mqd_communicator *communicator = mqd_communicator_at(index->process, i);

        if (communicator->pml_ta != 0)
            rc = find_probes_on(index, communicator);
    }
    return rc;
}

static enum mqd_operation_kind kind_of_mode(const struct mqd_process *process, int64_t mode)
{
    if (mqd_is(process, MQD_CONSTANT_send_synchronous, mode))
        return MQD_OPERATION_ssend;
    if (mqd_is(process, MQD_CONSTANT_send_buffered, mode))
        return MQD_OPERATION_bsend;
    return mqd_is(process, MQD_CONSTANT_send_ready, mode) ? MQD_OPERATION_rsend : MQD_OPERATION_send;
}

/*
 * Has the receiver answered? ob1 notes its request then, but does not forget it when a persistent send is started
 * again, be it by another protocol: only data that have been delivered since are proof of a new answer. A send by
 * single copy (RGET) has no trace of the answer at all.
 */
static bool is_answered(struct request *request, const struct mqd_operation *operation)
{
    bool noted = mqd_uint(&request->ob1, MQD_PATH_send_ack) != 0;

    if (!noted || !operation->persistent)
        return noted;
    return mqd_int(&request->ob1, MQD_PATH_send_state) == 0 && !is_queued(request) &&
           mqd_uint(&request->ob1, MQD_PATH_send_delivered) > 0;
}

/* What a send that is not answered waits for. */
static enum mqd_progress waits_for(struct request *request, bool mpi_done)
{
    if (is_queued(request))
        return MQD_PROGRESS_queued;
    if (mqd_int(&request->ob1, MQD_PATH_send_state) != 0)
        return MQD_PROGRESS_rendezvous;
    if (mqd_uint(&request->ob1, MQD_PATH_send_exposed) != 0)
        return MQD_PROGRESS_single_copy;
    return mpi_done ? MQD_PROGRESS_in_transit : MQD_PROGRESS_transport;
}

static void read_send_progress(struct request *request, struct mqd_operation *operation)
{
    bool mpi_done = is_completed(request);
    bool transport_done = mqd_int(&request->pml, MQD_PATH_pml_complete) != 0;
    bool is_let_go = operation->freed || is_waited_for_in_transit(request);

    if (mpi_done && (transport_done || (!is_let_go && !operation->system_buffer))) {
        operation->status = mqs_st_complete;
        operation->progress = transport_done ? MQD_PROGRESS_complete : MQD_PROGRESS_in_transit;
    } else if (is_answered(request, operation)) {
        operation->status = mqs_st_matched;
        operation->progress = MQD_PROGRESS_transfer;
    } else {
        operation->status = mqs_st_pending;
        operation->progress = (uint8_t)waits_for(request, mpi_done);
    }
}

static enum mqd_rc visit_send(struct mqd_view *element, void *context)
{
    struct index *index = context;
    struct request request = request_of(element, MQD_PATH_send_pml);
    struct mqd_operation operation;
    mqd_taddr packed_ta;

    if (!in_use(index, &request, true))
        return rc_of(&request);
    read_common(index, &request, &operation);
    operation.kind = (uint8_t)kind_of_mode(index->process, mqd_int(&request.ob1, MQD_PATH_send_mode));
    operation.length = mqd_uint(&request.ob1, MQD_PATH_send_bytes);
    /* A buffered send's data lies in the attached buffer until it is on its way. */
    packed_ta = mqd_uint(&request.ob1, MQD_PATH_send_addr);
    operation.system_buffer = operation.kind == MQD_OPERATION_bsend && packed_ta != operation.buffer_ta;
    if (operation.system_buffer)
        operation.buffer_ta = packed_ta;
    read_send_progress(&request, &operation);
    operation.actual_peer = operation.peer;
    operation.actual_tag = operation.tag;
    operation.actual_length = operation.length;
    operation.destination = (uint32_t)operation.peer;
    operation.order = (uint16_t)mqd_uint(&request.pml, MQD_PATH_pml_sequence);
    if (rc_of(&request) != MQD_OK)
        return rc_of(&request);
    if (!has_possible_peer(index, &operation) || (operation.freed && operation.status == mqs_st_complete))
        return MQD_OK;
    return append(index, &operation);
}

/*
 * Sequence numbers wrap around; what is in the queue is older than the next number that will be given out. Counted from
 * that one on, numbers are in the order of time.
 */
static void order_receives(struct index *index)
{
    struct mqd_matching matching = {.recv_sequence = 0};
    uint32_t communicator = UINT32_MAX;

    for (size_t i = 0; i < index->queue->operations.n_items; i++) {
        struct mqd_operation *operation = mqd_vector_at(&index->queue->operations, i);

        if (operation->communicator != communicator) {
            communicator = operation->communicator;
            if (mqd_read_matching(index->process, mqd_communicator_at(index->process, communicator), &matching) !=
                MQD_OK)
                note(index, MQD_RC_bad_match);
        }
        operation->order = (uint32_t)((uint32_t)operation->order - matching.recv_sequence);
    }
}

static uint16_t next_send_sequence(struct index *index, uint32_t communicator, uint32_t destination)
{
    struct mqd_matching matching;
    struct mqd_object peer;
    bool contacted;
    uint64_t last;

    if (mqd_read_matching(index->process, mqd_communicator_at(index->process, communicator), &matching) != MQD_OK ||
        mqd_read_peer(index->process, &matching, destination, &peer, &contacted) != MQD_OK || !contacted) {
        note(index, MQD_RC_bad_match);
        return 0;
    }
    last = mqd_uint(&peer.view, MQD_PATH_peer_send_sequence);
    if (peer.view.rc != MQD_OK)
        note(index, MQD_RC_bad_match);
    return (uint16_t)(last + 1);
}

static void order_sends(struct index *index)
{
    uint32_t communicator = UINT32_MAX, destination = UINT32_MAX;
    uint16_t next = 0;

    for (size_t i = 0; i < index->queue->operations.n_items; i++) {
        struct mqd_operation *operation = mqd_vector_at(&index->queue->operations, i);

        if (operation->communicator != communicator || operation->destination != destination) {
            communicator = operation->communicator;
            destination = operation->destination;
            next = next_send_sequence(index, communicator, destination);
        }
        operation->order = (uint16_t)((uint16_t)operation->order - next);
    }
}

/* Which list: its symbol, what its elements are if the PML is ob1, the code that says that there is none; what for. */
struct source {
    const char *symbol, *class_name;
    enum mqd_rc no_symbol;
    enum mqd_capability can;
};
static const struct source receives = {"mca_pml_base_recv_requests", "mca_pml_ob1_recv_request_t", MQD_RC_no_recv_list,
                                       MQD_CAN_receives};
static const struct source sends = {"mca_pml_base_send_requests", "mca_pml_ob1_send_request_t", MQD_RC_no_send_list,
                                    MQD_CAN_sends};

/* Which PML it is that is not ob1. Those that only look at ob1's messages (monitoring, v) do not come here. */
static enum mqd_rc other_pml(struct mqd_process *process)
{
    static const struct {
        const char *name;
        enum mqd_rc rc;
    } known[] = {
        {"cm", MQD_RC_pml_cm}, {"ucx", MQD_RC_pml_ucx}, {"yalla", MQD_RC_pml_yalla}, {"ubcl", MQD_RC_pml_ubcl}};
    struct mqd_object component;
    char name[MQD_TEXT_BYTES];
    mqd_taddr ta;

    if (!mqd_symbol(process, "mca_pml_base_selected_component", &ta) ||
        mqd_read_object(process, MQD_TYPE_mca_base_component_t, ta, &component) != MQD_OK)
        return MQD_RC_not_ob1;
    mqd_text(process, &component.view, MQD_PATH_component_name, name, sizeof name);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].rc;
    return MQD_RC_not_ob1;
}

/* Other PMLs keep other objects in the same lists, or nothing at all. */
static enum mqd_rc read_list(struct mqd_process *process, const struct source *source, struct mqd_free_list *list)
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
    return mqd_class_is(process, list->class_ta, source->class_name) ? MQD_OK : other_pml(process);
}

enum mqd_rc mqd_uses_ob1(struct mqd_process *process)
{
    struct mqd_free_list list;

    return read_list(process, &receives, &list);
}

/* The list, if the layout in force has all that its elements need. */
static enum mqd_rc find_list(struct mqd_process *process, const struct source *source, struct mqd_free_list *list)
{
    enum mqd_rc rc = read_list(process, source, list);

    return rc == MQD_OK ? mqd_capability_rc(process, source->can) : rc;
}

enum mqd_rc mqd_can_list_receives(struct mqd_process *process)
{
    struct mqd_free_list list;
    enum mqd_rc rc = find_list(process, &receives, &list);

    return rc == MQD_OK ? mqd_probe_datatypes(process) : rc;
}

enum mqd_rc mqd_can_list_sends(struct mqd_process *process)
{
    struct mqd_free_list list;

    return find_list(process, &sends, &list);
}

static enum mqd_rc index_list(struct index *index, const struct source *source,
                              enum mqd_rc (*visit)(struct mqd_view *element, void *context),
                              void (*order)(struct index *index))
{
    struct mqd_free_list list;
    enum mqd_rc rc = find_list(index->process, source, &list);

    if (rc != MQD_OK)
        return rc;
    rc = mqd_free_list_sweep(index->process, &list, visit, index);
    if (rc != MQD_OK && rc != MQD_RC_no_memory) {
        note(index, rc);
        rc = MQD_OK;
    }
    if (rc == MQD_OK && source == &receives)
        rc = find_probes(index);
    if (rc != MQD_OK)
        return rc;
    /* By communicator first, so that what the order needs is read once for each. */
    mqd_vector_sort(&index->queue->operations, mqd_operation_before);
    order(index);
    mqd_vector_sort(&index->queue->operations, mqd_operation_before);
    return MQD_OK;
}

enum mqd_rc mqd_index_receives(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.process = process, .queue = queue, .posted.item_size = sizeof(struct posted)};
    enum mqd_rc rc = index_list(&index, &receives, visit_receive, order_receives);

    mqd_vector_release(&index.posted);
    return rc == MQD_OK ? mqd_probe_datatypes(process) : rc;
}

enum mqd_rc mqd_index_sends(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.process = process, .queue = queue};

    return index_list(&index, &sends, visit_send, order_sends);
}
