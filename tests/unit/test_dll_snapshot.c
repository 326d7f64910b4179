/* test_dll_snapshot.c - a listing is a snapshot, and iterators are safe in any order of calls. */
#include "fake_test.h"

static fake_ta post(int tag)
{
    return fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, tag, 1, JOB->mpi_int, 0x1000 });
}

SUITE(each, fake_setup, fake_teardown);

#define RECEIVES(pattern) fake_expect_still(0, mqs_pending_receives, pattern)
#define MESSAGES(pattern) fake_expect_still(0, mqs_unexpected_messages, pattern)

TEST(changes_are_invisible_until_the_next_update)
{
    post(1);
    fake_look_well();
    RECEIVES("*, tag 1, *\n");
    post(2);
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 2, 1, 0, FAKE_HDR_MATCH });
    fake_comm_set_name(JOB, &JOB->world, "renamed");
    fake_comm_new(JOB, 3, "new", JOB->world.local_group, JOB->world.local_group);
    fake_walk(PROCESS, &fake.listing);
    assert_int_equal(fake.listing.n_comms, 2);
    assert_string_equal(fake.listing.comms[0].communicator.name, "MPI_COMM_WORLD");
    RECEIVES("*, tag 1, *\n");
    MESSAGES("");
    fake_expect_communicators("0 renamed, *\n1 *\n3 new, *\n");
    RECEIVES("*, tag 1, *\n*, tag 2, *\n");
    MESSAGES("*, tag 1, *\n");
}

TEST(walking_again_costs_no_reads)
{
    long n_reads;

    post(1);
    fake_look_well();
    n_reads = HOST->n_reads;
    fake_walk(PROCESS, &fake.listing);
    RECEIVES("*\n");
    /* Datatypes may be looked at again, as each operation is told. */
    assert_in_range(HOST->n_reads - n_reads, 0, 4);
}

TEST(iterator_without_an_update_takes_a_snapshot)
{
    assert_int_equal(fake_open(HOST, PROCESS, &fake.listing), mqs_ok);
    fake_walk(PROCESS, &fake.listing);
    assert_int_equal(fake.listing.setup, mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
}

TEST(operation_iterator_starts_anew_each_time)
{
    mqs_pending_operation operation;

    post(1);
    post(2);
    fake_look_well();
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_receives), mqs_ok);
        assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
        assert_int_equal(operation.desired_tag, 1);
    }
    assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
    assert_int_equal(operation.desired_tag, 2);
    assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_end_of_list);
}

TEST(get_is_repeatable_and_does_not_step)
{
    mqs_communicator one, other;

    fake_look_well();
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_get_communicator(PROCESS, &one), mqs_ok);
    assert_int_equal(mqs_get_communicator(PROCESS, &other), mqs_ok);
    assert_memory_equal(&one, &other, sizeof one);
}

/* Where no communicator is current everything is an error, and nothing is written. */
static void assert_none_is_current(void)
{
    struct fake_out out;

    fake_out_init(&out);
    assert_int_not_equal(mqs_get_communicator(PROCESS, &out.out.communicator), mqs_ok);
    assert_int_not_equal(mqs_get_comm_group(PROCESS, out.out.ints), mqs_ok);
    assert_int_not_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_receives), mqs_ok);
    assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    assert_true(fake_out_intact(&out));
}

/* Before mqs_setup_communicator_iterator none is current, whatever an earlier walk left. */
TEST(past_the_end_and_after_an_update_no_communicator_is_current)
{
    mqs_communicator communicator;

    post(1);
    fake_look_well();
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_end_of_list);
    assert_none_is_current();
    /* And back to the start. */
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_get_communicator(PROCESS, &communicator), mqs_ok);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_none_is_current();
}

TEST(operations_need_a_set_up_of_their_own)
{
    struct fake_out out;

    post(1);
    fake_look_well();
    fake_out_init(&out);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_receives), mqs_ok);
    /* A step to the next communicator ends the walk over the operations of the last. */
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    assert_true(fake_out_intact(&out));
}

TEST(queue_that_there_is_not_is_an_error)
{
    static const int classes[] = { -1, 3, 99, 0x7fffffff };
    struct fake_out out;

    fake_look_well();
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    fake_out_init(&out);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        assert_true(mqs_setup_operation_iterator(PROCESS, classes[i]) >= mqs_first_user_code);
        assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    }
    assert_true(fake_out_intact(&out));
}

/* A debugger may ignore that an update has failed. Errors do not look like an end. */
TEST(failed_update_leaves_nothing_of_the_old_snapshot)
{
    post(1);
    fake_look_well();
    HOST->fail_reads_from = HOST->n_reads;
    assert_int_not_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_not_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_none_is_current();
    assert_int_not_equal(mqs_next_communicator(PROCESS), mqs_ok);
    HOST->fail_reads_from = FAKE_NEVER;
    fake_look_well();
    RECEIVES("*, tag 1, *\n");
}

/* The contract of mqd_extension.h: at the next update, so that one walk never changes its mind. */
TEST(showing_internals_waits_for_the_next_update)
{
    post(-16);
    fake_look_well();
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    fake_walk(PROCESS, &fake.listing);
    RECEIVES("");
    fake_look_well();
    RECEIVES("*\n");
}

static struct mqd_communicator_summary summary_of_world(void)
{
    struct mqd_communicator_summary summary = {0};

    fake_go_to(0);
    assert_int_equal(EXTENSION->describe_communicator(PROCESS, &summary), mqs_ok);
    assert_true(summary.has_activity);
    return summary;
}

