/*
 * test_dll_ucx_hostile.c - UCX's memory is corrupt, changes, or cannot be read; a debugger without memory.
 */
#include "fake_sweep.h"
#include "fake_test.h"

/* The queue of MPI_COMM_WORLD tells an error, at once or after what could be read. */
static void assert_tells(mqs_op_class op_class)
{
    const struct fake_queue *queue;

    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    fake_assert_no_harm();
    queue = fake_queue(&fake, 0, op_class);
    assert_true(queue->setup >= mqs_first_user_code || queue->error >= mqs_first_user_code);
}

static fake_ta post(int tag)
{
    return fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ FAKE_ANY, tag, 1, JOB->mpi_int, 0x1000 });
}

static void queue_that_cycles_ends_with_an_error(void **state)
{
    fake_ta first = AT(post(1), ucp_request_t, recv_queue), second = AT(post(2), ucp_request_t, recv_queue);

    (void)state;
    post(3);
    PUT(second, ucs_queue_elem_t, next, first);
    assert_tells(mqs_pending_receives);
    PUT(second, ucs_queue_elem_t, next, second);
    assert_tells(mqs_pending_receives);
}

static void queue_link_to_nowhere_ends_with_an_error(void **state)
{
    static const fake_ta links[] = { 0, 1, 0xfffffffffffffff8, 0x123456789000 };
    fake_ta first = AT(post(1), ucp_request_t, recv_queue);

    (void)state;
    post(2);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        PUT(first, ucs_queue_elem_t, next, links[i]);
        assert_tells(mqs_pending_receives);
    }
}

/* What UCX would never have in its queues. */
static void impossible_receive_in_a_queue_is_an_error(void **state)
{
    static const struct {
        enum fake_member member;
        uint64_t value;
    } impossible[] = {
        { FAKE_MEMBER_ucp_request_t__recv_tag_mask, 0xffff },
        { FAKE_MEMBER_ucp_request_t__recv_tag_mask, UINT64_MAX },
        { FAKE_MEMBER_ucp_request_t__recv_worker, 8 },
        { FAKE_MEMBER_ucp_request_t__recv_sn, 1000000 },
        { FAKE_MEMBER_ucp_request_t__flags, 0 },
    };
    fake_ta request = post(1);

    (void)state;
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
        uint64_t old = fake_image_get_member(IMAGE, request, impossible[i].member);

        fake_image_put_member(IMAGE, request, impossible[i].member, impossible[i].value);
        assert_tells(mqs_pending_receives);
        fake_image_put_member(IMAGE, request, impossible[i].member, old);
    }
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
}

static void list_of_messages_that_cycles_ends_with_an_error(void **state)
{
    struct fake_ucx_message one = { 2, 5, 8, 0, FAKE_UCX_ONLY, 0 };
    fake_ta first = fake_ucx_arrive(UCX, 0, &one) + FAKE_SIZE(IMAGE, ucs_list_link_t), second;

    (void)state;
    second = fake_ucx_arrive(UCX, 0, &one) + FAKE_SIZE(IMAGE, ucs_list_link_t);
    PUT(second, ucs_list_link_t, next, first);
    assert_tells(mqs_unexpected_messages);
    PUT(first, ucs_list_link_t, prev, second);
    assert_tells(mqs_unexpected_messages);
}

static void impossible_message_is_an_error(void **state)
{
    static const struct {
        enum fake_member member;
        uint64_t value;
    } impossible[] = {
        { FAKE_MEMBER_ucp_recv_desc_t__flags, 0 },
        { FAKE_MEMBER_ucp_recv_desc_t__length, 3 },
        { FAKE_MEMBER_ucp_recv_desc_t__payload_offset, 0x7fffffff },
    };
    fake_ta message = fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 2, 5, 8, 0, FAKE_UCX_ONLY, 0 });

    (void)state;
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
        uint64_t old = fake_image_get_member(IMAGE, message, impossible[i].member);

        fake_image_put_member(IMAGE, message, impossible[i].member, impossible[i].value);
        assert_tells(mqs_unexpected_messages);
        fake_image_put_member(IMAGE, message, impossible[i].member, old);
    }
    /* A tag of another bucket. */
    fake_image_put(IMAGE, message + FAKE_SIZE(IMAGE, ucp_recv_desc_t), 8, fake_ucx_tag(0, 2, 6));
    assert_tells(mqs_unexpected_messages);
}

