/* pool.c - reads UCX's request pool. */
#include "mqd/dll/ucx/pool.h"

#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* A request with Open MPI's behind it has some 500 bytes. */
enum { MAX_ELEMENT_BYTES = 16 * 1024, MAX_ALIGNMENT = 4096 };

/* All pools of a process together have less; a larger number is refused. */
#define MAX_ELEMENTS ((uint64_t)1 << 26)

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

enum mqd_rc mqd_ucx_pool_read(struct mqd_process *process, const struct mqd_ucx *ucx, struct mqd_ucx_pool *pool)
{
    struct mqd_object worker, data;
    uint64_t alignment;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ucp_worker_t, ucx->worker_ta, &worker);

    if (rc != MQD_OK)
        return rc;
    pool->ta = mqd_inner(&worker.view, MQD_PATH_ucx_pool).ta;
    pool->free_ta = mqd_uint(&worker.view, MQD_PATH_ucx_pool_free);
    rc = mqd_read_object(process, MQD_TYPE_ucs_mpool_data_t, mqd_uint(&worker.view, MQD_PATH_ucx_pool_data), &data);
    if (worker.view.rc != MQD_OK || rc != MQD_OK)
        return worker.view.rc != MQD_OK ? worker.view.rc : rc;
    pool->element_size = mqd_uint(&data.view, MQD_PATH_ucx_pool_element_size);
    alignment = mqd_uint(&data.view, MQD_PATH_ucx_pool_alignment);
    pool->chunks_ta = mqd_uint(&data.view, MQD_PATH_ucx_pool_chunks);
    pool->operations_ta = mqd_uint(&data.view, MQD_PATH_ucx_pool_ops);
    pool->header = process->layout.abi.pointer_size;
    if (data.view.rc != MQD_OK)
        return data.view.rc;
    if (pool->element_size <= pool->header || pool->element_size > MAX_ELEMENT_BYTES || !is_power_of_two(alignment) ||
        alignment > MAX_ALIGNMENT)
        return MQD_RC_ucx_bad_pool;
    pool->stride = (pool->element_size + alignment - 1) & ~(alignment - 1);
    return MQD_OK;
}

/* Takes a chunk out of a view of its object. */
static enum mqd_rc take_chunk(struct mqd_view *view, const struct mqd_ucx_pool *pool, struct mqd_ucx_chunk *chunk)
{
    chunk->ta = view->ta;
    chunk->next_ta = mqd_uint(view, MQD_PATH_ucx_chunk_next);
    chunk->elements_ta = mqd_uint(view, MQD_PATH_ucx_chunk_elements);
    chunk->n = mqd_uint(view, MQD_PATH_ucx_chunk_n_elements);
    if (view->rc != MQD_OK)
        return view->rc;
    return chunk->n <= MAX_ELEMENTS && chunk->elements_ta <= UINT64_MAX - chunk->n * pool->stride ? MQD_OK
                                                                                                 : MQD_RC_ucx_bad_pool;
}

enum mqd_rc mqd_ucx_chunk_read(struct mqd_process *process, const struct mqd_ucx_pool *pool, mqd_taddr ta,
                               struct mqd_ucx_chunk *chunk)
{
    struct mqd_object object;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ucs_mpool_chunk_t, ta, &object);

    return rc == MQD_OK ? take_chunk(&object.view, pool, chunk) : rc;
}

/* A sweep in progress. */
struct sweep {
    struct mqd_process *process;
    const struct mqd_ucx_pool *pool;
    enum mqd_rc (*visit)(struct mqd_view *request, void *context);
    void *context;
    unsigned char *piece;          /* MQD_PIECE_BYTES */
};

/* Visits the element at `bytes`, if it is in use. */
static enum mqd_rc visit_element(const struct sweep *sweep, const unsigned char *bytes, mqd_taddr ta)
{
    const struct mqd_ucx_pool *pool = sweep->pool;
    struct mqd_view request = {.process = sweep->process,
                               .bytes = bytes + pool->header,
                               .n_bytes = (size_t)(pool->element_size - pool->header),
                               .ta = ta + pool->header};

    if (mqd_number(sweep->process, bytes, (unsigned)pool->header) != pool->ta)
        return MQD_OK;
    return sweep->visit(&request, sweep->context);
}

/* Visits n elements from the one at `bytes` on. */
static enum mqd_rc visit_elements(const struct sweep *sweep, const unsigned char *bytes, mqd_taddr ta, uint64_t n)
{
    uint64_t stride = sweep->pool->stride;
    enum mqd_rc rc = MQD_OK;

    for (uint64_t i = 0; i < n && rc == MQD_OK; i++)
        rc = visit_element(sweep, bytes + i * stride, ta + i * stride);
    return rc;
}