/* A request that is waited for and started again has the same address; what was started before it is one more. */
TEST(activity_counts_what_was_started)
{
    fake_look(&fake);
    assert_int_equal(summary_of_world().n_receives, 0);
    assert_int_equal(summary_of_world().n_sends, 0);
    post(1);
    post(2);
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 0, 7, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 7, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 7, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });
    assert_int_equal(summary_of_world().n_receives, 2);
    assert_int_equal(summary_of_world().n_sends, 3);
}

TEST(communicator_without_a_part_of_the_pml_has_no_activity_yet)
{
    struct fake_comm comm = fake_comm_new(JOB, 3, "half built", JOB->world.local_group, JOB->world.local_group);
    struct mqd_traffic_description traffic = {.n_sent = 77, .n_arrived = 77};
    struct mqd_communicator_summary summary = {.n_receives = 77, .n_sends = 77};

    PUT(comm.ta, ompi_communicator_t, c_pml_comm, 0);
    fake_go_to(3);
    assert_int_equal(EXTENSION->describe_communicator(PROCESS, &summary), mqs_ok);
    assert_true(summary.has_activity);
    assert_int_equal(summary.n_receives + summary.n_sends, 0);
    assert_int_equal(EXTENSION->describe_traffic(PROCESS, 2, &traffic), mqs_ok);
    assert_int_equal(traffic.n_sent + traffic.n_arrived, 0);
}

static struct mqd_traffic_description traffic_with(int peer)
{
    struct mqd_traffic_description traffic = {0};

    fake_go_to(0);
    assert_int_equal(EXTENSION->describe_traffic(PROCESS, peer, &traffic), mqs_ok);
    return traffic;
}

TEST(traffic_counts_what_was_sent_and_has_arrived)
{
    struct mqd_traffic_description traffic = {.global_rank = 77};
    fake_ta peer;

    fake_look(&fake);
    assert_int_equal(traffic_with(0).n_sent, 0);
    assert_int_equal(traffic_with(0).n_arrived, 0);
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 7, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 7, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });
    peer = fake_peer(JOB, &JOB->world, 2);
    PUT(peer, mca_pml_ob1_comm_proc_t, expected_sequence, 6);
    assert_int_equal(traffic_with(2).global_rank, 2);
    assert_int_equal(traffic_with(2).n_sent, 2);
    assert_int_equal(traffic_with(2).n_arrived, 5);
    /* Numbers on the wire have 16 bits. */
    PUT(peer, mca_pml_ob1_comm_proc_t, send_sequence, 0x10003);
    PUT(peer, mca_pml_ob1_comm_proc_t, expected_sequence, 0);
    assert_int_equal(traffic_with(2).n_sent, 3);
    assert_int_equal(traffic_with(2).n_arrived, 0xffff);
    assert_int_equal(EXTENSION->describe_traffic(PROCESS, 1000, &traffic), mqs_end_of_list);
    assert_true(EXTENSION->describe_traffic(PROCESS, -1, &traffic) >= mqs_first_user_code);
    assert_true(EXTENSION->describe_traffic(PROCESS, 0, NULL) >= mqs_first_user_code);
    PUT(JOB->world.pml, mca_pml_ob1_comm_t, num_procs, 1000);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_true(EXTENSION->describe_traffic(PROCESS, 0, &traffic) >= mqs_first_user_code);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_true(EXTENSION->describe_traffic(PROCESS, 0, &traffic) >= mqs_first_user_code);
    assert_int_equal(traffic.global_rank, 77);
}

/* Without a communicator, and without the counters: these are unknown then, not zero. */
TEST(activity_that_cannot_be_read_is_unknown)
{
    struct mqd_communicator_summary summary = {.n_receives = 7};

    post(1);
    fake_look_well();
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_true(EXTENSION->describe_communicator(PROCESS, &summary) >= mqs_first_user_code);
    assert_int_equal(summary.n_receives, 7);
    PUT(JOB->world.pml, mca_pml_ob1_comm_t, num_procs, 1000);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(EXTENSION->describe_communicator(PROCESS, &summary), mqs_ok);
    assert_false(summary.has_activity);
    assert_int_equal(summary.n_receives, 0);
}

static void hide_symbols_of_ob1(bool hidden)
{
    static const char *const symbols[] = { "mca_pml_ob1", "mca_pml_ob1_recv_request_t_class",
                                           "mca_pml_ob1_send_request_t_class", "mca_pml_ob1_recv_frag_t_class",
                                           "mca_pml_ob1_comm_t_class", "mca_pml_ob1_comm_proc_t_class" };

    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        fake_image_set_symbol_hidden(IMAGE, symbols[i], hidden);
}

/*
 * Debuggers read a plugin's symbols when they learn of it: what they did not find at first they may find later. Each
 * class can be reached through an object that has it: a request list, a communicator, a peer, a fragment.
 */
TEST(symbols_that_come_late_or_go_again_are_coped_with)
{
    post(1);
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 2, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 2, 1, 0, FAKE_HDR_MATCH });
    for (int round = 0; round < 4; round++) {
        hide_symbols_of_ob1(round % 2 == 0);
        fake_look_well();
        RECEIVES("*\n");
        fake_expect_still(0, mqs_pending_sends, "*\n");
        MESSAGES("*\n");
    }
}

static void set_up_process(void)
{
    mqs_setup_basic_callbacks(&HOST->basic);
    HOST->image.focus = IMAGE;
    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_int_equal(mqs_setup_process(PROCESS, &HOST->process_callbacks), mqs_ok);
}

TEST(stepping_without_a_set_up_is_at_the_end)
{
    set_up_process();
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_end_of_list);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_end_of_list);
}
