/* test_dll_unexpected.c - the queue of messages that arrived and that no receive matched yet. */
#include "fake_test.h"

#define EXPECT(pattern) fake_expect(0, mqs_unexpected_messages, pattern)
#define EXPECT_ON(unique_id, pattern) fake_expect(unique_id, mqs_unexpected_messages, pattern)

static fake_ta arrive(int source, int tag, size_t bytes)
{
    return fake_arrive(JOB, &JOB->world, &(struct fake_message){ source, tag, bytes, FAKE_HDR_MATCH });
}

static fake_ta data_of(fake_ta frag)
{
    return GET(AT(frag, mca_pml_ob1_recv_frag_t, segments), mca_btl_base_segment_t, seg_addr);
}

static void name_data(unsigned n, fake_ta ta)
{
    fake_name(&fake.names, "data", n, ta);
}

SUITE(each, fake_setup, fake_teardown);

/* The data lie behind the header: in the fragment, or in a buffer if that is too short. */
TEST(eager_message_is_complete_and_lies_behind_its_header)
{
    fake_ta frag, long_one;

    EXPECT("");
    (void)fake_peer(JOB, &JOB->world, 2);
    EXPECT("");
    frag = arrive(2, 77, 40);
    long_one = arrive(2, 78, 1000);
    arrive(2, 79, 0);
    assert_int_not_equal(data_of(long_one), AT(long_one, mca_pml_ob1_recv_frag_t, addr));
    name_data(1, AT(frag, mca_pml_ob1_recv_frag_t, addr) + FAKE_MATCH_HEADER);
    name_data(2, data_of(long_one) + FAKE_MATCH_HEADER);
    EXPECT("complete: peer 2, tag 77, 40 bytes at data1 (system); eager, waiting for a receive\n"
           "complete: peer 2, tag 78, 1000 bytes at data2 (system); eager, *\n"
           "complete: peer 2, tag 79, 0 bytes *\n");
}

/* Rotation begins behind rank 0. */
TEST(rendezvous_is_pending_with_the_length_of_the_whole_message)
{
    fake_ta frag = fake_arrive(JOB, &JOB->world, &(struct fake_message){ 0, 1, 123456789, FAKE_HDR_RNDV });

    PUT(AT(frag, mca_pml_ob1_recv_frag_t, segments), mca_btl_base_segment_t, seg_len, FAKE_RNDV_HEADER + 64);
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 2, 2, 5000, FAKE_HDR_RNDV });
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 3, (size_t)1 << 33, FAKE_HDR_RGET });
    name_data(1, data_of(frag) + FAKE_RNDV_HEADER);
    EXPECT("pending: peer 2, tag 2, 5000 bytes at 0*; rendezvous, waiting for a receive\n"
           "pending: peer 3, tag 3, 8589934592 bytes at 0*; rendezvous, *\n"
           "pending: peer 0, tag 1, 123456789 bytes at data1 (system); rendezvous, *\n");
}

TEST(messages_of_a_source_come_as_they_were_sent)
{
    const mqs_pending_operation *ops;

    for (int i = 0; i < 150; i++)
        arrive(2, i, (size_t)i);
    ops = fake_tagged(mqs_unexpected_messages, 150, 0);
    for (int i = 0; i < 150; i++)
        assert_int_equal(ops[i].desired_length, i);
}

TEST(sources_come_in_the_rotation_behind_the_last_probed)
{
    for (int source = 0; source < 4; source++) {
        arrive(source, 1, 0);
        arrive(source, 2, 0);
    }
    for (unsigned last_probed = 0; last_probed < 4; last_probed++) {
        char expected[256] = "";

        for (unsigned i = 0; i < 8; i++)
            snprintf(expected + strlen(expected), 32, "*: peer %u, tag %u, *\n", (last_probed + 1 + i / 2) % 4,
                     1 + i % 2);
        PUT(JOB->world.pml, mca_pml_ob1_comm_t, last_probed, last_probed);
        EXPECT(expected);
    }
}

