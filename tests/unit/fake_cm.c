/* fake_cm.c - the PML cm and the MTL ofi in a fake job. */
#include "fake_cm.h"

#define PUT(object, type, member, value) FAKE_PUT(&job->image, object, type, member, value)
#define GET(object, type, member) FAKE_GET(&job->image, object, type, member)
#define AT(object, type, member) FAKE_AT(&job->image, object, type, member)
#define SIZE(type) FAKE_SIZE(&job->image, type)

/* Values of Open MPI and libfabric. */
enum { PENDING = 0, COMPLETED = 1, COMMITTED = 4, OFI_RECV = 1, FIRST_WITH_MASKS = 400 };
#define ANY_ADDRESS UINT64_MAX

static void init_lists(struct fake_job *job, size_t mtl_bytes)
{
    fake_free_list_init(job, job->send_requests, FAKE_TYPE_mca_pml_cm_hvy_send_request_t,
                        SIZE(mca_pml_cm_hvy_send_request_t) + mtl_bytes);
    fake_free_list_init(job, job->recv_requests, FAKE_TYPE_mca_pml_cm_hvy_recv_request_t,
                        SIZE(mca_pml_cm_hvy_recv_request_t) + mtl_bytes);
    fake_free_list_grow(job, job->send_requests, job->options.initial);
    fake_free_list_grow(job, job->recv_requests, job->options.initial);
    fake_select_pml(job, "cm");
}

void fake_cm_init(struct fake_job *job)
{
    init_lists(job, 0);
}

static void pointer_to(struct fake_job *job, const char *symbol, fake_ta target)
{
    fake_image_put_pointer(&job->image, fake_symbol(job, symbol, job->mpi, 8), target);
}

static void put_masks(struct fake_job *job, fake_ta module, enum fake_ofi_tags tags)
{
    int tag_bits = tags == FAKE_OFI_TAG_2 ? 20 : 32;
    uint64_t sources = 0x3ffff;

    PUT(module, mca_mtl_ofi_module_t, fi_cq_data, tags == FAKE_OFI_BY_ADDRESS);
    PUT(module, mca_mtl_ofi_module_t, mpi_tag_mask, (UINT64_C(1) << tag_bits) - 1);
    if (tags == FAKE_OFI_BY_ADDRESS)
        return;
    PUT(module, mca_mtl_ofi_module_t, num_bits_mpi_tag, tag_bits);
    PUT(module, mca_mtl_ofi_module_t, num_bits_source_rank, 18);
    PUT(module, mca_mtl_ofi_module_t, source_rank_mask, sources);
    PUT(module, mca_mtl_ofi_module_t, source_rank_tag_mask, sources << (tag_bits + 2));
}

void fake_ofi_init(struct fake_job *job, enum fake_ofi_tags tags, struct fake_ofi *ofi)
{
    size_t bytes = SIZE(ompi_mtl_ofi_request_t) - SIZE(mca_mtl_request_t);

    *ofi = (struct fake_ofi){ .tags = tags };
    ofi->module = fake_image_alloc(&job->image, job->mpi, SIZE(mca_mtl_ofi_module_t), 64);
    fake_image_zero(&job->image, ofi->module, SIZE(mca_mtl_ofi_module_t));
    ofi->component = fake_image_alloc(&job->image, job->mpi, SIZE(mca_base_component_t), 64);
    PUT(AT(ofi->module, mca_mtl_ofi_module_t, base), mca_mtl_base_module_t, mtl_request_size, bytes);
    PUT(ofi->module, mca_mtl_ofi_module_t, any_addr, ANY_ADDRESS);
    if (job->options.build->family >= FIRST_WITH_MASKS)
        put_masks(job, ofi->module, tags);
    fake_mtl_select(job, ofi, "ofi");
    pointer_to(job, "ompi_mtl", ofi->module);
    pointer_to(job, "ompi_mtl_base_selected_component", ofi->component);
    init_lists(job, bytes);
}

void fake_mtl_select(struct fake_job *job, const struct fake_ofi *ofi, const char *name)
{
    fake_component_set_name(job, ofi->component, name);
}

