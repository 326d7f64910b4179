/* test_dll_ucx_sends.c - the queue of sends of the PML ucx, and sends that only their receiver names. */
#include "fake_test.h"

enum { BUFFER = 0x10000000 };

#define FLAG(name) FAKE_UCX_FLAG(UCX, name)

static struct fake_ucx_send to(int destination, int tag)
{
    return (struct fake_ucx_send){ .destination = destination, .tag = tag, .count = 100, .datatype = JOB->mpi_int,
                                   .buffer = BUFFER, .callback = FAKE_UCX_SEND_NBX };
}

static fake_ta isend(struct fake_ucx_send send)
{
    return fake_ucx_isend(UCX, &JOB->world, &send);
}

static const mqs_pending_operation *sends(size_t n)
{
    return fake_ucx_listed(mqs_pending_sends, n);
}

/* Has the release the newer protocols too? */
static bool has_newer(void)
{
    return FLAG(ucx_proto_send) != 0;
}

static struct fake_described described(unsigned n)
{
    return fake_described(mqs_pending_sends, n);
}

static void assert_progress(unsigned n, enum mqd_progress progress)
{

    assert_int_equal(described(n).is.progress, progress);
}

static void no_send_is_an_empty_queue(void **state)
{
    (void)state;
    (void)sends(0);
}

static void send_tells_what_it_was_started_with(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    for (int newer = 0; newer <= has_newer(); newer++) {
        struct fake_ucx_send send = to(2, 77);
        fake_ta request;
        char address[32];

        send.newer = newer != 0;
        request = isend(send);
        op = sends(1);
        assert_int_equal(op->status, mqs_st_pending);
        assert_int_equal(op->desired_local_rank, 2);
        assert_int_equal(op->desired_global_rank, 2);
        assert_int_equal(op->desired_tag, 77);
        assert_int_equal(op->desired_length, 400);
        assert_int_equal(op->buffer, BUFFER);
        assert_int_equal(op->system_buffer, 0);
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)fake_ucx_ompi(UCX, request));
        assert_true(fake_says(op, address));
        assert_int_equal(described(0).is.kind, MQD_OPERATION_send);
        assert_int_equal(described(0).is.progress, MQD_PROGRESS_unfinished);
        assert_int_equal(described(0).unknown.peer, 0);
        fake_ucx_return(UCX, request);
    }
}

/* Of the older protocols a flag says so; of the newer ones the protocol that was selected. */
static void synchronous_send_tells_whether_it_has_left(void **state)
{

    (void)state;
    for (int newer = 0; newer <= has_newer(); newer++) {
        struct fake_ucx_send send = to(2, 77);
        fake_ta request;

        send.newer = newer != 0;
        send.synchronous = true;
        request = isend(send);
        (void)sends(1);
        assert_int_equal(described(0).is.kind, MQD_OPERATION_ssend);
        assert_int_equal(described(0).is.mode, MQD_MODE_synchronous);
        assert_progress(0, MQD_PROGRESS_unfinished);
        fake_ucx_set_flags(UCX, request, FLAG(ucx_local_completed), true);
        (void)sends(1);
        assert_progress(0, MQD_PROGRESS_unmatched);
        fake_ucx_set_flags(UCX, request, FLAG(ucx_remote_completed), true);
        (void)sends(1);
        assert_progress(0, MQD_PROGRESS_unfinished);
        fake_ucx_return(UCX, request);
    }
}

static void complete_send_is_listed_until_it_is_waited_for(void **state)
{
    fake_ta request = isend(to(3, 5));

    (void)state;
    fake_ucx_set_flags(UCX, request, FLAG(ucx_completed), true);
    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_complete, 1);
    assert_int_equal(sends(1)->status, mqs_st_complete);
    assert_progress(0, MQD_PROGRESS_complete);
    fake_ucx_return(UCX, request);
    (void)sends(0);
    /* The next one takes the element, and has not filled it yet. */
    assert_true(fake_ucx_take(UCX) == request);
    (void)sends(0);
}