TEST(each_communicator_has_its_own_messages_and_ranks)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 3, 1 }, 2);
    struct fake_comm comm = fake_comm_new(JOB, 3, "backwards", group, group);

    arrive(2, 1, 4);
    fake_arrive(JOB, &comm, &(struct fake_message){ 0, 2, 4, FAKE_HDR_MATCH });
    EXPECT("*: peer 2, tag 1, *\n");
    EXPECT_ON(3, "*: peer 0 (3), tag 2, *\n");
    EXPECT_ON(1, "");
}

TEST(messages_on_an_intercommunicator_come_from_the_remote_group)
{
    fake_ta local = fake_group_of(JOB, (const int[]){ 1 }, 1), remote = fake_group_of(JOB, (const int[]){ 0, 3, 2 }, 3);
    struct fake_comm inter = fake_intercomm_new(JOB, 3, "inter", local, remote);

    fake_arrive(JOB, &inter, &(struct fake_message){ 2, 9, 4, FAKE_HDR_MATCH });
    EXPECT_ON(3, "*: peer 2, tag 9, *\n");
    PUT(inter.pml, mca_pml_ob1_comm_t, last_probed, 1);
    fake_arrive(JOB, &inter, &(struct fake_message){ 1, 8, 4, FAKE_HDR_MATCH });
    EXPECT_ON(3, "*: peer 2, tag 9, *\n*: peer 1 (3), tag 8, *\n");
}

static fake_ta early(int tag)
{
    return fake_frag_new(JOB, 0, &(struct fake_message){ 2, tag, 4, FAKE_HDR_MATCH }, (unsigned)tag);
}

/* A ring of fragments, each with a ring of those that follow it directly; the next one to come is number 2. */
TEST(messages_ahead_of_a_missing_one_come_last_and_say_so)
{
    enum { N = 6 };
    static const int tags[N] = { 4, 5, 9, 12, 13, 14 };
    fake_ta ahead[N];

    arrive(2, 1, 4);
    arrive(1, 50, 4);
    for (int i = 0; i < N; i++) {
        ahead[i] = early(tags[i]);
        fake_ring_init(JOB, ahead[i]);
    }
    fake_ring_append(JOB, ahead[0], ahead[2]);
    fake_ring_append(JOB, ahead[0], ahead[3]);
    PUT(ahead[0], mca_pml_ob1_recv_frag_t, range, ahead[1]);
    fake_ring_append(JOB, ahead[4], ahead[5]);
    PUT(ahead[3], mca_pml_ob1_recv_frag_t, range, ahead[4]);
    PUT(fake_peer(JOB, &JOB->world, 2), mca_pml_ob1_comm_proc_t, frags_cant_match, ahead[0]);
    EXPECT("*: peer 1, tag 50, *; eager, waiting for a receive\n"
           "*: peer 2, tag 1, *; eager, waiting for a receive\n"
           "*: peer 2, tag 4, *sequence*\n*: peer 2, tag 5, *sequence*\n*: peer 2, tag 9, *sequence*\n"
           "*: peer 2, tag 12, *sequence*\n*: peer 2, tag 13, *sequence*\n*: peer 2, tag 14, *sequence*\n");
}

/* A ring of three, of which the named fragment points to another one than it should. */
TEST(broken_ring_of_messages_ahead_is_told)
{
    enum { FIRST, SECOND, LAST };
    static const struct {
        int fragment, next, previous;
        const char *listed;
    } cases[] = {
        { FIRST, FIRST, LAST, "error: *\n" },
        { SECOND, FIRST, FIRST, "*\nerror: *\n" },
        { SECOND, LAST, LAST, "*\nerror: *\n" },
        { LAST, SECOND, SECOND, "*\n*\n*\nerror: *\n" },
    };
    const fake_ta ring[3] = { early(4), early(6), early(8) };

    PUT(fake_peer(JOB, &JOB->world, 2), mca_pml_ob1_comm_proc_t, frags_cant_match, ring[FIRST]);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake_ring_init(JOB, ring[FIRST]);
        fake_ring_append(JOB, ring[FIRST], ring[SECOND]);
        fake_ring_append(JOB, ring[FIRST], ring[LAST]);
        EXPECT("*, tag 4, *\n*, tag 6, *\n*, tag 8, *\n");
        PUT(ring[cases[i].fragment], opal_list_item_t, opal_list_next, ring[cases[i].next]);
        PUT(ring[cases[i].fragment], opal_list_item_t, opal_list_prev, ring[cases[i].previous]);
        EXPECT(cases[i].listed);
    }
}

