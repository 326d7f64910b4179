/*
 * test_dll_ucx_hostile.c - UCX's memory is corrupt, changes, or cannot be read; a debugger without memory.
 */
#include "fake_ucx_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define JOB (&fake.job)
#define UCX (&fake_ucx)
#define IMAGE (&fake.job.image)
#define HOST (&fake.host)
#define PROCESS (&fake.host.process)
#define PUT(object, type, member, value) FAKE_UCX_PUT(UCX, object, type, member, value)
#define GET(object, type, member) FAKE_UCX_GET(UCX, object, type, member)
#define AT(object, type, member) FAKE_UCX_AT(UCX, object, type, member)

/* A listing of this job takes some hundreds of reads; whatever its memory holds, it ends within these. */
enum { MAX_READS = 30000 };

static void assert_no_harm(void)
{
    assert_string_equal(fake.listing.broken, "");
    assert_int_equal(HOST->violations, 0);
    assert_in_range(HOST->n_reads, 0, MAX_READS);
}

/* The queue of MPI_COMM_WORLD tells an error, at once or after what could be read. */
static void assert_tells(mqs_op_class op_class)
{
    const struct fake_queue *queue;

    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_no_harm();
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
    fake_ta first = fake_ucx_arrive(UCX, 0, &one) + FAKE_UCX_SIZE(UCX, ucs_list_link_t), second;

    (void)state;
    second = fake_ucx_arrive(UCX, 0, &one) + FAKE_UCX_SIZE(UCX, ucs_list_link_t);
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
    fake_image_put(IMAGE, message + FAKE_UCX_SIZE(UCX, ucp_recv_desc_t), 8, fake_ucx_tag(0, 2, 6));
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

/* Words of the image, without most of the hash tables: all their heads are alike. */
enum { MAX_WORDS = 16384, MAX_CHANGES = 8, OF_TABLES = 61 };

static bool is_in_table(fake_ta ta)
{
    return (ta >= UCX->expected && ta < UCX->expected + FAKE_UCX_BUCKETS * FAKE_UCX_SIZE(UCX, ucp_request_queue_t)) ||
           (ta >= UCX->unexpected && ta < UCX->unexpected + FAKE_UCX_BUCKETS * FAKE_UCX_SIZE(UCX, ucs_list_link_t));
}

static size_t words_of_image(fake_ta *words)
{
    size_t n = 0, n_in_tables = 0;

    for (fake_ta ta = fake_image_next_written(IMAGE, 0); ta != 0; ta = fake_image_next_written(IMAGE, ta + 8)) {
        if (is_in_table(ta) && n_in_tables++ % OF_TABLES != 0)
            continue;
        assert_true(n < MAX_WORDS);
        words[n++] = ta;
    }
    return n;
}

static void no_single_corrupt_word_does_harm(void **state)
{
    static fake_ta words[MAX_WORDS];
    size_t n_words = words_of_image(words), stride = getenv("MQD_TEST_SLOW") != NULL ? 83 : 11, n_looks = 0;

    (void)state;
    for (size_t n = 0; n < n_words; n += stride) {
        uint64_t old = fake_image_get(IMAGE, words[n], 8);
        const uint64_t values[] = { 0, UINT64_MAX, words[n], old + 8 };

        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++, n_looks++) {
            fake_image_put(IMAGE, words[n], 8, values[i]);
            (void)fake_look_anew(&fake);
            if (fake.listing.broken[0] != '\0' || HOST->violations != 0 || HOST->n_reads > MAX_READS)
                print_message("word at %#" PRIx64 " set to %#" PRIx64 ": %ld reads, %s %s\n", words[n], values[i],
                              HOST->n_reads, fake.listing.broken, HOST->violation);
            assert_no_harm();
        }
        fake_image_put(IMAGE, words[n], 8, old);
    }
    print_message("%zu words, %zu listings\n", n_words, n_looks);
    assert_true(n_words > 1000);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
}

/* Numbers that are the same in every run (xorshift). */
static uint64_t next_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t false_value(const fake_ta *words, size_t n, uint64_t *state)
{
    uint64_t other = words[next_number(state) % n];

    switch (next_number(state) % 4) {
    case 0:
        return other;
    case 1:
        return next_number(state) >> next_number(state) % 64;
    case 2:
        return fake_image_get(IMAGE, other, 8) + next_number(state) % 17 - 8;
    default:
        return fake_image_get(IMAGE, other, 8);
    }
}