static void freed_send_is_listed_until_it_is_complete(void **state)
{
    fake_ta request = isend(to(3, 5));

    (void)state;
    fake_ucx_set_flags(UCX, request, FLAG(ucx_released), true);
    (void)sends(1);
    assert_int_not_equal(described(0).is.freed, 0);
    fake_ucx_set_flags(UCX, request, FLAG(ucx_completed), true);
    (void)sends(0);
}

/* The packed copy is sent; the program's request is complete. */
static void buffered_send_is_in_transit(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    for (int i = FAKE_UCX_BSEND; i <= FAKE_UCX_BSEND_NBX; i++) {
        struct fake_ucx_send send = to(0, 9);
        fake_ta request;

        send.datatype = 0;
        send.callback = (enum fake_ucx_callback)i;
        request = isend(send);
        PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_complete_cb_data, BUFFER);
        op = sends(1);
        assert_int_equal(op->desired_length, 100);
        assert_int_not_equal(op->system_buffer, 0);
        assert_int_equal(described(0).is.kind, MQD_OPERATION_bsend);
        assert_progress(0, MQD_PROGRESS_in_transit);
        fake_ucx_return(UCX, request);
    }
}

static void every_callback_of_the_pml_is_a_send(void **state)
{
    (void)state;
    for (int i = 0; i < FAKE_UCX_N_CALLBACKS; i++) {
        struct fake_ucx_send send = to(2, i + 1);

        send.callback = (enum fake_ucx_callback)i;
        isend(send);
    }
    (void)sends(FAKE_UCX_N_CALLBACKS);
}

/* UCX's own requests, and those of other users of the worker, are in the same pool. */
static void other_requests_of_the_pool_are_no_sends(void **state)
{
    fake_ta foreign = isend(to(2, 1)), without = isend(to(2, 2)), named = isend(to(2, 3));

    (void)state;
    PUT(foreign, ucp_request_t, send_cb, UCX->other_callback);
    fake_ucx_set_flags(UCX, without, FLAG(ucx_callback), false);
    assert_int_equal(sends(1)->desired_tag, 3);
    PUT(named, ucp_request_t, send_cb, 0);
    (void)sends(0);
}

static void send_with_another_workers_endpoint_is_refused(void **state)
{
    const struct fake_queue *queue;
    struct fake_ucx_send send = to(2, 1);

    (void)state;
    send.endpoint = fake_ucx_endpoint_new(UCX);
    PUT(send.endpoint, ucp_ep_t, worker, UCX->worker + 64);
    isend(send);
    isend(to(2, 2));
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_sends);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_tag, 2);
    assert_int_equal(EXTENSION->reason_of(queue->error), MQD_REASON_damaged);
}

static void send_as_another_rank_is_refused(void **state)
{
    const struct fake_queue *queue;
    struct fake_ucx_send send = to(2, 1);
    fake_ta request;

    (void)state;
    send.callback = FAKE_UCX_SEND_EMPTY;
    request = isend(send);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(0, 0, 1));
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_sends);
    assert_int_equal(queue->n, 0);
    assert_int_equal(EXTENSION->reason_of(queue->error), MQD_REASON_damaged);
}

static void send_on_a_communicator_that_is_not_there_is_told(void **state)
{
    const struct fake_queue *queue;
    fake_ta request = isend(to(2, 1));

    (void)state;
    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_mpi_object, BUFFER);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(77, 1, 1));
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_sends);
    assert_int_equal(queue->n, 0);
    assert_int_equal(EXTENSION->reason_of(queue->error), MQD_REASON_damaged);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(77, 1, -9));
    (void)sends(0);
}

/* The newer protocols use the place of the tag for the receiver's answer. Open MPI's request has the communicator. */
static void answered_send_is_matched_and_its_tag_not_known(void **state)
{
    struct fake_ucx_send send = to(2, 77);
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    if (!has_newer())
        return;
    send.newer = true;
    request = isend(send);
    PUT(request, ucp_request_t, send_tag, 0x7f12345678c0);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_matched);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_tag, -1);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_length, 400);
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_transfer);
    assert_int_equal(described(0).unknown.tag, 1);
    assert_int_equal(described(0).unknown.peer, 0);
}