/* In a header -1 is no wildcard. */
TEST(internal_messages_are_hidden_and_shown_on_request)
{
    arrive(2, -16, 0);
    arrive(2, 5, 0);
    arrive(2, -1, 0);
    EXPECT("*, tag 5, *; eager, waiting for a receive\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    EXPECT("*, tag -16, *MPI_Barrier, tag -16*\n*, tag 5, *; eager, waiting for a receive\n*, tag -1, *\n");
}

/* The same number is another collective's in another release. */
TEST(internal_tags_are_named_as_the_release_has_them)
{
    static const struct {
        const struct fake_build *build;
        const char *version;
        int tag;
        const char *text;
    } cases[] = {
        { &fake_release_31, "3.1.6", -10, "MPI_Allgather, tag -10" },
        { &fake_release_31, "3.1.6", -23, "MPI_Scan, tag -23" },
        { &fake_release_31, "3.1.6", -25, "MPI_Scatterv, tag -25" },
        { &fake_release_31, "3.1.6", -26, "non-blocking collective or communicator creation, tag -26" },
        /* The same sizes as before, but not the same tags: the version tells. */
        { &fake_release_31, "4.0.0", -23, "MPI_Reduce_scatter_block, tag -23" },
        { &fake_release_31, "4.0.0", -26, "MPI_Scatterv, tag -26" },
        { &fake_release_40, "4.0.3", -23, "MPI_Reduce_scatter_block, tag -23" },
        { &fake_release, "4.1.4", -26, "MPI_Scatterv, tag -26" },
        { &fake_release, "4.1.4", -27, "non-blocking collective or communicator creation, tag -27" },
        { &fake_release, "4.1.4", -31079, "communicator creation or a non-blocking collective" },
        { &fake_release, "4.1.4", -1073741822, "non-blocking collective or communicator creation" },
        { &fake_release, "4.1.4", -1073741823, "neighborhood collective, tag -1073741823" },
        { &fake_release, "4.1.4", -1073742848, "collective of UCC or hcoll, tag -1073742848" },
        { &fake_release, "4.1.4", -2147483647, "collective of UCC or hcoll, tag -2147483647" },
        { &fake_release, "4.1.4", -7, "Open MPI's own, tag -7" },
        { &fake_release_507, "5.0.7", -7, "communicator creation, tag -7" },
        { &fake_release_507, "5.0.7", -28, "fault tolerance, tag -28" },
        { &fake_release_507, "5.0.7", -31, "collective of UCC, tag -31" },
        { &fake_release_507, "5.0.7", -32, "Open MPI's own, tag -32" },
        { &fake_release_507, "5.0.7", -33, "non-blocking collective" },
        { &fake_release_507, "5.0.7", -31079, "non-blocking collective" },
        { &fake_release_60, "6.0.0rc2", -33, "MPI_Dist_graph_create, tag -33" },
        { &fake_release_60, "6.0.0rc2", -34, "non-blocking collective" },
        { &fake_release_60, "6.0.0rc2", -2147483647, "Open MPI's own, tag -2147483647" },
        /* What is stated may be no release, or another one: the layout tells. */
        { &fake_release, "vendor", -16, "MPI_Barrier, tag -16" },
        { &fake_release, "5.0.7", -7, "Open MPI's own, tag -7" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_options options = fake_options_of(cases[i].build);

        options.version = cases[i].version;
        fake_begin(&fake, &options);
        arrive(2, cases[i].tag, 0);
        EXPECT("");
        assert_int_equal(EXTENSION->show_internal(&fake.host.process, 1), mqs_ok);
        assert_int_equal(fake_look(&fake), mqs_ok);
        if (!fake_says(fake_queue(&fake, 0, mqs_unexpected_messages)->operations, cases[i].text))
            fail_msg("%s: tag %d is not said to be \"%s\"", cases[i].version, cases[i].tag, cases[i].text);
    }
}

/* For debuggers that know nothing of the extension. */
TEST(environment_asks_for_internal_messages)
{
    arrive(2, -16, 0);
    setenv("OMPI_MQD_SHOW_INTERNAL", "0", 1);
    EXPECT("");
    fake_setup(NULL);
    arrive(2, -16, 0);
    setenv("OMPI_MQD_SHOW_INTERNAL", "1", 1);
    EXPECT("*, tag -16, *\n");
    unsetenv("OMPI_MQD_SHOW_INTERNAL");
}

/* Without the plugin's symbol the free list of fragments is not known. So a message may lie in any chunk. */
TEST(messages_are_shown_without_the_symbol_of_ob1)
{
    for (int i = 0; i < 10; i++)
        arrive(2, i, 4);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_ob1", true);
    fake_tagged(mqs_unexpected_messages, 10, 0);
}

/* The state of a communicator that MPI_Comm_dup is just building. */
static void take_apart(const struct fake_comm *comm)
{
    PUT(comm->ta, ompi_communicator_t, c_pml_comm, 0);
    PUT(comm->ta, ompi_communicator_t, c_flags, 0);
}

/* Another member has come out of MPI_Comm_dup and sends, while this process is still in it, or not there yet. */
TEST(message_for_a_communicator_not_made_yet_is_listed_under_one_of_its_own)
{
    fake_ta frag = fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 2, 77, 40, FAKE_HDR_MATCH });

    fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 0, 78, 5000, FAKE_HDR_RNDV });
    fake_arrive_pending_communicator(JOB, 8, &(struct fake_message){ 3, 79, 0, FAKE_HDR_MATCH });
    name_data(1, data_of(frag) + FAKE_MATCH_HEADER);
    EXPECT_ON(7, "complete: peer 2 (-1), tag 77, 40 bytes at data1 *; eager, its communicator is not made here yet\n"
                 "pending: peer 0 (-1), tag 78, 5000 bytes *; rendezvous, its communicator is not made here yet\n");
    EXPECT_ON(8, "*, tag 79, *\n");
    fake_expect_communicators("0 *\n1 *\n7 communicator 7, not made here yet, rank -1 of 0:\n8 *\n");
    fake_expect(7, mqs_pending_receives, "");
    EXPECT("");
}

