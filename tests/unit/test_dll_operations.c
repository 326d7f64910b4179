/*
 * test_dll_operations.c - operations as facts: describe_operation, and reasons as numbers. That facts and texts agree
 * is shown for every operation of every test that lists (fake_listing.c); here stands what they are.
 */
#include "fake_test.h"
#include "mqd/dll/codes.h"

/* What is expected of one operation of the populated job. */
struct expected {
    const char *request;             /* its name; NULL: a message, found by its tag */
    long tag;
    int kind, mode, protocol, progress;
    int persistent, freed, needs_receiver, out_of_sequence;
    long count;                      /* -1: it has none */
    const char *datatype;
    long peer;                       /* in MPI_COMM_WORLD; -1: any, or none that is known */
    unsigned long arrived;
};

static const struct expected table[] = {
    {"recv1", -1, MQD_OPERATION_recv, 0, 0, MQD_PROGRESS_posted, 0, 0, 0, 0, 7, "MPI_DOUBLE", -1, 0},
    {"recv2", 5, MQD_OPERATION_recv, 0, 0, MQD_PROGRESS_receiving, 0, 0, 0, 0, 6, "MPI_INT", 3, 0},
    {"recv3", 6, MQD_OPERATION_recv, 0, 0, MQD_PROGRESS_complete, 0, 0, 0, 0, 6, "MPI_INT", 3, 0},
    {"recv4", 14, MQD_OPERATION_recv, 0, 0, MQD_PROGRESS_posted, 0, 0, 0, 0, 2, "MPI_BYTE", 3, 0},
    {"recv5", 19, MQD_OPERATION_recv, 0, 0, MQD_PROGRESS_cancelled, 0, 0, 0, 0, 5, "four of eight doubles", 2, 0},
    {"recv6", 0x12345678, MQD_OPERATION_recv, 0, 0, MQD_PROGRESS_posted, 1, 0, 0, 0, 9, "four of eight doubles", 0, 0},
    {"recv7", 26, MQD_OPERATION_recv, 0, 0, MQD_PROGRESS_posted, 0, 0, 0, 0, 1, "MPI_DOUBLE", 5, 0},
    {"probe1", 27, MQD_OPERATION_probe, 0, 0, MQD_PROGRESS_posted, 0, 0, 0, 0, -1, "", 2, 0},
    {"probe2", -1, MQD_OPERATION_mprobe, 0, 0, MQD_PROGRESS_posted, 0, 0, 0, 0, -1, "", -1, 0},
    {"send1", 8, MQD_OPERATION_ssend, MQD_MODE_synchronous, MQD_PROTOCOL_rendezvous, MQD_PROGRESS_rendezvous, 0, 0, 1,
     0,
     500, "MPI_INT", 2, 0},
    {"send2", 9, MQD_OPERATION_bsend, MQD_MODE_buffered, MQD_PROTOCOL_rendezvous, MQD_PROGRESS_rendezvous, 0, 1, 1, 0,
     5, "MPI_INT", 0, 0},
    {"send3", 13, MQD_OPERATION_send, MQD_MODE_standard, MQD_PROTOCOL_rendezvous, MQD_PROGRESS_transfer, 0, 0, 0, 0,
     300,
     "MPI_DOUBLE", 3, 0},
    {"send4", 15, MQD_OPERATION_send, MQD_MODE_standard, 0, MQD_PROGRESS_complete, 0, 0, 0, 0, 200, "MPI_INT", 3, 0},
    {"send5", 20, MQD_OPERATION_rsend, MQD_MODE_ready, MQD_PROTOCOL_rendezvous, MQD_PROGRESS_rendezvous, 1, 0, 1, 0,
     0x1234567, "MPI_DOUBLE", 3, 0},
    {NULL, 10, MQD_OPERATION_message, 0, MQD_PROTOCOL_eager, MQD_PROGRESS_eager, 0, 0, 0, 0, -1, "", 3, 0},
    {NULL, 11, MQD_OPERATION_message, 0, MQD_PROTOCOL_rendezvous, MQD_PROGRESS_arrived_rendezvous, 0, 0, 0, 0, -1, "",
     3, 0},
    {NULL, 25, MQD_OPERATION_message, 0, MQD_PROTOCOL_rendezvous, MQD_PROGRESS_arrived_rendezvous, 0, 0, 0, 0, -1, "",
     1, 0},
    {NULL, 22, MQD_OPERATION_message, 0, MQD_PROTOCOL_eager, MQD_PROGRESS_out_of_sequence, 0, 0, 0, 1, -1, "", 2, 0},
};
enum { N_TABLE = sizeof table / sizeof table[0] };

