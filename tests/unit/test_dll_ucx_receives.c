/* test_dll_ucx_receives.c - the queue of receives of the PML ucx, with builds of several releases. */
#include "fake_test.h"

enum { BUFFER = 0x10000000 };

#define EXPECT(pattern) fake_expect(0, mqs_pending_receives, pattern)

SUITE(each, fake_ucx_setup, fake_teardown, &fake_ucx_106, &fake_ucx_110, &fake_ucx_113, &fake_ucx_113_assert,
      &fake_ucx_113_data, &fake_ucx_118_assert, &fake_ucx_122);

static fake_ta post(int source, int tag, size_t count)
{
    return fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ source, tag, count, JOB->mpi_int, BUFFER });
}

/* A message of that many bytes has matched, and all of it has arrived. */
static void receive(fake_ta request, int source, int tag, size_t bytes, enum fake_ucx_status status, int error)
{
    fake_ucx_match(UCX, request, &JOB->world, source, tag, bytes);
    fake_ucx_complete(UCX, request, status, error);
}

static struct fake_described described(unsigned n)
{
    return fake_described(mqs_pending_receives, n);
}

TEST(posted_receive_tells_what_was_asked_for)
{
    EXPECT("");
    fake_name(&fake.names, "recv", 1, fake_ucx_ompi(UCX, post(2, 77, 10)));
    EXPECT("pending: peer 2, tag 77, 40 bytes at 0x10000000; Recv, request recv1; 40 bytes; "
           "posted, waiting for a message\n");
}

TEST(any_source_and_any_tag_are_minus_one_and_wild)
{
    post(FAKE_ANY, 5, 1);
    post(3, FAKE_ANY, 1);
    post(FAKE_ANY, FAKE_ANY, 1);
    post(3, 0x7fffff, 1);
    EXPECT("*: peer -1, tag 5, *\n*: peer 3, any tag, *\n*: peer -1, any tag, *\n*: peer 3, tag 8388607, *\n");
}

/* They are in buckets, several in one, and in the queue of wildcards; the pool grows in between. */
TEST(receives_come_in_the_order_of_posting)
{
    enum { N = 100 };
    const mqs_pending_operation *ops;

    for (int i = 0; i < N; i++)
        post(i % 5 == 0 ? FAKE_ANY : i % 3, i % 7 == 0 ? FAKE_ANY : i % 2, (size_t)i + 1);
    ops = fake_operations(mqs_pending_receives, N);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(ops[i].desired_length, 4 * (i + 1));
}

/* The index of a bucket is the difference of two remainders, which reaches the next power of two. */
TEST(receives_in_the_last_buckets_are_found)
{
    int tag = 0;

    while (fake_ucx_bucket(fake_ucx_tag(0, 2, tag)) < 1021)
        tag++;
    post(2, tag, 1);
    assert_int_equal(fake_operations(mqs_pending_receives, 1)->desired_tag, tag);
}

TEST(blocked_receive_on_the_stack_is_listed)
{
    const struct fake_recv blocked = { 3, 9, 6, JOB->mpi_int, BUFFER };

    post(2, 1, 1);
    fake_name(&fake.names, "recv", 1, fake_ucx_recv(UCX, &JOB->world, &blocked));
    post(FAKE_ANY, 3, 1);
    EXPECT("*, tag 1, *\n*: peer 3, tag 9, 24 bytes *; Recv, request recv1; *\n*, tag 3, *\n");
}

/* MPI_Waitall and the like leave the address of what the thread sleeps on where a request says if it is complete. */
static void expect_waiter(fake_ta request)
{
    EXPECT("*; posted, waiting for a message\n");
    assert_int_equal(described(0).waiter, 0);
    PUT(request, ompi_request_t, req_complete, 0x7ffd12345670);
    EXPECT("*a thread waits for it*\n");
    assert_int_equal(described(0).waiter, 0x7ffd12345670);
    PUT(request, ompi_request_t, req_complete, 0);
}

TEST(receive_that_a_thread_waits_for_says_so)
{
    expect_waiter(fake_ucx_ompi(UCX, post(2, 1, 1)));
}

/* Tags of collectives are negative. */
TEST(internal_receives_are_hidden_and_shown_on_request)
{
    post(2, -17, 1);
    post(FAKE_ANY, 4, 1);
    EXPECT("*, tag 4, *\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    EXPECT("*, tag -17, *\n*, tag 4, *\n");
}

TEST(matched_receive_tells_the_message_and_stays_until_it_is_freed)
{
    fake_ta request = post(FAKE_ANY, FAKE_ANY, 10);

    fake_ucx_match(UCX, request, &JOB->world, 3, 9, 24);
    EXPECT("matched: peer -1, any tag, 40 bytes at 0x10000000, got peer 3, tag 9, 24 bytes; *\n");
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_receiving);
    fake_ucx_complete(UCX, request, FAKE_UCX_OK, 0);
    EXPECT("complete: peer -1, any tag, 40 bytes at 0x10000000, got peer 3, tag 9, 24 bytes; *\n");
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_complete);
    fake_ucx_return(UCX, request);
    EXPECT("");
}

