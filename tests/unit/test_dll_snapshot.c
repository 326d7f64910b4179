/* test_dll_snapshot.c - a listing is a snapshot, and iterators are safe in any order of calls. */
#include "fake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define HOST (&fake.host)
#define PROCESS (&fake.host.process)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)

static fake_ta post(int tag)
{
    return fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, tag, 1, JOB->mpi_int, 0x1000 });
}

static void changes_are_invisible_until_the_next_update(void **state)
{
    (void)state;
    post(1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    post(2);
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 2, 1, 0, FAKE_HDR_MATCH });
    fake_comm_set_name(JOB, &JOB->world, "renamed");
    fake_comm_new(JOB, 3, "new", JOB->world.local_group, JOB->world.local_group);
    fake_walk(PROCESS, &fake.listing);
    assert_int_equal(fake.listing.n_comms, 2);
    assert_string_equal(fake.listing.comms[0].communicator.name, "MPI_COMM_WORLD");
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    assert_int_equal(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 0);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 3);
    assert_string_equal(fake.listing.comms[0].communicator.name, "renamed");
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 2);
    assert_int_equal(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 1);
}

/* The stock DLL keeps the old one: the counters that it looks at are the same as before. */
static void communicator_made_in_the_slot_of_a_freed_one_is_the_new_one(void **state)
{
    const int two[2] = { 1, 2 };
    struct fake_comm comm;
    fake_ta group;

    (void)state;
    fake_comm_new(JOB, 3, "old", JOB->world.local_group, JOB->world.local_group);
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_slot_set(JOB, 3, 0);
    group = fake_group_of(JOB, two, 2);
    comm = fake_comm_new(JOB, 3, "new", group, group);
    fake_irecv(JOB, &comm, &(struct fake_recv){ 1, 7, 1, JOB->mpi_int, 0x1000 });
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 3);
    assert_string_equal(fake.listing.comms[2].communicator.name, "new");
    assert_int_equal(fake.listing.comms[2].communicator.size, 2);
    assert_int_equal(fake.listing.comms[2].group[1], 2);
    assert_int_equal(fake.listing.comms[2].queues[mqs_pending_receives].operations[0].desired_global_rank, 2);
}

static void walking_again_costs_no_reads(void **state)
{
    long n_reads;

    (void)state;
    post(1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    n_reads = HOST->n_reads;
    fake_walk(PROCESS, &fake.listing);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    /* Datatypes may be looked at again, as each operation is told. */
    assert_in_range(HOST->n_reads - n_reads, 0, 4);
}

static void iterator_without_an_update_takes_a_snapshot(void **state)
{
    (void)state;
    assert_int_equal(fake_open(HOST, PROCESS, &fake.listing), mqs_ok);
    fake_walk(PROCESS, &fake.listing);
    assert_int_equal(fake.listing.setup, mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
}

static void operation_iterator_starts_anew_each_time(void **state)
{
    mqs_pending_operation operation;

    (void)state;
    post(1);
    post(2);
    assert_int_equal(fake_look(&fake), mqs_ok);
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

static void get_is_repeatable_and_does_not_step(void **state)
{
    mqs_communicator one, other;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_get_communicator(PROCESS, &one), mqs_ok);
    assert_int_equal(mqs_get_communicator(PROCESS, &other), mqs_ok);
    assert_memory_equal(&one, &other, sizeof one);
}

static void past_the_end_everything_is_an_error_and_nothing_is_written(void **state)
{
    struct fake_out out;

    (void)state;
    post(1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_out_init(&out);
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_end_of_list);
    assert_true(mqs_get_communicator(PROCESS, &out.out.communicator) >= mqs_first_user_code);
    assert_true(mqs_get_comm_group(PROCESS, out.out.ints) >= mqs_first_user_code);
    assert_true(mqs_setup_operation_iterator(PROCESS, mqs_pending_receives) >= mqs_first_user_code);
    assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    assert_true(fake_out_intact(&out));
    /* And back to the start. */
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_get_communicator(PROCESS, &out.out.communicator), mqs_ok);
}

static void operations_need_a_set_up_of_their_own(void **state)
{
    struct fake_out out;

    (void)state;
    post(1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_out_init(&out);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_receives), mqs_ok);
    /* A step to the next communicator ends the walk over the operations of the last. */
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    assert_true(fake_out_intact(&out));
}

/* Before mqs_setup_communicator_iterator no communicator is current, whatever an earlier walk left. */
static void after_an_update_no_communicator_is_current(void **state)
{
    struct fake_out out;

    (void)state;
    post(1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_out_init(&out);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_true(mqs_get_communicator(PROCESS, &out.out.communicator) >= mqs_first_user_code);
    assert_true(mqs_get_comm_group(PROCESS, out.out.ints) >= mqs_first_user_code);
    assert_true(mqs_setup_operation_iterator(PROCESS, mqs_pending_receives) >= mqs_first_user_code);
    assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    assert_true(fake_out_intact(&out));
}

static void queue_that_there_is_not_is_an_error(void **state)
{
    static const int classes[] = { -1, 3, 99, 0x7fffffff };
    struct fake_out out;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    fake_out_init(&out);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        assert_true(mqs_setup_operation_iterator(PROCESS, classes[i]) >= mqs_first_user_code);
        assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    }
    assert_true(fake_out_intact(&out));
}

static void failed_update_leaves_nothing_of_the_old_snapshot(void **state)
{
    struct fake_out out;

    (void)state;
    post(1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    HOST->fail_reads_from = HOST->n_reads;
    assert_int_not_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    fake_out_init(&out);
    assert_int_not_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_not_equal(mqs_get_communicator(PROCESS, &out.out.communicator), mqs_ok);
    assert_int_not_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_end_of_list);
    assert_true(fake_out_intact(&out));
    HOST->fail_reads_from = FAKE_NEVER;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
}