/* An answer may look like a tag: one without an address is tag 0 from rank 0 in MPI_COMM_WORLD. The protocol tells that it is an answer. */
static void answer_that_looks_like_a_tag_is_none(void **state)
{
    struct fake_ucx_send send = to(2, 77);
    fake_ta request, protocol;

    (void)state;
    if (!has_newer())
        return;
    send.newer = true;
    request = isend(send);
    protocol = GET(request, ucp_request_t, send_proto);
    PUT(protocol, ucp_proto_config_t, operation, FLAG(ucx_operation_sync) + 1);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(0, 1, 0));
    assert_int_equal(sends(1)->desired_tag, -1);
    assert_int_equal(sends(1)->status, mqs_st_matched);
    /* A send with that tag is one. */
    PUT(protocol, ucp_proto_config_t, operation, 0);
    assert_int_equal(sends(1)->desired_tag, 0);
}

/* The older protocols use it too, for the receiver's address. */
static void send_whose_receiver_has_answered_has_no_tag(void **state)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 3, 1, 2 }, 3);
    struct fake_comm comm = fake_comm_new(JOB, 5, "sub", group, group);
    struct fake_ucx_send send = to(2, 1234);
    const struct fake_queue *queue;

    (void)state;
    for (int i = 0; i < 3; i++) {
        /* The last two have the number of a communicator that is there; none has my rank in it. */
        uint64_t tags[] = { 0x7f1463fff010, 0x7f1463f00000, 0x7f1400200005 };
        fake_ta request = fake_ucx_isend(UCX, &comm, &send);

        PUT(request, ucp_request_t, send_tag, tags[i]);
        assert_int_equal(fake_look(&fake), mqs_ok);
        queue = fake_queue(&fake, 5, mqs_pending_sends);
        assert_int_equal(queue->error, mqs_ok);
        assert_int_equal(queue->n, 1);
        assert_int_equal(queue->operations[0].desired_local_rank, 2);
        assert_int_equal(queue->operations[0].desired_tag, -1);
        assert_int_equal(queue->operations[0].desired_length, 400);
        assert_int_equal(queue->operations[0].buffer, BUFFER);
        assert_true(fake_says(&queue->operations[0], "not known: tag"));
        fake_ucx_return(UCX, request);
    }
}

/* A persistent request has the tag of its own. */
static void persistent_send_whose_receiver_has_answered_has_its_tag(void **state)
{
    struct fake_ucx_send send = to(2, 31);
    fake_ta persistent, request;

    (void)state;
    send.callback = FAKE_UCX_PSEND;
    persistent = fake_ucx_send_init(UCX, &JOB->world, &send, FAKE_STANDARD);
    request = fake_ucx_start_send(UCX, persistent, &JOB->world, &send);
    PUT(request, ucp_request_t, send_tag, 0x7f1463fff010);
    assert_int_equal(sends(1)->desired_tag, 31);
}

/* UCX made it when a peer connected first: no process of Open MPI has it. */
static void send_to_an_endpoint_of_nobody_has_no_destination(void **state)
{
    struct fake_ucx_send send = to(2, 1);
    const mqs_pending_operation *op;

    (void)state;
    send.endpoint = fake_ucx_endpoint_new(UCX);
    isend(send);
    op = sends(1);
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_equal(op->desired_tag, 1);
    assert_int_equal(described(0).unknown.peer, 1);
}

/* Ranks of the communicator, not of MPI_COMM_WORLD. */
static void destination_is_a_rank_of_the_communicator(void **state)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 3, 1, 2 }, 3);
    struct fake_comm comm = fake_comm_new(JOB, 5, "sub", group, group);
    struct fake_ucx_send send = to(0, 4);
    const struct fake_queue *queue;

    (void)state;
    fake_ucx_isend(UCX, &comm, &send);
    (void)sends(0);
    queue = fake_queue(&fake, 5, mqs_pending_sends);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_local_rank, 0);
    assert_int_equal(queue->operations[0].desired_global_rank, 3);
}

