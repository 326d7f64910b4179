#include "fake_ucx.h"

#include <string.h>

#define PUT(object, type, member, value) FAKE_PUT(&ucx->job->image, object, type, member, value)
#define GET(object, type, member) FAKE_GET(&ucx->job->image, object, type, member)
#define AT(object, type, member) FAKE_AT(&ucx->job->image, object, type, member)
#define SIZE(type) FAKE_SIZE(&ucx->job->image, type)

/* A worker has more than its table says; what is behind tag matching is not needed. */
enum { WORKER_BYTES = 16384, CONTEXT_BYTES = 4096, ENDPOINT_BYTES = 88, ALIGNMENT = 64, HEADER = 8, PAGES_APART = 7 };

uint64_t fake_ucx_flag(const struct fake_ucx *ucx, enum mqd_constant_id flag)
{
    return ucx->build->constants[flag].present ? (uint64_t)ucx->build->constants[flag].value : 0;
}

void fake_ucx_set_flags(struct fake_ucx *ucx, fake_ta request, uint64_t flags, bool set)
{
    uint64_t old = GET(request, ucp_request_t, flags);

    PUT(request, ucp_request_t, flags, set ? old | flags : old & ~flags);
}

uint64_t fake_ucx_tag(uint32_t context, int source, int tag)
{
    return (uint64_t)(int64_t)tag << 40 | ((uint64_t)(uint32_t)source & 0xfffff) << 20 | (context & 0xfffff);
}

/* The sign of the tag always counts: the tags of collectives are negative. */
uint64_t fake_ucx_mask(int source, int tag)
{
    uint64_t mask = tag == FAKE_ANY ? UINT64_C(0x8000000000000000) : UINT64_C(0xffffff0000000000);

    return mask | (source == FAKE_ANY ? UINT64_C(0xfffff) : UINT64_C(0xffffffffff));
}

uint32_t fake_ucx_bucket(uint64_t tag)
{
    uint32_t low = (uint32_t)tag, high = (uint32_t)(tag >> 32);

    return (low % 1021) ^ (high % 1021);
}

/* The request pool. */

fake_ta fake_ucx_ompi(const struct fake_ucx *ucx, fake_ta request)
{
    return request + SIZE(ucp_request_t);
}

static fake_ta pool_of(const struct fake_ucx *ucx)
{
    return AT(ucx->worker, ucp_worker_t, req_mp);
}

