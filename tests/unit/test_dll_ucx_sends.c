/* test_dll_ucx_sends.c - the queue of sends of the PML ucx, and sends that only their receiver names. */
#include "fake_test.h"

enum { BUFFER = 0x10000000 };

#define FLAG(name) FAKE_UCX_FLAG(UCX, name)
#define EXPECT(pattern) fake_expect(0, mqs_pending_sends, pattern)
#define EXPECT_ON(unique_id, pattern) fake_expect(unique_id, mqs_pending_sends, pattern)

SUITE(each, fake_ucx_setup, fake_teardown, &fake_ucx_106, &fake_ucx_110, &fake_ucx_113, &fake_ucx_113_assert,
      &fake_ucx_118, &fake_ucx_118_assert, &fake_ucx_122);

static struct fake_ucx_send to(int destination, int tag)
{
    return (struct fake_ucx_send){ .destination = destination, .tag = tag, .count = 100, .datatype = JOB->mpi_int,
                                   .buffer = BUFFER, .callback = FAKE_UCX_SEND_NBX };
}

static fake_ta isend(struct fake_ucx_send send)
{
    return fake_ucx_isend(UCX, &JOB->world, &send);
}

/* By an older protocol, or by a newer one. */
static fake_ta isend_by(bool newer, struct fake_ucx_send send)
{
    send.newer = newer;
    return isend(send);
}

/* Has the release the newer protocols too? */
static bool has_newer(void)
{
    return FLAG(ucx_proto_send) != 0;
}

static struct fake_described described(void)
{
    return fake_described(mqs_pending_sends, 0);
}

/* The only send is pending, and so far. */
static void expect_progress(enum mqd_progress progress)
{
    EXPECT("pending: *\n");
    assert_int_equal(described().is.progress, progress);
}

static void expect_damaged(const char *pattern)
{
    EXPECT(pattern);
    assert_int_equal(EXTENSION->reason_of(fake_queue(&fake, 0, mqs_pending_sends)->error), MQD_REASON_damaged);
}

/* A communicator of ranks 3, 1 and 2. */
static struct fake_comm sub_communicator(void)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 3, 1, 2 }, 3);

    return fake_comm_new(JOB, 5, "sub", group, group);
}

TEST(send_tells_what_it_was_started_with)
{
    EXPECT("");
    for (int newer = 0; newer <= has_newer(); newer++) {
        fake_ta request = isend_by(newer, to(2, 77));

        fake.names.n = 0;
        fake_name(&fake.names, "send", 1, fake_ucx_ompi(UCX, request));
        EXPECT("pending: peer 2, tag 77, 400 bytes at 0x10000000; Send, request send1; 400 bytes; *\n");
        assert_int_equal(described().is.progress, MQD_PROGRESS_unfinished);
        fake_ucx_return(UCX, request);
    }
}

/* Of the older protocols a flag says so; of the newer ones the protocol that was selected. */
TEST(synchronous_send_tells_whether_it_has_left)
{
    for (int newer = 0; newer <= has_newer(); newer++) {
        struct fake_ucx_send send = to(2, 77);
        fake_ta request;

        send.synchronous = true;
        request = isend_by(newer, send);
        expect_progress(MQD_PROGRESS_unfinished);
        assert_int_equal(described().is.kind, MQD_OPERATION_ssend);
        assert_int_equal(described().is.mode, MQD_MODE_synchronous);
        fake_ucx_set_flags(UCX, request, FLAG(ucx_local_completed), true);
        expect_progress(MQD_PROGRESS_unmatched);
        fake_ucx_set_flags(UCX, request, FLAG(ucx_remote_completed), true);
        expect_progress(MQD_PROGRESS_unfinished);
        fake_ucx_return(UCX, request);
    }
}

/* Of another send both flags may be set: it waits for nobody. */
TEST(send_that_is_not_synchronous_waits_for_no_receive)
{
    fake_ta request = isend(to(2, 77));

    fake_ucx_set_flags(UCX, request, FLAG(ucx_local_completed), true);
    expect_progress(MQD_PROGRESS_unfinished);
}