static void destination_in_an_intercommunicator_is_a_remote_rank(void **state)
{
    fake_ta local = fake_group_of(JOB, (const int[]){ 0, 1 }, 2), remote = fake_group_of(JOB, (const int[]){ 3, 2 }, 2);
    struct fake_comm comm = fake_intercomm_new(JOB, 6, "inter", local, remote);
    struct fake_ucx_send send = to(1, 4);
    const struct fake_queue *queue;

    (void)state;
    fake_ucx_isend(UCX, &comm, &send);
    (void)sends(0);
    queue = fake_queue(&fake, 6, mqs_pending_sends);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_local_rank, 1);
    assert_int_equal(queue->operations[0].desired_global_rank, 2);
}

static void internal_sends_are_hidden_and_shown_on_request(void **state)
{
    (void)state;
    isend(to(2, -12));
    isend(to(2, 3));
    assert_int_equal(sends(1)->desired_tag, 3);
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    (void)sends(2);
}

static void datatype_that_is_not_contiguous_gives_elements(void **state)
{
    fake_ta vector = fake_datatype_new(JOB, "my vector", 24);

    (void)state;
    fake_ucx_make_generic(UCX, vector);
    for (int newer = 0; newer <= has_newer(); newer++) {
        struct fake_ucx_send send = to(2, 1);
        const mqs_pending_operation *op;
        fake_ta request;

        send.datatype = vector;
        send.newer = newer != 0;
        request = isend(send);
        op = sends(1);
        assert_int_equal(op->desired_length, 2400);
        assert_true(fake_says(op, "100 x my vector"));
        /* Before 1.14 the newer protocols did not keep the buffer. */
        assert_int_equal(op->buffer, !send.newer || FAKE_HAS(IMAGE, ucp_request_t, send_iter_start) ? BUFFER : 0);
        fake_ucx_return(UCX, request);
    }
}

static void persistent_send_is_listed_from_its_start_until_it_is_waited_for(void **state)
{
    struct fake_ucx_send send = to(2, 31);
    fake_ta persistent, request;
    const mqs_pending_operation *op;
    char address[32];

    (void)state;
    send.callback = FAKE_UCX_PSEND;
    persistent = fake_ucx_send_init(UCX, &JOB->world, &send, FAKE_SYNCHRONOUS);
    (void)sends(0);
    request = fake_ucx_start_send(UCX, persistent, &JOB->world, &send);
    op = sends(1);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_tag, 31);
    assert_true(fake_says(op, "100 x MPI_INT"));
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)persistent);
    assert_true(fake_says(op, address));
    assert_int_not_equal(described(0).is.persistent, 0);
    fake_ucx_end_persistent(UCX, persistent, request, 0, 0, 0, 0);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_tag, 31);
    assert_int_equal(op->desired_length, 400);
    assert_int_equal(described(0).is.kind, MQD_OPERATION_ssend);
    PUT(persistent, ompi_request_t, req_state, FAKE_INACTIVE);
    (void)sends(0);
}

static void blocking_sends_are_said_to_be_missing(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(1);
    struct mqd_limit_description limit;
    bool told = false;

    (void)state;
    (void)sends(0);
    for (int i = 0; extension->describe_limit(PROCESS, i, &limit) == mqs_ok; i++)
        told |= limit.shown == MQD_SHOWN_sends && limit.reason == MQD_REASON_none &&
                limit.hindrance == MQD_REASON_elsewhere;
    assert_true(told);
}

/* find_send. */

static int find(fake_ta request, mqs_pending_operation *operation)
{
    mqs_taddr_t communicator = 99;
    int rc = EXTENSION->find_send(PROCESS, request, &communicator, operation);

    assert_int_equal(communicator, rc == mqs_ok ? 0 : 99);
    return rc;
}