/* What each request has after MPI_Start, or the call that does not need it. */
static void start(struct fake_job *job, fake_ta request, enum fake_cm_type type, const struct fake_comm *comm,
                  fake_ta datatype, bool persistent)
{
    fake_ta status = AT(request, ompi_request_t, req_status);

    PUT(request, ompi_request_t, req_type, 0);
    PUT(request, ompi_request_t, req_complete, PENDING);
    PUT(request, ompi_request_t, req_state, FAKE_ACTIVE);
    PUT(request, ompi_request_t, req_persistent, persistent);
    PUT(status, ompi_status_public_t, _cancelled, 0);
    PUT(status, ompi_status_public_t, MPI_ERROR, 0);
    PUT(request, mca_pml_cm_request_t, req_pml_complete, 0);
    PUT(request, mca_pml_cm_request_t, req_free_called, 0);
    PUT(request, mca_pml_cm_request_t, req_pml_type, type);
    PUT(request, mca_pml_cm_request_t, req_comm, comm->ta);
    PUT(request, mca_pml_cm_request_t, req_datatype, datatype);
}

static void prepare(struct fake_job *job, fake_ta request, fake_ta datatype, size_t count, fake_ta buffer,
                    uint64_t flags)
{
    fake_ta convertor = AT(request, mca_pml_cm_request_t, req_convertor);

    PUT(convertor, opal_convertor_t, flags, flags);
    PUT(convertor, opal_convertor_t, count, count);
    PUT(convertor, opal_convertor_t, local_size, count * GET(datatype, opal_datatype_t, size));
    PUT(convertor, opal_convertor_t, pBaseBuf, buffer);
}

/* Before 5.0 a contiguous thin send does not prepare its convertor. */
fake_ta fake_cm_isend(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send)
{
    fake_ta request = fake_free_list_take(job, job->send_requests), status = AT(request, ompi_request_t, req_status);
    bool prepared = job->options.build->family >= 500;
    uint64_t true_lb = prepared ? 0 : GET(send->datatype, opal_datatype_t, true_lb);

    start(job, request, FAKE_CM_THIN_SEND, comm, send->datatype, false);
    prepare(job, request, send->datatype, send->count, send->buffer + true_lb, prepared ? COMMITTED : 0);
    PUT(status, ompi_status_public_t, MPI_SOURCE, GET(comm->ta, ompi_communicator_t, c_my_rank));
    PUT(status, ompi_status_public_t, MPI_TAG, send->tag);
    PUT(status, ompi_status_public_t, _ucount, send->count);
    PUT(request, mca_pml_cm_send_request_t, req_send_mode, send->mode);
    return request;
}

static fake_ta heavy_send(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send,
                          bool persistent)
{
    fake_ta request = fake_free_list_take(job, job->send_requests), status = AT(request, ompi_request_t, req_status);

    start(job, request, FAKE_CM_HEAVY_SEND, comm, send->datatype, persistent);
    prepare(job, request, send->datatype, send->count, send->buffer, COMMITTED);
    PUT(status, ompi_status_public_t, MPI_TAG, send->tag);
    PUT(status, ompi_status_public_t, _ucount, send->count);
    PUT(request, mca_pml_cm_send_request_t, req_send_mode, send->mode);
    PUT(request, mca_pml_cm_hvy_send_request_t, req_addr, send->buffer);
    PUT(request, mca_pml_cm_hvy_send_request_t, req_count,
        send->count * GET(send->datatype, opal_datatype_t, size));
    PUT(request, mca_pml_cm_hvy_send_request_t, req_peer, send->destination);
    PUT(request, mca_pml_cm_hvy_send_request_t, req_tag, send->tag);
    return request;
}

fake_ta fake_cm_send_start(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send)
{
    return heavy_send(job, comm, send, true);
}

fake_ta fake_cm_ibsend(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send,
                       fake_ta attached)
{
    fake_ta request = heavy_send(job, comm, send, false);
    size_t bytes = send->count * GET(send->datatype, opal_datatype_t, size);

    PUT(request, mca_pml_cm_hvy_send_request_t, req_buff, attached);
    prepare(job, request, job->mpi_byte, bytes, attached, COMMITTED);
    fake_cm_complete_for_mpi(job, request);
    return request;
}

static void start_receive(struct fake_job *job, fake_ta request, enum fake_cm_type type, const struct fake_comm *comm,
                          const struct fake_recv *recv, bool persistent)
{
    start(job, request, type, comm, recv->datatype, persistent);
    prepare(job, request, recv->datatype, recv->count, recv->buffer, COMMITTED);
    PUT(AT(request, ompi_request_t, req_status), ompi_status_public_t, MPI_TAG, FAKE_ANY);
}

fake_ta fake_cm_irecv(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv)
{
    fake_ta request = fake_free_list_take(job, job->recv_requests);

    start_receive(job, request, FAKE_CM_THIN_RECV, comm, recv, false);
    PUT(AT(request, mca_pml_cm_thin_recv_request_t, req_mtl), mca_mtl_request_t, ompi_req, request);
    return request;
}

