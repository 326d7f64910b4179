#include "fake_ucx_messages.h"

#include <string.h>

#define PUT(object, type, member, value) FAKE_PUT(&ucx->job->image, object, type, member, value)
#define GET(object, type, member) FAKE_GET(&ucx->job->image, object, type, member)
#define AT(object, type, member) FAKE_AT(&ucx->job->image, object, type, member)
#define HAS(type, member) FAKE_HAS(&ucx->job->image, type, member)
#define SIZE(type) FAKE_SIZE(&ucx->job->image, type)
#define FLAG(name) FAKE_UCX_FLAG(ucx, name)

/* Classes of datatypes of UCX, in their lowest 3 bits. */
enum { CONTIGUOUS = 0, GENERIC = 7, CLASS_BITS = 3 };

static fake_ta matching(const struct fake_ucx *ucx)
{
    return AT(ucx->worker, ucp_worker_t, tm);
}

static uint64_t bytes_of(const struct fake_ucx *ucx, fake_ta datatype, size_t count)
{
    return datatype == 0 ? count : count * GET(datatype, opal_datatype_t, size);
}

/* UCX's datatype for Open MPI's; 0 if it is contiguous: Open MPI then sends bytes. */
static fake_ta generic_of(const struct fake_ucx *ucx, fake_ta datatype)
{
    for (int i = 0; i < ucx->n_generic; i++)
        if (ucx->generic[i].datatype == datatype)
            return ucx->generic[i].generic;
    return 0;
}

static uint64_t ucp_datatype(const struct fake_ucx *ucx, fake_ta datatype)
{
    fake_ta generic = generic_of(ucx, datatype);

    return generic != 0 ? generic | GENERIC : 1 << CLASS_BITS | CONTIGUOUS;
}

/* Receives. */

static fake_ta queue_of(const struct fake_ucx *ucx, fake_ta request)
{
    if (GET(request, ucp_request_t, recv_tag_mask) != UINT64_MAX)
        return AT(matching(ucx), ucp_tag_match_t, wildcard);
    return ucx->expected + fake_ucx_bucket(GET(request, ucp_request_t, recv_tag)) * SIZE(ucp_request_queue_t);
}

static void add_to_counts(struct fake_ucx *ucx, fake_ta queue, int n)
{
    fake_ta tm = matching(ucx);

    PUT(queue, ucp_request_queue_t, sw_count, GET(queue, ucp_request_queue_t, sw_count) + (uint64_t)n);
    PUT(tm, ucp_tag_match_t, sw_all_count, GET(tm, ucp_tag_match_t, sw_all_count) + (uint64_t)n);
}

/* The link in the last element of a queue is not set. */
static void post(struct fake_ucx *ucx, fake_ta request)
{
    fake_ta tm = matching(ucx), queue = queue_of(ucx, request), element = AT(request, ucp_request_t, recv_queue);
    fake_ta head = AT(queue, ucp_request_queue_t, queue);
    uint64_t sequence = GET(tm, ucp_tag_match_t, expected_sn);

    PUT(request, ucp_request_t, recv_sn, sequence);
    PUT(tm, ucp_tag_match_t, expected_sn, sequence + 1);
    fake_image_put_pointer(&ucx->job->image, GET(head, ucs_queue_head_t, ptail), element);
    PUT(head, ucs_queue_head_t, ptail, element);
    add_to_counts(ucx, queue, 1);
}

void fake_ucx_unpost(struct fake_ucx *ucx, fake_ta request)
{
    fake_ta queue = queue_of(ucx, request), head = AT(queue, ucp_request_queue_t, queue), link = head;
    fake_ta element = AT(request, ucp_request_t, recv_queue), last = GET(head, ucs_queue_head_t, ptail);

    while (fake_image_get(&ucx->job->image, link, 8) != element) {
        if (link == last)
            fake_die("a receive that is not posted");
        link = fake_image_get(&ucx->job->image, link, 8);
    }
    if (element == last)
        PUT(head, ucs_queue_head_t, ptail, link);
    else
        fake_image_put_pointer(&ucx->job->image, link, fake_image_get(&ucx->job->image, element, 8));
    add_to_counts(ucx, queue, -1);
}

