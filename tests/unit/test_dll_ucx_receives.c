/* test_dll_ucx_receives.c - the queue of receives of the PML ucx, with builds of several releases. */
#include "fake_test.h"

enum { BUFFER = 0x10000000 };

static fake_ta post(int source, int tag, size_t count)
{
    return fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ source, tag, count, JOB->mpi_int, BUFFER });
}

static const mqs_pending_operation *receives(size_t n)
{
    return fake_ucx_listed(mqs_pending_receives, n);
}

static struct fake_described described(unsigned n)
{
    return fake_described(mqs_pending_receives, n);
}

static void no_receive_is_an_empty_queue(void **state)
{
    (void)state;
    (void)receives(0);
}

static void posted_receive_tells_what_was_asked_for(void **state)
{
    const mqs_pending_operation *op;
    char address[32];
    fake_ta request = post(2, 77, 10);

    (void)state;
    op = receives(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_global_rank, 2);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_tag, 77);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->system_buffer, 0);
    assert_int_equal(op->buffer, BUFFER);
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)fake_ucx_ompi(UCX, request));
    assert_true(fake_says(op, "Recv"));
    assert_true(fake_says(op, address));
    assert_true(fake_says(op, "posted"));
    assert_false(fake_says(op, "persistent"));
}

static void any_source_and_any_tag_are_minus_one_and_wild(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    post(FAKE_ANY, 5, 1);
    post(3, FAKE_ANY, 1);
    post(FAKE_ANY, FAKE_ANY, 1);
    post(3, 0x7fffff, 1);
    ops = receives(4);
    assert_int_equal(ops[0].desired_local_rank, -1);
    assert_int_equal(ops[0].desired_global_rank, -1);
    assert_int_equal(ops[0].tag_wild, 0);
    assert_int_equal(ops[0].desired_tag, 5);
    assert_int_equal(ops[1].desired_local_rank, 3);
    assert_int_not_equal(ops[1].tag_wild, 0);
    assert_int_equal(ops[2].desired_local_rank, -1);
    assert_int_not_equal(ops[2].tag_wild, 0);
    assert_int_equal(ops[3].desired_tag, 0x7fffff);
}

/* They are in buckets, several in one, and in the queue of wildcards; the pool grows in between. */
static void receives_come_in_the_order_of_posting(void **state)
{
    enum { N = 100 };
    const mqs_pending_operation *ops;

    (void)state;
    for (int i = 0; i < N; i++)
        post(i % 5 == 0 ? FAKE_ANY : i % 3, i % 7 == 0 ? FAKE_ANY : i % 2, (size_t)i + 1);
    ops = receives(N);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(ops[i].desired_length, 4 * (i + 1));
}

/* The index of a bucket is the difference of two remainders, which reaches the next power of two. */
static void receives_in_the_last_buckets_are_found(void **state)
{
    int tag = 0;

    (void)state;
    while (fake_ucx_bucket(fake_ucx_tag(0, 2, tag)) < 1021)
        tag++;
    post(2, tag, 1);
    assert_int_equal(receives(1)->desired_tag, tag);
}

static void blocked_receive_on_the_stack_is_listed(void **state)
{
    const mqs_pending_operation *ops;
    char address[32];
    fake_ta request;

    (void)state;
    post(2, 1, 1);
    request = fake_ucx_recv(UCX, &JOB->world, &(struct fake_recv){ 3, 9, 6, JOB->mpi_int, BUFFER });
    post(FAKE_ANY, 3, 1);
    ops = receives(3);
    assert_int_equal(ops[1].desired_tag, 9);
    assert_int_equal(ops[1].desired_local_rank, 3);
    assert_int_equal(ops[1].desired_length, 24);
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)request);
    assert_true(fake_says(&ops[1], address));
}

/* MPI_Waitall and the like leave the address of what the thread sleeps on where a request says whether it is complete. */
static void receive_that_a_thread_waits_for_says_so(void **state)
{
    fake_ta request;

    (void)state;
    request = post(2, 1, 1);
    assert_true(fake_says(receives(1), "waiting for a message"));
    assert_int_equal(described(0).waiter, 0);
    PUT(fake_ucx_ompi(UCX, request), ompi_request_t, req_complete, 0x7ffd12345670);
    assert_true(fake_says(receives(1), "a thread waits for it"));
    assert_int_equal(described(0).waiter, 0x7ffd12345670);
}

/* Tags of collectives are negative. */
static void internal_receives_are_hidden_and_shown_on_request(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    post(2, -17, 1);
    post(FAKE_ANY, 4, 1);
    assert_int_equal(receives(1)->desired_tag, 4);
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    ops = receives(2);
    assert_int_equal(ops[0].desired_tag, -17);
    assert_int_equal(ops[1].desired_tag, 4);
}