static void corrupt_words_together_do_no_harm(void **state)
{
    static fake_ta words[MAX_WORDS];
    const char *times = getenv("MQD_TEST_TIMES");
    long n_looks = times != NULL ? atol(times) : getenv("MQD_TEST_SLOW") != NULL ? 50 : 200;
    size_t n = words_of_image(words);
    uint64_t numbers = UINT64_C(88172645463325252);

    (void)state;
    for (long look = 0; look < n_looks; look++) {
        size_t n_changes = 2 + next_number(&numbers) % (MAX_CHANGES - 1);
        fake_ta where[MAX_CHANGES];
        uint64_t before[MAX_CHANGES];

        for (size_t i = 0; i < n_changes; i++) {
            where[i] = words[next_number(&numbers) % n];
            before[i] = fake_image_get(IMAGE, where[i], 8);
            fake_image_put(IMAGE, where[i], 8, false_value(words, n, &numbers));
        }
        (void)fake_look_anew(&fake);
        if (fake.listing.broken[0] != '\0' || HOST->violations != 0)
            print_message("look %ld: %s %s\n", look, fake.listing.broken, HOST->violation);
        assert_string_equal(fake.listing.broken, "");
        assert_int_equal(HOST->violations, 0);
        assert_in_range(HOST->n_reads, 0, MAX_READS + 2 * 65536);
        for (size_t i = n_changes; i-- > 0;)
            fake_image_put(IMAGE, where[i], 8, before[i]);
    }
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
}

/* A member whose name cannot be read is rank -1, which is no error; nor is a destination that is said to be unknown. */
static bool lacks_a_rank(const struct fake_listing *listing)
{
    for (size_t i = 0; i < listing->n_comms; i++) {
        const struct fake_queue *sends = &listing->comms[i].queues[mqs_pending_sends];

        for (mqs_tword_t rank = 0; rank < listing->comms[i].communicator.size; rank++)
            if (listing->comms[i].group[rank] == -1)
                return true;
        for (size_t send = 0; send < sends->n; send++)
            if (fake_says(&sends->operations[send], "not known: destination"))
                return true;
    }
    return false;
}

static void each_read_may_fail(void **state)
{
    long n_reads, n_silent = 0;

    (void)state;
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    n_reads = HOST->n_reads;
    assert_in_range(n_reads, 10, 5000);
    for (long n = 0; n < n_reads; n += getenv("MQD_TEST_SLOW") != NULL ? 5 : 1) {
        HOST->fail_read = n;
        (void)fake_look_anew(&fake);
        assert_no_harm();
        if (fake_judge(&fake.listing, &fake.truth) == FAKE_SILENT && !lacks_a_rank(&fake.listing) && ++n_silent < 9) {
            char *text = fake_text(&fake.listing, &fake.names);

            print_message("read %ld of %ld fails: %s\n%s\n", n, n_reads, fake.listing.message, text);
            free(text);
        }
    }
    HOST->fail_read = FAKE_NEVER;
    assert_int_equal(n_silent, 0);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
}

static void all_reads_may_fail_from_any_one_on(void **state)
{
    long n_reads;

    (void)state;
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    n_reads = HOST->n_reads;
    for (long n = 0; n < n_reads; n += 1 + n / 40) {
        HOST->fail_reads_from = n;
        (void)fake_look_anew(&fake);
        assert_no_harm();
        for (size_t comm = 0; comm < fake.listing.n_comms; comm++)
            for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
                assert_true(fake.listing.comms[comm].queues[queue].n <= fake.truth.comms[comm].queues[queue].n);
    }
    HOST->fail_reads_from = FAKE_NEVER;
}

static void each_allocation_may_fail(void **state)
{
    long n_failed = 0;

    (void)state;
    for (;; n_failed++) {
        HOST->fail_allocation = n_failed;
        (void)fake_look_anew(&fake);
        assert_no_harm();
        if (HOST->n_allocations <= n_failed)
            break;
        if (fake.listing.setup_image == mqs_ok && fake.listing.setup_process == mqs_ok &&
            fake_judge(&fake.listing, &fake.truth) == FAKE_SILENT && !lacks_a_rank(&fake.listing))
            fail_msg("allocation %ld fails, and nobody notices", n_failed);
    }
    assert_in_range(n_failed, 5, 5000);
    HOST->fail_allocation = FAKE_NEVER;
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
}

/* find_send with any address: no output is touched, and nothing is made up. */
static void any_address_may_be_looked_for(void **state)
{
    uint64_t numbers = UINT64_C(88172645463325252);
    static fake_ta words[MAX_WORDS];
    size_t n = words_of_image(words);

    (void)state;
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    for (int i = 0; i < 3000; i++) {
        fake_ta ta = false_value(words, n, &numbers);
        mqs_taddr_t communicator = 99;
        struct fake_out out;
        int rc;

        fake_out_init(&out);
        rc = ompi_mqd_extension(1)->find_send(PROCESS, ta, &communicator, &out.out.operation);
        if (rc == mqs_ok)
            continue;
        assert_int_equal(rc, mqs_end_of_list);
        assert_true(fake_out_intact(&out));
        assert_int_equal(communicator, 99);
    }
    assert_int_equal(HOST->violations, 0);
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
        TEST_ON(any_address_may_be_looked_for, fake_ucx_118),
    };
    fake_limit_time();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