static void fill_recv_data(struct fake_ucx *ucx, fake_ta request, const struct fake_recv *recv)
{
    fake_ta generic = generic_of(ucx, recv->datatype);

    PUT(request, ucp_request_t, recv_length, bytes_of(ucx, recv->datatype, recv->count));
    if (!HAS(ucp_request_t, recv_iter_class)) {
        PUT(request, ucp_request_t, recv_buffer, recv->buffer);
        PUT(request, ucp_request_t, recv_datatype, ucp_datatype(ucx, recv->datatype));
        return;
    }
    PUT(request, ucp_request_t, recv_iter_class, generic != 0 ? GENERIC : CONTIGUOUS);
    PUT(request, ucp_request_t, recv_iter_offset, 0);
    PUT(request, ucp_request_t, recv_buffer, recv->buffer);
    if (generic == 0)
        return;
    PUT(request, ucp_request_t, recv_iter_start, recv->buffer);
    PUT(request, ucp_request_t, recv_iter_count, recv->count);
    PUT(request, ucp_request_t, recv_iter_generic, generic);
}

static void fill_recv(struct fake_ucx *ucx, fake_ta request, const struct fake_comm *comm, const struct fake_recv *recv,
                      uint64_t flags)
{
    PUT(request, ucp_request_t, status, FAKE_UCX_INPROGRESS);
    PUT(request, ucp_request_t, flags, flags | FLAG(ucx_recv) | FLAG(ucx_recv_tag) | FLAG(ucx_expected));
    fill_recv_data(ucx, request, recv);
    PUT(request, ucp_request_t, recv_worker, ucx->worker);
    PUT(request, ucp_request_t, recv_tag,
        fake_ucx_tag(comm->id, recv->source, recv->tag == FAKE_ANY ? 0 : recv->tag));
    PUT(request, ucp_request_t, recv_tag_mask, fake_ucx_mask(recv->source, recv->tag));
    PUT(request, ucp_request_t, recv_cb, ucx->recv_callback);
    post(ucx, request);
}

/* What Open MPI sets when a nonblocking call returns. */
static void fill_ompi(struct fake_ucx *ucx, fake_ta request, fake_ta comm)
{
    fake_ta ompi = fake_ucx_ompi(ucx, request);

    PUT(ompi, ompi_request_t, req_mpi_object, comm);
    PUT(ompi, ompi_request_t, req_complete_cb_data, 0);
    PUT(ompi, ompi_request_t, req_complete, 0);
}

fake_ta fake_ucx_irecv(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_recv *recv)
{
    fake_ta request = fake_ucx_take(ucx);

    fill_ompi(ucx, request, comm->ta);
    fill_recv(ucx, request, comm, recv, FLAG(ucx_callback));
    return request;
}

fake_ta fake_ucx_recv(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_recv *recv)
{
    fake_ta request = fake_image_alloc(&ucx->job->image, ucx->stack, SIZE(ucp_request_t), 16);

    fill_recv(ucx, request, comm, recv, 0);
    return request;
}

static void put_info(struct fake_ucx *ucx, fake_ta request, const struct fake_comm *comm, int source, int tag,
                     size_t bytes)
{
    PUT(request, ucp_request_t, recv_sender_tag, fake_ucx_tag(comm->id, source, tag));
    PUT(request, ucp_request_t, recv_info_length, bytes);
}

void fake_ucx_match(struct fake_ucx *ucx, fake_ta request, const struct fake_comm *comm, int source, int tag,
                    size_t bytes)
{
    fake_ucx_unpost(ucx, request);
    put_info(ucx, request, comm, source, tag, bytes);
}

static void put_status(struct fake_ucx *ucx, fake_ta ompi, int source, int tag, int error, bool cancelled,
                       size_t bytes)
{
    fake_status_put(ucx->job, ompi, &(struct fake_status){ source, tag, error, cancelled, bytes });
    PUT(ompi, ompi_request_t, req_complete, 1);
}

static void set_complete(struct fake_ucx *ucx, fake_ta request, enum fake_ucx_status status)
{
    PUT(request, ucp_request_t, status, (int64_t)status);
    fake_ucx_set_flags(ucx, request, FLAG(ucx_completed), true);
}

