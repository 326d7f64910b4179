/*
 * request.h - UCX's requests (ucp_request_t), and Open MPI's requests behind them.
 */
#ifndef MQD_DLL_UCX_REQUEST_H
#define MQD_DLL_UCX_REQUEST_H

#include "mqd/dll/ucx/state.h"

/*
 * Takes out of a view what a request holds. `in_pool`: Open MPI's request follows it. Members that the kind of the
 * request does not have, or that UCX has not written, are 0.
 */
enum mqd_rc mqd_ucx_request_take(struct mqd_process *process, struct mqd_view *view, bool in_pool,
                                 struct mqd_ucx_request *request) MQD_CHECKED;

/* Reads the request at ta, which is on the stack of a blocking call. */
enum mqd_rc mqd_ucx_request_read(struct mqd_process *process, mqd_taddr ta, struct mqd_ucx_request *request)
    MQD_CHECKED;

/*
 * Reads all requests that are in use from the pool into ucx->pool, once. Returns why there are none to be had;
 * ucx->pool_rc says that some are missing.
 */
enum mqd_rc mqd_ucx_read_pool(struct mqd_process *process) MQD_CHECKED;

/* Has the request this flag? False if the release has no such flag. */
static inline bool mqd_ucx_has(const struct mqd_process *process, enum mqd_constant_id flag,
                               const struct mqd_ucx_request *request)
{
    return mqd_has_flag(process, flag, request->flags);
}

/*
 * Is it what an earlier operation has left in the element? UCX takes an element out of the pool before it searches the
 * unexpected messages, and sets its flags after that. A request that UCX has completed is complete for Open MPI too, by
 * the callback. When its handle was freed Open MPI's is pending again.
 */
static inline bool mqd_ucx_is_left_over(const struct mqd_process *process, const struct mqd_ucx_request *request)
{
    return request->ompi_ta != 0 && !request->completed && mqd_ucx_has(process, MQD_CONSTANT_ucx_completed, request);
}

#endif
