/* request.c - reads the operations among the elements of the request lists. */
#include "mqd/dll/ob1/request.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/ob1/match.h"
#include "mqd/dll/request.h"
#include "mqd/dll/banned.h"

/* A receive that may be in one of ob1's lists of posted receives, with its links there. */
struct posted {
    mqd_taddr ta, next_ta, prev_ta;
    bool is_listed;                /* as an operation already */
};

/* An index that is being made. */
struct index {
    struct mqd_request_index base;
    struct mqd_vector posted;      /* struct posted, by address: all that the free list of receives has */
};

/* One element, with a view for each of the structs that it begins with. */
struct request {
    struct mqd_view ob1, pml, ompi;
    int64_t type;
};

static struct request request_of(const struct mqd_view *element, enum mqd_path_id to_pml)
{
    struct request request = {.ob1 = *element};

    request.pml = mqd_inner(&request.ob1, to_pml);
    request.ompi = mqd_inner(&request.pml, MQD_PATH_pml_request);
    request.type = mqd_int(&request.pml, MQD_PATH_pml_type);
    return request;
}

static enum mqd_rc rc_of(const struct request *request)
{
    if (request->ob1.rc != MQD_OK)
        return request->ob1.rc;
    return request->pml.rc != MQD_OK ? request->pml.rc : request->ompi.rc;
}

/* What stands in a request's members, by the layout in force. */

static bool has_type(const struct request *request, enum mqd_constant_id type)
{
    return mqd_is(request->pml.process, type, request->type);
}

static bool is_queued(struct request *send)
{
    return !mqd_is(send->ob1.process, MQD_CONSTANT_send_not_queued, mqd_int(&send->ob1, MQD_PATH_send_queued));
}

/*
 * Is it a persistent send that is complete for the user, but whose data is still in the attached buffer or transport?
 */
static bool is_waited_for_in_transit(struct request *request)
{
    return mqd_request_has_state(&request->ompi, MQD_CONSTANT_request_inactive) &&
           mqd_request_is_persistent(&request->ompi) && has_type(request, MQD_CONSTANT_pml_send) &&
           mqd_int(&request->pml, MQD_PATH_pml_complete) == 0;
}

/* Free ones too are requests of the PML, and say from the first day on which of its kinds they are. */
static bool is_request_of(struct request *request, bool is_send)
{
    static const enum mqd_constant_id types[] = {MQD_CONSTANT_pml_recv, MQD_CONSTANT_pml_iprobe,
                                                 MQD_CONSTANT_pml_probe, MQD_CONSTANT_pml_improbe,
                                                 MQD_CONSTANT_pml_mprobe};

    if (!mqd_request_is_pml(&request->ompi))
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
        mqd_note(index->base.queue, MQD_RC_bad_request);
        return false;
    }
    /* INVALID: free, or ob1's spare one. INACTIVE: a persistent request that is not started. */
    if (!mqd_request_has_state(&request->ompi, MQD_CONSTANT_request_active) && !is_waited_for_in_transit(request))
        return false;
    return mqd_on_listed_communicator(&index->base, mqd_uint(&request->pml, MQD_PATH_pml_comm));
}

/* What sends and receives have in common. */
static void read_common(struct index *index, struct request *request, struct mqd_operation *operation)
{
    *operation = (struct mqd_operation){.communicator = index->base.communicator, .ta = request->ob1.ta};
    operation->persistent = mqd_request_is_persistent(&request->ompi);
    operation->waiter_ta = mqd_request_waiter(&request->ompi);
    operation->freed = mqd_int(&request->pml, MQD_PATH_pml_free_called) != 0;
    operation->peer = (int32_t)mqd_int(&request->pml, MQD_PATH_pml_peer);
    operation->tag = (int32_t)mqd_int(&request->pml, MQD_PATH_pml_tag);
    operation->count = mqd_uint(&request->pml, MQD_PATH_pml_count);
    operation->buffer_ta = mqd_uint(&request->pml, MQD_PATH_pml_addr);
    operation->datatype_ta = mqd_uint(&request->pml, MQD_PATH_pml_datatype);
}

static enum mqd_operation_kind kind_of_receive(const struct request *request)
{
    if (has_type(request, MQD_CONSTANT_pml_probe))
        return MQD_OPERATION_probe;
    return has_type(request, MQD_CONSTANT_pml_mprobe) ? MQD_OPERATION_mprobe : MQD_OPERATION_recv;
}

static enum mqd_rc read_receive(struct index *index, struct request *request, struct mqd_operation *operation)
{
    struct mqd_view base = request->ob1;

    read_common(index, request, operation);
    operation->kind = (uint8_t)kind_of_receive(request);
    mqd_read_wildcards(index->base.process, operation);
    mqd_read_receive_progress(&request->ompi, operation);
    if (operation->status == mqs_st_matched) {
        operation->actual_length = mqd_uint(&base, MQD_PATH_recv_bytes);
        operation->arrived = mqd_uint(&base, MQD_PATH_recv_received);
    }
    operation->order = (uint32_t)mqd_uint(&request->pml, MQD_PATH_pml_sequence);
    return base.rc != MQD_OK ? base.rc : rc_of(request);
}

