/* test_dll_unexpected.c - the queue of messages that arrived and that no receive matched yet. */
#include "fake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define GET(object, type, member) FAKE_GET(IMAGE, object, type, member)
#define AT(object, type, member) FAKE_AT(IMAGE, object, type, member)

static fake_ta arrive(int source, int tag, size_t bytes)
{
    return fake_arrive(JOB, &JOB->world, &(struct fake_message){ source, tag, bytes, FAKE_HDR_MATCH });
}

static fake_ta data_of(fake_ta frag)
{
    return GET(AT(frag, mca_pml_ob1_recv_frag_t, segments), mca_btl_base_segment_t, seg_addr);
}

/* The messages on a communicator, of which there must be n and nothing that could not be read. */
static const mqs_pending_operation *messages_on(mqs_taddr_t unique_id, size_t n)
{
    const struct fake_queue *queue;

    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, unique_id, mqs_unexpected_messages);
    assert_int_equal(queue->setup, mqs_ok);
    assert_int_equal(queue->error, mqs_ok);
    assert_int_equal(queue->n, n);
    return queue->operations;
}

static const mqs_pending_operation *messages(size_t n)
{
    return messages_on(0, n);
}

static void no_message_is_an_empty_queue(void **state)
{
    (void)state;
    (void)messages(0);
    (void)fake_peer(JOB, &JOB->world, 2);
    (void)messages(0);
}

static void eager_message_is_complete_and_lies_behind_its_header(void **state)
{
    const mqs_pending_operation *op;
    fake_ta frag;

    (void)state;
    frag = arrive(2, 77, 40);
    op = messages(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_global_rank, 2);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_tag, 77);
    assert_int_equal(op->desired_length, 40);
    assert_int_not_equal(op->system_buffer, 0);
    assert_int_equal(op->buffer, AT(frag, mca_pml_ob1_recv_frag_t, addr) + FAKE_MATCH_HEADER);
    assert_int_equal(op->actual_local_rank, 2);
    assert_int_equal(op->actual_global_rank, 2);
    assert_int_equal(op->actual_tag, 77);
    assert_int_equal(op->actual_length, 40);
    assert_true(fake_says(op, "eager"));
    assert_false(fake_says(op, "rendezvous"));
}

static void eager_message_too_long_for_its_fragment_lies_in_a_buffer(void **state)
{
    const mqs_pending_operation *op;
    fake_ta frag;

    (void)state;
    frag = arrive(2, 77, 1000);
    assert_int_not_equal(data_of(frag), AT(frag, mca_pml_ob1_recv_frag_t, addr));
    op = messages(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->desired_length, 1000);
    assert_int_equal(op->buffer, data_of(frag) + FAKE_MATCH_HEADER);
}

static void message_of_nothing_has_length_zero(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    arrive(2, 77, 0);
    op = messages(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->desired_length, 0);
    assert_int_equal(op->actual_length, 0);
}

static void rendezvous_is_pending_with_the_length_of_the_whole_message(void **state)
{
    const mqs_pending_operation *ops;
    fake_ta frag;

    (void)state;
    frag = fake_arrive(JOB, &JOB->world, &(struct fake_message){ 0, 1, 123456789, FAKE_HDR_RNDV });
    PUT(AT(frag, mca_pml_ob1_recv_frag_t, segments), mca_btl_base_segment_t, seg_len, FAKE_RNDV_HEADER + 64);
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 2, 2, 5000, FAKE_HDR_RNDV });
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 3, (size_t)1 << 33, FAKE_HDR_RGET });
    ops = messages(3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ops[i].status, mqs_st_pending);
        assert_true(fake_says(&ops[i], "rendezvous"));
        assert_true(ops[i].actual_length == ops[i].desired_length);
    }
    /* Rotation begins behind rank 0. */
    assert_int_equal(ops[0].desired_tag, 2);
    assert_int_equal(ops[0].desired_length, 5000);
    assert_int_equal(ops[0].buffer, 0);
    assert_int_equal(ops[1].desired_tag, 3);
    assert_true(ops[1].desired_length == (mqs_tword_t)1 << 33);
    assert_int_equal(ops[1].buffer, 0);
    assert_int_equal(ops[2].desired_tag, 1);
    assert_int_equal(ops[2].desired_length, 123456789);
    assert_int_equal(ops[2].buffer, data_of(frag) + FAKE_RNDV_HEADER);
    assert_int_not_equal(ops[2].system_buffer, 0);
}