/* The contract of mqd_extension.h: at the next update, so that one walk never changes its mind. */
static void showing_internals_waits_for_the_next_update(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);

    (void)state;
    post(-16);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(extension->show_internal(PROCESS, 1), mqs_ok);
    fake_walk(PROCESS, &fake.listing);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 0);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
}

static struct mqd_communicator_summary summary_of_world(void)
{
    struct mqd_communicator_summary summary = {0};

    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(ompi_mqd_extension(MQD_EXTENSION_VERSION)->describe_communicator(PROCESS, &summary), mqs_ok);
    assert_true(summary.has_activity);
    return summary;
}

/* A request that is waited for and started again has the same address; what was started before it is one more. */
static void activity_counts_what_was_started(void **state)
{
    (void)state;
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

static struct mqd_traffic_description traffic_with(int peer)
{
    struct mqd_traffic_description traffic = {0};

    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(ompi_mqd_extension(MQD_EXTENSION_VERSION)->describe_traffic(PROCESS, peer, &traffic), mqs_ok);
    return traffic;
}

static void traffic_counts_what_was_sent_and_has_arrived(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    struct mqd_traffic_description traffic = {.global_rank = 77};
    fake_ta peer;

    (void)state;
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
    assert_int_equal(extension->describe_traffic(PROCESS, 1000, &traffic), mqs_end_of_list);
    assert_true(extension->describe_traffic(PROCESS, -1, &traffic) >= mqs_first_user_code);
    assert_true(extension->describe_traffic(PROCESS, 0, NULL) >= mqs_first_user_code);
    PUT(JOB->world.pml, mca_pml_ob1_comm_t, num_procs, 1000);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_true(extension->describe_traffic(PROCESS, 0, &traffic) >= mqs_first_user_code);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_true(extension->describe_traffic(PROCESS, 0, &traffic) >= mqs_first_user_code);
    assert_int_equal(traffic.global_rank, 77);
}

/* Without a communicator, and without the counters: these are unknown then, not zero. */
static void activity_that_cannot_be_read_is_unknown(void **state)
{
    struct mqd_communicator_summary summary = {.n_receives = 7};
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);

    (void)state;
    post(1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_true(extension->describe_communicator(PROCESS, &summary) >= mqs_first_user_code);
    assert_int_equal(summary.n_receives, 7);
    PUT(JOB->world.pml, mca_pml_ob1_comm_t, num_procs, 1000);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(extension->describe_communicator(PROCESS, &summary), mqs_ok);
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

/* Debuggers read a plugin's symbols when they learn of it: what they did not find at first they may find later. */
static void symbols_that_come_late_or_go_again_are_coped_with(void **state)
{
    (void)state;
    post(1);
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 2, 1, 0, FAKE_HDR_MATCH });
    hide_symbols_of_ob1(true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    for (int round = 0; round < 3; round++) {
        hide_symbols_of_ob1(round % 2 != 0);
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
        assert_int_equal(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 1);
    }
}

/* Each class can be reached through an object that has it: a request list, a communicator, a peer, a fragment. */
static void without_any_symbol_of_ob1_all_queues_are_there(void **state)
{
    (void)state;
    post(1);
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 2, 2, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD });
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 2, 3, 0, FAKE_HDR_MATCH });
    hide_symbols_of_ob1(true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_sends)->n, 1);
    assert_int_equal(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 1);
}

static void set_up_process(void)
{
    mqs_setup_basic_callbacks(&HOST->basic);
    HOST->image.focus = IMAGE;
    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_int_equal(mqs_setup_process(PROCESS, &HOST->process_callbacks), mqs_ok);
}

static void stepping_without_a_set_up_is_at_the_end(void **state)
{
    (void)state;
    set_up_process();
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_end_of_list);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_end_of_list);
}

static void what_is_not_resolved_yet_is_not_described(void **state)
{
    struct mqd_layout_summary summary;

    (void)state;
    set_up_process();
    memset(&summary, 0x5a, sizeof summary);
    assert_true(ompi_mqd_extension(1)->describe_layout(PROCESS, &summary) >= mqs_first_user_code);
    assert_string_equal(summary.source, "");
    assert_string_equal(summary.family, "");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(changes_are_invisible_until_the_next_update),
        TEST(communicator_made_in_the_slot_of_a_freed_one_is_the_new_one),
        TEST(walking_again_costs_no_reads),
        TEST(iterator_without_an_update_takes_a_snapshot),
        TEST(operation_iterator_starts_anew_each_time),
        TEST(get_is_repeatable_and_does_not_step),
        TEST(past_the_end_everything_is_an_error_and_nothing_is_written),
        TEST(operations_need_a_set_up_of_their_own),
        TEST(after_an_update_no_communicator_is_current),
        TEST(queue_that_there_is_not_is_an_error),
        TEST(failed_update_leaves_nothing_of_the_old_snapshot),
        TEST(showing_internals_waits_for_the_next_update),
        TEST(activity_counts_what_was_started),
        TEST(traffic_counts_what_was_sent_and_has_arrived),
        TEST(activity_that_cannot_be_read_is_unknown),
        TEST(symbols_that_come_late_or_go_again_are_coped_with),
        TEST(without_any_symbol_of_ob1_all_queues_are_there),
        TEST(stepping_without_a_set_up_is_at_the_end),
        TEST(what_is_not_resolved_yet_is_not_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