static void length_beyond_all_memory_is_an_error_not_a_negative_number(void **state)
{
    fake_ta recv = post(1);
    struct fake_ucx_send send = { .destination = 2, .tag = 1, .count = 5, .datatype = JOB->mpi_int, .buffer = 0x1000,
                                  .callback = FAKE_UCX_SEND };
    fake_ta request = fake_ucx_isend(UCX, &JOB->world, &send);

    (void)state;
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 2, 5, SIZE_MAX - 7, 0, FAKE_UCX_RENDEZVOUS, 0 });
    PUT(recv, ucp_request_t, recv_length, UINT64_MAX - 7);
    PUT(request, ucp_request_t, send_length, UINT64_MAX - 7);
    assert_tells(mqs_pending_receives);
    assert_tells(mqs_pending_sends);
    assert_tells(mqs_unexpected_messages);
}

static void absurd_pool_is_an_error(void **state)
{
    static const struct {
        enum fake_member member;
        uint64_t value;
    } absurd[] = {
        { FAKE_MEMBER_ucs_mpool_data_t__elem_size, 0 },
        { FAKE_MEMBER_ucs_mpool_data_t__elem_size, 0xffffffff },
        { FAKE_MEMBER_ucs_mpool_data_t__alignment, 0 },
        { FAKE_MEMBER_ucs_mpool_data_t__alignment, 3 },
        { FAKE_MEMBER_ucs_mpool_data_t__alignment, 0x80000000 },
        { FAKE_MEMBER_ucs_mpool_data_t__chunks, 0x1000 },
    };

    (void)state;
    post(1);
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        uint64_t old = fake_image_get_member(IMAGE, UCX->pool_data, absurd[i].member);

        fake_image_put_member(IMAGE, UCX->pool_data, absurd[i].member, absurd[i].value);
        assert_tells(mqs_pending_sends);
        fake_image_put_member(IMAGE, UCX->pool_data, absurd[i].member, old);
    }
}

static void chunks_that_cycle_or_are_too_large_are_an_error(void **state)
{
    fake_ta last = GET(UCX->pool_data, ucs_mpool_data_t, chunks), first;

    (void)state;
    fake_ucx_grow(UCX, 4);
    first = GET(UCX->pool_data, ucs_mpool_data_t, chunks);
    PUT(last, ucs_mpool_chunk_t, next, first);
    assert_tells(mqs_pending_sends);
    PUT(last, ucs_mpool_chunk_t, next, 0x1234);
    assert_tells(mqs_pending_sends);
    PUT(last, ucs_mpool_chunk_t, next, 0);
    PUT(last, ucs_mpool_chunk_t, num_elems, 0x7fffffff);
    assert_tells(mqs_pending_sends);
}

int main(void)
{
#define TEST(function) { #function, function, fake_ucx_setup, fake_teardown, (void *)&fake_ucx_113_assert }
#define TEST_ON(function, build) { #function " " #build, function, fake_ucx_setup_populated, fake_teardown, (void *)&build }
    const struct CMUnitTest tests[] = {
        TEST(queue_that_cycles_ends_with_an_error),
        TEST(queue_link_to_nowhere_ends_with_an_error),
        TEST(impossible_receive_in_a_queue_is_an_error),
        TEST(list_of_messages_that_cycles_ends_with_an_error),
        TEST(impossible_message_is_an_error),
        TEST(length_beyond_all_memory_is_an_error_not_a_negative_number),
        TEST(absurd_pool_is_an_error),
        TEST(chunks_that_cycle_or_are_too_large_are_an_error),
        TEST_ON(no_single_corrupt_word_does_harm, fake_ucx_113_assert),
        TEST_ON(corrupt_words_together_do_no_harm, fake_ucx_110),
        TEST_ON(corrupt_words_together_do_no_harm, fake_ucx_118_assert),
        TEST_ON(each_read_may_fail, fake_ucx_113_assert),
        TEST_ON(all_reads_may_fail_from_any_one_on, fake_ucx_113_assert),
        TEST_ON(each_allocation_may_fail, fake_ucx_113_assert),
        TEST_ON(all_allocations_may_fail_from_any_one_on, fake_ucx_113_assert),
        TEST_ON(any_address_may_be_looked_for, fake_ucx_118),
    };
    fake_limit_time();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