static void messages_of_a_source_come_as_they_were_sent(void **state)
{
    enum { N = 150 };
    const mqs_pending_operation *ops;

    (void)state;
    for (int i = 0; i < N; i++)
        arrive(2, i, (size_t)i);
    ops = messages(N);
    for (int i = 0; i < N; i++) {
        assert_int_equal(ops[i].desired_tag, i);
        assert_int_equal(ops[i].desired_length, i);
    }
}

static void sources_come_in_the_rotation_behind_the_last_probed(void **state)
{
    static const int expected[4][4] = { { 1, 2, 3, 0 }, { 2, 3, 0, 1 }, { 3, 0, 1, 2 }, { 0, 1, 2, 3 } };

    (void)state;
    for (int source = 0; source < 4; source++) {
        arrive(source, 1, 0);
        arrive(source, 2, 0);
    }
    for (unsigned last_probed = 0; last_probed < 4; last_probed++) {
        const mqs_pending_operation *ops;

        PUT(JOB->world.pml, mca_pml_ob1_comm_t, last_probed, last_probed);
        ops = messages(8);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(ops[i].desired_local_rank, expected[last_probed][i / 2]);
            assert_int_equal(ops[i].desired_tag, 1 + i % 2);
        }
    }
}

static void each_communicator_has_its_own_messages_and_ranks(void **state)
{
    const int ranks[2] = { 3, 1 };
    const mqs_pending_operation *op;
    struct fake_comm comm;
    fake_ta group;

    (void)state;
    group = fake_group_of(JOB, ranks, 2);
    comm = fake_comm_new(JOB, 3, "backwards", group, group);
    arrive(2, 1, 4);
    fake_arrive(JOB, &comm, &(struct fake_message){ 0, 2, 4, FAKE_HDR_MATCH });
    op = messages(1);
    assert_int_equal(op->desired_tag, 1);
    op = messages_on(3, 1);
    assert_int_equal(op->desired_tag, 2);
    assert_int_equal(op->desired_local_rank, 0);
    assert_int_equal(op->desired_global_rank, 3);
    (void)messages_on(1, 0);
}

static void messages_on_an_intercommunicator_come_from_the_remote_group(void **state)
{
    const int local[1] = { 1 }, remote[3] = { 0, 3, 2 };
    const mqs_pending_operation *op;
    struct fake_comm inter;

    (void)state;
    inter = fake_intercomm_new(JOB, 3, "inter", fake_group_of(JOB, local, 1), fake_group_of(JOB, remote, 3));
    fake_arrive(JOB, &inter, &(struct fake_message){ 2, 9, 4, FAKE_HDR_MATCH });
    op = messages_on(3, 1);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_global_rank, 2);
    PUT(inter.pml, mca_pml_ob1_comm_t, last_probed, 1);
    fake_arrive(JOB, &inter, &(struct fake_message){ 1, 8, 4, FAKE_HDR_MATCH });
    op = messages_on(3, 2);
    assert_int_equal(op[0].desired_tag, 9);
    assert_int_equal(op[1].desired_global_rank, 3);
}

static fake_ta early(int tag, unsigned sequence)
{
    return fake_frag_new(JOB, 0, &(struct fake_message){ 2, tag, 4, FAKE_HDR_MATCH }, sequence);
}

