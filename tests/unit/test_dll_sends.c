/* test_dll_sends.c - the queue of sends. */
#include "fake_test.h"

enum { BUFFER = 0x10000000, ATTACHED = 0x20000040 };

#define EXPECT(pattern) fake_expect(0, mqs_pending_sends, pattern)

static struct fake_send to(int destination, int tag, size_t count, enum fake_send_mode mode)
{
    return (struct fake_send){ destination, tag, count, JOB->mpi_int, BUFFER, mode };
}

static fake_ta start(int destination, int tag, size_t count, enum fake_send_mode mode)
{
    const struct fake_send send = to(destination, tag, count, mode);

    return fake_isend(JOB, &JOB->world, &send);
}

static fake_ta start_persistent(size_t count, enum fake_send_mode mode)
{
    const struct fake_send send = to(2, 4, count, mode);
    fake_ta request = fake_send_init(JOB, &JOB->world, &send);

    EXPECT("");
    fake_send_start(JOB, request);
    return request;
}

SUITE(each, fake_setup, fake_teardown);

/* The status of a pending send holds old values. What was got is what was asked for in every status. */
TEST(send_tells_what_is_to_be_sent_and_how_far_it_is)
{
    EXPECT("");
    fake_name(&fake.names, "send", 1, start(0, 77, 1000, FAKE_STANDARD));
    start(1, 5, 10, FAKE_SYNCHRONOUS);
    start(1, 8, 10, FAKE_READY);
    fake_send_match(JOB, start(2, 6, 20, FAKE_STANDARD));
    fake_send_complete(JOB, start(3, 7, 30, FAKE_STANDARD));
    EXPECT("pending: peer 0, tag 77, 4000 bytes at 0x10000000; Send, request send1; 1000 x MPI_INT; "
           "rendezvous, waiting for the receiver\n"
           "pending: peer 1, tag 5, 40 bytes at 0x10000000; Ssend, *\n"
           "pending: peer 1, tag 8, 40 bytes at 0x10000000; Rsend, *\n"
           "matched: peer 2, tag 6, 80 bytes at 0x10000000; Send, *\n"
           "complete: peer 3, tag 7, 120 bytes at 0x10000000; Send, *\n");
}

TEST(sends_come_by_destination_then_in_their_order)
{
    enum { EACH = 30 };
    const mqs_pending_operation *ops;

    for (int i = 0; i < EACH; i++)
        for (int destination = 3; destination >= 0; destination--)
            start(destination, i, 1000, FAKE_STANDARD);
    ops = fake_operations(mqs_pending_sends, 4 * EACH);
    for (int i = 0; i < 4 * EACH; i++) {
        assert_int_equal(ops[i].desired_local_rank, i / EACH);
        assert_int_equal(ops[i].desired_tag, i % EACH);
    }
}

TEST(order_of_sends_survives_the_wrap_of_16_bits)
{
    static const int starts[] = { 0x7ffd, 0xfffd, 0x1fffd, -3 };
    const mqs_pending_operation *ops;

    for (int destination = 0; destination < 4; destination++) {
        PUT(fake_peer(JOB, &JOB->world, destination), mca_pml_ob1_comm_proc_t, send_sequence, starts[destination]);
        for (int i = 0; i < 6; i++)
            start(destination, i, 1000, FAKE_STANDARD);
    }
    ops = fake_operations(mqs_pending_sends, 24);
    for (int i = 0; i < 24; i++)
        assert_int_equal(ops[i].desired_tag, i % 6);
}

/* MPI_Start stores the whole counter, MPI_Isend only 16 bits of it, sign-extended. */
TEST(order_of_sends_ignores_the_upper_bits)
{
    PUT(fake_peer(JOB, &JOB->world, 2), mca_pml_ob1_comm_proc_t, send_sequence, 0x28000);
    start(2, 0, 1000, FAKE_STANDARD);
    PUT(start(2, 1, 1000, FAKE_STANDARD), mca_pml_base_request_t, req_sequence, 0x28002);
    start(2, 2, 1000, FAKE_STANDARD);
    EXPECT("*, tag 0, *\n*, tag 1, *\n*, tag 2, *\n");
}

TEST(send_that_is_waited_for_is_pending)
{
    PUT(start(2, 1, 1000, FAKE_STANDARD), ompi_request_t, req_complete, 0x7ffdeadbe610);
    EXPECT("pending: *\n");
}

TEST(persistent_send_forgets_the_last_answer_when_it_starts_again)
{
    fake_ta request = start_persistent(1000, FAKE_STANDARD);

    EXPECT("pending: *\n");
    fake_send_match(JOB, request);
    EXPECT("matched: *\n");
    fake_send_complete(JOB, request);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    EXPECT("");
    /* req_recv still holds what the receiver of the first round answered. */
    fake_send_start(JOB, request);
    EXPECT("pending: *; Send, persistent, *\n");
}

/* The first time the receiver asked for the data piece by piece, the second time it is to fetch them by itself. */
TEST(persistent_send_that_changes_its_protocol_has_no_answer_yet)
{
    fake_ta request = start_persistent(1000, FAKE_STANDARD);

    fake_send_match(JOB, request);
    fake_send_complete(JOB, request);
    fake_send_start(JOB, request);
    PUT(request, mca_pml_ob1_send_request_t, req_state, 0);
    PUT(request, mca_pml_ob1_send_request_t, req_bytes_delivered, 0);
    PUT(request, mca_pml_ob1_send_request_t, rdma_frag, 0x123400);
    EXPECT("pending: *single copy*\n");
}