void fake_ucx_complete(struct fake_ucx *ucx, fake_ta request, enum fake_ucx_status status, int error)
{
    uint64_t tag = GET(request, ucp_request_t, recv_sender_tag);

    set_complete(ucx, request, status);
    put_status(ucx, fake_ucx_ompi(ucx, request), (int)(tag >> 20 & 0xfffff), (int)((int64_t)tag >> 40), error, false,
               GET(request, ucp_request_t, recv_info_length));
}

void fake_ucx_cancel(struct fake_ucx *ucx, fake_ta request)
{
    fake_ucx_unpost(ucx, request);
    set_complete(ucx, request, FAKE_UCX_CANCELLED);
    put_status(ucx, fake_ucx_ompi(ucx, request), 0, 0, 0, true, 0);
}

/* What an earlier request left in the element stays there. */
/* 1.6 to 1.8 give a receive that is complete at once the flag of a callback too. */
static uint64_t flags_at_once(const struct fake_ucx *ucx)
{
    bool before_109 = strncmp(ucx->build->version, "1.6", 3) == 0 || strncmp(ucx->build->version, "1.7", 3) == 0;

    return FLAG(ucx_recv) | FLAG(ucx_recv_tag) | FLAG(ucx_completed) | (before_109 ? FLAG(ucx_callback) : 0);
}

fake_ta fake_ucx_irecv_at_once(struct fake_ucx *ucx, const struct fake_comm *comm, int source, int tag, size_t bytes)
{
    fake_ta request = fake_ucx_take(ucx);

    PUT(request, ucp_request_t, flags, flags_at_once(ucx));
    PUT(request, ucp_request_t, status, FAKE_UCX_OK);
    put_info(ucx, request, comm, source, tag, bytes);
    fill_ompi(ucx, request, comm->ta);
    put_status(ucx, fake_ucx_ompi(ucx, request), source, tag, 0, false, bytes);
    return request;
}

/* Sends. */

static fake_ta endpoint_of(const struct fake_ucx *ucx, const struct fake_comm *comm, int rank)
{
    fake_ta table = GET(comm->remote_group, ompi_group_t, grp_proc_pointers);
    fake_ta proc = fake_image_get(&ucx->job->image, table + (fake_ta)rank * 8, 8);

    if ((proc & 1) != 0)
        fake_die("there is no process object of rank %d", rank);
    return fake_image_get(&ucx->job->image, AT(proc, ompi_proc_t, endpoints), 8);
}

/* Older protocols keep the data in the request itself. */
static void fill_send_data(struct fake_ucx *ucx, fake_ta request, const struct fake_ucx_send *send)
{
    fake_ta generic = generic_of(ucx, send->datatype);
    uint64_t bytes = bytes_of(ucx, send->datatype, send->count);

    if (!send->newer) {
        PUT(request, ucp_request_t, send_buffer, send->buffer);
        PUT(request, ucp_request_t, send_length, bytes);
        PUT(request, ucp_request_t, send_datatype, ucp_datatype(ucx, send->datatype));
        return;
    }
    PUT(request, ucp_request_t, send_iter_class, generic != 0 ? GENERIC : CONTIGUOUS);
    PUT(request, ucp_request_t, send_iter_length, bytes);
    PUT(request, ucp_request_t, send_iter_offset, 0);
    if (generic == 0) {
        PUT(request, ucp_request_t, send_iter_buffer, send->buffer);
        return;
    }
    PUT(request, ucp_request_t, send_iter_generic, generic);
    if (HAS(ucp_request_t, send_iter_start)) {
        PUT(request, ucp_request_t, send_iter_start, send->buffer);
        PUT(request, ucp_request_t, send_iter_count, send->count);
    }
}

/* What a protocol was selected for: the operation, and flags above it where the release has such. */
static void select_protocol(struct fake_ucx *ucx, fake_ta request, bool synchronous)
{
    fake_ta protocol = fake_zeros(ucx->job, 128);
    uint64_t flags = FLAG(ucx_operation_flags);

    PUT(protocol, ucp_proto_config_t, operation, (synchronous ? FLAG(ucx_operation_sync) : 0) | flags);
    PUT(request, ucp_request_t, send_proto, protocol);
}