TEST(complete_send_is_listed_until_it_is_waited_for)
{
    fake_ta request = isend(to(3, 5));

    fake_ucx_set_flags(UCX, request, FLAG(ucx_completed), true);
    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_complete, 1);
    EXPECT("complete: *\n");
    assert_int_equal(described().is.progress, MQD_PROGRESS_complete);
    fake_ucx_return(UCX, request);
    EXPECT("");
    /* The next one takes the element, and has not filled it yet. */
    assert_true(fake_ucx_take(UCX) == request);
    EXPECT("");
}

TEST(freed_send_is_listed_until_it_is_complete)
{
    fake_ta request = isend(to(3, 5));

    fake_ucx_set_flags(UCX, request, FLAG(ucx_released), true);
    EXPECT("pending: *\n");
    assert_int_not_equal(described().is.freed, 0);
    fake_ucx_set_flags(UCX, request, FLAG(ucx_completed), true);
    EXPECT("");
}

/* The packed copy is sent; the program's request is complete. */
TEST(buffered_send_is_in_transit)
{
    for (int i = FAKE_UCX_BSEND; i <= FAKE_UCX_BSEND_NBX; i++) {
        struct fake_ucx_send send = to(0, 9);
        fake_ta request;

        send.datatype = 0;
        send.callback = (enum fake_ucx_callback)i;
        request = isend(send);
        PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_complete_cb_data, BUFFER);
        EXPECT("*, tag 9, 100 bytes at * (system); Bsend, *\n");
        assert_int_equal(described().is.progress, MQD_PROGRESS_in_transit);
        fake_ucx_return(UCX, request);
    }
}

TEST(every_callback_of_the_pml_is_a_send)
{
    for (int i = 0; i < FAKE_UCX_N_CALLBACKS; i++) {
        struct fake_ucx_send send = to(2, i + 1);

        send.callback = (enum fake_ucx_callback)i;
        isend(send);
    }
    (void)fake_operations(mqs_pending_sends, FAKE_UCX_N_CALLBACKS);
}

/* UCX's own requests, and those of other users of the worker, are in the same pool. */
TEST(other_requests_of_the_pool_are_no_sends)
{
    fake_ta foreign = isend(to(2, 1)), without = isend(to(2, 2)), named = isend(to(2, 3));

    PUT(foreign, ucp_request_t, send_cb, UCX->other_callback);
    fake_ucx_set_flags(UCX, without, FLAG(ucx_callback), false);
    EXPECT("*, tag 3, *\n");
    PUT(named, ucp_request_t, send_cb, 0);
    EXPECT("");
}

TEST(send_with_another_workers_endpoint_is_refused)
{
    struct fake_ucx_send send = to(2, 1);

    send.endpoint = fake_ucx_endpoint_new(UCX);
    PUT(send.endpoint, ucp_ep_t, worker, UCX->worker + 64);
    isend(send);
    isend(to(2, 2));
    expect_damaged("*, tag 2, *\nerror: *\n");
}

TEST(send_as_another_rank_is_refused)
{
    struct fake_ucx_send send = to(2, 1);

    send.callback = FAKE_UCX_SEND_EMPTY;
    PUT(isend(send), ucp_request_t, send_tag, fake_ucx_tag(0, 0, 1));
    expect_damaged("error: *\n");
}

TEST(send_on_a_communicator_that_is_not_there_is_told)
{
    fake_ta request = isend(to(2, 1));

    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_mpi_object, BUFFER);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(77, 1, 1));
    expect_damaged("error: *\n");
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(77, 1, -9));
    EXPECT("");
}

/* The newer protocols use the place of the tag for the receiver's answer. Open MPI's request has the communicator. */
TEST(answered_send_is_matched_and_its_tag_not_known)
{
    fake_ta request, protocol;

    if (!has_newer())
        return;
    request = isend_by(true, to(2, 77));
    PUT(request, ucp_request_t, send_tag, 0x7f12345678c0);
    EXPECT("matched: peer 2, tag -1, 400 bytes *; not known: tag\n");
    assert_int_equal(described().is.progress, MQD_PROGRESS_transfer);
    /* One without an address looks like tag 0 from rank 0 in MPI_COMM_WORLD. The protocol tells them apart. */
    protocol = GET(request, ucp_request_t, send_proto);
    PUT(protocol, ucp_proto_config_t, operation, FLAG(ucx_operation_sync) + 1);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(0, 1, 0));
    EXPECT("matched: peer 2, tag -1, *\n");
    /* A send with that tag is one. */
    PUT(protocol, ucp_proto_config_t, operation, 0);
    EXPECT("*: peer 2, tag 0, *\n");
}