/* The element is taken, and what was received in it before is still there: the call has not begun to fill it. */
TEST(receive_that_is_not_there_yet_is_not_listed)
{
    fake_ta request = post(3, 1234, 77);

    receive(request, 3, 1234, 8, FAKE_UCX_OK, 0);
    fake_ucx_return(UCX, request);
    assert_true(fake_ucx_take(UCX) == request);
    EXPECT("error: *\n");
    assert_int_equal(EXTENSION->reason_of(fake_queue(&fake, 0, mqs_pending_receives)->error), MQD_REASON_damaged);
}

TEST(cancelled_and_failed_receives_say_so)
{
    fake_ta truncated = post(2, 8, 1), failed = post(2, 9, 1), cancelled = post(2, 10, 1);

    receive(truncated, 2, 8, 24, FAKE_UCX_TRUNCATED, 15);
    receive(failed, 2, 9, 4, FAKE_UCX_UNREACHABLE, 16);
    fake_ucx_cancel(UCX, cancelled);
    EXPECT("complete: *, tag 8, *\ncomplete: *, tag 9, *\ncomplete: *, tag 10, *\n");
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_truncated);
    assert_int_equal(described(0).is.error_class, 15);
    assert_int_equal(described(1).is.progress, MQD_PROGRESS_failed);
    assert_int_equal(described(1).is.error_class, 16);
    assert_int_equal(described(2).is.progress, MQD_PROGRESS_cancelled);
}

/* The element has what an earlier receive left in it. None of that may be shown. */
TEST(receive_that_was_complete_at_once_shows_only_its_message)
{
    fake_ta request = post(3, 1234, 77);

    receive(request, 3, 1234, 8, FAKE_UCX_OK, 0);
    fake_ucx_return(UCX, request);
    assert_true(fake_ucx_irecv_at_once(UCX, &JOB->world, 2, 55, 99) == request);
    EXPECT("complete: peer -1, tag -1, 0 bytes at 0, got peer 2, tag 55, 99 bytes; *; "
           "not known: source, tag, length, buffer\n");
}

TEST(freed_receive_is_listed_until_it_is_complete)
{
    fake_ta request = post(2, 9, 1);

    fake_ucx_set_flags(UCX, request, FAKE_UCX_FLAG(UCX, ucx_released), true);
    EXPECT("pending: *\n");
    assert_int_not_equal(described(0).is.freed, 0);
    fake_ucx_match(UCX, request, &JOB->world, 2, 9, 4);
    EXPECT("matched: *\n");
    fake_ucx_complete(UCX, request, FAKE_UCX_OK, 0);
    EXPECT("");
}

TEST(datatype_that_is_not_contiguous_gives_elements)
{
    fake_ta vector = fake_datatype_new(JOB, "my vector", 24);

    fake_ucx_make_generic(UCX, vector);
    fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ 2, 9, 5, vector, BUFFER });
    EXPECT("*, 120 bytes at 0x10000000; *; 5 x my vector; *\n");
}

/* UCX has no request for a complete one any more; Open MPI's has the outcome. */
TEST(persistent_receive_is_listed_from_its_start_until_it_is_waited_for)
{
    const struct fake_recv recv = { FAKE_ANY, 31, 6, JOB->mpi_int, BUFFER };
    fake_ta persistent = fake_ucx_recv_init(UCX, &JOB->world, &recv), request;

    EXPECT("");
    request = fake_ucx_start_recv(UCX, persistent, &JOB->world, &recv);
    fake_name(&fake.names, "recv", 1, persistent);
    EXPECT("pending: peer -1, tag 31, 24 bytes *; Recv, persistent, request recv1; 6 x MPI_INT; *\n");
    expect_waiter(persistent);
    fake_ucx_match(UCX, request, &JOB->world, 2, 31, 12);
    EXPECT("matched: *\n");
    fake_ucx_end_persistent(UCX, persistent, request, 3, 31, 0, 12);
    EXPECT("complete: peer -1, tag 31, *at 0x10000000, got peer 3, tag 31, 12 bytes; Recv, persistent, *\n");
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_complete);
    PUT(persistent, ompi_request_t, req_state, FAKE_INACTIVE);
    EXPECT("");
    /* Of one whose message was there UCX never had a queue. */
    request = fake_ucx_start_recv(UCX, persistent, &JOB->world, &recv);
    fake_ucx_unpost(UCX, request);
    fake_ucx_end_persistent(UCX, persistent, request, 3, 31, 0, 12);
    EXPECT("complete: peer -1, tag 31, *, got peer 3, tag 31, 12 bytes; Recv, persistent, *\n");
}

TEST(source_outside_of_the_communicator_is_told_and_not_listed)
{
    post(2, 1, 1);
    post(4, 1, 1);
    EXPECT("*: peer 2, *\nerror: *\n");
}

TEST(receive_on_a_communicator_that_is_not_there_is_told)
{
    struct fake_comm gone = JOB->world;
    fake_ta request;

    gone.id = 77;
    request = fake_ucx_irecv(UCX, &gone, &(struct fake_recv){ 2, -9, 1, JOB->mpi_int, BUFFER });
    EXPECT("");
    fake_ucx_match(UCX, request, &gone, 2, -9, 4);
    EXPECT("");
    fake_ucx_irecv(UCX, &gone, &(struct fake_recv){ 2, 9, 1, JOB->mpi_int, BUFFER });
    fake_ucx_irecv_at_once(UCX, &gone, 2, 55, 9);
    EXPECT("error: *\n");
    assert_int_equal(EXTENSION->reason_of(fake_queue(&fake, 0, mqs_pending_receives)->error), MQD_REASON_damaged);
}
