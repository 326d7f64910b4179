/* test_dll_hostile.c - memory that is corrupt, changes, or cannot be read; a debugger without memory. */
#include "fake_sweep.h"
#include "fake_test.h"

static void populate(void)
{
    const int two[2] = { 1, 3 }, rest[2] = { 0, 2 };
    fake_ta group = fake_group_of(JOB, two, 2), ahead, behind;

    fake_intercomm_new(JOB, 3, "inter", group, fake_group_of(JOB, rest, 2));
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ FAKE_ANY, 1, 7, JOB->mpi_double, 0x1000 });
    fake_recv_match(JOB, fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 2, 6, JOB->mpi_int, 0x2000 }), 2, 2, 20);
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 3, 500, JOB->mpi_int, 0x3000, FAKE_SYNCHRONOUS });
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 4, 40, FAKE_HDR_MATCH });
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 5, 100000, FAKE_HDR_RNDV });
    ahead = fake_frag_new(JOB, 0, &(struct fake_message){ 3, 6, 0, FAKE_HDR_MATCH }, 9);
    behind = fake_frag_new(JOB, 0, &(struct fake_message){ 3, 7, 0, FAKE_HDR_MATCH }, 10);
    fake_ring_init(JOB, ahead);
    fake_ring_init(JOB, behind);
    PUT(ahead, mca_pml_ob1_recv_frag_t, range, behind);
    PUT(fake_peer(JOB, &JOB->world, 3), mca_pml_ob1_comm_proc_t, frags_cant_match, ahead);
}

static int setup(void **state)
{
    int rc = fake_setup(state);

    populate();
    return rc;
}

static const struct fake_queue *queue_of_world(mqs_op_class op_class)
{
    return fake_queue(&fake, 0, op_class);
}

/* The queue must have returned an error, at once or after the operations that could be read. */
static void assert_queue_tells_an_error(mqs_op_class op_class)
{
    const struct fake_queue *queue = queue_of_world(op_class);

    fake_assert_no_harm();
    assert_true(queue->setup >= mqs_first_user_code || queue->error >= mqs_first_user_code);
}

static void list_that_cycles_past_its_head_ends_with_an_error(void **state)
{
    fake_ta peer, list, first, last;

    (void)state;
    peer = fake_peer(JOB, &JOB->world, 3);
    list = AT(peer, mca_pml_ob1_comm_proc_t, unexpected_frags);
    first = GET(AT(list, opal_list_t, opal_list_sentinel), opal_list_item_t, opal_list_next);
    last = GET(first, opal_list_item_t, opal_list_next);
    PUT(last, opal_list_item_t, opal_list_next, first);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_queue_tells_an_error(mqs_unexpected_messages);
    /* Nor if both links agree. */
    PUT(first, opal_list_item_t, opal_list_prev, last);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_queue_tells_an_error(mqs_unexpected_messages);
}

static void list_link_to_nowhere_ends_with_an_error(void **state)
{
    fake_ta list, first;

    (void)state;
    list = AT(fake_peer(JOB, &JOB->world, 3), mca_pml_ob1_comm_proc_t, unexpected_frags);
    first = GET(AT(list, opal_list_t, opal_list_sentinel), opal_list_item_t, opal_list_next);
    for (int i = 0; i < 5; i++) {
        const fake_ta links[] = { 0, 1, first, 0xfffffffffffffff8, 0x123456789000 };

        PUT(first, opal_list_item_t, opal_list_next, links[i]);
        assert_int_equal(fake_look_anew(&fake), mqs_ok);
        assert_queue_tells_an_error(mqs_unexpected_messages);
    }
}

static void ring_of_early_messages_that_does_not_close_ends_with_an_error(void **state)
{
    fake_ta peer, ahead, behind;

    (void)state;
    peer = fake_peer(JOB, &JOB->world, 3);
    ahead = GET(peer, mca_pml_ob1_comm_proc_t, frags_cant_match);
    behind = GET(ahead, mca_pml_ob1_recv_frag_t, range);
    PUT(ahead, opal_list_item_t, opal_list_next, behind);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_queue_tells_an_error(mqs_unexpected_messages);
    /* No message comes twice: there are not more of them than fragments. */
    assert_in_range(queue_of_world(mqs_unexpected_messages)->n, 2, 4);
    PUT(ahead, opal_list_item_t, opal_list_next, ahead);
    PUT(behind, opal_list_item_t, opal_list_next, ahead);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_queue_tells_an_error(mqs_unexpected_messages);
    assert_in_range(queue_of_world(mqs_unexpected_messages)->n, 2, 4);
}