/* A ring of fragments, each with a ring of those that follow it directly; the next one to come is number 2. */
static void messages_ahead_of_a_missing_one_come_last_and_say_so(void **state)
{
    const mqs_pending_operation *ops;
    fake_ta peer, four, five, nine, twelve, thirteen, fourteen;

    (void)state;
    arrive(2, 1, 4);
    arrive(1, 50, 4);
    peer = fake_peer(JOB, &JOB->world, 2);
    four = early(4, 4);
    five = early(5, 5);
    nine = early(9, 9);
    twelve = early(12, 12);
    thirteen = early(13, 13);
    fourteen = early(14, 14);
    fake_ring_init(JOB, four);
    fake_ring_append(JOB, four, nine);
    fake_ring_append(JOB, four, twelve);
    fake_ring_init(JOB, five);
    PUT(four, mca_pml_ob1_recv_frag_t, range, five);
    fake_ring_init(JOB, thirteen);
    fake_ring_append(JOB, thirteen, fourteen);
    PUT(twelve, mca_pml_ob1_recv_frag_t, range, thirteen);
    PUT(peer, mca_pml_ob1_comm_proc_t, frags_cant_match, four);
    ops = messages(8);
    assert_int_equal(ops[0].desired_tag, 50);
    assert_int_equal(ops[1].desired_tag, 1);
    assert_false(fake_says(&ops[1], "sequence"));
    for (int i = 2; i < 8; i++) {
        static const int tags[] = { 4, 5, 9, 12, 13, 14 };

        assert_int_equal(ops[i].desired_tag, tags[i - 2]);
        assert_int_equal(ops[i].desired_local_rank, 2);
        assert_true(fake_says(&ops[i], "sequence"));
    }
}

/* A ring of three, of which the named fragment points to another one than it should. */
static void broken_ring_of_messages_ahead_is_told(void **state)
{
    enum { FIRST, SECOND, LAST };
    static const struct {
        int fragment, next, previous, n_listed;
    } cases[] = {
        { FIRST, FIRST, LAST, 0 },
        { SECOND, FIRST, FIRST, 1 },
        { SECOND, LAST, LAST, 1 },
        { LAST, SECOND, SECOND, 3 },
    };
    const struct fake_queue *queue;
    fake_ta peer, ring[3];

    (void)state;
    peer = fake_peer(JOB, &JOB->world, 2);
    for (int i = 0; i < 3; i++)
        ring[i] = early(4 + i, 4 + 2 * (unsigned)i);
    PUT(peer, mca_pml_ob1_comm_proc_t, frags_cant_match, ring[FIRST]);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake_ring_init(JOB, ring[FIRST]);
        fake_ring_append(JOB, ring[FIRST], ring[SECOND]);
        fake_ring_append(JOB, ring[FIRST], ring[LAST]);
        (void)messages(3);
        PUT(ring[cases[i].fragment], opal_list_item_t, opal_list_next, ring[cases[i].next]);
        PUT(ring[cases[i].fragment], opal_list_item_t, opal_list_prev, ring[cases[i].previous]);
        assert_int_equal(fake_look(&fake), mqs_ok);
        queue = fake_queue(&fake, 0, mqs_unexpected_messages);
        assert_true(queue->error >= mqs_first_user_code);
        assert_int_equal(queue->n, cases[i].n_listed);
    }
}

static void internal_messages_are_hidden_and_shown_on_request(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    const mqs_pending_operation *ops;

    (void)state;
    arrive(2, -16, 0);
    arrive(2, 5, 0);
    /* In a header -1 is no wildcard. */
    arrive(2, -1, 0);
    assert_int_equal(messages(1)->desired_tag, 5);
    assert_int_equal(extension->show_internal(&fake.host.process, 1), mqs_ok);
    ops = messages(3);
    assert_int_equal(ops[0].desired_tag, -16);
    assert_true(fake_says(&ops[0], "MPI_Barrier, tag -16"));
    assert_false(fake_says(&ops[1], "tag"));
    assert_int_equal(ops[2].desired_tag, -1);
    assert_int_equal(ops[2].tag_wild, 0);
}

/* The same number is another collective's in another release. */
static void internal_tags_are_named_as_the_release_has_them(void **state)
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
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_options options = fake_options_of(cases[i].build);

        options.version = cases[i].version;
        assert_int_equal(fake_end(&fake), 0);
        fake_begin(&fake, &options);
        arrive(2, cases[i].tag, 0);
        (void)messages(0);
        assert_int_equal(extension->show_internal(&fake.host.process, 1), mqs_ok);
        if (!fake_says(messages(1), cases[i].text))
            fail_msg("%s: tag %d is not said to be \"%s\"", cases[i].version, cases[i].tag, cases[i].text);
    }
}

