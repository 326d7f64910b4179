/*
 * test_dll_ucx_hostile.c - UCX's memory is corrupt, changes, or cannot be read; a debugger without memory.
 */
#include "fake_sweep.h"
#include "fake_test.h"

static fake_ta post(int tag)
{
    return fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ FAKE_ANY, tag, 1, JOB->mpi_int, 0x1000 });
}

SUITE(each, fake_ucx_setup, fake_teardown, &fake_ucx_113_assert);

TEST(queue_that_cycles_ends_with_an_error)
{
    fake_ta first = AT(post(1), ucp_request_t, recv_queue), second = AT(post(2), ucp_request_t, recv_queue);

    post(3);
    PUT(second, ucs_queue_elem_t, next, first);
    fake_assert_tells(mqs_pending_receives);
    PUT(second, ucs_queue_elem_t, next, second);
    fake_assert_tells(mqs_pending_receives);
}

TEST(queue_link_to_nowhere_ends_with_an_error)
{
    static const fake_ta links[] = { 0, 1, 0xfffffffffffffff8, 0x123456789000 };
    fake_ta first = AT(post(1), ucp_request_t, recv_queue);

    post(2);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        PUT(first, ucs_queue_elem_t, next, links[i]);
        fake_assert_tells(mqs_pending_receives);
    }
}

/* What UCX would never have in its queues. */
TEST(impossible_receive_in_a_queue_is_an_error)
{
    static const struct fake_wrong impossible[] = {
        { FAKE_MEMBER_ucp_request_t__recv_tag_mask, 0xffff },
        { FAKE_MEMBER_ucp_request_t__recv_tag_mask, UINT64_MAX },
        { FAKE_MEMBER_ucp_request_t__recv_worker, 8 },
        { FAKE_MEMBER_ucp_request_t__recv_sn, 1000000 },
        { FAKE_MEMBER_ucp_request_t__flags, 0 },
    };
    fake_ta request = post(1);

    fake_assert_each_tells(request, impossible, sizeof impossible / sizeof impossible[0], mqs_pending_receives);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    fake_ucx_set_flags(UCX, request, FAKE_UCX_FLAG(UCX, ucx_completed), true);
    fake_assert_tells(mqs_pending_receives);
}

TEST(list_of_messages_that_cycles_ends_with_an_error)
{
    struct fake_ucx_message one = { 2, 5, 8, 0, FAKE_UCX_ONLY, 0 };
    fake_ta first = fake_ucx_arrive(UCX, 0, &one) + FAKE_SIZE(IMAGE, ucs_list_link_t), second;

    second = fake_ucx_arrive(UCX, 0, &one) + FAKE_SIZE(IMAGE, ucs_list_link_t);
    PUT(second, ucs_list_link_t, next, first);
    fake_assert_tells(mqs_unexpected_messages);
    PUT(first, ucs_list_link_t, prev, second);
    fake_assert_tells(mqs_unexpected_messages);
}

TEST(impossible_message_is_an_error)
{
    static const struct fake_wrong impossible[] = {
        { FAKE_MEMBER_ucp_recv_desc_t__flags, 0 },
        { FAKE_MEMBER_ucp_recv_desc_t__length, 3 },
        { FAKE_MEMBER_ucp_recv_desc_t__payload_offset, 0x7fffffff },
    };
    fake_ta message = fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 2, 5, 8, 0, FAKE_UCX_ONLY, 0 });

    fake_assert_each_tells(message, impossible, sizeof impossible / sizeof impossible[0], mqs_unexpected_messages);
    /* A tag of another bucket. */
    fake_image_put(IMAGE, message + FAKE_SIZE(IMAGE, ucp_recv_desc_t), 8, fake_ucx_tag(0, 2, 6));
    fake_assert_tells(mqs_unexpected_messages);
}

TEST(length_beyond_all_memory_is_an_error_not_a_negative_number)
{
    fake_ta recv = post(1);
    struct fake_ucx_send send = { .destination = 2, .tag = 1, .count = 5, .datatype = JOB->mpi_int, .buffer = 0x1000,
                                  .callback = FAKE_UCX_SEND };
    fake_ta request = fake_ucx_isend(UCX, &JOB->world, &send);

    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 2, 5, SIZE_MAX - 7, 0, FAKE_UCX_RENDEZVOUS, 0 });
    PUT(recv, ucp_request_t, recv_length, UINT64_MAX - 7);
    PUT(request, ucp_request_t, send_length, UINT64_MAX - 7);
    fake_assert_tells(mqs_pending_receives);
    fake_assert_tells(mqs_pending_sends);
    fake_assert_tells(mqs_unexpected_messages);
}

TEST(absurd_pool_is_an_error)
{
    static const struct fake_wrong absurd[] = {
        { FAKE_MEMBER_ucs_mpool_data_t__elem_size, 0 },
        { FAKE_MEMBER_ucs_mpool_data_t__elem_size, 0xffffffff },
        { FAKE_MEMBER_ucs_mpool_data_t__alignment, 0 },
        { FAKE_MEMBER_ucs_mpool_data_t__alignment, 3 },
        { FAKE_MEMBER_ucs_mpool_data_t__alignment, 0x80000000 },
        { FAKE_MEMBER_ucs_mpool_data_t__chunks, 0x1000 },
    };

    post(1);
    fake_assert_each_tells(UCX->pool_data, absurd, sizeof absurd / sizeof absurd[0], mqs_pending_sends);
}

TEST(chunks_that_cycle_or_are_too_large_are_an_error)
{
    fake_ta last = GET(UCX->pool_data, ucs_mpool_data_t, chunks), first;

    fake_ucx_grow(UCX, 4);
    first = GET(UCX->pool_data, ucs_mpool_data_t, chunks);
    PUT(last, ucs_mpool_chunk_t, next, first);
    fake_assert_tells(mqs_pending_sends);
    PUT(last, ucs_mpool_chunk_t, next, 0x1234);
    fake_assert_tells(mqs_pending_sends);
    PUT(last, ucs_mpool_chunk_t, next, 0);
    PUT(last, ucs_mpool_chunk_t, num_elems, 0x7fffffff);
    fake_assert_tells(mqs_pending_sends);
}

SUITE(populated, fake_ucx_setup_populated, fake_teardown, &fake_ucx_113_assert);
TEST_ALSO(populated, each_read_may_fail)
TEST_ALSO(populated, all_reads_may_fail_from_any_one_on)
TEST_ALSO(populated, each_allocation_may_fail)
TEST_ALSO(populated, all_allocations_may_fail_from_any_one_on)

SUITE(on_releases, fake_ucx_setup_populated, fake_teardown, &fake_ucx_110, &fake_ucx_118_assert);
TEST_ALSO(on_releases, no_single_corrupt_word_does_harm)
TEST_ALSO(on_releases, corrupt_words_together_do_no_harm)

SUITE(newer, fake_ucx_setup_populated, fake_teardown, &fake_ucx_118);
TEST_ALSO(newer, any_address_may_be_looked_for)