/* Keeps a posted receive for the walk through ob1's lists, so that it is not read again. */
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
 * Probes have the same requests as receives. A probe that waits is found in ob1's lists, since the request of MPI_Probe
 * is on a stack. A probe that does not wait is a message that MPI_Mprobe has taken: it is no operation.
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
    /* The user has freed the request and the data is there: nothing is pending any more. */
    if (rc != MQD_OK || !is_listed || (operation.freed && operation.status == mqs_st_complete))
        return rc;
    return mqd_has_possible_peer(&index->base, &operation) ? mqd_append_operation(&index->base, &operation) : MQD_OK;
}

/* Appends a posted receive that is not listed yet: a probe, or one that was not found through the free list. */
static enum mqd_rc append_posted(struct index *index, mqd_taddr ta, struct posted *posted)
{
    struct mqd_object object;
    struct request request;
    struct mqd_operation operation;
    enum mqd_rc rc;

    if (mqd_read_object(index->base.process, MQD_TYPE_mca_pml_ob1_recv_request_t, ta, &object) != MQD_OK ||
        !mqd_object_is(index->base.process, ta, "mca_pml_ob1_recv_request_t"))
        return MQD_RC_bad_list;
    posted->next_ta = mqd_uint(&object.view, MQD_PATH_item_next);
    posted->prev_ta = mqd_uint(&object.view, MQD_PATH_item_prev);
    request = request_of(&object.view, MQD_PATH_recv_pml);
    if (!in_use(index, &request, false))
        return rc_of(&request);
    rc = read_receive(index, &request, &operation);
    if (rc != MQD_OK || operation.status != mqs_st_pending || !mqd_has_possible_peer(&index->base, &operation))
        return rc;
    return mqd_append_operation(&index->base, &operation);
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
    enum mqd_rc rc = mqd_list_begin_at(index->base.process, list_ta, &list);

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
    return walk_posted(index, peer->view.ta + index->base.process->layout.paths[MQD_PATH_peer_posted].offset);
}

static enum mqd_rc visit_posted_in_queue(mqd_taddr ta, void *context)
{
    struct posted posted;

    return visit_posted(context, ta, &posted);
}

/* Finds probes among the posted receives of one communicator. Returns MQD_RC_no_memory; records other failures. */
static enum mqd_rc find_probes_on(struct index *index, const struct mqd_communicator *communicator)
{
    const struct mqd_layout *layout = &index->base.process->layout;
    struct mqd_matching matching;
    enum mqd_rc noted = MQD_OK, rc = mqd_read_matching(index->base.process, communicator, &matching);

    if (rc == MQD_OK && mqd_matches_custom(index->base.process))
        rc = mqd_visit_posted(index->base.process, &matching, visit_posted_in_queue, index);
    else if (rc == MQD_OK)
        rc = walk_posted(index, matching.ta + layout->paths[MQD_PATH_ob1_wild].offset);
    if (rc == MQD_RC_no_memory)
        return rc;
    if (rc != MQD_OK)
        mqd_note(index->base.queue, rc);
    if (rc == MQD_RC_bad_match || mqd_matches_custom(index->base.process))
        return MQD_OK;
    rc = mqd_visit_peers(index->base.process, &matching, 0, visit_posted_of_peer, index, &noted);
    if (noted != MQD_OK)
        mqd_note(index->base.queue, noted);
    return rc;
}

/* Probes that wait for a message, on all communicators. */
static enum mqd_rc find_probes(struct index *index)
{
    const struct mqd_layout *layout = &index->base.process->layout;
    enum mqd_rc rc = MQD_OK;

    if (!mqd_matches_custom(index->base.process) && (layout->paths[MQD_PATH_ob1_wild].source == MQD_SOURCE_absent ||
                                                layout->paths[MQD_PATH_peer_posted].source == MQD_SOURCE_absent)) {
        mqd_note(index->base.queue, mqd_rc_unknown(MQD_PATH_ob1_wild));
        return MQD_OK;
    }
    rc = mqd_vector_sort_by_key(&index->posted);
    for (size_t i = 0; i < index->base.process->snapshot.communicators.n_items && rc == MQD_OK; i++) {
        const struct mqd_communicator *communicator = mqd_communicator_at(index->base.process, i);

        if (communicator->pml_ta != 0)
            rc = find_probes_on(index, communicator);
    }
    return rc;
}

/*
 * Has the receiver answered? ob1 then stores the address of the receiver's request. It does not clear the address when
 * a persistent send is started again, also by another protocol: then only data that has been delivered since proves a
 * new answer. A send by single copy (RGET) has no trace of the answer.
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
    bool mpi_done = mqd_request_is_completed(&request->ompi);
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
    operation.kind = (uint8_t)mqd_kind_of_mode(index->base.process, mqd_int(&request.ob1, MQD_PATH_send_mode));
    operation.length = mqd_uint(&request.ob1, MQD_PATH_send_bytes);
    /* The data of a buffered send is in the attached buffer until it is sent. */
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
    if (!mqd_has_possible_peer(&index->base, &operation) || (operation.freed && operation.status == mqs_st_complete))
        return MQD_OK;
    return mqd_append_operation(&index->base, &operation);
}

