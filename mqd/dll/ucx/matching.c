/* matching.c - reads the heads of UCX's tag matching. */
#include "mqd/dll/ucx/matching.h"

#include "mqd/dll/banned.h"

/* A larger table of buckets is none of UCX's. */
enum { MAX_BUCKETS = 65536 };

/* UCX rounds the size of both tables up, because an index is the bitwise difference of two remainders. */
static uint32_t round_up_to_power(uint64_t n)
{
    uint32_t power = 1;

    while (power < n)
        power *= 2;
    return power;
}

/* Where a member lies that is itself a struct. */
static mqd_taddr place_in(struct mqd_view *view, enum mqd_path_id path)
{
    struct mqd_view inner = mqd_inner(view, path);

    if (view->rc == MQD_OK)
        view->rc = inner.rc;
    return inner.ta;
}

static uint64_t hash_size(const struct mqd_process *process)
{
    const struct mqd_constant *size = &process->layout.constants[MQD_CONSTANT_ucx_hash_size];

    return size->present && (uint64_t)size->value <= MAX_BUCKETS ? (uint64_t)size->value : 0;
}

enum mqd_rc mqd_ucx_matching_read(struct mqd_process *process, const struct mqd_ucx *ucx,
                                  struct mqd_ucx_matching *matching)
{
    struct mqd_object worker;
    struct mqd_view *view = &worker.view;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ucp_worker_t, ucx->worker_ta, &worker);

    if (rc != MQD_OK)
        return rc;
    *matching = (struct mqd_ucx_matching){.n_buckets = round_up_to_power(hash_size(process))};
    matching->wild_ta = place_in(view, MQD_PATH_ucx_wildcard);
    matching->all_ta = place_in(view, MQD_PATH_ucx_unexpected_all);
    matching->expected_ta = mqd_uint(view, MQD_PATH_ucx_expected_hash);
    matching->unexpected_ta = mqd_uint(view, MQD_PATH_ucx_unexpected_hash);
    matching->sequence = mqd_uint(view, MQD_PATH_ucx_expected_sn);
    matching->n_posted = mqd_uint(view, MQD_PATH_ucx_expected_count);
    matching->offload =
        mqd_uint(view, MQD_PATH_ucx_offload_iface) != 0 || mqd_uint(view, MQD_PATH_ucx_offload_ifaces) != 0;
    if (view->rc != MQD_OK)
        return view->rc;
    return hash_size(process) > 0 ? MQD_OK : mqd_rc_unknown_constant(MQD_CONSTANT_ucx_hash_size);
}

uint32_t mqd_ucx_bucket(const struct mqd_process *process, uint64_t tag)
{
    uint64_t size = hash_size(process);

    return size > 0 ? (uint32_t)((tag & UINT32_MAX) % size ^ (tag >> 32) % size) : 0;
}

/* A walk through the heads of all queues. */
struct walk {
    struct mqd_process *process;
    uint64_t n_counted;
    enum mqd_rc (*visit)(mqd_taddr head_ta, mqd_taddr end_ta, uint32_t bucket, void *context);
    void *context;
};

/* The end of an empty queue is the queue itself; what its head then is nobody sets. */
static enum mqd_rc visit_queue(struct walk *walk, struct mqd_view *queue, uint32_t bucket)
{
    mqd_taddr own_ta = place_in(queue, MQD_PATH_ucx_bucket_queue);
    mqd_taddr head_ta = mqd_uint(queue, MQD_PATH_ucx_bucket_head), end_ta = mqd_uint(queue, MQD_PATH_ucx_bucket_tail);
    uint64_t n = mqd_uint(queue, MQD_PATH_ucx_bucket_count);

    if (queue->rc != MQD_OK)
        return queue->rc;
    walk->n_counted += n;
    if (end_ta == own_ta)
        return n == 0 ? MQD_OK : MQD_RC_ucx_changing;
    if (head_ta == 0 || end_ta == 0)
        return MQD_RC_ucx_changing;
    return walk->visit != NULL ? walk->visit(head_ta, end_ta, bucket, walk->context) : MQD_OK;
}