static void absurd_free_list_is_an_error(void **state)
{
    static const struct {
        enum fake_member member;
        uint64_t value;
    } absurd[] = {
        { FAKE_MEMBER_opal_free_list_t__fl_num_allocated, UINT64_MAX },
        { FAKE_MEMBER_opal_free_list_t__fl_num_allocated, 0x7fffffff },
        { FAKE_MEMBER_opal_free_list_t__fl_num_allocated, 5 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_size, 0 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_size, 8 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_size, UINT64_MAX },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_size, 1 << 20 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_alignment, 0 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_alignment, 3 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_alignment, UINT64_C(1) << 63 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_class, 8 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        uint64_t old = fake_image_get_member(IMAGE, JOB->recv_requests, absurd[i].member);

        fake_image_put_member(IMAGE, JOB->recv_requests, absurd[i].member, absurd[i].value);
        assert_int_equal(fake_look_anew(&fake), mqs_ok);
        assert_queue_tells_an_error(mqs_pending_receives);
        assert_int_equal(queue_of_world(mqs_pending_sends)->n, 1);
        fake_image_put_member(IMAGE, JOB->recv_requests, absurd[i].member, old);
    }
}

static void absurd_array_of_communicators_is_an_error(void **state)
{
    static const uint64_t sizes[] = { 0, 1, 2, 65537, 0x7fffffff, 0x80000000, 0xffffffff };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        PUT(JOB->communicators, opal_pointer_array_t, size, sizes[i]);
        assert_true(fake_look_anew(&fake) >= mqs_first_user_code);
        fake_assert_no_harm();
    }
}

static void absurd_group_costs_one_communicator(void **state)
{
    static const uint64_t counts[] = { 0x7fffffff, 0x80000000, 0xffffffff, 1 << 25 };
    const int two[2] = { 1, 2 };
    fake_ta group;

    (void)state;
    group = fake_group_of(JOB, two, 2);
    fake_comm_new(JOB, 7, "torn", group, group);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        PUT(group, ompi_group_t, grp_proc_count, counts[i]);
        assert_int_equal(fake_look_anew(&fake), mqs_ok);
        fake_assert_no_harm();
        assert_null(fake_listed(&fake.listing, 7));
        assert_non_null(fake_listed(&fake.listing, 3));
        assert_true(fake.listing.error >= mqs_first_user_code);
    }
}

static void absurd_number_of_peers_is_an_error(void **state)
{
    static const uint64_t counts[] = { 0, 5, 0x7fffffff, UINT64_MAX };

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        PUT(JOB->world.pml, mca_pml_ob1_comm_t, num_procs, counts[i]);
        assert_int_equal(fake_look_anew(&fake), mqs_ok);
        assert_queue_tells_an_error(mqs_unexpected_messages);
    }
}

static void fragment_shorter_than_its_header_is_an_error(void **state)
{
    fake_ta frag;

    (void)state;
    frag = fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 8, 4, FAKE_HDR_MATCH });
    PUT(AT(frag, mca_pml_ob1_recv_frag_t, segments), mca_btl_base_segment_t, seg_len, 3);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_queue_tells_an_error(mqs_unexpected_messages);
    for (size_t i = 0; i < queue_of_world(mqs_unexpected_messages)->n; i++)
        assert_true(queue_of_world(mqs_unexpected_messages)->operations[i].desired_length >= 0);
}

static void fragment_of_an_unknown_protocol_is_an_error(void **state)
{
    fake_ta frag;

    (void)state;
    frag = fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 8, 4, FAKE_HDR_MATCH });
    PUT(AT(frag, mca_pml_ob1_recv_frag_t, hdr), mca_pml_ob1_common_hdr_t, hdr_type, 200);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_queue_tells_an_error(mqs_unexpected_messages);
}

static void length_beyond_all_memory_is_an_error_not_a_negative_number(void **state)
{
    const struct fake_queue *queue;

    (void)state;
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 9, SIZE_MAX / 4, JOB->mpi_double, 0x1000 });
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    queue = queue_of_world(mqs_pending_receives);
    for (size_t i = 0; i < queue->n; i++)
        assert_true(queue->operations[i].desired_length >= 0);
    assert_queue_tells_an_error(mqs_pending_receives);
}

static void message_longer_than_all_memory_is_an_error_not_a_negative_number(void **state)
{
    fake_ta frag;

    (void)state;
    frag = fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 8, 4, FAKE_HDR_RNDV });
    PUT(AT(frag, mca_pml_ob1_recv_frag_t, hdr), mca_pml_ob1_rendezvous_hdr_t, hdr_msg_length, UINT64_MAX - 7);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_queue_tells_an_error(mqs_unexpected_messages);
}

