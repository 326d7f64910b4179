/* test_dll_ucx_unexpected.c - the queue of unexpected messages of the PML ucx. */
#include "fake_test.h"

enum { NAMED = 0x2b953b50 };

static fake_ta arrive(int source, int tag, size_t bytes, enum fake_ucx_kind kind)
{
    return fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ source, tag, bytes, 0, kind, NAMED });
}

static const mqs_pending_operation *messages(size_t n)
{
    return fake_ucx_listed(mqs_unexpected_messages, n);
}

static struct fake_described described(unsigned n)
{
    return fake_described(mqs_unexpected_messages, n);
}

static void assert_facts(unsigned n, enum mqd_progress progress, mqs_taddr_t named)
{
    assert_int_equal(described(n).is.progress, progress);
    assert_int_equal(described(n).send, named);
    assert_int_equal(described(n).unknown.length, 0);
}

static void no_message_is_an_empty_queue(void **state)
{
    (void)state;
    (void)messages(0);
}

static void eager_message_is_complete(void **state)
{
    fake_ta message = arrive(3, 10, 40, FAKE_UCX_ONLY);
    const mqs_pending_operation *op = messages(1);

    (void)state;
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->desired_local_rank, 3);
    assert_int_equal(op->desired_tag, 10);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->actual_length, 40);
    assert_int_equal(op->buffer, fake_ucx_data(UCX, message));
    assert_int_not_equal(op->system_buffer, 0);
    assert_facts(0, MQD_PROGRESS_eager, 0);
}

static void message_without_data_is_listed(void **state)
{
    (void)state;
    arrive(3, 10, 0, FAKE_UCX_ONLY);
    assert_int_equal(messages(1)->desired_length, 0);
}

/* The first part tells the length of all parts; how many have come is not counted. */
static void message_in_parts_is_pending(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 2, 7, 5000, 1000, FAKE_UCX_FIRST, 0 });
    op = messages(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_length, 5000);
    assert_facts(0, MQD_PROGRESS_arriving, 0);
}

static void synchronous_message_names_its_send(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    arrive(2, 7, 50, FAKE_UCX_SYNC_ONLY);
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 0, 8, 5000, 1000, FAKE_UCX_SYNC_FIRST, NAMED + 64 });
    /* The newer protocols send each synchronous message as a first part, also if that is all. */
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 0, 9, 8, 8, FAKE_UCX_SYNC_FIRST, NAMED + 128 });
    op = messages(3);
    assert_int_equal(op[0].desired_length, 50);
    assert_int_equal(op[0].status, mqs_st_complete);
    assert_int_equal(op[1].desired_length, 5000);
    assert_int_equal(op[1].status, mqs_st_pending);
    assert_int_equal(op[2].desired_length, 8);
    assert_int_equal(op[2].status, mqs_st_complete);
    assert_facts(0, MQD_PROGRESS_eager, NAMED);
    assert_facts(1, MQD_PROGRESS_arriving, NAMED + 64);
    assert_facts(2, MQD_PROGRESS_eager, NAMED + 128);
}

/* In 1.10 the tag lies before the announcement, else in it. */
static void rendezvous_waits_with_its_sender(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    arrive(2, 17, 1000000, FAKE_UCX_RENDEZVOUS);
    op = messages(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_tag, 17);
    assert_int_equal(op->desired_length, 1000000);
    assert_int_equal(op->buffer, 0);
    assert_facts(0, MQD_PROGRESS_arrived_rendezvous, NAMED);
}

static void first_part_from_the_adapter_has_no_length_yet(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    arrive(2, 17, 1000, FAKE_UCX_OFFLOAD_FIRST);
    op = messages(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_length, 0);
    assert_int_equal(described(0).is.progress, MQD_PROGRESS_arriving);
    assert_int_equal(described(0).unknown.length, 1);
}

/* Bucket by bucket they would come in another order. */
static void messages_come_in_the_order_of_arrival(void **state)
{
    enum { N = 60 };
    const mqs_pending_operation *ops;
    fake_ta taken = 0;

    (void)state;
    for (int i = 0; i < N; i++) {
        fake_ta message = arrive(i % 3, i * 7919 % 50, (size_t)i, i % 2 == 0 ? FAKE_UCX_ONLY : FAKE_UCX_SYNC_ONLY);

        if (i == 30)
            taken = message;
    }
    ops = messages(N);
    for (int i = 0; i < N; i++)
        assert_int_equal(ops[i].desired_length, i);
    fake_ucx_forget(UCX, taken);
    ops = messages(N - 1);
    assert_int_equal(ops[30].desired_length, 31);
}

static void internal_messages_are_hidden_and_shown_on_request(void **state)
{
    (void)state;
    arrive(2, -30, 8, FAKE_UCX_ONLY);
    arrive(2, 3, 8, FAKE_UCX_ONLY);
    assert_int_equal(messages(1)->desired_tag, 3);
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    assert_int_equal(messages(2)[0].desired_tag, -30);
}