/* The older protocols use it too, for the receiver's address. */
TEST(send_whose_receiver_has_answered_has_no_tag)
{
    /* The last two have the number of a communicator that is there; none has my rank in it. */
    static const uint64_t tags[] = { 0x7f1463fff010, 0x7f1463f00000, 0x7f1400200005 };
    struct fake_comm comm = sub_communicator();
    struct fake_ucx_send send = to(2, 1234);

    for (int i = 0; i < 3; i++) {
        fake_ta request = fake_ucx_isend(UCX, &comm, &send);

        PUT(request, ucp_request_t, send_tag, tags[i]);
        EXPECT_ON(5, "*: peer 2, tag -1, 400 bytes at 0x10000000; *; not known: tag\n");
        fake_ucx_return(UCX, request);
    }
}

/* A persistent request has the tag of its own. */
TEST(persistent_send_whose_receiver_has_answered_has_its_tag)
{
    struct fake_ucx_send send = to(2, 31);
    fake_ta persistent;

    send.callback = FAKE_UCX_PSEND;
    persistent = fake_ucx_send_init(UCX, &JOB->world, &send, FAKE_STANDARD);
    PUT(fake_ucx_start_send(UCX, persistent, &JOB->world, &send), ucp_request_t, send_tag, 0x7f1463fff010);
    EXPECT("*, tag 31, *\n");
}

/* UCX made it when a peer connected first: no process of Open MPI has it. */
TEST(send_to_an_endpoint_of_nobody_has_no_destination)
{
    struct fake_ucx_send send = to(2, 1);

    send.endpoint = fake_ucx_endpoint_new(UCX);
    isend(send);
    EXPECT("*: peer -1, tag 1, *; not known: destination\n");
}

/* Ranks of the communicator, not of MPI_COMM_WORLD; of an intercommunicator those of the remote group. */
TEST(destination_is_a_rank_of_the_communicator)
{
    fake_ta local = fake_group_of(JOB, (const int[]){ 0, 1 }, 2), remote = fake_group_of(JOB, (const int[]){ 3, 2 }, 2);
    struct fake_comm comm = sub_communicator(), inter = fake_intercomm_new(JOB, 6, "inter", local, remote);
    struct fake_ucx_send send = to(0, 4), other = to(1, 4);

    fake_ucx_isend(UCX, &comm, &send);
    fake_ucx_isend(UCX, &inter, &other);
    EXPECT("");
    EXPECT_ON(5, "*: peer 0 (3), *\n");
    EXPECT_ON(6, "*: peer 1 (2), *\n");
}

