/*
 * posted.h - the queues of posted receives, element by element.
 */
#ifndef MQD_DLL_UCX_POSTED_H
#define MQD_DLL_UCX_POSTED_H

#include "mqd/dll/ucx/matching.h"

/*
 * Visits up to n_most posted receives, queue by queue. The request is the one in the pool, where ucx->pool has been read
 * and has it; else it is read on its own: then it is on the stack of a blocking call, and `on_stack` is true. What UCX
 * would never have in its queues is MQD_RC_ucx_bad_request, after the receives before it.
 */
enum mqd_rc mqd_ucx_visit_posted(struct mqd_process *process, const struct mqd_ucx *ucx, uint64_t n_most,
                                 enum mqd_rc (*visit)(struct mqd_ucx_request *request, bool on_stack, void *context),
                                 void *context) MQD_CHECKED;

#endif