static void send_that_a_receiver_names_is_found(void **state)
{
    struct mqd_operation_description description;
    mqs_pending_operation operation;
    fake_ta pooled = isend(to(2, 5)), blocking;

    (void)state;
    for (int newer = 0; newer <= has_newer(); newer++) {
        struct fake_ucx_send send = to(3, 6);

        send.newer = newer != 0;
        blocking = fake_ucx_send(UCX, &JOB->world, &send);
        (void)sends(1);
        assert_int_equal(find(blocking, &operation), mqs_ok);
        assert_int_equal(operation.desired_local_rank, 3);
        assert_int_equal(operation.desired_tag, 6);
        assert_int_equal(operation.desired_length, 400);
        assert_int_equal(operation.buffer, BUFFER);
        assert_int_equal(EXTENSION->describe_operation(PROCESS, &description), mqs_ok);
        assert_int_equal(description.progress, MQD_PROGRESS_unmatched);
        assert_int_equal(description.request, blocking);
    }
    assert_int_equal(find(pooled, &operation), mqs_ok);
    assert_int_equal(operation.desired_tag, 5);
    assert_int_equal(EXTENSION->describe_operation(PROCESS, &description), mqs_ok);
    assert_int_equal(description.request, fake_ucx_ompi(UCX, pooled));
}

static void what_is_no_send_is_not_found(void **state)
{
    mqs_pending_operation operation;
    struct fake_ucx_send send = to(3, 6), nobodys = to(3, 7);
    fake_ta stack = fake_image_alloc(IMAGE, UCX->stack, 4096, 16);
    fake_ta complete = fake_ucx_send(UCX, &JOB->world, &send), other = isend(to(2, 5)), pooled = isend(to(2, 5));
    fake_ta posted = fake_ucx_recv(UCX, &JOB->world, &(struct fake_recv){ 2, 1, 1, JOB->mpi_int, BUFFER });
    fake_ta as_another = fake_ucx_send(UCX, &JOB->world, &send), nowhere;

    (void)state;
    nobodys.endpoint = fake_ucx_endpoint_new(UCX);
    nowhere = fake_ucx_send(UCX, &JOB->world, &nobodys);
    fake_ucx_set_flags(UCX, complete, FLAG(ucx_completed), true);
    fake_ucx_set_flags(UCX, pooled, FLAG(ucx_completed), true);
    PUT(fake_ucx_ompi(UCX, pooled), ompi_request_t, req_complete, 1);
    PUT(other, ucp_request_t, send_cb, UCX->other_callback);
    PUT(as_another, ucp_request_t, send_tag, fake_ucx_tag(0, 2, 6));
    (void)sends(1);
    assert_int_equal(find(stack, &operation), mqs_end_of_list);
    assert_int_equal(find(complete, &operation), mqs_end_of_list);
    assert_int_equal(find(pooled, &operation), mqs_end_of_list);
    assert_int_equal(find(other, &operation), mqs_end_of_list);
    assert_int_equal(find(posted, &operation), mqs_end_of_list);
    assert_int_equal(find(as_another, &operation), mqs_end_of_list);
    assert_int_equal(find(nowhere, &operation), mqs_end_of_list);
    assert_int_equal(find(0, &operation), mqs_end_of_list);
    assert_int_equal(find(0x1000, &operation), mqs_end_of_list);
    assert_int_equal(find(UINT64_MAX - 7, &operation), mqs_end_of_list);
}

/* Since 6.0 a send has the index that the communicator has at its receiver. */

static int setup_60(void **state)
{
    fake_ucx_begin(&fake_release_60, *state);
    fake_ucx_decide();
    return 0;
}

static void set_remote_indices(const struct fake_comm *comm, const uint32_t *indices, size_t n)
{
    fake_ta table = fake_malloc(JOB, n * 4);

    for (size_t i = 0; i < n; i++)
        fake_image_put(IMAGE, table + i * 4, 4, indices[i]);
    PUT(comm->ta, ompi_communicator_t, c_index_vec, table);
    PUT(comm->ta, ompi_communicator_t, c_flags,
             GET(comm->ta, ompi_communicator_t, c_flags) & ~(uint64_t)FAKE_COMM_GLOBAL_INDEX);
    PUT(AT(comm->ta, ompi_communicator_t, c_contextid), ompi_comm_extended_cid_t, cid_base,
             0x1234);
}

/* Such a communicator has no index for a unique_id. */
static const struct fake_queue *sends_of(const char *name)
{
    for (size_t i = 0; i < fake.listing.n_comms; i++)
        if (strcmp(fake.listing.comms[i].communicator.name, name) == 0)
            return &fake.listing.comms[i].queues[mqs_pending_sends];
    fail_msg("%s is not listed", name);
    return NULL;
}