static const char *name_of(mqs_taddr_t request)
{
    for (size_t i = 0; i < fake.names.n; i++)
        if (request != 0 && fake.names.items[i].ta == request)
            return fake.names.items[i].name;
    return NULL;
}

static void check(const struct expected *expected, const struct mqd_operation_description *facts)
{
    static const char format[] = "kind %d mode %d protocol %d progress %d, persistent %d freed %d needs_receiver %d "
                                 "out_of_sequence %d, count %ld of %s, peer %ld";

    assert_text(test_text(format, facts->kind, facts->mode, facts->protocol, facts->progress, facts->persistent,
                          facts->freed, facts->needs_receiver, facts->out_of_sequence,
                          facts->has_count ? (long)facts->count : -1, facts->datatype,
                          facts->has_peer ? (long)facts->peer.rank : -1),
                test_text(format, expected->kind, expected->mode, expected->protocol, expected->progress,
                          expected->persistent, expected->freed, expected->needs_receiver, expected->out_of_sequence,
                          expected->count, expected->datatype, expected->peer));
    assert_false(facts->collective || facts->internal || facts->pending_communicator || facts->error_class);
    assert_string_equal(facts->purpose, "");
    if (facts->has_peer)
        assert_int_equal(facts->peer.job, JOB->options.jobid + (expected->tag == 26));
}

/* Checks the operations that are in the table; returns how many there were. */
static int check_queue(int op_class)
{
    mqs_pending_operation operation;
    struct mqd_operation_description facts;
    int n = 0;

    if (mqs_setup_operation_iterator(PROCESS, op_class) != mqs_ok)
        return 0;
    while (mqs_next_operation(PROCESS, &operation) == mqs_ok) {
        assert_int_equal(EXTENSION->describe_operation(PROCESS, &facts), mqs_ok);
        for (size_t i = 0; i < N_TABLE; i++) {
            const char *request = table[i].request, *name = name_of(facts.request);

            if (request == NULL ? op_class == mqs_unexpected_messages && operation.desired_tag == table[i].tag
                                : name != NULL && strcmp(name, request) == 0) {
                check(&table[i], &facts);
                n++;
            }
        }
    }
    return n;
}

SUITE(alone, NULL, fake_teardown);

TEST_ON(alone, each_operation_is_described_in_fields_in_all_builds)
{
    for (size_t i = 0; i < FAKE_N_BUILDS; i++) {
        int n = 0;

        fake_setup_populated(fake_builds[i]);
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
        do {
            for (int op_class = 0; op_class < FAKE_N_QUEUES; op_class++)
                n += check_queue(op_class);
        } while (mqs_next_communicator(PROCESS) == mqs_ok);
        assert_int_equal(n, N_TABLE);
    }
}

static bool is_described(void)
{
    struct fake_out out;
    int rc;

    fake_out_init(&out);
    rc = EXTENSION->describe_operation(PROCESS, &out.out.described);
    if (rc == mqs_ok)
        return true;
    assert_true(rc >= mqs_first_user_code);
    assert_true(fake_out_intact(&out));
    return false;
}

SUITE(each, fake_setup, fake_teardown);

