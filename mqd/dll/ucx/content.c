/* content.c - tests what the members of receives and messages hold. */
#include "mqd/dll/ucx/content.h"

#include "mqd/dll/ucx/callbacks.h"
#include "mqd/dll/ucx/envelope.h"
#include "mqd/dll/ucx/message.h"
#include "mqd/dll/ucx/pool.h"
#include "mqd/dll/ucx/posted.h"
#include "mqd/dll/ucx/request.h"
#include "mqd/dll/banned.h"

/* A wrong layout is refuted by the first one nearly always. When they are listed all are tested. */
enum { N_TESTED = 16 };

static enum mqd_rc count(struct mqd_ucx_request *request, bool on_stack, void *context)
{
    unsigned *n = context;

    (void)request;
    (void)on_stack;
    ++*n;
    return MQD_OK;
}

enum mqd_finding mqd_ucx_test_receives(struct mqd_process *process, const struct mqd_ucx *ucx)
{
    unsigned n = 0;
    enum mqd_rc rc = mqd_ucx_visit_posted(process, ucx, N_TESTED, count, &n);

    if (rc == MQD_RC_ucx_bad_request)
        return MQD_FINDING_failed;
    return n > 0 && rc == MQD_OK ? MQD_FINDING_passed : MQD_FINDING_not_possible;
}

/* Is a link of a bucket's list its head? Then the bucket is that of the tag. */
static bool is_in_bucket(const struct mqd_process *process, const struct mqd_ucx_matching *matching,
                         mqd_taddr link_ta, uint64_t tag)
{
    mqd_taddr size = process->layout.type_size[MQD_TYPE_ucs_list_link_t];

    if (link_ta < matching->unexpected_ta || link_ta >= matching->unexpected_ta + matching->n_buckets * size)
        return true;
    return link_ta == matching->unexpected_ta + mqd_ucx_bucket(process, tag) * size;
}

static bool is_right(struct mqd_process *process, const struct mqd_ucx_matching *matching,
                     const struct mqd_ucx_message *message)
{
    return is_in_bucket(process, matching, message->bucket_next_ta, message->tag) &&
           is_in_bucket(process, matching, message->bucket_prev_ta, message->tag);
}

enum mqd_finding mqd_ucx_test_messages(struct mqd_process *process, const struct mqd_ucx *ucx)
{
    struct mqd_vector messages = {.item_size = sizeof(struct mqd_ucx_message)};
    enum mqd_finding finding = MQD_FINDING_not_possible;
    struct mqd_ucx_matching matching;
    enum mqd_rc rc = mqd_ucx_matching_read(process, ucx, &matching);

    if (rc == MQD_OK)
        rc = mqd_ucx_read_messages(process, &matching, N_TESTED, &messages);
    if (rc == MQD_RC_ucx_bad_message)
        finding = MQD_FINDING_failed;
    for (size_t i = 0; i < messages.n_items && finding != MQD_FINDING_failed; i++)
        finding = is_right(process, &matching, mqd_vector_at(&messages, i)) ? MQD_FINDING_passed : MQD_FINDING_failed;
    mqd_vector_release(&messages);
    return finding;
}

/* A search for receives in the pool that are not posted any more. */
struct matched {
    struct mqd_process *process;
    unsigned n_right, n_wrong;
};

/*
 * UCX and Open MPI both keep the envelope of the message that a complete receive has got. One that is not complete has
 * one of Open MPI's callbacks.
 */
static bool is_right_receive(struct mqd_process *process, const struct mqd_ucx_request *request)
{
    struct mqd_ucx_envelope envelope;

    if (!request->completed)
        return mqd_ucx_is_receive_callback(mqd_ucx_of(process), request->callback_ta);
    return mqd_ucx_envelope_of(process, request->arrived_tag, &envelope) == MQD_OK &&
           envelope.source == request->source && envelope.tag == request->mpi_tag &&
           request->arrived_length == request->bytes;
}

/* Does the request have what is_right_receive tests? */
static bool is_telling(const struct mqd_process *process, const struct mqd_ucx_request *request)
{
    if (!request->is_receive || request->cancelled)
        return false;
    return request->completed ? mqd_is(process, MQD_CONSTANT_ucx_ok, request->status)
                              : mqd_ucx_has(process, MQD_CONSTANT_ucx_callback, request);
}

static enum mqd_rc test_matched(struct mqd_view *view, void *context)
{
    struct matched *matched = context;
    struct mqd_process *process = matched->process;
    struct mqd_ucx_request request;

    if (mqd_ucx_request_take(process, view, true, &request) != MQD_OK || !is_telling(process, &request))
        return MQD_OK;
    if (is_right_receive(process, &request))
        matched->n_right++;
    else
        matched->n_wrong++;
    return MQD_OK;
}

enum mqd_finding mqd_ucx_test_matched(struct mqd_process *process, const struct mqd_ucx *ucx)
{
    struct matched matched = {.process = process};
    struct mqd_ucx_pool pool;
    enum mqd_rc rc = mqd_ucx_pool_read(process, ucx, &pool);

    if (rc == MQD_OK)
        rc = mqd_ucx_pool_sweep(process, &pool, test_matched, &matched);
    if (matched.n_wrong > 0)
        return MQD_FINDING_failed;
    return rc == MQD_OK && matched.n_right > 0 ? MQD_FINDING_passed : MQD_FINDING_not_possible;
}
