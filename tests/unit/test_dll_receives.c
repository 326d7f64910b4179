/* test_dll_receives.c - the queue of receives. */
#include "fake_test.h"

enum { BUFFER = 0x10000000 };

#define EXPECT(pattern) fake_expect(0, mqs_pending_receives, pattern)
#define STATUS(request) AT(request, ompi_request_t, req_status)

static fake_ta post(int source, int tag, size_t count)
{
    return fake_irecv(JOB, &JOB->world, &(struct fake_recv){ source, tag, count, JOB->mpi_int, BUFFER });
}

SUITE(each, fake_setup, fake_teardown);

TEST(posted_receive_tells_what_was_asked_for)
{
    EXPECT("");
    fake_name(&fake.names, "recv", 1, post(2, 77, 10));
    EXPECT("pending: peer 2, tag 77, 40 bytes at 0x10000000; Recv, request recv1; 10 x MPI_INT; "
           "posted, waiting for a message\n");
}

TEST(any_source_and_any_tag_are_minus_one_and_wild)
{
    post(FAKE_ANY, 5, 1);
    post(3, FAKE_ANY, 1);
    EXPECT("pending: peer -1, tag 5, *\npending: peer 3, any tag, *\n");
}

/* Elements leave a free list in an order of their own: the newest chunk first, the last element first. */
TEST(receives_come_in_the_order_of_posting_not_of_memory)
{
    for (int i = 0; i < 100; i++)
        post(i % 3 == 0 ? FAKE_ANY : i % 4, i, 1);
    fake_tagged(mqs_pending_receives, 100, 0);
}

TEST(posting_order_survives_the_wrap_of_the_sequence)
{
    PUT(JOB->world.pml, mca_pml_ob1_comm_t, recv_sequence, 0xfffffffe);
    for (int i = 0; i < 4; i++)
        post(2, i, 1);
    assert_int_equal(GET(JOB->world.pml, mca_pml_ob1_comm_t, recv_sequence), 2);
    fake_tagged(mqs_pending_receives, 4, 0);
}

/* Addresses of objects on a stack, as a waiting thread leaves them; 0x...01 would be "complete" as a bool. */
TEST(receive_that_is_waited_for_is_pending_or_matched)
{
    fake_ta request = post(3, 9, 10);

    PUT(post(0, 1, 1), ompi_request_t, req_complete, 0x7ffdeadbe601);
    PUT(post(0, 2, 1), ompi_request_t, req_complete, 0x7ffdeadbe600);
    fake_recv_match(JOB, request, 3, 9, 24);
    PUT(request, ompi_request_t, req_complete, 0x7ffdeadbe610);
    EXPECT("matched: peer 3, tag 9, *, got peer 3, tag 9, 24 bytes; *\npending: *, tag 1, *\npending: *, tag 2, *\n");
}

TEST(matched_receive_tells_the_message)
{
    fake_ta request = post(FAKE_ANY, FAKE_ANY, 10);

    fake_recv_match(JOB, request, 3, 9, 24);
    PUT(request, mca_pml_ob1_recv_request_t, req_bytes_received, 8);
    EXPECT("matched: peer -1, any tag, 40 bytes at 0x10000000, got peer 3, tag 9, 24 bytes; *\n");
}

TEST(complete_receive_tells_the_length_that_arrived)
{
    fake_ta request = post(FAKE_ANY, 9, 10);

    fake_recv_match(JOB, request, 0, 9, 12);
    fake_recv_complete(JOB, request);
    EXPECT("complete: peer -1, tag 9, 40 bytes at 0x10000000, got peer 0, tag 9, 12 bytes; *\n");
}

/* Requests that complete with an error: the wait that reports the error does not free them. */
TEST(cancelled_and_failed_receives_are_complete_and_say_so)
{
    static const int errors[] = { 15 /* MPI_ERR_TRUNCATE */, 16 };

    for (int i = 0; i < 2; i++) {
        fake_ta request = post(2, i, 10);

        fake_recv_match(JOB, request, 2, i, 100);
        fake_recv_complete(JOB, request);
        PUT(STATUS(request), ompi_status_public_t, MPI_ERROR, errors[i]);
    }
    fake_recv_cancel(JOB, post(2, 4, 10));
    EXPECT("complete: *, tag 0, *longer than the buffer*\ncomplete: *, tag 1, *error class 16*\n"
           "complete: peer 2, tag 4, *, got peer *, 0 bytes; *cancelled*\n");
}

TEST(missing_symbol_of_the_list_is_named)
{
    post(2, 1, 1);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_recv_requests", true);
    EXPECT("error: *mca_pml_base_recv_requests*\n");
    fake_expect_still(0, mqs_pending_sends, "");
}

TEST(length_is_bytes_from_none_to_beyond_4_gib)
{
    post(2, 4, 0);
    post(2, 5, (size_t)1 << 31);
    EXPECT("pending: peer 2, tag 4, 0 bytes *; 0 x MPI_INT; *\npending: peer 2, tag 5, 8589934592 bytes *\n");
}

/* The status of a started receive that was never reset has rank 0 and tag 0. */
TEST(persistent_receive_is_listed_from_its_start_on)
{
    fake_ta request = fake_recv_init(JOB, &JOB->world, &(struct fake_recv){ 2, 4, 10, JOB->mpi_int, BUFFER });

    assert_int_equal(GET(STATUS(request), ompi_status_public_t, MPI_TAG), 0);
    EXPECT("");
    fake_recv_start(JOB, request);
    EXPECT("pending: *; Recv, persistent, *\n");
    fake_recv_match(JOB, request, 2, 4, 40);
    fake_recv_complete(JOB, request);
    EXPECT("complete: *\n");
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    EXPECT("");
}