/* Visits the elements from the first on; reads as many at once as fit into a piece. */
static enum mqd_rc visit_rest(const struct sweep *sweep, const struct mqd_ucx_chunk *chunk, uint64_t first)
{
    uint64_t stride = sweep->pool->stride, n_per_piece = MQD_PIECE_BYTES / stride;
    enum mqd_rc rc = MQD_OK;

    for (; first < chunk->n && rc == MQD_OK; first += n_per_piece) {
        uint64_t n = chunk->n - first < n_per_piece ? chunk->n - first : n_per_piece;
        mqd_taddr ta = chunk->elements_ta + first * stride;

        rc = mqd_read_block(sweep->process, ta, (size_t)((n - 1) * stride + sweep->pool->element_size), sweep->piece);
        if (rc == MQD_OK)
            rc = visit_elements(sweep, sweep->piece, ta, n);
    }
    return rc;
}

/*
 * Reads the chunk at ta and visits its elements. They follow its object, so that the first piece has both: it is read
 * as if it were full. *chunk is valid after MQD_OK.
 */
static enum mqd_rc visit_chunk(const struct sweep *sweep, mqd_taddr ta, struct mqd_ucx_chunk *chunk)
{
    const struct mqd_ucx_pool *pool = sweep->pool;
    struct mqd_view view = {.process = sweep->process, .bytes = sweep->piece, .n_bytes = MQD_PIECE_BYTES, .ta = ta};
    uint64_t lead, n = 0;
    enum mqd_rc rc;

    if (mqd_try_block(sweep->process, ta, MQD_PIECE_BYTES, sweep->piece) != MQD_OK) {
        rc = mqd_ucx_chunk_read(sweep->process, pool, ta, chunk);
        return rc == MQD_OK ? visit_rest(sweep, chunk, 0) : rc;
    }
    rc = take_chunk(&view, pool, chunk);
    if (rc != MQD_OK)
        return rc;
    lead = chunk->elements_ta - ta;
    if (chunk->elements_ta >= ta && lead <= MQD_PIECE_BYTES - pool->element_size) {
        n = (MQD_PIECE_BYTES - pool->element_size - lead) / pool->stride + 1;
        n = n < chunk->n ? n : chunk->n;
        rc = visit_elements(sweep, sweep->piece + lead, chunk->elements_ta, n);
    }
    return rc == MQD_OK ? visit_rest(sweep, chunk, n) : rc;
}

/* A walk through the chunks, whose list has no way back. All zero at the beginning. */
struct walk {
    struct mqd_circle circle;
    uint64_t n_elements;
};

static enum mqd_rc step(struct walk *walk, const struct mqd_ucx_chunk *chunk)
{
    walk->n_elements += chunk->n;
    if (walk->n_elements > MAX_ELEMENTS || (chunk->next_ta != 0 && mqd_circle_closes(&walk->circle, chunk->next_ta)))
        return MQD_RC_ucx_bad_pool;
    return MQD_OK;
}

enum mqd_rc mqd_ucx_pool_sweep(struct mqd_process *process, const struct mqd_ucx_pool *pool,
                               enum mqd_rc (*visit)(struct mqd_view *request, void *context), void *context)
{
    struct sweep sweep = {.process = process, .pool = pool, .visit = visit, .context = context};
    struct walk walk = {.n_elements = 0};
    enum mqd_rc rc = MQD_OK;

    sweep.piece = dbgr_alloc(MQD_PIECE_BYTES);
    if (sweep.piece == NULL)
        return MQD_RC_no_memory;
    for (mqd_taddr ta = pool->chunks_ta; ta != 0 && rc == MQD_OK;) {
        struct mqd_ucx_chunk chunk;

        rc = visit_chunk(&sweep, ta, &chunk);
        if (rc == MQD_OK)
            rc = step(&walk, &chunk);
        if (rc == MQD_OK)
            ta = chunk.next_ta;
    }
    dbgr_release(sweep.piece);
    return rc == MQD_RC_unreadable ? MQD_RC_ucx_bad_pool : rc;
}

/* Does the chunk have an element whose request lies at this address? */
static bool has_request(const struct mqd_ucx_pool *pool, const struct mqd_ucx_chunk *chunk, mqd_taddr request_ta)
{
    mqd_taddr first_ta = chunk->elements_ta + pool->header;

    return request_ta >= first_ta && (request_ta - first_ta) / pool->stride < chunk->n &&
           (request_ta - first_ta) % pool->stride == 0;
}

bool mqd_ucx_pool_has(struct mqd_process *process, const struct mqd_ucx_pool *pool, mqd_taddr request_ta)
{
    struct walk walk = {.n_elements = 0};

    for (mqd_taddr ta = pool->chunks_ta; ta != 0;) {
        struct mqd_ucx_chunk chunk;

        if (mqd_ucx_chunk_read(process, pool, ta, &chunk) != MQD_OK || step(&walk, &chunk) != MQD_OK)
            return false;
        if (has_request(pool, &chunk, request_ta))
            return true;
        ta = chunk.next_ta;
    }
    return false;
}