TEST(internal_message_makes_no_communicator_but_on_request)
{
    fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 2, -16, 0, FAKE_HDR_MATCH });
    fake_arrive_pending_communicator(JOB, 8, &(struct fake_message){ 2, 0, 0, FAKE_HDR_MATCH });
    /* Nor does a message show the communicator that an intercommunicator keeps over its local group. */
    fake_intercomm_new(JOB, 5, "inter", JOB->world.local_group, JOB->self.local_group);
    fake_arrive_pending_communicator(JOB, 6, &(struct fake_message){ 2, 9, 0, FAKE_HDR_MATCH });
    fake_expect_communicators("0 *\n1 *\n5 *\n8 *\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    EXPECT_ON(7, "*, tag -16, *\n");
}

/* It has its slot, but does not take messages yet; those of others that do come behind. */
TEST(message_for_a_communicator_being_built_is_listed_on_it)
{
    struct fake_comm comm = fake_comm_new(JOB, 7, "half built", JOB->world.local_group, JOB->world.local_group);
    struct fake_comm ready = fake_comm_new(JOB, 9, "ready", JOB->world.local_group, JOB->world.local_group);

    fake_arrive(JOB, &ready, &(struct fake_message){ 0, 78, 0, FAKE_HDR_MATCH });
    take_apart(&comm);
    arrive(2, 1, 0);
    EXPECT_ON(7, "");
    fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 3, 77, 40, FAKE_HDR_MATCH });
    EXPECT("*, tag 1, *\n");
    EXPECT_ON(7, "*: peer 3, tag 77, *\n");
    EXPECT_ON(9, "*, tag 78, *\n");
    fake_expect_communicators("0 *\n1 *\n7 half built, *\n9 ready, *\n");
}