static void fill_send(struct fake_ucx *ucx, fake_ta request, const struct fake_comm *comm,
                      const struct fake_ucx_send *send)
{
    fake_ta endpoint = send->endpoint != 0 ? send->endpoint : endpoint_of(ucx, comm, send->destination);
    uint32_t context = send->remote_context != 0 ? send->remote_context : comm->id;
    int my_rank = (int)(int32_t)GET(comm->ta, ompi_communicator_t, c_my_rank);
    uint64_t flags = FLAG(ucx_callback);

    flags |= send->newer ? FLAG(ucx_proto_send) : FLAG(ucx_send_tag);
    if (send->synchronous && !send->newer)
        flags |= FLAG(ucx_sync);
    PUT(request, ucp_request_t, status, FAKE_UCX_INPROGRESS);
    PUT(request, ucp_request_t, flags, flags);
    PUT(request, ucp_request_t, send_ep, endpoint);
    PUT(request, ucp_request_t, send_cb, ucx->callbacks[send->callback]);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(context, my_rank, send->tag));
    fill_send_data(ucx, request, send);
    if (send->newer)
        select_protocol(ucx, request, send->synchronous);
}

fake_ta fake_ucx_isend(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_ucx_send *send)
{
    fake_ta request = fake_ucx_take(ucx);

    fill_ompi(ucx, request, comm->ta);
    fill_send(ucx, request, comm, send);
    return request;
}

/* UCX clears the flag for a callback, and what is behind the request is somebody else's. */
fake_ta fake_ucx_send(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_ucx_send *send)
{
    fake_ta request = fake_image_alloc(&ucx->job->image, ucx->stack, SIZE(ucp_request_t), 16);

    fill_send(ucx, request, comm, send);
    fake_ucx_set_flags(ucx, request, FLAG(ucx_callback), false);
    return request;
}

/* Persistent requests. */

static fake_ta new_persistent(struct fake_ucx *ucx, const struct fake_comm *comm)
{
    fake_ta request = fake_free_list_take(ucx->job, AT(ucx->module, mca_pml_ucx_module_t, persistent_reqs));

    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    PUT(request, ompi_request_t, req_complete, 1);
    PUT(request, ompi_request_t, req_persistent, 1);
    PUT(request, ompi_request_t, req_mpi_object, comm->ta);
    PUT(request, mca_pml_ucx_persistent_request_t, tmp_req, 0);
    put_status(ucx, request, 0, 0, 0, false, 0);
    return request;
}

fake_ta fake_ucx_recv_init(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_recv *recv)
{
    fake_ta request = new_persistent(ucx, comm);

    PUT(request, mca_pml_ucx_persistent_request_t, flags, 0);
    PUT(request, mca_pml_ucx_persistent_request_t, buffer, recv->buffer);
    PUT(request, mca_pml_ucx_persistent_request_t, count, recv->count);
    PUT(request, mca_pml_ucx_persistent_request_t, ompi_datatype, recv->datatype);
    PUT(request, mca_pml_ucx_persistent_request_t, tag,
             fake_ucx_tag(comm->id, recv->source, recv->tag == FAKE_ANY ? 0 : recv->tag));
    PUT(request, mca_pml_ucx_persistent_request_t, recv_tag_mask, fake_ucx_mask(recv->source, recv->tag));
    return request;
}

fake_ta fake_ucx_send_init(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_ucx_send *send,
                           enum fake_send_mode mode)
{
    fake_ta request = new_persistent(ucx, comm);
    int my_rank = (int)(int32_t)GET(comm->ta, ompi_communicator_t, c_my_rank);

    PUT(request, mca_pml_ucx_persistent_request_t, flags, 1);
    PUT(request, mca_pml_ucx_persistent_request_t, buffer, send->buffer);
    PUT(request, mca_pml_ucx_persistent_request_t, count, send->count);
    PUT(request, mca_pml_ucx_persistent_request_t, ompi_datatype, send->datatype);
    PUT(request, mca_pml_ucx_persistent_request_t, tag, fake_ucx_tag(comm->id, my_rank, send->tag));
    PUT(request, mca_pml_ucx_persistent_request_t, send_mode, mode);
    PUT(request, mca_pml_ucx_persistent_request_t, send_ep, endpoint_of(ucx, comm, send->destination));
    return request;
}