TEST(internal_sends_are_hidden_and_shown_on_request)
{
    isend(to(2, -12));
    isend(to(2, 3));
    EXPECT("*, tag 3, *\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    EXPECT("*, tag *\n*, tag *\n");
}

/* Before 1.14 the newer protocols did not keep the buffer. */
TEST(datatype_that_is_not_contiguous_gives_elements)
{
    fake_ta vector = fake_datatype_new(JOB, "my vector", 24);

    fake_ucx_make_generic(UCX, vector);
    for (int newer = 0; newer <= has_newer(); newer++) {
        struct fake_ucx_send send = to(2, 1);
        fake_ta request;

        send.datatype = vector;
        send.newer = newer != 0;
        request = isend(send);
        EXPECT(!send.newer || FAKE_HAS(IMAGE, ucp_request_t, send_iter_start)
                   ? "*, 2400 bytes at 0x10000000; *; 100 x my vector; *\n"
                   : "*, 2400 bytes at 0; *; 100 x my vector; *\n");
        fake_ucx_return(UCX, request);
    }
}

TEST(persistent_send_is_listed_from_its_start_until_it_is_waited_for)
{
    struct fake_ucx_send send = to(2, 31);
    fake_ta persistent, request;

    send.callback = FAKE_UCX_PSEND;
    persistent = fake_ucx_send_init(UCX, &JOB->world, &send, FAKE_SYNCHRONOUS);
    fake_name(&fake.names, "send", 1, persistent);
    EXPECT("");
    request = fake_ucx_start_send(UCX, persistent, &JOB->world, &send);
    EXPECT("*: peer 2, tag 31, *; Send, persistent, request send1; 100 x MPI_INT; *\n");
    fake_ucx_end_persistent(UCX, persistent, request, 0, 0, 0, 0);
    EXPECT("complete: peer 2, tag 31, 400 bytes *; Ssend, persistent, *\n");
    PUT(persistent, ompi_request_t, req_state, FAKE_INACTIVE);
    EXPECT("");
}

TEST(blocking_sends_are_said_to_be_missing)
{
    struct mqd_limit_description limit;
    bool told = false;

    EXPECT("");
    for (int i = 0; EXTENSION->describe_limit(PROCESS, i, &limit) == mqs_ok; i++)
        told |= limit.shown == MQD_SHOWN_sends && limit.reason == MQD_REASON_none &&
                limit.hindrance == MQD_REASON_elsewhere;
    assert_true(told);
}

/* find_send. */

static void expect_not_found(fake_ta request)
{
    mqs_pending_operation operation;
    mqs_taddr_t communicator = 99;

    assert_int_equal(EXTENSION->find_send(PROCESS, request, &communicator, &operation), mqs_end_of_list);
    assert_int_equal(communicator, 99);
}

static struct mqd_operation_description expect_found(fake_ta request, int destination, int tag)
{
    struct mqd_operation_description description;
    mqs_pending_operation operation;
    mqs_taddr_t communicator = 99;

    assert_int_equal(EXTENSION->find_send(PROCESS, request, &communicator, &operation), mqs_ok);
    assert_int_equal(communicator, 0);
    assert_int_equal(operation.desired_local_rank, destination);
    assert_int_equal(operation.desired_tag, tag);
    assert_int_equal(operation.desired_length, 400);
    assert_int_equal(operation.buffer, BUFFER);
    assert_int_equal(EXTENSION->describe_operation(PROCESS, &description), mqs_ok);
    return description;
}

TEST(send_that_a_receiver_names_is_found)
{
    struct mqd_operation_description found;
    fake_ta pooled = isend(to(2, 5)), blocking;

    for (int newer = 0; newer <= has_newer(); newer++) {
        struct fake_ucx_send send = to(3, 6);

        send.newer = newer != 0;
        blocking = fake_ucx_send(UCX, &JOB->world, &send);
        EXPECT("*\n");
        found = expect_found(blocking, 3, 6);
        assert_int_equal(found.progress, MQD_PROGRESS_unmatched);
        assert_int_equal(found.request, blocking);
    }
    assert_int_equal(expect_found(pooled, 2, 5).request, fake_ucx_ompi(UCX, pooled));
}

TEST(what_is_no_send_is_not_found)
{
    struct fake_ucx_send send = to(3, 6), nobodys = to(3, 7);
    fake_ta stack = fake_image_alloc(IMAGE, UCX->stack, 4096, 16);
    fake_ta complete = fake_ucx_send(UCX, &JOB->world, &send), other = isend(to(2, 5)), pooled = isend(to(2, 5));
    fake_ta posted = fake_ucx_recv(UCX, &JOB->world, &(struct fake_recv){ 2, 1, 1, JOB->mpi_int, BUFFER });
    fake_ta as_another = fake_ucx_send(UCX, &JOB->world, &send), nowhere;

    nobodys.endpoint = fake_ucx_endpoint_new(UCX);
    nowhere = fake_ucx_send(UCX, &JOB->world, &nobodys);
    fake_ucx_set_flags(UCX, complete, FLAG(ucx_completed), true);
    fake_ucx_set_flags(UCX, pooled, FLAG(ucx_completed), true);
    PUT(fake_ucx_ompi(UCX, pooled), ompi_request_t, req_complete, 1);
    PUT(other, ucp_request_t, send_cb, UCX->other_callback);
    PUT(as_another, ucp_request_t, send_tag, fake_ucx_tag(0, 2, 6));
    EXPECT("*\n");
    for (int i = 0; i < 10; i++)
        expect_not_found((const fake_ta[]){ stack, complete, pooled, other, posted, as_another, nowhere, 0, 0x1000,
                                            UINT64_MAX - 7 }[i]);
}

/* Since 6.0 a send has the index that the communicator has at its receiver. */

static void setup_60(const struct fake_build *build)
{
    fake_ucx_begin(&fake_release_60, build);
    fake_ucx_decide();
}

SUITE(on_60, setup_60, fake_teardown, &fake_ucx_118_assert);

static void set_remote_indices(const struct fake_comm *comm, const uint32_t *indices, size_t n)
{
    fake_ta table = fake_malloc(JOB, n * 4);

    for (size_t i = 0; i < n; i++)
        fake_image_put(IMAGE, table + i * 4, 4, indices[i]);
    PUT(comm->ta, ompi_communicator_t, c_index_vec, table);
    PUT(comm->ta, ompi_communicator_t, c_flags,
        GET(comm->ta, ompi_communicator_t, c_flags) & ~(uint64_t)FAKE_COMM_GLOBAL_INDEX);
    PUT(AT(comm->ta, ompi_communicator_t, c_contextid), ompi_comm_extended_cid_t, cid_base, 0x1234);
}

/* Such a communicator has no index for a unique_id. */
static mqs_taddr_t id_of(const char *name)
{
    for (size_t i = 0; i < fake.listing.n_comms; i++)
        if (strcmp(fake.listing.comms[i].communicator.name, name) == 0)
            return fake.listing.comms[i].communicator.unique_id;
    fail_msg("%s is not listed", name);
    return 0;
}

TEST_ON(on_60, receivers_index_leads_to_the_communicator)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 0, 1, 2, 3 }, 4);
    struct fake_comm comm = fake_comm_new(JOB, 5, "from group", group, group);
    struct fake_ucx_send send = to(2, 4);
    fake_ta request;
    mqs_taddr_t id;

    set_remote_indices(&comm, (const uint32_t[]){ 4, 5, 7, 9 }, 4);
    send.remote_context = 7;
    fake_comm_new(JOB, 7, "other", group, group);
    request = fake_ucx_isend(UCX, &comm, &send);
    EXPECT("");
    id = id_of("from group");
    EXPECT_ON(id_of("other"), "");
    EXPECT_ON(id, "*: peer 2, *\n");
    /* What the request states may be stale. Then only the index tells: 9 is that of one communicator at one member. */
    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_mpi_object, JOB->world.ta);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(9, 1, 4));
    PUT(request, ucp_request_t, send_ep, UCX->endpoints[3]);
    EXPECT("");
    EXPECT_ON(id, "*: peer 3, *\n");
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(4, 1, 4));
    PUT(request, ucp_request_t, send_ep, UCX->endpoints[0]);
    EXPECT_ON(id, "*: peer 0, *\n");
    /* An index that no communicator has there is not guessed. */
    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_mpi_object, BUFFER);
    PUT(request, ucp_request_t, send_tag, fake_ucx_tag(8, 1, 4));
    EXPECT_ON(id, "error: *\n");
    assert_int_equal(EXTENSION->reason_of(fake_queue(&fake, id, mqs_pending_sends)->error), MQD_REASON_damaged);
}

/* Only a member of the communicator tells which index it is. */
TEST_ON(on_60, send_to_an_endpoint_of_nobody_is_of_no_communicator)
{
    struct fake_ucx_send send = to(2, 1);

    send.endpoint = fake_ucx_endpoint_new(UCX);
    isend(send);
    expect_damaged("error: *\n");
}

TEST_ON(on_60, send_of_a_communicator_of_the_same_index_is_found_without_a_table)
{
    isend(to(2, 4));
    EXPECT("*: peer 2, *\n");
    isend(to(0, 4));
    EXPECT("*: peer 0, *\n*: peer 2, *\n");
}