/* What the receiver of an earlier round answered is an answer of this round only if data has gone since. */
TEST(persistent_send_is_answered_if_nothing_else_explains_the_answer)
{
    static const struct {
        int state, queued, delivered;
        const char *status;
    } cases[] = {
        { 0, 0, 1, "matched: *\n" },
        { 1, 0, 1, "pending: *\n" },
        { 0, 1, 1, "pending: *\n" },
        { 0, 0, 0, "pending: *\n" },
    };
    fake_ta request = start_persistent(1000, FAKE_STANDARD);

    fake_send_match(JOB, request);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PUT(request, mca_pml_ob1_send_request_t, req_state, cases[i].state);
        PUT(request, mca_pml_ob1_send_request_t, req_pending, cases[i].queued);
        PUT(request, mca_pml_ob1_send_request_t, req_bytes_delivered, cases[i].delivered);
        EXPECT(cases[i].status);
    }
}

TEST(eager_send_that_the_transport_holds_is_no_rendezvous)
{
    fake_ta request = start(2, 4, 10, FAKE_STANDARD);

    PUT(request, mca_pml_ob1_send_request_t, req_state, 0);
    PUT(request, mca_pml_ob1_send_request_t, rdma_frag, 0);
    EXPECT("pending: *; 10 x MPI_INT; eager, the transport has not sent all of it yet\n");
    /* It has no room. */
    PUT(request, mca_pml_ob1_send_request_t, req_pending, 1);
    EXPECT("pending: *not sent*\n");
}

TEST(persistent_buffered_send_that_was_waited_for_is_in_flight)
{
    fake_ta request = start_persistent(10, FAKE_BUFFERED);

    fake_send_buffer(JOB, request, ATTACHED);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    EXPECT("pending: peer 2, tag 4, 40 bytes at 0x20000040 (system); Bsend, *\n");
    PUT(request, mca_pml_base_request_t, req_pml_complete, 1);
    EXPECT("");
}

TEST(buffered_send_shows_the_attached_buffer_until_it_has_left)
{
    fake_ta request = start(2, 4, 10, FAKE_BUFFERED);

    fake_send_buffer(JOB, request, ATTACHED);
    EXPECT("pending: peer 2, tag 4, 40 bytes at 0x20000040 (system); Bsend, *\n");
    /* MPI_Bsend frees its request itself. */
    PUT(request, mca_pml_base_request_t, req_free_called, 1);
    EXPECT("pending: peer 2, tag 4, 40 bytes at 0x20000040 (system); Bsend, request *\n");
    PUT(request, mca_pml_base_send_request_t, req_addr, BUFFER);
    PUT(request, mca_pml_base_request_t, req_pml_complete, 1);
    EXPECT("");
}

TEST(freed_send_is_listed_only_while_data_moves)
{
    fake_ta request = start(2, 4, 1000, FAKE_STANDARD);

    PUT(request, mca_pml_base_request_t, req_free_called, 1);
    EXPECT("pending: *; Send, handle freed, request *\n");
    fake_send_match(JOB, request);
    EXPECT("matched: *\n");
    fake_send_complete(JOB, request);
    EXPECT("");
}

/* Complete for MPI while the transport still has it: the user's side is done. */
TEST(complete_send_that_nobody_waited_for_is_listed)
{
    fake_ta request = start(2, 4, 10, FAKE_STANDARD);

    fake_send_complete(JOB, request);
    EXPECT("complete: peer 2, tag 4, 40 bytes at 0x10000000; *\n");
    PUT(request, mca_pml_base_request_t, req_pml_complete, 0);
    EXPECT("complete: *\n");
}

/* A send of zero elements holds no reference to its datatype, which may have been freed. Predefined ones never are. */
TEST(send_of_nothing_names_only_a_predefined_datatype)
{
    fake_ta request = start(2, 4, 0, FAKE_SYNCHRONOUS);

    PUT(request, mca_pml_base_request_t, req_datatype, fake_hidden_page());
    EXPECT("pending: peer 2, tag 4, 0 bytes *; 0 x elements; *\n");
    /* Nor is the name of one that happens to be readable shown: it may be another's by now. */
    PUT(request, mca_pml_base_request_t, req_datatype, fake_datatype_new(JOB, "MPI_FLOAT", 4));
    EXPECT("*; 0 x elements; *\n");
    PUT(request, mca_pml_base_request_t, req_datatype, JOB->mpi_double);
    EXPECT("*; 0 x MPI_DOUBLE; *\n");
}

TEST(send_with_unreadable_datatype_is_listed_without_its_name)
{
    PUT(start(2, 4, 10, FAKE_STANDARD), mca_pml_base_request_t, req_datatype, fake_hidden_page());
    EXPECT("pending: peer 2, tag 4, 40 bytes *; 10 x elements; *\n");
}

TEST(internal_sends_are_hidden_and_shown_on_request)
{
    start(0, -16, 0, FAKE_STANDARD);
    start(0, -1, 0, FAKE_STANDARD);
    start(0, 3, 1, FAKE_STANDARD);
    EXPECT("*, tag 3, *\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    EXPECT("*, tag -16, *\n*, tag -1, *\n*, tag 3, *\n");
}

TEST(ranks_of_an_intercommunicator_are_the_remote_groups)
{
    fake_ta local = fake_group_of(JOB, (const int[]){ 1, 0 }, 2), remote = fake_group_of(JOB, (const int[]){ 3, 2 }, 2);
    struct fake_comm inter = fake_intercomm_new(JOB, 3, "inter", local, remote);
    const struct fake_send send = to(0, 8, 10, FAKE_STANDARD);

    fake_isend(JOB, &inter, &send);
    fake_expect(3, mqs_pending_sends, "pending: peer 0 (3), tag 8, 40 bytes at 0x10000000; *\n");
}