/* The communicator is made by the other processes, and not by this one yet; or it was freed here. */
static void message_for_an_unknown_communicator_makes_one(void **state)
{
    const struct fake_listed_comm *comm;
    const char *says;

    (void)state;
    fake_ucx_arrive(UCX, 9, &(struct fake_ucx_message){ 2, 5, 16, 0, FAKE_UCX_ONLY, 0 });
    fake_ucx_arrive(UCX, 9, &(struct fake_ucx_message){ 17, 6, 16, 0, FAKE_UCX_RENDEZVOUS, NAMED });
    fake_ucx_arrive(UCX, 9, &(struct fake_ucx_message){ 3, 7, 9000, 100, FAKE_UCX_FIRST, 0 });
    (void)messages(0);
    comm = fake_listed(&fake.listing, 9);
    assert_non_null(comm);
    assert_int_equal(comm->queues[mqs_unexpected_messages].n, 3);
    says = "rendezvous, its communicator is not made here yet, or freed";
    assert_true(fake_says(&comm->queues[mqs_unexpected_messages].operations[1], says));
    /* Its first part has come. */
    says = "eager, its communicator is not made here yet, or freed";
    assert_true(fake_says(&comm->queues[mqs_unexpected_messages].operations[2], says));
    assert_int_equal(comm->queues[mqs_unexpected_messages].error, mqs_ok);
    assert_int_equal(comm->queues[mqs_unexpected_messages].operations[1].desired_local_rank, 17);
    assert_int_equal(comm->communicator.local_rank, MQS_INVALID_PROCESS);
    assert_non_null(strstr(comm->communicator.name, "not made here yet, or freed"));
}

/* Damaged messages may name as many as they are. The search for them must end. */
static void unknown_communicators_are_listed_up_to_a_number(void **state)
{
    enum { MOST = 1024 };
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(1);
    mqs_pending_operation operation;
    int n = 1;

    (void)state;
    (void)messages(0);
    for (uint32_t i = 0; i <= MOST; i++)
        fake_ucx_arrive(UCX, 100 + i, &(struct fake_ucx_message){ 2, 5, 16, 0, FAKE_UCX_ONLY, 0 });
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_unexpected_messages), mqs_ok);
    assert_int_equal(extension->reason_of(mqs_next_operation(PROCESS, &operation)), MQD_REASON_damaged);
    while (mqs_next_communicator(PROCESS) == mqs_ok)
        n++;
    /* And MPI_COMM_WORLD and MPI_COMM_SELF. */
    assert_int_equal(n, MOST + 2);
}

static void message_for_an_unknown_communicator_that_is_internal_is_hidden(void **state)
{
    (void)state;
    fake_ucx_arrive(UCX, 9, &(struct fake_ucx_message){ 2, -5, 16, 0, FAKE_UCX_ONLY, 0 });
    (void)messages(0);
    assert_null(fake_listed(&fake.listing, 9));
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    (void)messages(0);
    assert_non_null(fake_listed(&fake.listing, 9));
}

static void source_outside_of_the_communicator_is_told_and_not_listed(void **state)
{
    const struct fake_queue *queue;

    (void)state;
    arrive(4, 1, 8, FAKE_UCX_ONLY);
    arrive(3, 1, 8, FAKE_UCX_ONLY);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_unexpected_messages);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_local_rank, 3);
    assert_int_equal(EXTENSION->reason_of(queue->error), MQD_REASON_damaged);
}

/* Is something said to be missing from unexpected messages? */
static enum mqd_reason hindrance(void)
{
    struct mqd_limit_description limit;

    for (int i = 0; EXTENSION->describe_limit(PROCESS, i, &limit) == mqs_ok; i++)
        if (limit.shown == MQD_SHOWN_unexpected)
            return (enum mqd_reason)limit.hindrance;
    fail_msg("there is no limit for unexpected messages");
    return MQD_REASON_unknown;
}

static void matching_in_the_adapter_is_said(void **state)
{
    fake_ta tm = AT(UCX->worker, ucp_worker_t, tm);

    (void)state;
    (void)messages(0);
    assert_int_equal(hindrance(), MQD_REASON_none);
    PUT(tm, ucp_tag_match_t, offload_iface, UCX->worker + 8);
    (void)messages(0);
    assert_int_equal(hindrance(), MQD_REASON_elsewhere);
    PUT(tm, ucp_tag_match_t, offload_iface, 0);
    PUT(tm, ucp_tag_match_t, offload_ifaces, 1);
    (void)messages(0);
    assert_int_equal(hindrance(), MQD_REASON_elsewhere);
}

int main(void)
{
#define TEST(function, build) { #function ", " #build, function, fake_ucx_setup, fake_teardown, (void *)&build }
#define TESTS(build) \
    TEST(no_message_is_an_empty_queue, build), TEST(eager_message_is_complete, build), \
        TEST(message_without_data_is_listed, build), TEST(message_in_parts_is_pending, build), \
        TEST(synchronous_message_names_its_send, build), TEST(rendezvous_waits_with_its_sender, build), \
        TEST(first_part_from_the_adapter_has_no_length_yet, build), \
        TEST(messages_come_in_the_order_of_arrival, build), \
        TEST(internal_messages_are_hidden_and_shown_on_request, build), \
        TEST(message_for_an_unknown_communicator_makes_one, build), \
        TEST(unknown_communicators_are_listed_up_to_a_number, build), \
        TEST(message_for_an_unknown_communicator_that_is_internal_is_hidden, build), \
        TEST(source_outside_of_the_communicator_is_told_and_not_listed, build), \
        TEST(matching_in_the_adapter_is_said, build)
    const struct CMUnitTest tests[] = {
        TESTS(fake_ucx_106), TESTS(fake_ucx_110), TESTS(fake_ucx_113), TESTS(fake_ucx_113_data),
        TESTS(fake_ucx_118_assert), TESTS(fake_ucx_122),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