/* For debuggers that know nothing of the extension. */
static void environment_asks_for_internal_messages(void **state)
{
    (void)state;
    arrive(2, -16, 0);
    setenv("OMPI_MQD_SHOW_INTERNAL", "0", 1);
    (void)messages(0);
    assert_int_equal(fake_end(&fake), 0);
    fake_begin(&fake, NULL);
    arrive(2, -16, 0);
    setenv("OMPI_MQD_SHOW_INTERNAL", "1", 1);
    (void)messages(1);
    unsetenv("OMPI_MQD_SHOW_INTERNAL");
}

/* Without the plugin's symbol the free list of fragments is not known. So a message may lie in any chunk. */
static void messages_are_shown_without_the_symbol_of_ob1(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    for (int i = 0; i < 10; i++)
        arrive(2, i, 4);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_ob1", true);
    ops = messages(10);
    for (int i = 0; i < 10; i++)
        assert_int_equal(ops[i].desired_tag, i);
}

/* The state of a communicator that MPI_Comm_dup is just building. */
static void communicator_without_matching_object_has_no_messages(void **state)
{
    int everybody[4] = { 0, 1, 2, 3 };
    struct fake_comm comm;
    fake_ta group;

    (void)state;
    group = fake_group_of(JOB, everybody, 4);
    comm = fake_comm_new(JOB, 3, "half built", group, group);
    PUT(comm.ta, ompi_communicator_t, c_pml_comm, 0);
    PUT(comm.ta, ompi_communicator_t, c_flags, 0);
    arrive(2, 1, 0);
    (void)messages(1);
    (void)messages_on(3, 0);
}

/* Another member has come out of MPI_Comm_dup and sends, while this process is still in it, or not there yet. */
static void message_for_a_communicator_not_made_yet_is_listed_under_one_of_its_own(void **state)
{
    const struct fake_listed_comm *home;
    const mqs_pending_operation *ops;
    fake_ta frag;

    (void)state;
    frag = fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 2, 77, 40, FAKE_HDR_MATCH });
    fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 0, 78, 5000, FAKE_HDR_RNDV });
    fake_arrive_pending_communicator(JOB, 8, &(struct fake_message){ 3, 79, 0, FAKE_HDR_MATCH });
    ops = messages_on(7, 2);
    assert_int_equal(ops[0].status, mqs_st_complete);
    assert_int_equal(ops[0].desired_local_rank, 2);
    assert_int_equal(ops[0].desired_global_rank, -1);
    assert_int_equal(ops[0].desired_tag, 77);
    assert_int_equal(ops[0].desired_length, 40);
    assert_int_equal(ops[0].buffer, data_of(frag) + FAKE_MATCH_HEADER);
    assert_true(fake_says(&ops[0], "eager, its communicator is not made here yet"));
    assert_int_equal(ops[1].status, mqs_st_pending);
    assert_int_equal(ops[1].desired_length, 5000);
    assert_true(fake_says(&ops[1], "rendezvous, its communicator is not made here yet"));
    assert_int_equal(messages_on(8, 1)->desired_tag, 79);
    assert_int_equal(fake.listing.n_comms, 4);
    home = fake_listed(&fake.listing, 7);
    assert_string_equal(home->communicator.name, "communicator 7, not made here yet");
    assert_int_equal(home->communicator.size, 0);
    assert_int_equal(home->communicator.local_rank, -1);
    assert_int_equal(home->group_rc, mqs_ok);
    assert_int_equal(home->queues[mqs_pending_receives].n, 0);
    assert_int_equal(home->queues[mqs_pending_receives].error, mqs_ok);
    (void)messages(0);
}

static void internal_message_makes_no_communicator_but_on_request(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);

    (void)state;
    fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 2, -16, 0, FAKE_HDR_MATCH });
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
    assert_int_equal(extension->show_internal(&fake.host.process, 1), mqs_ok);
    (void)messages_on(7, 1);
}