static void send_longer_than_all_memory_is_an_error_not_a_negative_number(void **state)
{
    fake_ta request;

    (void)state;
    request = fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 8, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });
    PUT(request, mca_pml_base_send_request_t, req_bytes_packed, UINT64_MAX - 7);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_queue_tells_an_error(mqs_pending_sends);
}

static void class_chain_that_cycles_ends(void **state)
{
    (void)state;
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        fake_ta class = JOB->classes[type];
        uint64_t old;

        if (class == 0)
            continue;
        old = GET(class, opal_class_t, cls_parent);
        PUT(class, opal_class_t, cls_parent, class);
        (void)fake_look_anew(&fake);
        fake_assert_no_harm();
        PUT(class, opal_class_t, cls_parent, old);
    }
    /* Nor where the name that is looked for is not in the chain. */
    fake_slot_set(JOB, 7, JOB->mpi_int);
    PUT(JOB->classes[FAKE_TYPE_opal_datatype_t], opal_class_t, cls_parent,
        JOB->classes[FAKE_TYPE_opal_datatype_t]);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    fake_assert_no_harm();
    assert_true(fake.listing.error >= mqs_first_user_code);
}

/* The target runs while it is read. Each read may find another state. */
static void change_under_way(struct fake_host *host, fake_ta ta, size_t size)
{
    static const uint64_t values[] = { 0, UINT64_MAX, 8, 0x7f1000000000 };
    const long *period = host->context;
    fake_ta word = (ta + (fake_ta)(host->n_reads * 40) % size) & ~(fake_ta)7;
    uint64_t old;

    if (host->n_reads % *period != 0 || !fake_image_read(host->process.memory, word, 8, &old))
        return;
    fake_image_put(host->process.memory, word, 8, values[host->n_reads % 4]);
}

static void memory_may_change_between_reads(void **state)
{
    (void)state;
    for (long period = 1; period < 30; period++) {
        struct fake_fixture fixture;

        fake_begin(&fixture, NULL);
        fake_irecv(&fixture.job, &fixture.job.world,
                   &(struct fake_recv){ 2, 9, 1, fixture.job.mpi_double, 0x1000 });
        fixture.host.before_read = change_under_way;
        fixture.host.context = &period;
        for (int i = 0; i < 3; i++)
            (void)fake_look(&fixture);
        assert_in_range(fixture.host.n_reads, 0, 5000);
        assert_int_equal(fake_end(&fixture), 0);
    }
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, fake_teardown)
#define TEST_ON(function, build) { #function " " #build, function, fake_setup_populated, fake_teardown, (void *)&build }
    const struct CMUnitTest tests[] = {
        TEST(list_that_cycles_past_its_head_ends_with_an_error),
        TEST(list_link_to_nowhere_ends_with_an_error),
        TEST(ring_of_early_messages_that_does_not_close_ends_with_an_error),
        TEST(absurd_free_list_is_an_error),
        TEST(absurd_array_of_communicators_is_an_error),
        TEST(absurd_group_costs_one_communicator),
        TEST(absurd_number_of_peers_is_an_error),
        TEST(fragment_shorter_than_its_header_is_an_error),
        TEST(fragment_of_an_unknown_protocol_is_an_error),
        TEST(length_beyond_all_memory_is_an_error_not_a_negative_number),
        TEST(message_longer_than_all_memory_is_an_error_not_a_negative_number),
        TEST(send_longer_than_all_memory_is_an_error_not_a_negative_number),
        TEST(class_chain_that_cycles_ends),
        TEST_ON(no_single_corrupt_word_does_harm, fake_release),
        TEST_ON(corrupt_words_together_do_no_harm, fake_release),
        TEST_ON(corrupt_words_together_do_no_harm, fake_custom_507),
        TEST_ON(corrupt_words_together_do_no_harm, fake_release_60),
        TEST_ON(corrupt_words_together_do_no_harm, fake_s390x),
        TEST_ON(corrupt_words_together_do_no_harm, fake_i386),
        TEST_ON(each_read_may_fail, fake_release),
        TEST_ON(all_reads_may_fail_from_any_one_on, fake_release),
        TEST_ON(each_allocation_may_fail, fake_release),
        TEST_ON(all_allocations_may_fail_from_any_one_on, fake_release),
        TEST(memory_may_change_between_reads),
    };
    fake_limit_time();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