/* Reads an array of n objects of one type, and gives each to `visit`. */
static enum mqd_rc visit_array(struct mqd_process *process, enum mqd_type_id type, mqd_taddr ta, uint32_t n,
                               enum mqd_rc (*visit)(struct mqd_view *element, uint32_t i, void *context),
                               void *context)
{
    size_t size = process->layout.type_size[type];
    unsigned char *bytes;
    enum mqd_rc rc;

    if (size == 0 || size > MQD_OBJECT_BYTES)
        return MQD_RC_ucx_no_table;
    bytes = dbgr_alloc(n * size);
    if (bytes == NULL)
        return MQD_RC_no_memory;
    rc = mqd_read_block(process, ta, n * size, bytes);
    for (uint32_t i = 0; i < n && rc == MQD_OK; i++) {
        struct mqd_view element = {
            .process = process, .bytes = bytes + i * size, .n_bytes = size, .ta = ta + i * size};

        rc = visit(&element, i, context);
    }
    dbgr_release(bytes);
    return rc;
}

static enum mqd_rc visit_bucket(struct mqd_view *queue, uint32_t i, void *context)
{
    return visit_queue(context, queue, i);
}

enum mqd_rc mqd_ucx_visit_queues(struct mqd_process *process, const struct mqd_ucx_matching *matching,
                                 enum mqd_rc (*visit)(mqd_taddr head_ta, mqd_taddr end_ta, uint32_t bucket,
                                                      void *context),
                                 void *context)
{
    struct walk walk = {.process = process, .visit = visit, .context = context};
    struct mqd_object wild;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ucp_request_queue_t, matching->wild_ta, &wild);

    if (rc == MQD_OK)
        rc = visit_queue(&walk, &wild.view, UINT32_MAX);
    if (rc == MQD_OK)
        rc = visit_array(process, MQD_TYPE_ucp_request_queue_t, matching->expected_ta, matching->n_buckets,
                         visit_bucket, &walk);
    if (rc == MQD_OK && walk.n_counted != matching->n_posted)
        return MQD_RC_ucx_changing;
    return rc;
}

/* How many lists that are not empty are followed to their first element and back. */
enum { MAX_LISTS_FOLLOWED = 16 };

/* How many lists have been followed, and in which process. */
struct following {
    struct mqd_process *process;
    unsigned n;
};

static enum mqd_rc test_list(struct mqd_view *head, uint32_t i, void *context)
{
    struct following *following = context;
    mqd_taddr next_ta = mqd_uint(head, MQD_PATH_ucx_link_next), prev_ta = mqd_uint(head, MQD_PATH_ucx_link_prev);
    struct mqd_object next;
    enum mqd_rc rc;

    (void)i;
    if (head->rc != MQD_OK || (next_ta == head->ta) != (prev_ta == head->ta) || next_ta == 0 || prev_ta == 0)
        return head->rc != MQD_OK ? head->rc : MQD_RC_ucx_changing;
    if (next_ta == head->ta || ++following->n > MAX_LISTS_FOLLOWED)
        return MQD_OK;
    rc = mqd_read_object(following->process, MQD_TYPE_ucs_list_link_t, next_ta, &next);
    if (rc == MQD_OK && mqd_uint(&next.view, MQD_PATH_ucx_link_prev) != head->ta)
        rc = MQD_RC_ucx_changing;
    return rc;
}

enum mqd_rc mqd_ucx_test_lists(struct mqd_process *process, const struct mqd_ucx_matching *matching)
{
    struct following following = {.process = process};
    struct mqd_object all;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ucs_list_link_t, matching->all_ta, &all);

    if (rc == MQD_OK)
        rc = test_list(&all.view, 0, &following);
    if (rc == MQD_OK)
        rc = visit_array(process, MQD_TYPE_ucs_list_link_t, matching->unexpected_ta, matching->n_buckets, test_list,
                         &following);
    return rc;
}
