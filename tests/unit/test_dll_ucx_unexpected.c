/* test_dll_ucx_unexpected.c - the queue of unexpected messages of the PML ucx. */
#include "fake_test.h"

enum { NAMED = 0x2b953b50 };

#define EXPECT(pattern) fake_expect(0, mqs_unexpected_messages, pattern)

SUITE(each, fake_ucx_setup, fake_teardown, &fake_ucx_106, &fake_ucx_110, &fake_ucx_113, &fake_ucx_113_data,
      &fake_ucx_118_assert, &fake_ucx_122);

static fake_ta arrive(int source, int tag, size_t bytes, enum fake_ucx_kind kind)
{
    return fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ source, tag, bytes, 0, kind, NAMED });
}

/* What is said of the n-th message beyond the text; its length is known. */
static void assert_facts(unsigned n, enum mqd_progress progress, mqs_taddr_t named)
{
    struct fake_described described = fake_described(mqs_unexpected_messages, n);

    assert_int_equal(described.is.progress, progress);
    assert_int_equal(described.send, named);
    assert_int_equal(described.unknown.length, 0);
}

/* Only one that names its send is followed back. */
TEST(eager_message_is_complete)
{
    fake_ta message;

    EXPECT("");
    message = arrive(3, 10, 40, FAKE_UCX_ONLY);
    arrive(3, 11, 0, FAKE_UCX_ONLY);
    fake_name(&fake.names, "data", 1, fake_ucx_data(UCX, message));
    EXPECT("complete: peer 3, tag 10, 40 bytes at data1 (system); *\ncomplete: peer 3, tag 11, 0 bytes *\n");
    assert_facts(0, MQD_PROGRESS_eager, 0);
}

/* The first part tells the length of all parts; how many have come is not counted. */
TEST(message_in_parts_is_pending)
{
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 2, 7, 5000, 1000, FAKE_UCX_FIRST, 0 });
    EXPECT("pending: *, 5000 bytes *\n");
    assert_facts(0, MQD_PROGRESS_arriving, 0);
}

/* The newer protocols send each synchronous message as a first part, also if that is all. */
TEST(synchronous_message_names_its_send)
{
    arrive(2, 7, 50, FAKE_UCX_SYNC_ONLY);
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 0, 8, 5000, 1000, FAKE_UCX_SYNC_FIRST, NAMED + 64 });
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 0, 9, 8, 8, FAKE_UCX_SYNC_FIRST, NAMED + 128 });
    EXPECT("complete: *, 50 bytes *\npending: *, 5000 bytes *\ncomplete: *, 8 bytes *\n");
    assert_facts(0, MQD_PROGRESS_eager, NAMED);
    assert_facts(1, MQD_PROGRESS_arriving, NAMED + 64);
    assert_facts(2, MQD_PROGRESS_eager, NAMED + 128);
}

/* In 1.10 the tag lies before the announcement, else in it. */
TEST(rendezvous_waits_with_its_sender)
{
    arrive(2, 17, 1000000, FAKE_UCX_RENDEZVOUS);
    EXPECT("pending: peer 2, tag 17, 1000000 bytes at 0*\n");
    assert_int_equal(fake_queue(&fake, 0, mqs_unexpected_messages)->operations[0].buffer, 0);
    assert_facts(0, MQD_PROGRESS_arrived_rendezvous, NAMED);
}

TEST(first_part_from_the_adapter_has_no_length_yet)
{
    arrive(2, 17, 1000, FAKE_UCX_OFFLOAD_FIRST);
    EXPECT("pending: peer 2, tag 17, 0 bytes *\n");
    assert_int_equal(fake_described(mqs_unexpected_messages, 0).is.progress, MQD_PROGRESS_arriving);
    assert_int_equal(fake_described(mqs_unexpected_messages, 0).unknown.length, 1);
}