/* It has its slot, but does not take messages yet; those of others that do come behind. */
static void message_for_a_communicator_being_built_is_listed_on_it(void **state)
{
    const mqs_pending_operation *op;
    struct fake_comm comm, ready;

    (void)state;
    comm = fake_comm_new(JOB, 7, "half built", JOB->world.local_group, JOB->world.local_group);
    ready = fake_comm_new(JOB, 9, "ready", JOB->world.local_group, JOB->world.local_group);
    fake_arrive(JOB, &ready, &(struct fake_message){ 0, 78, 0, FAKE_HDR_MATCH });
    PUT(comm.ta, ompi_communicator_t, c_pml_comm, 0);
    PUT(comm.ta, ompi_communicator_t, c_flags, 0);
    fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 3, 77, 40, FAKE_HDR_MATCH });
    arrive(2, 1, 0);
    (void)messages(1);
    op = messages_on(7, 1);
    assert_int_equal(op->desired_global_rank, 3);
    assert_int_equal(fake.listing.n_comms, 4);
    assert_int_equal(messages_on(9, 1)->desired_tag, 78);
}

/* Since 5.0: where the members do not agree on the slot it is the extended id that says which communicator is meant. */
static void message_for_a_pending_communicator_with_an_extended_id_has_its_communicators_unique_id(void **state)
{
    const struct fake_message message = { 2, 77, 40, FAKE_HDR_MATCH };
    struct fake_options options = fake_options_of(&fake_release_507);
    const mqs_pending_operation *op;
    struct fake_comm comm;
    mqs_taddr_t unique_id;
    fake_ta frag, id;

    (void)state;
    assert_int_equal(fake_end(&fake), 0);
    fake_begin(&fake, &options);
    frag = fake_arrive_pending_communicator_by_cid(JOB, 0xabcdef, 0x100, &message);
    fake_arrive_pending_communicator_by_cid(JOB, 0xabcdef, 0x200, &message);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 4);
    assert_string_equal(fake.listing.comms[2].communicator.name, "communicator not made here yet");
    unique_id = fake.listing.comms[2].communicator.unique_id;
    assert_true(unique_id != fake.listing.comms[3].communicator.unique_id);
    op = messages_on(unique_id, 1);
    assert_int_equal(op->desired_tag, 77);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->buffer, data_of(frag) + FAKE_SIZE(IMAGE, mca_pml_ob1_cid_hdr_t) + FAKE_MATCH_HEADER);
    /* Where the communicator is there, it has that id. */
    comm = fake_comm_new(JOB, 7, "made", JOB->world.local_group, JOB->world.local_group);
    id = AT(comm.ta, ompi_communicator_t, c_contextid);
    PUT(comm.ta, ompi_communicator_t, c_flags, FAKE_COMM_PML_ADDED);
    PUT(id, ompi_comm_extended_cid_t, cid_base, 0xabcdef);
    PUT(id, ompi_comm_extended_cid_t, cid_sub, 0x100);
    (void)messages_on(unique_id, 1);
    assert_int_equal(fake.listing.n_comms, 4);
    assert_string_equal(fake_listed(&fake.listing, unique_id)->communicator.name, "made");
}

static void broken_list_of_messages_for_pending_communicators_is_told_with_the_messages(void **state)
{
    const struct fake_queue *queue;
    fake_ta last;

    (void)state;
    arrive(2, 1, 0);
    fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 2, 77, 40, FAKE_HDR_MATCH });
    last = fake_arrive_pending_communicator(JOB, 7, &(struct fake_message){ 2, 78, 40, FAKE_HDR_MATCH });
    PUT(last, opal_list_item_t, opal_list_prev, last);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_unexpected_messages);
    assert_int_equal(queue->n, 1);
    assert_true(queue->error >= mqs_first_user_code);
    assert_int_equal(fake_queue(&fake, 7, mqs_unexpected_messages)->n, 1);
}

