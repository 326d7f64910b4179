/* test_dll_hostile.c - memory that is corrupt, changes, or cannot be read; a debugger without memory. */
#include "fake_sweep.h"
#include "fake_test.h"

static void setup(const struct fake_build *build)
{
    const int two[2] = { 1, 3 }, rest[2] = { 0, 2 };
    fake_ta group, ahead, behind;

    fake_setup(build);
    group = fake_group_of(JOB, two, 2);
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

SUITE(each, setup, fake_teardown);

TEST(list_that_cycles_past_its_head_ends_with_an_error)
{
    fake_ta list, first, last, peer = fake_peer(JOB, &JOB->world, 3);

    list = AT(peer, mca_pml_ob1_comm_proc_t, unexpected_frags);
    first = GET(AT(list, opal_list_t, opal_list_sentinel), opal_list_item_t, opal_list_next);
    last = GET(first, opal_list_item_t, opal_list_next);
    PUT(last, opal_list_item_t, opal_list_next, first);
    fake_assert_tells(mqs_unexpected_messages);
    /* Nor if both links agree. */
    PUT(first, opal_list_item_t, opal_list_prev, last);
    fake_assert_tells(mqs_unexpected_messages);
}

TEST(list_link_to_nowhere_ends_with_an_error)
{
    fake_ta first, list = AT(fake_peer(JOB, &JOB->world, 3), mca_pml_ob1_comm_proc_t, unexpected_frags);

    first = GET(AT(list, opal_list_t, opal_list_sentinel), opal_list_item_t, opal_list_next);
    for (int i = 0; i < 5; i++) {
        const fake_ta links[] = { 0, 1, first, 0xfffffffffffffff8, 0x123456789000 };

        PUT(first, opal_list_item_t, opal_list_next, links[i]);
        fake_assert_tells(mqs_unexpected_messages);
    }
}

TEST(ring_of_early_messages_that_does_not_close_ends_with_an_error)
{
    fake_ta ahead, behind, peer = fake_peer(JOB, &JOB->world, 3);

    ahead = GET(peer, mca_pml_ob1_comm_proc_t, frags_cant_match);
    behind = GET(ahead, mca_pml_ob1_recv_frag_t, range);
    PUT(ahead, opal_list_item_t, opal_list_next, behind);
    fake_assert_tells(mqs_unexpected_messages);
    /* No message comes twice: there are not more of them than fragments. */
    assert_in_range(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 2, 4);
    PUT(ahead, opal_list_item_t, opal_list_next, ahead);
    PUT(behind, opal_list_item_t, opal_list_next, ahead);
    fake_assert_tells(mqs_unexpected_messages);
    assert_in_range(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 2, 4);
}

TEST(absurd_free_list_is_an_error)
{
    static const struct fake_wrong absurd[] = {
        { FAKE_MEMBER_opal_free_list_t__fl_num_allocated, UINT64_MAX },
        { FAKE_MEMBER_opal_free_list_t__fl_num_allocated, 0x7fffffff },
        { FAKE_MEMBER_opal_free_list_t__fl_num_allocated, 5 },
        { FAKE_MEMBER_opal_free_list_t__fl_num_allocated, 0 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_size, 0 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_size, 8 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_size, UINT64_MAX },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_size, 1 << 20 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_alignment, 0 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_alignment, 3 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_alignment, UINT64_C(1) << 63 },
        { FAKE_MEMBER_opal_free_list_t__fl_frag_class, 8 },
    };

    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        fake_assert_each_tells(JOB->recv_requests, &absurd[i], 1, mqs_pending_receives);
        fake_expect_still(0, mqs_pending_sends, "*\n");
    }
}

TEST(absurd_array_of_communicators_is_an_error)
{
    static const uint64_t sizes[] = { 0, 1, 2, 65537, 0x7fffffff, 0x80000000, 0xffffffff };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        PUT(JOB->communicators, opal_pointer_array_t, size, sizes[i]);
        assert_true(fake_look_anew(&fake) >= mqs_first_user_code);
        fake_assert_no_harm();
    }
}

TEST(absurd_group_costs_one_communicator)
{
    static const uint64_t counts[] = { 0x7fffffff, 0x80000000, 0xffffffff, 1 << 25 };
    const int two[2] = { 1, 2 };
    fake_ta group = fake_group_of(JOB, two, 2);

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

TEST(absurd_number_of_peers_is_an_error)
{
#define NUM_PEERS(n) { FAKE_MEMBER_mca_pml_ob1_comm_t__num_procs, n }
    static const struct fake_wrong counts[] = { NUM_PEERS(0), NUM_PEERS(5), NUM_PEERS(0x7fffffff),
                                                NUM_PEERS(UINT64_MAX) };

    fake_assert_each_tells(JOB->world.pml, counts, sizeof counts / sizeof counts[0], mqs_unexpected_messages);
}

/* It is shorter than its header, or of an unknown protocol. */
TEST(impossible_fragment_is_an_error)
{
    static const struct fake_wrong length = { FAKE_MEMBER_mca_btl_base_segment_t__seg_len, 3 },
                                   type = { FAKE_MEMBER_mca_pml_ob1_common_hdr_t__hdr_type, 200 };
    fake_ta frag = fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 8, 4, FAKE_HDR_MATCH });

    fake_assert_each_tells(AT(frag, mca_pml_ob1_recv_frag_t, segments), &length, 1, mqs_unexpected_messages);
    fake_assert_each_tells(AT(frag, mca_pml_ob1_recv_frag_t, hdr), &type, 1, mqs_unexpected_messages);
}

TEST(length_beyond_all_memory_is_an_error_not_a_negative_number)
{
    fake_ta frag = fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 8, 4, FAKE_HDR_RNDV });
    fake_ta send = fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 8, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });

    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 9, SIZE_MAX / 4, JOB->mpi_double, 0x1000 });
    fake_assert_tells(mqs_pending_receives);
    PUT(AT(frag, mca_pml_ob1_recv_frag_t, hdr), mca_pml_ob1_rendezvous_hdr_t, hdr_msg_length, UINT64_MAX - 7);
    fake_assert_tells(mqs_unexpected_messages);
    PUT(send, mca_pml_base_send_request_t, req_bytes_packed, UINT64_MAX - 7);
    fake_assert_tells(mqs_pending_sends);
}

TEST(class_chain_that_cycles_ends)
{
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

TEST(memory_may_change_between_reads)
{
    for (long period = 1; period < 30; period++) {
        fake_setup(NULL);
        fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 9, 1, JOB->mpi_double, 0x1000 });
        HOST->before_read = change_under_way;
        HOST->context = &period;
        for (int i = 0; i < 3; i++)
            (void)fake_look(&fake);
        assert_in_range(HOST->n_reads, 0, 5000);
    }
}

SUITE(releases, fake_setup_populated, fake_teardown, &fake_release, &fake_release_31, &fake_vector_507, &fake_release_60,
      &fake_s390x_507, &fake_i386);
TEST_ALSO(releases, no_single_corrupt_word_does_harm)

SUITE(populated, fake_setup_populated, fake_teardown, &fake_release);
TEST_ALSO(populated, each_read_may_fail)
TEST_ALSO(populated, all_reads_may_fail_from_any_one_on)
TEST_ALSO(populated, each_allocation_may_fail)
TEST_ALSO(populated, all_allocations_may_fail_from_any_one_on)

SUITE(on_machines, fake_setup_populated, fake_teardown, &fake_release, &fake_custom_507, &fake_release_60, &fake_s390x,
      &fake_i386);
TEST_ALSO(on_machines, corrupt_words_together_do_no_harm)