static void start(struct fake_ucx *ucx, fake_ta persistent, fake_ta request)
{
    fake_ta ompi = fake_ucx_ompi(ucx, request);

    /* The communicator in the request of the pool is an earlier one's. */
    PUT(ompi, ompi_request_t, req_mpi_object, 0xdead0000);
    PUT(ompi, ompi_request_t, req_complete_cb_data, persistent);
    PUT(persistent, mca_pml_ucx_persistent_request_t, tmp_req, ompi);
    PUT(persistent, ompi_request_t, req_state, FAKE_ACTIVE);
    PUT(persistent, ompi_request_t, req_complete, 0);
}

fake_ta fake_ucx_start_recv(struct fake_ucx *ucx, fake_ta persistent, const struct fake_comm *comm,
                            const struct fake_recv *recv)
{
    fake_ta request = fake_ucx_irecv(ucx, comm, recv);

    start(ucx, persistent, request);
    return request;
}

fake_ta fake_ucx_start_send(struct fake_ucx *ucx, fake_ta persistent, const struct fake_comm *comm,
                            const struct fake_ucx_send *send)
{
    fake_ta request = fake_ucx_isend(ucx, comm, send);

    start(ucx, persistent, request);
    return request;
}

void fake_ucx_end_persistent(struct fake_ucx *ucx, fake_ta persistent, fake_ta request, int source, int tag, int error,
                             size_t bytes)
{
    put_status(ucx, persistent, source, tag, error, false, bytes);
    PUT(persistent, mca_pml_ucx_persistent_request_t, tmp_req, 0);
    fake_ucx_return(ucx, request);
}

/* Unexpected messages. */

static fake_ta header_of(const struct fake_ucx *ucx, fake_ta message)
{
    return message + SIZE(ucp_recv_desc_t);
}

static void append(struct fake_ucx *ucx, fake_ta head, fake_ta link)
{
    fake_ta last = GET(head, ucs_list_link_t, prev);

    PUT(link, ucs_list_link_t, next, head);
    PUT(link, ucs_list_link_t, prev, last);
    PUT(last, ucs_list_link_t, next, link);
    PUT(head, ucs_list_link_t, prev, link);
}

static void unlink_from(struct fake_ucx *ucx, fake_ta link)
{
    fake_ta next = GET(link, ucs_list_link_t, next), prev = GET(link, ucs_list_link_t, prev);

    PUT(prev, ucs_list_link_t, next, next);
    PUT(next, ucs_list_link_t, prev, prev);
}

/* A rendezvous without a tag of its own gets one before it when it is queued. Returns the bytes of the header. */
static size_t put_rendezvous(struct fake_ucx *ucx, fake_ta header, uint64_t tag, const struct fake_ucx_message *message)
{
    fake_ta rts = header;

    if (HAS(ucp_rndv_rts_hdr_t, tag)) {
        PUT(rts, ucp_rndv_rts_hdr_t, tag, tag);
    } else {
        PUT(header, ucp_tag_hdr_t, tag, tag);
        rts += SIZE(ucp_tag_hdr_t);
    }
    PUT(rts, ucp_rndv_rts_hdr_t, ep, ucx->endpoints[0]);
    PUT(rts, ucp_rndv_rts_hdr_t, request, message->request);
    PUT(rts, ucp_rndv_rts_hdr_t, address, 0x7f00abcd0000);
    PUT(rts, ucp_rndv_rts_hdr_t, size, message->bytes);
    return rts - header + SIZE(ucp_rndv_rts_hdr_t);
}

