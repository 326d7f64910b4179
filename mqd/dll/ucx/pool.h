/*
 * pool.h - UCX's request pool (ucs_mpool_t). UCX's own requests and those of nonblocking operations are elements of its
 * chunks. An element begins with a header, which leads to the pool while the element is in use.
 */
#ifndef MQD_DLL_UCX_POOL_H
#define MQD_DLL_UCX_POOL_H

#include "mqd/dll/ucx/state.h"

/* What a pool says of its elements. */
struct mqd_ucx_pool {
    mqd_taddr ta;                  /* the ucs_mpool_t */
    mqd_taddr free_ta, chunks_ta, operations_ta;
    uint64_t element_size;         /* header included */
    uint64_t stride;               /* bytes from one element to the next */
    uint64_t header;               /* bytes before the request */
};

/* Reads the pool of the worker, and checks its sizes: MQD_RC_ucx_bad_pool if they are impossible. */
enum mqd_rc mqd_ucx_pool_read(struct mqd_process *process, const struct mqd_ucx *ucx, struct mqd_ucx_pool *pool)
    MQD_CHECKED;

/* One chunk: `ta` is its object, n elements begin at elements_ta. */
struct mqd_ucx_chunk {
    mqd_taddr ta, next_ta, elements_ta;
    uint64_t n;
};
enum mqd_rc mqd_ucx_chunk_read(struct mqd_process *process, const struct mqd_ucx_pool *pool, mqd_taddr ta,
                               struct mqd_ucx_chunk *chunk) MQD_CHECKED;

/* Is there an element whose request lies at this address? */
bool mqd_ucx_pool_has(struct mqd_process *process, const struct mqd_ucx_pool *pool, mqd_taddr request_ta);

/*
 * Visits all elements that are in use. The view that `visit` gets is of the request, without the header, and is valid
 * during the call. A failure of `visit` ends the sweep and is returned. If a chunk cannot be read those before it have
 * been visited, and MQD_RC_ucx_bad_pool is returned.
 */
enum mqd_rc mqd_ucx_pool_sweep(struct mqd_process *process, const struct mqd_ucx_pool *pool,
                               enum mqd_rc (*visit)(struct mqd_view *request, void *context), void *context)
    MQD_CHECKED;

#endif