TEST(freed_receive_is_listed_only_while_it_is_in_flight)
{
    fake_ta request = post(2, 4, 10);

    PUT(request, mca_pml_base_request_t, req_free_called, 1);
    EXPECT("pending: *\n");
    fake_recv_match(JOB, request, 2, 4, 40);
    fake_recv_complete(JOB, request);
    EXPECT("");
}

TEST(spare_request_and_returned_ones_are_not_listed)
{
    fake_ta request;

    /* Taken from the list and kept: state INVALID, on no list of free ones. */
    (void)fake_free_list_take(JOB, JOB->recv_requests);
    request = post(2, 4, 10);
    fake_recv_match(JOB, request, 2, 4, 40);
    fake_recv_complete(JOB, request);
    PUT(request, ompi_request_t, req_state, FAKE_INVALID);
    fake_free_list_return(JOB, JOB->recv_requests, request);
    EXPECT("");
}

/* The request of MPI_Probe is on a stack, in no free list; that of MPI_Mprobe is one of the free list's. */
TEST(probes_stand_among_the_receives)
{
    post(2, 4, 1);
    fake_name(&fake.names, "probe", 1, fake_probe(JOB, &JOB->world, 3, 5));
    post(2, 6, 1);
    fake_mprobe(JOB, &JOB->world, FAKE_ANY, FAKE_ANY);
    fake_probe(JOB, &JOB->world, FAKE_ANY, 8);
    fake_probe(JOB, &JOB->world, 3, -17); /* of Open MPI itself */
    post(FAKE_ANY, 9, 1);
    EXPECT("pending: *, tag 4, *; Recv, *\n"
           "pending: peer 3, tag 5, 0 bytes at 0; Probe, request probe1; posted, waiting for a message\n"
           "pending: *, tag 6, *; Recv, *\n"
           "pending: peer -1, any tag, *; Mprobe, *\n"
           "pending: peer -1, tag 8, *; Probe, *\n"
           "pending: *, tag 9, *; Recv, *\n");
}

/* MPI_Mprobe has taken it, MPI_Mrecv has not: it is neither a receive nor a message that one can match. */
TEST(message_taken_by_a_probe_is_no_operation)
{
    fake_ta frag = fake_frag_new(JOB, 0, &(struct fake_message){ 2, 4, 80, FAKE_HDR_MATCH }, 1);
    fake_ta request = fake_mprobe(JOB, &JOB->world, 2, FAKE_ANY);

    post(2, 5, 1);
    fake_mprobe_match(JOB, request, frag, 2, 4, 80);
    EXPECT("pending: peer 2, tag 5, *\n");
    fake_expect_still(0, mqs_unexpected_messages, "");
}

/* The lists may have receives that the sweep of the free list has not found. */
TEST(receive_that_only_a_list_leads_to_is_listed_once)
{
    for (int i = 0; i < 6; i++)
        post(i % 2 == 0 ? 2 : FAKE_ANY, i, 1);
    /* So many elements as the first chunk has: the second is not looked at. */
    PUT(JOB->recv_requests, opal_free_list_t, fl_num_allocated, 4);
    fake_tagged(mqs_pending_receives, 6, 0);
}

TEST(list_that_leads_nowhere_costs_no_receive_of_the_free_list)
{
    post(2, 4, 1);
    /* As a thread leaves it that was stopped while it put a receive into the list. */
    PUT(post(2, 5, 1), opal_list_item_t, opal_list_next, 0);
    fake_probe(JOB, &JOB->world, FAKE_ANY, 6);
    EXPECT("pending: *, tag 4, *\npending: *, tag 5, *\npending: *, tag 6, *\nerror: *\n");
}

TEST(internal_receives_are_hidden_and_shown_on_request)
{
    post(0, -16, 0);
    post(0, FAKE_ANY, 1);
    post(0, -17, 1);
    EXPECT("pending: peer 0, any tag, *\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    EXPECT("pending: *, tag -16, *\npending: *, any tag, *\npending: *, tag -17, *\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 0), mqs_ok);
    EXPECT("pending: peer 0, any tag, *\n");
}

TEST(each_communicator_has_its_own_receives_and_ranks)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 3, 1 }, 2);
    struct fake_comm comm = fake_comm_new(JOB, 3, "backwards", group, group);

    post(2, 1, 1);
    fake_irecv(JOB, &comm, &(struct fake_recv){ 0, 2, 1, JOB->mpi_int, BUFFER });
    EXPECT("pending: peer 2, tag 1, *\n");
    fake_expect_still(3, mqs_pending_receives, "pending: peer 0 (3), tag 2, *\n");
    fake_expect_still(1, mqs_pending_receives, "");
}

TEST(datatype_name_is_whole_and_untouched)
{
    const char *const name = "100 %s of a struct with a rather long name, to be exact 62 c";
    fake_ta percent = fake_datatype_new(JOB, name, 12), unnamed = fake_datatype_new(JOB, "", 3);

    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 4, 3, percent, BUFFER });
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 4, 3, unnamed, BUFFER });
    EXPECT("*, 36 bytes *; *100 %s of a struct with a rather long name, to be exact 62 c; *\n*, 9 bytes *\n");
}

/* The length of the buffer is count times what cannot be read: that receive is an error, the others are there. */
TEST(unreadable_datatype_costs_one_receive_and_says_so)
{
    fake_ta hidden = fake_hidden_page();

    post(2, 1, 1);
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 2, 3, hidden, BUFFER });
    post(2, 3, 1);
    EXPECT("pending: *, tag 1, *\npending: *, tag 3, *\nerror: *\n");
}