static size_t communicator_of(const void *operation)
{
    return ((const struct mqd_operation *)operation)->communicator;
}

/*
 * The operations of a communicator are brought together, so that its next sequence number is read once.
 *
 * Sequence numbers wrap around. All receives in the queue are older than the next number that will be assigned. So the
 * difference to this number gives their order in time.
 */
static enum mqd_rc order_receives(struct index *index)
{
    struct mqd_matching matching = {.recv_sequence = 0};
    uint32_t communicator = UINT32_MAX;
    enum mqd_rc rc = mqd_vector_group(&index->base.queue->operations,
                                      index->base.process->snapshot.communicators.n_items, communicator_of);

    for (size_t i = 0; i < index->base.queue->operations.n_items && rc == MQD_OK; i++) {
        struct mqd_operation *operation = mqd_vector_at(&index->base.queue->operations, i);

        if (operation->communicator != communicator) {
            communicator = operation->communicator;
            if (mqd_read_matching(index->base.process, mqd_communicator_at(index->base.process, communicator), &matching) !=
                MQD_OK)
                mqd_note(index->base.queue, MQD_RC_bad_match);
        }
        operation->order = (uint32_t)((uint32_t)operation->order - matching.recv_sequence);
    }
    return rc;
}

static uint16_t next_send_sequence(struct index *index, uint32_t communicator, uint32_t destination)
{
    struct mqd_matching matching;
    struct mqd_object peer;
    bool contacted;
    uint64_t last;

    if (mqd_read_matching(index->base.process, mqd_communicator_at(index->base.process, communicator), &matching) != MQD_OK ||
        mqd_read_peer(index->base.process, &matching, destination, &peer, &contacted) != MQD_OK || !contacted) {
        mqd_note(index->base.queue, MQD_RC_bad_match);
        return 0;
    }
    last = mqd_uint(&peer.view, MQD_PATH_peer_send_sequence);
    if (peer.view.rc != MQD_OK)
        mqd_note(index->base.queue, MQD_RC_bad_match);
    return (uint16_t)(last + 1);
}

static enum mqd_rc order_sends(struct index *index)
{
    uint32_t communicator = UINT32_MAX, destination = UINT32_MAX;
    uint16_t next = 0;
    enum mqd_rc rc = mqd_vector_sort(&index->base.queue->operations, mqd_operation_before);

    for (size_t i = 0; i < index->base.queue->operations.n_items && rc == MQD_OK; i++) {
        struct mqd_operation *operation = mqd_vector_at(&index->base.queue->operations, i);

        if (operation->communicator != communicator || operation->destination != destination) {
            communicator = operation->communicator;
            destination = operation->destination;
            next = next_send_sequence(index, communicator, destination);
        }
        operation->order = (uint16_t)((uint16_t)operation->order - next);
    }
    return rc;
}

static const struct mqd_request_list receives = {"mca_pml_base_recv_requests", "mca_pml_ob1_recv_request_t",
                                                 MQD_RC_no_recv_list};
static const struct mqd_request_list sends = {"mca_pml_base_send_requests", "mca_pml_ob1_send_request_t",
                                              MQD_RC_no_send_list};

enum mqd_rc mqd_uses_ob1(struct mqd_process *process)
{
    struct mqd_free_list list;

    return mqd_read_request_list(process, &receives, &list);
}

/* The list, if the layout in force has all that its elements need. */
static enum mqd_rc find_list(struct mqd_process *process, const struct mqd_request_list *source,
                             struct mqd_free_list *list)
{
    enum mqd_rc rc = mqd_read_request_list(process, source, list);

    return rc == MQD_OK ? mqd_capability_rc(process, source == &receives ? MQD_CAN_receives : MQD_CAN_sends) : rc;
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

static enum mqd_rc index_list(struct index *index, const struct mqd_request_list *source,
                              enum mqd_rc (*visit)(struct mqd_view *element, void *context),
                              enum mqd_rc (*order)(struct index *index))
{
    struct mqd_free_list list;
    enum mqd_rc rc = find_list(index->base.process, source, &list);

    if (rc != MQD_OK)
        return rc;
    rc = mqd_sweep_requests(&index->base, &list, visit, index);
    if (rc == MQD_OK && source == &receives)
        rc = find_probes(index);
    if (rc == MQD_OK)
        rc = order(index);
    return rc == MQD_OK ? mqd_vector_sort(&index->base.queue->operations, mqd_operation_before) : rc;
}

enum mqd_rc mqd_index_receives(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.base = {.process = process, .queue = queue}, .posted.item_size = sizeof(struct posted)};
    enum mqd_rc rc = index_list(&index, &receives, visit_receive, order_receives);

    mqd_vector_release(&index.posted);
    return rc == MQD_OK ? mqd_probe_datatypes(process) : rc;
}

enum mqd_rc mqd_index_sends(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.base = {.process = process, .queue = queue}};

    return index_list(&index, &sends, visit_send, order_sends);
}