static size_t stride_of(const struct fake_ucx *ucx)
{
    size_t size = HEADER + SIZE(ucp_request_t) + SIZE(ompi_request_t);

    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Open MPI makes its part of each element once, when the pool grows. */
static void construct(struct fake_ucx *ucx, fake_ta request)
{
    fake_ta ompi = fake_ucx_ompi(ucx, request);

    fake_construct(ucx->job, ompi, FAKE_TYPE_ompi_request_t);
    PUT(ompi, ompi_request_t, req_type, 0);
    PUT(ompi, ompi_request_t, req_complete, 0);
    PUT(ompi, ompi_request_t, req_state, FAKE_ACTIVE);
    PUT(ompi, ompi_request_t, req_persistent, 0);
    PUT(ompi, ompi_request_t, req_complete_cb_data, 0);
}

void fake_ucx_return(struct fake_ucx *ucx, fake_ta request)
{
    fake_ta pool = pool_of(ucx), element = request - HEADER;

    PUT(fake_ucx_ompi(ucx, request), ompi_request_t, req_complete, 0);
    PUT(element, ucs_mpool_elem_t, next, GET(pool, ucs_mpool_t, freelist));
    PUT(pool, ucs_mpool_t, freelist, element);
}

/* Requests are aligned, not the headers before them. */
void fake_ucx_grow(struct fake_ucx *ucx, size_t n_elements)
{
    fake_ta chunk = fake_malloc(ucx->job, SIZE(ucs_mpool_chunk_t) + ALIGNMENT + n_elements * stride_of(ucx));
    fake_ta first = (chunk + SIZE(ucs_mpool_chunk_t) + HEADER + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - HEADER;

    PUT(chunk, ucs_mpool_chunk_t, next, GET(ucx->pool_data, ucs_mpool_data_t, chunks));
    PUT(chunk, ucs_mpool_chunk_t, elems, first);
    PUT(chunk, ucs_mpool_chunk_t, num_elems, n_elements);
    PUT(ucx->pool_data, ucs_mpool_data_t, chunks, chunk);
    for (size_t i = n_elements; i-- > 0;) {
        construct(ucx, first + i * stride_of(ucx) + HEADER);
        fake_ucx_return(ucx, first + i * stride_of(ucx) + HEADER);
    }
}

fake_ta fake_ucx_take(struct fake_ucx *ucx)
{
    fake_ta pool = pool_of(ucx), element;

    if (GET(pool, ucs_mpool_t, freelist) == 0)
        fake_ucx_grow(ucx, FAKE_UCX_FIRST_ELEMENTS);
    element = GET(pool, ucs_mpool_t, freelist);
    PUT(pool, ucs_mpool_t, freelist, GET(element, ucs_mpool_elem_t, next));
    PUT(element, ucs_mpool_elem_t, mpool, pool);
    return element + HEADER;
}

static void init_pool(struct fake_ucx *ucx)
{
    fake_ta pool = pool_of(ucx);

    ucx->pool_data = fake_zeros(ucx->job, SIZE(ucs_mpool_data_t));
    PUT(pool, ucs_mpool_t, freelist, 0);
    PUT(pool, ucs_mpool_t, data, ucx->pool_data);
    PUT(ucx->pool_data, ucs_mpool_data_t, elem_size, HEADER + SIZE(ucp_request_t) + SIZE(ompi_request_t));
    PUT(ucx->pool_data, ucs_mpool_data_t, alignment, ALIGNMENT);
    PUT(ucx->pool_data, ucs_mpool_data_t, align_offset, HEADER);
    PUT(ucx->pool_data, ucs_mpool_data_t, elems_per_chunk, 128);
    PUT(ucx->pool_data, ucs_mpool_data_t, quota, 0xffffffff);
    PUT(ucx->pool_data, ucs_mpool_data_t, ops, ucx->operations);
    PUT(ucx->pool_data, ucs_mpool_data_t, name,
        fake_image_put_string(&ucx->job->image, ucx->job->heap, "ucp_requests"));
    fake_ucx_grow(ucx, FAKE_UCX_FIRST_ELEMENTS);
}

/* Tag matching. */

static void init_queue(struct fake_ucx *ucx, fake_ta queue)
{
    fake_ta head = AT(queue, ucp_request_queue_t, queue);

    PUT(head, ucs_queue_head_t, ptail, head);
    PUT(queue, ucp_request_queue_t, sw_count, 0);
    PUT(queue, ucp_request_queue_t, block_count, 0);
}

static void init_list(struct fake_ucx *ucx, fake_ta head)
{
    PUT(head, ucs_list_link_t, next, head);
    PUT(head, ucs_list_link_t, prev, head);
}

static void init_matching(struct fake_ucx *ucx)
{
    fake_ta tm = AT(ucx->worker, ucp_worker_t, tm);

    ucx->expected = fake_malloc(ucx->job, FAKE_UCX_BUCKETS * SIZE(ucp_request_queue_t));
    ucx->unexpected = fake_malloc(ucx->job, FAKE_UCX_BUCKETS * SIZE(ucs_list_link_t));
    init_queue(ucx, AT(tm, ucp_tag_match_t, wildcard));
    init_list(ucx, AT(tm, ucp_tag_match_t, unexpected_all));
    for (unsigned i = 0; i < FAKE_UCX_BUCKETS; i++) {
        init_queue(ucx, ucx->expected + i * SIZE(ucp_request_queue_t));
        init_list(ucx, ucx->unexpected + i * SIZE(ucs_list_link_t));
    }
    PUT(tm, ucp_tag_match_t, expected_hash, ucx->expected);
    PUT(tm, ucp_tag_match_t, unexpected_hash, ucx->unexpected);
    PUT(tm, ucp_tag_match_t, expected_sn, 0);
    PUT(tm, ucp_tag_match_t, sw_all_count, 0);
}

/* Functions, and the code of ucp_get_version: it stores three numbers through its three arguments. */

static void put_version(struct fake_ucx *ucx)
{
    static const unsigned char registers[3] = { 0x07, 0x06, 0x02 };
    fake_ta code = fake_symbol(ucx->job, "ucp_get_version", ucx->so, 32);
    const char *text = ucx->build->version;

    for (int i = 0; i < 3; i++) {
        uint64_t number = 0;

        for (; *text >= '0' && *text <= '9'; text++)
            number = number * 10 + (uint64_t)(*text - '0');
        text += *text == '.';
        fake_image_put(&ucx->job->image, code + (fake_ta)i * 6, 1, 0xc7);
        fake_image_put(&ucx->job->image, code + (fake_ta)i * 6 + 1, 1, registers[i]);
        fake_image_put(&ucx->job->image, code + (fake_ta)i * 6 + 2, 4, number);
    }
}

static void add_functions(struct fake_ucx *ucx)
{
    static const char *const names[FAKE_UCX_N_CALLBACKS] = {
        "mca_pml_ucx_bsend_completion",    "mca_pml_ucx_bsend_nbx_completion", "mca_pml_ucx_send_completion",
        "mca_pml_ucx_send_nbx_completion", "mca_pml_ucx_psend_completion",     "mca_pml_ucx_send_completion_empty",
    };

    for (int i = 0; i < FAKE_UCX_N_CALLBACKS; i++)
        ucx->callbacks[i] = fake_symbol(ucx->job, names[i], ucx->so, 16);
    ucx->recv_callback = fake_symbol(ucx->job, "mca_pml_ucx_recv_nbx_completion", ucx->so, 16);
    ucx->other_callback = fake_image_alloc(&ucx->job->image, ucx->so, 16, 16);
    ucx->operations = fake_symbol(ucx->job, "ucp_request_mpool_ops", ucx->so, 64);
    put_version(ucx);
}

/* Open MPI's part. */

static void init_persistent(struct fake_ucx *ucx)
{
    static const char name[] = "mca_pml_ucx_persistent_request_t";
    fake_ta class = fake_symbol(ucx->job, "mca_pml_ucx_persistent_request_t_class", ucx->so, SIZE(opal_class_t));

    PUT(class, opal_class_t, cls_name, fake_image_put_string(&ucx->job->image, ucx->so, name));
    PUT(class, opal_class_t, cls_parent, ucx->job->classes[FAKE_TYPE_ompi_request_t]);
    PUT(class, opal_class_t, cls_sizeof, SIZE(mca_pml_ucx_persistent_request_t));
    ucx->persistent_class = class;
    ucx->job->classes[FAKE_TYPE_mca_pml_ucx_persistent_request_t] = class;
    fake_free_list_init(ucx->job, AT(ucx->module, mca_pml_ucx_module_t, persistent_reqs),
                        FAKE_TYPE_mca_pml_ucx_persistent_request_t, SIZE(mca_pml_ucx_persistent_request_t));
}

/* mca_pml is a copy of the module that was selected. */
static void init_module(struct fake_ucx *ucx)
{
    fake_ta irecv = fake_symbol(ucx->job, "mca_pml_ucx_irecv", ucx->so, 16);
    fake_ta selected = fake_symbol(ucx->job, "mca_pml", ucx->job->mpi, SIZE(mca_pml_base_module_t));

    ucx->module = fake_symbol(ucx->job, "ompi_pml_ucx", ucx->so, SIZE(mca_pml_ucx_module_t));
    PUT(AT(ucx->module, mca_pml_ucx_module_t, super), mca_pml_base_module_t, pml_irecv, irecv);
    PUT(selected, mca_pml_base_module_t, pml_irecv, irecv);
    PUT(ucx->module, mca_pml_ucx_module_t, ucp_context, ucx->context);
    PUT(ucx->module, mca_pml_ucx_module_t, ucp_worker, ucx->worker);
    PUT(ucx->module, mca_pml_ucx_module_t, request_size, SIZE(ucp_request_t));
    init_persistent(ucx);
    fake_select_pml(ucx->job, "ucx");
    fake_image_set_mapped(&ucx->job->image, ucx->job->ob1_so, false);
}

static void init_context(struct fake_ucx *ucx)
{
    PUT(ucx->context, ucp_context_t, features, 1);
    PUT(ucx->context, ucp_context_t, tag_sender_mask, fake_ucx_mask(0, FAKE_ANY));
    PUT(ucx->context, ucp_context_t, request_size, SIZE(ompi_request_t));
    PUT(ucx->context, ucp_context_t, request_init, fake_symbol(ucx->job, "mca_pml_ucx_request_init", ucx->so, 16));
}

fake_ta fake_ucx_endpoint_new(struct fake_ucx *ucx)
{
    fake_ta endpoint = fake_zeros(ucx->job, ENDPOINT_BYTES);

    PUT(endpoint, ucp_ep_t, worker, ucx->worker);
    return endpoint;
}

/* The process may be one of which only the name is known: it gets an object then. */
static void connect_rank(struct fake_ucx *ucx, int world_rank)
{
    struct fake_job *job = ucx->job;
    fake_ta endpoint = fake_ucx_endpoint_new(ucx), proc = job->procs[world_rank];

    if (proc == 0) {
        proc = fake_proc_new(job, job->options.jobid, (uint32_t)world_rank);
        job->procs[world_rank] = proc;
        fake_group_set(job, job->world.local_group, world_rank, proc);
    }
    fake_image_zero(&job->image, AT(proc, ompi_proc_t, endpoints),
                    SIZE(ompi_proc_t) - (AT(proc, ompi_proc_t, endpoints) - proc));
    fake_image_put_pointer(&job->image, AT(proc, ompi_proc_t, endpoints), endpoint);
    ucx->endpoints[world_rank] = endpoint;
}

void fake_ucx_make_generic(struct fake_ucx *ucx, fake_ta datatype)
{
    fake_ta generic = fake_zeros(ucx->job, SIZE(ucp_dt_generic_t));

    if (ucx->n_generic == FAKE_UCX_MAX_GENERIC)
        fake_die("too many datatypes that are not contiguous");
    PUT(generic, ucp_dt_generic_t, context, datatype);
    ucx->generic[ucx->n_generic].datatype = datatype;
    ucx->generic[ucx->n_generic++].generic = generic;
}

void fake_ucx_init(struct fake_ucx *ucx, struct fake_job *job, const struct fake_build *build)
{
    uint64_t slide = job->options.slide;

    memset(ucx, 0, sizeof *ucx);
    ucx->job = job;
    ucx->build = build;
    job->image.ucx = build;
    ucx->so = fake_image_map(&job->image, 0x7f4000000000 + slide, 0);
    ucx->stack = fake_image_map(&job->image, 0x7ffcab000000 + slide, 0xc3);
    add_functions(ucx);
    ucx->worker = fake_zeros(ucx->job, WORKER_BYTES);
    ucx->context = fake_zeros(ucx->job, CONTEXT_BYTES);
    PUT(ucx->worker, ucp_worker_t, context, ucx->context);
    PUT(ucx->worker, ucp_worker_t, uuid, 0x1122334455667788);
    init_context(ucx);
    init_module(ucx);
    init_pool(ucx);
    init_matching(ucx);
    for (int rank = 0; rank < job->options.n_procs; rank++)
        connect_rank(ucx, rank);
}