TEST(only_the_operation_that_was_just_given_is_described)
{
    struct fake_recv recv = {1, 5, 6, JOB->mpi_int, 0x2000};
    mqs_pending_operation operation;

    fake_irecv(JOB, &JOB->world, &recv);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_false(is_described());
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_receives), mqs_ok);
        assert_false(is_described());
        assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
        assert_true(is_described());
        assert_true(is_described());
        if (i == 0)
            assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_end_of_list);
        else if (i == 1)
            assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_sends), mqs_ok);
        else if (i == 2)
            assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
        else if (i == 3)
            assert_true(mqs_next_operation(PROCESS, NULL) >= mqs_first_user_code);
        else
            assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
        assert_false(is_described());
    }
    assert_true(EXTENSION->describe_operation(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(EXTENSION->describe_operation(NULL, &(struct mqd_operation_description){.kind = 0}) >=
                mqs_first_user_code);
}

/* A collective operation's, and what an internal communicator has; by tag and by communicator. */
TEST(operations_of_the_library_are_told_with_their_purpose)
{
    struct fake_recv barrier = {1, -16, 0, JOB->mpi_byte, 0};
    struct mqd_operation_description facts;

    fake_irecv(JOB, &JOB->world, &barrier);
    fake_go_to_operation(0, mqs_pending_receives);
    assert_int_equal(EXTENSION->describe_operation(PROCESS, &facts), mqs_ok);
    assert_int_equal(facts.collective, 1);
    assert_int_equal(facts.internal, 1);
    assert_string_equal(facts.purpose, "MPI_Barrier");
}

/* Every code that has a text of its own has a reason, whatever the texts say. */
TEST_ON(alone, every_code_has_a_reason)
{
    const char *unknown = mqs_dll_error_string(MQD_RC_end);

    for (int code = mqs_first_user_code; code < 1000; code++)
        assert_int_equal(EXTENSION->reason_of(code) == MQD_REASON_unknown,
                         strcmp(mqs_dll_error_string(code), unknown) == 0);
    for (int code = MQD_RC_first_path; code < MQD_RC_end; code++)
        assert_int_equal(EXTENSION->reason_of(code),
                         code < MQD_RC_first_constant ? MQD_REASON_no_member : MQD_REASON_no_constant);
    assert_int_equal(EXTENSION->reason_of(MQD_RC_of_debugger), MQD_REASON_unknown);
    assert_int_equal(EXTENSION->reason_of(MQD_RC_of_debugger + 1), MQD_REASON_unreadable);
    assert_int_equal(EXTENSION->reason_of(MQD_RC_first_path - 1) == MQD_REASON_no_member, 0);
    assert_int_equal(EXTENSION->reason_of(mqs_ok), MQD_REASON_none);
    assert_int_equal(EXTENSION->reason_of(mqs_end_of_list), MQD_REASON_end);
    assert_int_equal(EXTENSION->reason_of(-1), MQD_REASON_unknown);
}

static int limit_of(int shown)
{
    struct mqd_limit_description limit;

    for (int i = 0; EXTENSION->describe_limit(PROCESS, i, &limit) == mqs_ok; i++)
        if (limit.shown == shown)
            return limit.reason;
    return MQD_REASON_unknown;
}

TEST(what_cannot_be_shown_has_a_reason_in_numbers)
{
    struct mqd_capability_description capability;
    struct mqd_limit_description limit;
    int n = 0;

    assert_int_equal(fake_look(&fake), mqs_ok);
    for (; EXTENSION->describe_limit(PROCESS, n, &limit) == mqs_ok; n++) {
        assert_int_equal(EXTENSION->describe_capability(PROCESS, n, &capability), mqs_ok);
        assert_int_equal(limit.reason, MQD_REASON_none);
        assert_int_equal(limit.hindrance, MQD_REASON_none);
        assert_int_equal(limit.shown, n + 1);
    }
    assert_int_equal(n, MQD_SHOWN_unexpected);
    assert_int_equal(EXTENSION->describe_limit(PROCESS, -1, &limit), mqs_end_of_list);
    assert_true(EXTENSION->describe_limit(PROCESS, 0, NULL) >= mqs_first_user_code);
    fake_image_set_symbol_hidden(&JOB->image, "mca_pml_ob1", true);
    fake_image_set_symbol_hidden(&JOB->image, "mca_pml_base_send_requests", true);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(limit_of(MQD_SHOWN_sends), MQD_REASON_no_symbol);
    assert_int_equal(limit_of(MQD_SHOWN_receives), MQD_REASON_none);
    assert_int_equal(EXTENSION->describe_limit(PROCESS, MQD_SHOWN_unexpected - 1, &limit), mqs_ok);
    assert_int_equal(limit.hindrance, MQD_REASON_no_symbol);
}

TEST(leaving_mpi_is_a_reason)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_job_finalize(JOB);
    assert_int_equal(EXTENSION->reason_of(fake_look(&fake)), MQD_REASON_finalized);
    assert_int_equal(limit_of(MQD_SHOWN_sends), MQD_REASON_finalized);
}