static void receivers_index_leads_to_the_communicator(void **state)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 0, 1, 2, 3 }, 4);
    struct fake_comm comm = fake_comm_new(JOB, 5, "from group", group, group);
    struct fake_ucx_send send = to(2, 4);
    const struct fake_queue *queue;
    fake_ta request;

    (void)state;
    set_remote_indices(&comm, (const uint32_t[]){ 4, 5, 7, 9 }, 4);
    send.remote_context = 7;
    fake_comm_new(JOB, 7, "other", group, group);
    request = fake_ucx_isend(UCX, &comm, &send);
    (void)sends(0);
    assert_int_equal(sends_of("other")->n, 0);
    queue = sends_of("from group");
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_local_rank, 2);
    /* What the request states may be stale. Then only the index tells: 9 is that of one communicator at one member. */
    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_mpi_object, JOB->world.ta);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(9, 1, 4));
    PUT(request, ucp_request_t, send_ep, UCX->endpoints[3]);
    (void)sends(0);
    assert_int_equal(sends_of("from group")->n, 1);
    /* An index that no communicator has there is not guessed. */
    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_mpi_object, BUFFER);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(8, 1, 4));
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(sends_of("from group")->n, 0);
    assert_int_equal(EXTENSION->reason_of(sends_of("from group")->error), MQD_REASON_damaged);
}

static void send_of_a_communicator_of_the_same_index_is_found_without_a_table(void **state)
{
    struct fake_ucx_send send = to(2, 4);

    (void)state;
    isend(send);
    assert_int_equal(sends(1)->desired_local_rank, 2);
}

int main(void)
{
#define TEST(function, build) { #function ", " #build, function, fake_ucx_setup, fake_teardown, (void *)&build }
#define TESTS(build) \
    TEST(no_send_is_an_empty_queue, build), TEST(send_tells_what_it_was_started_with, build), \
        TEST(synchronous_send_tells_whether_it_has_left, build), \
        TEST(complete_send_is_listed_until_it_is_waited_for, build), \
        TEST(freed_send_is_listed_until_it_is_complete, build), TEST(buffered_send_is_in_transit, build), \
        TEST(every_callback_of_the_pml_is_a_send, build), TEST(other_requests_of_the_pool_are_no_sends, build), \
        TEST(send_with_another_workers_endpoint_is_refused, build), TEST(send_as_another_rank_is_refused, build), \
        TEST(send_on_a_communicator_that_is_not_there_is_told, build), \
        TEST(send_whose_receiver_has_answered_has_no_tag, build), \
        TEST(persistent_send_whose_receiver_has_answered_has_its_tag, build), \
        TEST(answered_send_is_matched_and_its_tag_not_known, build), \
        TEST(answer_that_looks_like_a_tag_is_none, build), \
        TEST(send_to_an_endpoint_of_nobody_has_no_destination, build), \
        TEST(destination_is_a_rank_of_the_communicator, build), \
        TEST(destination_in_an_intercommunicator_is_a_remote_rank, build), \
        TEST(internal_sends_are_hidden_and_shown_on_request, build), \
        TEST(datatype_that_is_not_contiguous_gives_elements, build), \
        TEST(persistent_send_is_listed_from_its_start_until_it_is_waited_for, build), \
        TEST(blocking_sends_are_said_to_be_missing, build), TEST(send_that_a_receiver_names_is_found, build), \
        TEST(what_is_no_send_is_not_found, build)
#define TEST_60(function) { #function, function, setup_60, fake_teardown, (void *)&fake_ucx_118_assert }
    const struct CMUnitTest tests[] = {
        TESTS(fake_ucx_106), TESTS(fake_ucx_110), TESTS(fake_ucx_113), TESTS(fake_ucx_113_assert),
        TESTS(fake_ucx_118), TESTS(fake_ucx_118_assert), TESTS(fake_ucx_122),
        TEST_60(receivers_index_leads_to_the_communicator),
        TEST_60(send_of_a_communicator_of_the_same_index_is_found_without_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