/* Since 5.0: where the members do not agree on the slot it is the extended id that says which communicator is meant. */
TEST(message_for_a_pending_communicator_with_an_extended_id_has_its_communicators_unique_id)
{
    const struct fake_message message = { 2, 77, 40, FAKE_HDR_MATCH };
    struct fake_comm comm;
    mqs_taddr_t unique_id;
    fake_ta frag, id;

    fake_setup(&fake_release_507);
    frag = fake_arrive_pending_communicator_by_cid(JOB, 0xabcdef, 0x100, &message);
    fake_arrive_pending_communicator_by_cid(JOB, 0xabcdef, 0x200, &message);
    fake_expect_communicators("0 *\n1 *\n* communicator not made here yet, *\n* communicator not made here yet, *\n");
    unique_id = fake.listing.comms[2].communicator.unique_id;
    assert_true(unique_id != fake.listing.comms[3].communicator.unique_id);
    name_data(1, data_of(frag) + FAKE_SIZE(IMAGE, mca_pml_ob1_cid_hdr_t) + FAKE_MATCH_HEADER);
    EXPECT_ON(unique_id, "*, tag 77, 40 bytes at data1 *\n");
    /* Where the communicator is there, it has that id. */
    comm = fake_comm_new(JOB, 7, "made", JOB->world.local_group, JOB->world.local_group);
    id = AT(comm.ta, ompi_communicator_t, c_contextid);
    PUT(comm.ta, ompi_communicator_t, c_flags, FAKE_COMM_PML_ADDED);
    PUT(id, ompi_comm_extended_cid_t, cid_base, 0xabcdef);
    PUT(id, ompi_comm_extended_cid_t, cid_sub, 0x100);
    EXPECT_ON(unique_id, "*, tag 77, *\n");
    assert_int_equal(fake.listing.n_comms, 4);
    assert_string_equal(fake_listed(&fake.listing, unique_id)->communicator.name, "made");
}

TEST(broken_list_of_messages_for_pending_communicators_is_told_with_the_messages)
{
    fake_ta last;

    arrive(2, 1, 0);
    fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 2, 77, 40, FAKE_HDR_MATCH });
    last = fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 2, 78, 40, FAKE_HDR_MATCH });
    PUT(last, opal_list_item_t, opal_list_prev, last);
    EXPECT("*, tag 1, *\nerror: *\n");
    EXPECT_ON(7, "*, tag 77, *\nerror: *\n");
}

TEST(unreadable_list_of_one_source_does_not_hide_the_others)
{
    arrive(0, 1, 0);
    arrive(2, 2, 0);
    arrive(3, 3, 0);
    fake_image_put_pointer(IMAGE, GET(JOB->world.pml, mca_pml_ob1_comm_t, procs) + 2 * 8, fake_hidden_page());
    EXPECT("*, tag 3, *\n*, tag 1, *\nerror: *\n");
}

/* A PML that matches elsewhere: what Open MPI keeps says nothing of messages that arrived. */
TEST(another_pml_is_an_error_and_not_an_empty_queue)
{
    static const char *const names[][2] = {
        { "cm", "error: *the PML cm,*--mca pml ob1*\n" },
        { "yalla", "error: *the PML yalla,*--mca pml ob1*\n" },
        { "ubcl", "error: *the PML ubcl,*--mca pml ob1*\n" },
        { "new", "error: *does not use the ob1 PML*--mca pml ob1*\n" },
    };
    const fake_ta lists[] = { JOB->recv_requests, JOB->send_requests };

    for (int i = 0; i < 2; i++) {
        PUT(lists[i], opal_free_list_t, fl_frag_class, JOB->classes[FAKE_TYPE_opal_free_list_item_t]);
        PUT(lists[i], opal_free_list_t, fl_num_allocated, 0);
        fake_list_init(JOB, AT(lists[i], opal_free_list_t, fl_allocations));
    }
    PUT(JOB->world.ta, ompi_communicator_t, c_pml_comm, 0);
    PUT(JOB->self.ta, ompi_communicator_t, c_pml_comm, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fake_select_pml(JOB, names[i][0]);
        for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
            fake_expect(0, (mqs_op_class)queue, names[i][1]);
    }
}