/* Bucket by bucket they would come in another order. */
TEST(messages_come_in_the_order_of_arrival)
{
    enum { N = 60, TAKEN = 30 };
    const mqs_pending_operation *ops;
    fake_ta messages[N];

    for (int i = 0; i < N; i++)
        messages[i] = arrive(i % 3, i * 7919 % 5, (size_t)i, i % 2 == 0 ? FAKE_UCX_ONLY : FAKE_UCX_SYNC_ONLY);
    ops = fake_operations(mqs_unexpected_messages, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(ops[i].desired_length, i);
    fake_ucx_forget(UCX, messages[TAKEN]);
    ops = fake_operations(mqs_unexpected_messages, N - 1);
    assert_int_equal(ops[TAKEN].desired_length, TAKEN + 1);
    /* Nor need addresses be in that order. */
    fake_ucx_queue(UCX, messages[TAKEN]);
    assert_int_equal(fake_operations(mqs_unexpected_messages, N)[N - 1].desired_length, TAKEN);
}

TEST(internal_messages_are_hidden_and_shown_on_request)
{
    arrive(2, -30, 8, FAKE_UCX_ONLY);
    arrive(2, 3, 8, FAKE_UCX_ONLY);
    EXPECT("*, tag 3, *\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    EXPECT("*, tag -30, *\n*, tag 3, *\n");
}

/* The communicator is made by the other processes, and not by this one yet; or it was freed here. */
TEST(message_for_an_unknown_communicator_makes_one)
{
    fake_ucx_arrive(UCX, 9, &(struct fake_ucx_message){ 2, 5, 16, 0, FAKE_UCX_ONLY, 0 });
    fake_ucx_arrive(UCX, 9, &(struct fake_ucx_message){ 17, 6, 16, 0, FAKE_UCX_RENDEZVOUS, NAMED });
    /* Its first part has come. */
    fake_ucx_arrive(UCX, 9, &(struct fake_ucx_message){ 3, 7, 9000, 100, FAKE_UCX_FIRST, 0 });
    EXPECT("");
    fake_expect_still(9, mqs_unexpected_messages,
                      "*\n"
                      "*: peer 17 (-1), *; rendezvous, its communicator is not made here yet, or freed*\n"
                      "*; eager, its communicator is not made here yet, or freed*\n");
    fake_expect_communicators("0 *\n1 *\n9 *not made here yet, or freed*, rank -1 of *\n");
}

/* Damaged messages may name as many as they are. The search for them must end. */
TEST(unknown_communicators_are_listed_up_to_a_number)
{
    enum { MOST = 1024 };
    mqs_pending_operation operation;
    int n = 1;

    EXPECT("");
    for (uint32_t i = 0; i <= MOST; i++)
        fake_ucx_arrive(UCX, 100 + i, &(struct fake_ucx_message){ 2, 5, 16, 0, FAKE_UCX_ONLY, 0 });
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_unexpected_messages), mqs_ok);
    assert_int_equal(EXTENSION->reason_of(mqs_next_operation(PROCESS, &operation)), MQD_REASON_damaged);
    while (mqs_next_communicator(PROCESS) == mqs_ok)
        n++;
    /* And MPI_COMM_WORLD and MPI_COMM_SELF. */
    assert_int_equal(n, MOST + 2);
}

/* The communicator that an intercommunicator keeps over its local group is Open MPI's own, whatever comes on it. */
TEST(message_for_an_internal_communicator_does_not_show_it)
{
    fake_ta local = fake_group_of(JOB, (const int[]){ 0, 1 }, 2), remote = fake_group_of(JOB, (const int[]){ 3, 2 }, 2);

    fake_intercomm_new(JOB, 5, "inter", local, remote);
    fake_ucx_arrive(UCX, 6, &(struct fake_ucx_message){ 0, 7, 16, 0, FAKE_UCX_ONLY, 0 });
    fake_expect_communicators("0 *\n1 *\n5 *\n");
}

TEST(message_for_an_unknown_communicator_that_is_internal_is_hidden)
{
    fake_ucx_arrive(UCX, 9, &(struct fake_ucx_message){ 2, -5, 16, 0, FAKE_UCX_ONLY, 0 });
    fake_ucx_arrive(UCX, 10, &(struct fake_ucx_message){ 2, 0, 16, 0, FAKE_UCX_ONLY, 0 });
    fake_expect_communicators("0 *\n1 *\n10 *\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    fake_expect_communicators("0 *\n1 *\n9 *\n10 *\n");
}

TEST(source_outside_of_the_communicator_is_told_and_not_listed)
{
    arrive(4, 1, 8, FAKE_UCX_ONLY);
    arrive(3, 1, 8, FAKE_UCX_ONLY);
    EXPECT("*: peer 3, *\nerror: *\n");
    assert_int_equal(EXTENSION->reason_of(fake_queue(&fake, 0, mqs_unexpected_messages)->error), MQD_REASON_damaged);
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

TEST(matching_in_the_adapter_is_said)
{
    fake_ta tm = AT(UCX->worker, ucp_worker_t, tm);

    EXPECT("");
    assert_int_equal(hindrance(), MQD_REASON_none);
    PUT(tm, ucp_tag_match_t, offload_iface, UCX->worker + 8);
    EXPECT("");
    assert_int_equal(hindrance(), MQD_REASON_elsewhere);
    PUT(tm, ucp_tag_match_t, offload_iface, 0);
    PUT(tm, ucp_tag_match_t, offload_ifaces, 1);
    EXPECT("");
    assert_int_equal(hindrance(), MQD_REASON_elsewhere);
}
