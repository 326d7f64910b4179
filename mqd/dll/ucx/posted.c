/* posted.c - walks the queues of posted receives. */
#include "mqd/dll/ucx/posted.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/ucx/envelope.h"
#include "mqd/dll/ucx/request.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* All queues of a process together have fewer elements; more is a damaged one. */
#define MAX_POSTED ((uint64_t)1 << 26)

struct posted {
    struct mqd_process *process;
    const struct mqd_ucx *ucx;
    struct mqd_ucx_matching matching;
    uint64_t n, n_most;
    enum mqd_rc (*visit)(struct mqd_ucx_request *request, bool on_stack, void *context);
    void *context;
};

/* Can a receive of Open MPI with these members be in the queue of this bucket (UINT32_MAX: of the wildcards)? */
static bool belongs_there(const struct posted *posted, uint32_t bucket, const struct mqd_ucx_request *request)
{
    const struct mqd_process *process = posted->process;
    bool is_specific = request->mask == UINT64_MAX;

    return request->is_receive && request->is_written && !mqd_ucx_has(process, MQD_CONSTANT_ucx_completed, request) &&
           mqd_ucx_wild_of(process, request->mask).possible && request->worker_ta == posted->ucx->worker_ta &&
           request->sequence < posted->matching.sequence && is_specific == (bucket != UINT32_MAX) &&
           (!is_specific || mqd_ucx_bucket(process, request->tag) == bucket);
}

/* The first member of a queue's element is the link to the next one. */
static enum mqd_rc visit_queue(mqd_taddr element_ta, mqd_taddr end_ta, uint32_t bucket, void *context)
{
    struct posted *posted = context;
    mqd_taddr offset = posted->process->layout.paths[MQD_PATH_ucx_recv_element].offset;
    struct mqd_circle circle = {0};
    enum mqd_rc rc = MQD_OK;

    while (rc == MQD_OK && posted->n < posted->n_most) {
        struct mqd_ucx_request read, *request = mqd_vector_find(&posted->ucx->pool, element_ta - offset);
        bool on_stack = request == NULL;

        if (element_ta == 0 || ++posted->n > MAX_POSTED || mqd_circle_closes(&circle, element_ta))
            return MQD_RC_ucx_bad_request;
        if (on_stack) {
            request = &read;
            rc = mqd_ucx_request_read(posted->process, element_ta - offset, request);
        }
        if (rc != MQD_OK)
            return rc == MQD_RC_unreadable ? MQD_RC_ucx_bad_request : rc;
        if (!belongs_there(posted, bucket, request))
            return MQD_RC_ucx_bad_request;
        rc = posted->visit(request, on_stack, posted->context);
        if (element_ta == end_ta)
            return rc;
        element_ta = request->next_ta;
    }
    return rc;
}

enum mqd_rc mqd_ucx_visit_posted(struct mqd_process *process, const struct mqd_ucx *ucx, uint64_t n_most,
                                 enum mqd_rc (*visit)(struct mqd_ucx_request *request, bool on_stack, void *context),
                                 void *context)
{
    struct posted posted = {.process = process, .ucx = ucx, .n_most = n_most, .visit = visit, .context = context};
    enum mqd_rc rc = mqd_ucx_matching_read(process, ucx, &posted.matching);

    if (rc == MQD_OK)
        rc = mqd_ucx_visit_queues(process, &posted.matching, visit_queue, &posted);
    return rc;
}