static void matched_receive_tells_the_message(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request = post(FAKE_ANY, FAKE_ANY, 10);

    (void)state;
    fake_ucx_match(UCX, request, &JOB->world, 3, 9, 24);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_matched);
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_not_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->actual_local_rank, 3);
    assert_int_equal(op->actual_tag, 9);
    assert_int_equal(op->actual_length, 24);
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_receiving);
    assert_int_equal(described(0).unknown.length, 0);
}

static void completed_receive_stays_until_it_is_freed(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request = post(FAKE_ANY, 9, 10);

    (void)state;
    fake_ucx_match(UCX, request, &JOB->world, 3, 9, 24);
    fake_ucx_complete(UCX, request, FAKE_UCX_OK, 0);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->actual_local_rank, 3);
    assert_int_equal(op->actual_length, 24);
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_complete);
    fake_ucx_return(UCX, request);
    (void)receives(0);
}

/* The element is taken, and what was received in it before is still there: the call has not begun to fill it. */
static void receive_that_is_not_there_yet_is_not_listed(void **state)
{
    const struct fake_queue *queue;
    fake_ta request = post(3, 1234, 77);

    (void)state;
    fake_ucx_match(UCX, request, &JOB->world, 3, 1234, 8);
    fake_ucx_complete(UCX, request, FAKE_UCX_OK, 0);
    fake_ucx_return(UCX, request);
    assert_true(fake_ucx_take(UCX) == request);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->n, 0);
    assert_int_equal(EXTENSION->reason_of(queue->error), MQD_REASON_damaged);
}

static void truncated_receive_says_so(void **state)
{
    fake_ta request = post(2, 9, 1);

    (void)state;
    fake_ucx_match(UCX, request, &JOB->world, 2, 9, 24);
    fake_ucx_complete(UCX, request, FAKE_UCX_TRUNCATED, 15);
    assert_int_equal(receives(1)->status, mqs_st_complete);
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_truncated);
    assert_int_equal(described(0).is.error_class, 15);
}

static void failed_receive_says_so(void **state)
{
    fake_ta request = post(2, 9, 1);

    (void)state;
    fake_ucx_match(UCX, request, &JOB->world, 2, 9, 4);
    fake_ucx_complete(UCX, request, FAKE_UCX_UNREACHABLE, 16);
    (void)receives(1);
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_failed);
    assert_int_equal(described(0).is.error_class, 16);
}

static void cancelled_receive_has_no_message(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    post(2, 8, 1);
    request = post(2, 9, 1);
    fake_ucx_cancel(UCX, request);
    op = receives(2);
    assert_int_equal(op[1].status, mqs_st_complete);
    assert_int_equal(op[1].desired_tag, 9);
    assert_int_equal(described(1).is.progress, MQD_PROGRESS_cancelled);
}

/* The element has what an earlier receive left in it. None of that may be shown. */
static void receive_that_was_complete_at_once_shows_only_its_message(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request = post(3, 1234, 77), again;

    (void)state;
    fake_ucx_match(UCX, request, &JOB->world, 3, 1234, 8);
    fake_ucx_complete(UCX, request, FAKE_UCX_OK, 0);
    fake_ucx_return(UCX, request);
    again = fake_ucx_irecv_at_once(UCX, &JOB->world, 2, 55, 99);
    assert_true(again == request);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->actual_local_rank, 2);
    assert_int_equal(op->actual_tag, 55);
    assert_int_equal(op->actual_length, 99);
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_equal(op->desired_tag, -1);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_length, 0);
    assert_int_equal(op->buffer, 0);
    assert_int_equal(described(0).unknown.peer, 1);
    assert_int_equal(described(0).unknown.tag, 1);
    assert_int_equal(described(0).unknown.length, 1);
    assert_int_equal(described(0).unknown.buffer, 1);
}

static void freed_receive_is_listed_until_it_is_complete(void **state)
{
    fake_ta request = post(2, 9, 1);

    (void)state;
    fake_ucx_set_flags(UCX, request, FAKE_UCX_FLAG(UCX, ucx_released), true);
    (void)receives(1);
    assert_int_not_equal(described(0).is.freed, 0);
    fake_ucx_match(UCX, request, &JOB->world, 2, 9, 4);
    (void)receives(1);
    fake_ucx_complete(UCX, request, FAKE_UCX_OK, 0);
    (void)receives(0);
}

static void datatype_that_is_not_contiguous_gives_elements(void **state)
{
    fake_ta vector = fake_datatype_new(JOB, "my vector", 24);
    const mqs_pending_operation *op;

    (void)state;
    fake_ucx_make_generic(UCX, vector);
    fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ 2, 9, 5, vector, BUFFER });
    op = receives(1);
    assert_int_equal(op->desired_length, 120);
    assert_int_equal(op->buffer, BUFFER);
    assert_true(fake_says(op, "5 x my vector"));
}