static size_t put_header(struct fake_ucx *ucx, fake_ta header, uint64_t tag, const struct fake_ucx_message *message)
{
    switch (message->kind) {
    case FAKE_UCX_ONLY:
    case FAKE_UCX_OFFLOAD_FIRST:
        PUT(header, ucp_eager_hdr_t, tag, tag);
        return SIZE(ucp_eager_hdr_t);
    case FAKE_UCX_FIRST:
        PUT(header, ucp_eager_first_hdr_t, tag, tag);
        PUT(header, ucp_eager_first_hdr_t, total_len, message->bytes);
        PUT(header, ucp_eager_first_hdr_t, msg_id, 0x77);
        return SIZE(ucp_eager_first_hdr_t);
    case FAKE_UCX_SYNC_ONLY:
        PUT(header, ucp_eager_sync_hdr_t, tag, tag);
        PUT(header, ucp_eager_sync_hdr_t, ep, ucx->endpoints[0]);
        PUT(header, ucp_eager_sync_hdr_t, request, message->request);
        return SIZE(ucp_eager_sync_hdr_t);
    case FAKE_UCX_SYNC_FIRST:
        PUT(header, ucp_eager_sync_first_hdr_t, tag, tag);
        PUT(header, ucp_eager_sync_first_hdr_t, total_len, message->bytes);
        PUT(header, ucp_eager_sync_first_hdr_t, msg_id, 0x78);
        PUT(header, ucp_eager_sync_first_hdr_t, ep, ucx->endpoints[0]);
        PUT(header, ucp_eager_sync_first_hdr_t, request, message->request);
        return SIZE(ucp_eager_sync_first_hdr_t);
    case FAKE_UCX_RENDEZVOUS:
        break;
    }
    return put_rendezvous(ucx, header, tag, message);
}

static uint64_t flags_of(const struct fake_ucx *ucx, enum fake_ucx_kind kind)
{
    uint64_t eager = FLAG(ucx_desc_eager), only = FLAG(ucx_desc_eager_only), sync = FLAG(ucx_desc_eager_sync);

    switch (kind) {
    case FAKE_UCX_ONLY:
        return eager | only;
    case FAKE_UCX_FIRST:
        return eager;
    case FAKE_UCX_SYNC_ONLY:
        return eager | only | sync;
    case FAKE_UCX_SYNC_FIRST:
        return eager | sync;
    case FAKE_UCX_OFFLOAD_FIRST:
        return eager | FLAG(ucx_desc_eager_offload);
    case FAKE_UCX_RENDEZVOUS:
        break;
    }
    return FLAG(ucx_desc_rndv);
}

/* List 0 is that of the bucket, list 1 the one of all messages. */
void fake_ucx_queue(struct fake_ucx *ucx, fake_ta message)
{
    fake_ta links = AT(message, ucp_recv_desc_t, tag_list);
    uint64_t tag = GET(header_of(ucx, message), ucp_tag_hdr_t, tag);

    append(ucx, ucx->unexpected + fake_ucx_bucket(tag) * SIZE(ucs_list_link_t), links);
    append(ucx, AT(matching(ucx), ucp_tag_match_t, unexpected_all), links + SIZE(ucs_list_link_t));
}

fake_ta fake_ucx_arrive(struct fake_ucx *ucx, uint32_t context, const struct fake_ucx_message *message)
{
    uint64_t tag = fake_ucx_tag(context, message->source, message->tag);
    size_t here = message->kind == FAKE_UCX_RENDEZVOUS ? 0 : message->here != 0 ? message->here : message->bytes;
    fake_ta descriptor = fake_malloc(ucx->job, SIZE(ucp_recv_desc_t) + 64 + here);
    size_t header = put_header(ucx, header_of(ucx, descriptor), tag, message);

    PUT(descriptor, ucp_recv_desc_t, payload_offset, header);
    PUT(descriptor, ucp_recv_desc_t, length, header + here);
    PUT(descriptor, ucp_recv_desc_t, flags, flags_of(ucx, message->kind));
    fake_ucx_queue(ucx, descriptor);
    return descriptor;
}

fake_ta fake_ucx_data(struct fake_ucx *ucx, fake_ta message)
{
    return header_of(ucx, message) + GET(message, ucp_recv_desc_t, payload_offset);
}

void fake_ucx_forget(struct fake_ucx *ucx, fake_ta message)
{
    fake_ta links = AT(message, ucp_recv_desc_t, tag_list);

    unlink_from(ucx, links);
    unlink_from(ucx, links + SIZE(ucs_list_link_t));
}