fake_ta fake_cm_recv_start(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv)
{
    fake_ta request = fake_free_list_take(job, job->recv_requests);

    start_receive(job, request, FAKE_CM_HEAVY_RECV, comm, recv, true);
    PUT(request, mca_pml_cm_hvy_recv_request_t, req_addr, recv->buffer);
    PUT(request, mca_pml_cm_hvy_recv_request_t, req_count, recv->count);
    PUT(request, mca_pml_cm_hvy_recv_request_t, req_peer, recv->source);
    PUT(request, mca_pml_cm_hvy_recv_request_t, req_tag, recv->tag);
    return request;
}

fake_ta fake_ofi_part(const struct fake_job *job, fake_ta request)
{
    return AT(request, mca_pml_cm_thin_recv_request_t, req_mtl);
}

/* The bits that a message must have; those that do not count are 0. */
static uint64_t bits_of(const struct fake_ofi *ofi, uint32_t context, const struct fake_recv *recv)
{
    uint64_t tag = recv->tag == FAKE_ANY ? 0 : (uint64_t)(int64_t)recv->tag;
    uint64_t source = recv->source == FAKE_ANY ? 0 : (uint64_t)recv->source;

    if (ofi->tags == FAKE_OFI_BY_ADDRESS)
        return (uint64_t)context << 34 | (tag & 0xffffffff);
    if (ofi->tags == FAKE_OFI_TAG_1)
        return (uint64_t)context << 52 | source << 34 | (tag & 0xffffffff);
    return (uint64_t)context << 40 | source << 22 | (tag & 0xfffff);
}

fake_ta fake_ofi_irecv(struct fake_job *job, const struct fake_ofi *ofi, const struct fake_comm *comm,
                       const struct fake_recv *recv, uint64_t source_address)
{
    fake_ta request = fake_cm_irecv(job, comm, recv), part = fake_ofi_part(job, request);
    bool has_address = ofi->tags == FAKE_OFI_BY_ADDRESS && recv->source != FAKE_ANY;

    PUT(part, ompi_mtl_ofi_request_t, type, OFI_RECV);
    PUT(part, ompi_mtl_ofi_request_t, comm, comm->ta);
    PUT(part, ompi_mtl_ofi_request_t, length, recv->count * GET(recv->datatype, opal_datatype_t, size));
    PUT(part, ompi_mtl_ofi_request_t, convertor, AT(request, mca_pml_cm_request_t, req_convertor));
    PUT(part, ompi_mtl_ofi_request_t, req_started, 0);
    PUT(part, ompi_mtl_ofi_request_t, match_bits, bits_of(ofi, comm->id, recv));
    PUT(part, ompi_mtl_ofi_request_t, remote_addr, has_address ? source_address : ANY_ADDRESS);
    return request;
}

void fake_cm_complete_for_mpi(struct fake_job *job, fake_ta request)
{
    PUT(request, ompi_request_t, req_complete, COMPLETED);
}

void fake_cm_complete(struct fake_job *job, fake_ta request)
{
    fake_cm_complete_for_mpi(job, request);
    PUT(request, mca_pml_cm_request_t, req_pml_complete, 1);
}

void fake_cm_recv_complete(struct fake_job *job, fake_ta request, int source, int tag, size_t bytes, int error)
{
    fake_status_put(job, request, &(struct fake_status){ source, tag, error, false, bytes });
    fake_cm_complete(job, request);
}

/* The MTL ofi leaves the tag that was asked for in the status. */
void fake_cm_recv_cancel(struct fake_job *job, fake_ta request, int tag)
{
    fake_ta status = AT(request, ompi_request_t, req_status);

    PUT(status, ompi_status_public_t, MPI_SOURCE, 0);
    PUT(status, ompi_status_public_t, MPI_TAG, tag);
    PUT(status, ompi_status_public_t, _cancelled, 1);
    fake_cm_complete(job, request);
}

fake_ta fake_ofi_endpoint(struct fake_job *job, fake_ta proc, int slot, uint64_t address)
{
    fake_ta endpoint = fake_malloc(job, SIZE(mca_mtl_ofi_endpoint_t));
    size_t pointer = job->options.build->pointer_size;

    fake_construct(job, endpoint, FAKE_TYPE_mca_mtl_ofi_endpoint_t);
    PUT(endpoint, mca_mtl_ofi_endpoint_t, peer_fiaddr, address);
    fake_image_put_pointer(&job->image, AT(proc, ompi_proc_t, endpoints) + (size_t)slot * pointer, endpoint);
    return endpoint;
}