static void unreadable_list_of_one_source_does_not_hide_the_others(void **state)
{
    const struct fake_queue *queue;
    fake_ta hidden;

    (void)state;
    arrive(0, 1, 0);
    arrive(2, 2, 0);
    arrive(3, 3, 0);
    hidden = fake_image_alloc_pages(IMAGE, JOB->heap, FAKE_PAGE);
    fake_image_set_hidden(IMAGE, hidden, FAKE_PAGE, true);
    fake_image_put_pointer(IMAGE, GET(JOB->world.pml, mca_pml_ob1_comm_t, procs) + 2 * 8, hidden);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_unexpected_messages);
    assert_int_equal(queue->setup, mqs_ok);
    assert_int_equal(queue->n, 2);
    assert_int_equal(queue->operations[0].desired_tag, 3);
    assert_int_equal(queue->operations[1].desired_tag, 1);
    assert_true(queue->error >= mqs_first_user_code);
}

/* A PML that matches elsewhere: what Open MPI keeps says nothing of messages that arrived. */
static void another_pml_is_an_error_and_not_an_empty_queue(void **state)
{
    static const char *const names[][2] = {
        { "cm", "the PML cm," }, { "yalla", "the PML yalla," }, { "ubcl", "the PML ubcl," },
        { "new", "does not use the ob1 PML" },
    };
    const struct fake_listed_comm *world;

    (void)state;
    PUT(JOB->recv_requests, opal_free_list_t, fl_frag_class, JOB->classes[FAKE_TYPE_opal_free_list_item_t]);
    PUT(JOB->send_requests, opal_free_list_t, fl_frag_class, JOB->classes[FAKE_TYPE_opal_free_list_item_t]);
    PUT(JOB->recv_requests, opal_free_list_t, fl_num_allocated, 0);
    PUT(JOB->send_requests, opal_free_list_t, fl_num_allocated, 0);
    fake_list_init(JOB, AT(JOB->recv_requests, opal_free_list_t, fl_allocations));
    fake_list_init(JOB, AT(JOB->send_requests, opal_free_list_t, fl_allocations));
    PUT(JOB->world.ta, ompi_communicator_t, c_pml_comm, 0);
    PUT(JOB->self.ta, ompi_communicator_t, c_pml_comm, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fake_select_pml(JOB, names[i][0]);
        assert_int_equal(fake_look(&fake), mqs_ok);
        world = fake_listed(&fake.listing, 0);
        assert_non_null(world);
        for (int queue = 0; queue < FAKE_N_QUEUES; queue++) {
            const char *text = mqs_dll_error_string(world->queues[queue].setup);

            assert_true(world->queues[queue].setup >= mqs_first_user_code);
            assert_int_equal(world->queues[queue].n, 0);
            assert_non_null(strstr(text, names[i][1]));
            assert_non_null(strstr(text, "--mca pml ob1"));
        }
    }
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(no_message_is_an_empty_queue),
        TEST(eager_message_is_complete_and_lies_behind_its_header),
        TEST(eager_message_too_long_for_its_fragment_lies_in_a_buffer),
        TEST(message_of_nothing_has_length_zero),
        TEST(rendezvous_is_pending_with_the_length_of_the_whole_message),
        TEST(messages_of_a_source_come_as_they_were_sent),
        TEST(sources_come_in_the_rotation_behind_the_last_probed),
        TEST(each_communicator_has_its_own_messages_and_ranks),
        TEST(messages_on_an_intercommunicator_come_from_the_remote_group),
        TEST(messages_ahead_of_a_missing_one_come_last_and_say_so),
        TEST(broken_ring_of_messages_ahead_is_told),
        TEST(internal_messages_are_hidden_and_shown_on_request),
        TEST(internal_tags_are_named_as_the_release_has_them),
        TEST(environment_asks_for_internal_messages),
        TEST(messages_are_shown_without_the_symbol_of_ob1),
        TEST(communicator_without_matching_object_has_no_messages),
        TEST(message_for_a_communicator_not_made_yet_is_listed_under_one_of_its_own),
        TEST(internal_message_makes_no_communicator_but_on_request),
        TEST(message_for_a_communicator_being_built_is_listed_on_it),
        TEST(message_for_a_pending_communicator_with_an_extended_id_has_its_communicators_unique_id),
        TEST(broken_list_of_messages_for_pending_communicators_is_told_with_the_messages),
        TEST(unreadable_list_of_one_source_does_not_hide_the_others),
        TEST(another_pml_is_an_error_and_not_an_empty_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