static void persistent_receive_is_listed_once_it_is_started(void **state)
{
    struct fake_recv recv = { 2, 31, 6, JOB->mpi_int, BUFFER };
    fake_ta persistent = fake_ucx_recv_init(UCX, &JOB->world, &recv), request;
    const mqs_pending_operation *op;
    char address[32];

    (void)state;
    (void)receives(0);
    request = fake_ucx_start_recv(UCX, persistent, &JOB->world, &recv);
    op = receives(1);
    assert_int_equal(op->desired_tag, 31);
    assert_int_equal(op->desired_length, 24);
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)persistent);
    assert_true(fake_says(op, address));
    assert_true(fake_says(op, "6 x MPI_INT"));
    assert_int_not_equal(described(0).is.persistent, 0);
    assert_int_equal(described(0).waiter, 0);
    PUT(persistent, ompi_request_t, req_complete, 0x7ffd12345670);
    assert_true(fake_says(receives(1), "a thread waits for it"));
    assert_int_equal(described(0).waiter, 0x7ffd12345670);
    PUT(persistent, ompi_request_t, req_complete, 0);
    fake_ucx_match(UCX, request, &JOB->world, 2, 31, 12);
    assert_int_equal(receives(1)->status, mqs_st_matched);
}

/* UCX has no request for it any more; Open MPI's has the outcome. */
static void complete_persistent_receive_is_listed_until_it_is_waited_for(void **state)
{
    struct fake_recv recv = { FAKE_ANY, 31, 6, JOB->mpi_int, BUFFER };
    fake_ta persistent = fake_ucx_recv_init(UCX, &JOB->world, &recv), request;
    const mqs_pending_operation *op;

    (void)state;
    request = fake_ucx_start_recv(UCX, persistent, &JOB->world, &recv);
    fake_ucx_unpost(UCX, request);
    fake_ucx_end_persistent(UCX, persistent, request, 3, 31, 0, 12);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_equal(op->desired_tag, 31);
    assert_int_equal(op->actual_local_rank, 3);
    assert_int_equal(op->actual_length, 12);
    assert_int_equal(op->buffer, BUFFER);
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_complete);
    assert_int_not_equal(described(0).is.persistent, 0);
    PUT(persistent, ompi_request_t, req_state, FAKE_INACTIVE);
    (void)receives(0);
}

static void source_outside_of_the_communicator_is_told_and_not_listed(void **state)
{
    const struct fake_queue *queue;

    (void)state;
    post(2, 1, 1);
    post(4, 1, 1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->n, 1);
    assert_int_not_equal(queue->error, mqs_ok);
}

static void receive_on_a_communicator_that_is_not_there_is_told(void **state)
{
    struct fake_comm gone = JOB->world;
    const struct fake_queue *queue;

    (void)state;
    gone.id = 77;
    fake_ucx_irecv(UCX, &gone, &(struct fake_recv){ 2, -9, 1, JOB->mpi_int, BUFFER });
    (void)receives(0);
    fake_ucx_irecv(UCX, &gone, &(struct fake_recv){ 2, 9, 1, JOB->mpi_int, BUFFER });
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->n, 0);
    assert_int_equal(EXTENSION->reason_of(queue->error), MQD_REASON_damaged);
}

int main(void)
{
#define TEST(function, build) { #function ", " #build, function, fake_ucx_setup, fake_teardown, (void *)&build }
#define TESTS(build) \
    TEST(no_receive_is_an_empty_queue, build), TEST(posted_receive_tells_what_was_asked_for, build), \
        TEST(any_source_and_any_tag_are_minus_one_and_wild, build), \
        TEST(receives_come_in_the_order_of_posting, build), TEST(receives_in_the_last_buckets_are_found, build), \
        TEST(blocked_receive_on_the_stack_is_listed, build), \
        TEST(receive_that_a_thread_waits_for_says_so, build), \
        TEST(internal_receives_are_hidden_and_shown_on_request, build), \
        TEST(matched_receive_tells_the_message, build), TEST(completed_receive_stays_until_it_is_freed, build), \
        TEST(receive_that_is_not_there_yet_is_not_listed, build), \
        TEST(truncated_receive_says_so, build), TEST(failed_receive_says_so, build), \
        TEST(cancelled_receive_has_no_message, build), \
        TEST(receive_that_was_complete_at_once_shows_only_its_message, build), \
        TEST(freed_receive_is_listed_until_it_is_complete, build), \
        TEST(datatype_that_is_not_contiguous_gives_elements, build), \
        TEST(persistent_receive_is_listed_once_it_is_started, build), \
        TEST(complete_persistent_receive_is_listed_until_it_is_waited_for, build), \
        TEST(source_outside_of_the_communicator_is_told_and_not_listed, build), \
        TEST(receive_on_a_communicator_that_is_not_there_is_told, build)
    const struct CMUnitTest tests[] = {
        TESTS(fake_ucx_106), TESTS(fake_ucx_110), TESTS(fake_ucx_113), TESTS(fake_ucx_113_assert),
        TESTS(fake_ucx_113_data), TESTS(fake_ucx_118_assert),
        TESTS(fake_ucx_122),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
