/* test_dll_sends.c - the queue of sends. */
#include "fake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { BUFFER = 0x10000000, ATTACHED = 0x20000040 };

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)

static fake_ta start(int destination, int tag, size_t count, enum fake_send_mode mode)
{
    return fake_isend(JOB, &JOB->world, &(struct fake_send){ destination, tag, count, JOB->mpi_int, BUFFER, mode });
}

/* The sends on MPI_COMM_WORLD, of which there must be n and nothing that could not be read. */
static const mqs_pending_operation *sends(size_t n)
{
    const struct fake_queue *queue;

    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_sends);
    assert_int_equal(queue->setup, mqs_ok);
    assert_int_equal(queue->error, mqs_ok);
    assert_int_equal(queue->n, n);
    return queue->operations;
}

static void no_send_is_an_empty_queue(void **state)
{
    (void)state;
    (void)sends(0);
}

static void pending_send_tells_what_is_to_be_sent(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    start(2, 77, 1000, FAKE_STANDARD);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_global_rank, 2);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_tag, 77);
    assert_int_equal(op->desired_length, 4000);
    assert_int_equal(op->system_buffer, 0);
    assert_int_equal(op->buffer, BUFFER);
}

/* The status of a pending send holds old values. The listing must not depend on them. */
static void actual_fields_are_the_desired_ones_in_every_status(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    start(0, 5, 10, FAKE_STANDARD);
    fake_send_match(JOB, start(2, 6, 20, FAKE_STANDARD));
    fake_send_complete(JOB, start(3, 7, 30, FAKE_STANDARD));
    ops = sends(3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ops[i].actual_local_rank, ops[i].desired_local_rank);
        assert_int_equal(ops[i].actual_global_rank, ops[i].desired_global_rank);
        assert_int_equal(ops[i].actual_tag, 5 + i);
        assert_int_equal(ops[i].actual_length, 40 * (i + 1));
    }
    assert_int_equal(ops[0].status, mqs_st_pending);
    assert_int_equal(ops[1].status, mqs_st_matched);
    assert_int_equal(ops[2].status, mqs_st_complete);
}

static void send_has_text_for_a_person(void **state)
{
    static const char *const kinds[] = { "Ssend", NULL, NULL, "Rsend", "Send" };
    const mqs_pending_operation *ops;
    char address[32];
    fake_ta request = 0;

    (void)state;
    start(2, 1, 1000, FAKE_SYNCHRONOUS);
    start(2, 2, 1000, FAKE_READY);
    request = start(2, 3, 1000, FAKE_STANDARD);
    ops = sends(3);
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)request);
    assert_true(fake_says(&ops[0], kinds[FAKE_SYNCHRONOUS]));
    assert_true(fake_says(&ops[1], kinds[FAKE_READY]));
    assert_true(fake_says(&ops[2], kinds[FAKE_STANDARD]));
    assert_false(fake_says(&ops[2], "Ssend"));
    assert_true(fake_says(&ops[2], address));
    assert_true(fake_says(&ops[2], "1000 x MPI_INT"));
    assert_true(fake_says(&ops[2], "rendezvous, waiting for the receiver"));
    assert_false(fake_says(&ops[2], "persistent"));
}

static void sends_come_by_destination_then_in_their_order(void **state)
{
    enum { EACH = 30 };
    const mqs_pending_operation *ops;

    (void)state;
    for (int i = 0; i < EACH; i++)
        for (int destination = 3; destination >= 0; destination--)
            start(destination, i, 1000, FAKE_STANDARD);
    ops = sends(4 * EACH);
    for (int i = 0; i < 4 * EACH; i++) {
        assert_int_equal(ops[i].desired_local_rank, i / EACH);
        assert_int_equal(ops[i].desired_tag, i % EACH);
    }
}

static void order_of_sends_survives_the_wrap_of_16_bits(void **state)
{
    static const int starts[] = { 0x7ffd, 0xfffd, 0x1fffd, -3 };
    const mqs_pending_operation *ops;

    (void)state;
    for (int destination = 0; destination < 4; destination++) {
        fake_ta peer = fake_peer(JOB, &JOB->world, destination);

        PUT(peer, mca_pml_ob1_comm_proc_t, send_sequence, starts[destination]);
        for (int i = 0; i < 6; i++)
            start(destination, i, 1000, FAKE_STANDARD);
    }
    ops = sends(24);
    for (int i = 0; i < 24; i++)
        assert_int_equal(ops[i].desired_tag, i % 6);
}

/* MPI_Start stores the whole counter, MPI_Isend only 16 bits of it, sign-extended. */
static void order_of_sends_ignores_the_upper_bits(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    PUT(fake_peer(JOB, &JOB->world, 2), mca_pml_ob1_comm_proc_t, send_sequence, 0x28000);
    start(2, 0, 1000, FAKE_STANDARD);
    PUT(start(2, 1, 1000, FAKE_STANDARD), mca_pml_base_request_t, req_sequence, 0x28002);
    start(2, 2, 1000, FAKE_STANDARD);
    ops = sends(3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ops[i].desired_tag, i);
}

static void send_that_is_waited_for_is_pending(void **state)
{
    (void)state;
    PUT(start(2, 1, 1000, FAKE_STANDARD), ompi_request_t, req_complete, 0x7ffdeadbe610);
    assert_int_equal(sends(1)->status, mqs_st_pending);
}

static void persistent_send_forgets_the_last_answer_when_it_starts_again(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = fake_send_init(JOB, &JOB->world,
                             &(struct fake_send){ 2, 4, 1000, JOB->mpi_int, BUFFER, FAKE_STANDARD });
    (void)sends(0);
    fake_send_start(JOB, request);
    assert_int_equal(sends(1)->status, mqs_st_pending);
    fake_send_match(JOB, request);
    assert_int_equal(sends(1)->status, mqs_st_matched);
    fake_send_complete(JOB, request);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    (void)sends(0);
    /* req_recv still holds what the receiver of the first round answered. */
    fake_send_start(JOB, request);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_true(fake_says(op, "persistent"));
}

/* The first time the receiver asked for the data piece by piece, the second time it is to fetch them by itself. */
static void persistent_send_that_changes_its_protocol_has_no_answer_yet(void **state)
{
    fake_ta request;

    (void)state;
    request = fake_send_init(JOB, &JOB->world,
                             &(struct fake_send){ 2, 4, 1000, JOB->mpi_int, BUFFER, FAKE_STANDARD });
    fake_send_start(JOB, request);
    fake_send_match(JOB, request);
    fake_send_complete(JOB, request);
    fake_send_start(JOB, request);
    PUT(request, mca_pml_ob1_send_request_t, req_state, 0);
    PUT(request, mca_pml_ob1_send_request_t, req_bytes_delivered, 0);
    PUT(request, mca_pml_ob1_send_request_t, rdma_frag, 0x123400);
    assert_int_equal(sends(1)->status, mqs_st_pending);
    assert_true(fake_says(sends(1), "single copy"));
}

/* What the receiver of an earlier round answered is an answer of this round only if data has gone since. */
static void persistent_send_is_answered_if_nothing_else_explains_the_answer(void **state)
{
    static const struct {
        int state, queued, delivered;
        int status;
    } cases[] = {
        { 0, 0, 1, mqs_st_matched },
        { 1, 0, 1, mqs_st_pending },
        { 0, 1, 1, mqs_st_pending },
        { 0, 0, 0, mqs_st_pending },
    };
    fake_ta request;

    (void)state;
    request = fake_send_init(JOB, &JOB->world,
                             &(struct fake_send){ 2, 4, 1000, JOB->mpi_int, BUFFER, FAKE_STANDARD });
    fake_send_start(JOB, request);
    fake_send_match(JOB, request);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PUT(request, mca_pml_ob1_send_request_t, req_state, cases[i].state);
        PUT(request, mca_pml_ob1_send_request_t, req_pending, cases[i].queued);
        PUT(request, mca_pml_ob1_send_request_t, req_bytes_delivered, cases[i].delivered);
        assert_int_equal(sends(1)->status, cases[i].status);
    }
}

static void eager_send_that_the_transport_holds_is_no_rendezvous(void **state)
{
    fake_ta request;

    (void)state;
    request = start(2, 4, 10, FAKE_STANDARD);
    PUT(request, mca_pml_ob1_send_request_t, req_state, 0);
    PUT(request, mca_pml_ob1_send_request_t, rdma_frag, 0);
    assert_int_equal(sends(1)->status, mqs_st_pending);
    assert_true(fake_says(sends(1), "transport"));
    assert_false(fake_says(sends(1), "rendezvous"));
}

static void persistent_buffered_send_that_was_waited_for_is_in_flight(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = fake_send_init(JOB, &JOB->world,
                             &(struct fake_send){ 2, 4, 10, JOB->mpi_int, BUFFER, FAKE_BUFFERED });
    fake_send_start(JOB, request);
    fake_send_buffer(JOB, request, ATTACHED);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    op = sends(1);
    assert_int_not_equal(op->system_buffer, 0);
    assert_int_equal(op->buffer, ATTACHED);
    assert_int_equal(op->status, mqs_st_pending);
    PUT(request, mca_pml_base_request_t, req_pml_complete, 1);
    (void)sends(0);
}

static void buffered_send_in_flight_shows_the_attached_buffer(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    fake_send_buffer(JOB, start(2, 4, 10, FAKE_BUFFERED), ATTACHED);
    op = sends(1);
    assert_int_not_equal(op->system_buffer, 0);
    assert_int_equal(op->buffer, ATTACHED);
    assert_int_not_equal(op->status, mqs_st_complete);
    assert_int_equal(op->desired_length, 40);
    assert_true(fake_says(op, "Bsend"));
}

static void buffered_send_that_has_left_is_not_listed(void **state)
{
    fake_ta request;

    (void)state;
    request = start(2, 4, 10, FAKE_BUFFERED);
    fake_send_buffer(JOB, request, ATTACHED);
    PUT(request, mca_pml_base_send_request_t, req_addr, BUFFER);
    PUT(request, mca_pml_base_request_t, req_pml_complete, 1);
    (void)sends(0);
}

static void freed_send_is_listed_only_while_data_moves(void **state)
{
    fake_ta request;

    (void)state;
    request = start(2, 4, 1000, FAKE_STANDARD);
    PUT(request, mca_pml_base_request_t, req_free_called, 1);
    assert_int_equal(sends(1)->status, mqs_st_pending);
    fake_send_match(JOB, request);
    assert_int_equal(sends(1)->status, mqs_st_matched);
    fake_send_complete(JOB, request);
    (void)sends(0);
}

static void complete_send_that_nobody_waited_for_is_listed(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = start(2, 4, 10, FAKE_STANDARD);
    fake_send_complete(JOB, request);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->buffer, BUFFER);
    /* Complete for MPI while the transport still has it: the user's side is done. */
    PUT(request, mca_pml_base_request_t, req_pml_complete, 0);
    assert_int_equal(sends(1)->status, mqs_st_complete);
}

static void send_queued_for_want_of_resources_says_so(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = start(2, 4, 10, FAKE_STANDARD);
    PUT(request, mca_pml_ob1_send_request_t, req_state, 0);
    PUT(request, mca_pml_ob1_send_request_t, req_pending, 1);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_true(fake_says(op, "not sent"));
}

/* A send of zero elements holds no reference to its datatype, which may have been freed. Predefined ones never are. */
static void send_of_nothing_names_only_a_predefined_datatype(void **state)
{
    const mqs_pending_operation *op;
    fake_ta hidden, request;

    (void)state;
    hidden = fake_image_alloc_pages(IMAGE, JOB->heap, FAKE_PAGE);
    fake_image_set_hidden(IMAGE, hidden, FAKE_PAGE, true);
    request = start(2, 4, 0, FAKE_SYNCHRONOUS);
    PUT(request, mca_pml_base_request_t, req_datatype, hidden);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_length, 0);
    assert_true(fake_says(op, "0 x elements"));
    /* Nor is the name of one that happens to be readable shown: it may be another's by now. */
    PUT(request, mca_pml_base_request_t, req_datatype, fake_datatype_new(JOB, "MPI_FLOAT", 4));
    assert_true(fake_says(sends(1), "0 x elements"));
    PUT(request, mca_pml_base_request_t, req_datatype, JOB->mpi_double);
    assert_true(fake_says(sends(1), "0 x MPI_DOUBLE"));
}

static void send_with_unreadable_datatype_is_listed_without_its_name(void **state)
{
    const mqs_pending_operation *op;
    fake_ta hidden;

    (void)state;
    hidden = fake_image_alloc_pages(IMAGE, JOB->heap, FAKE_PAGE);
    fake_image_set_hidden(IMAGE, hidden, FAKE_PAGE, true);
    PUT(start(2, 4, 10, FAKE_STANDARD), mca_pml_base_request_t, req_datatype, hidden);
    op = sends(1);
    assert_int_equal(op->desired_length, 40);
    assert_true(fake_says(op, "10"));
}

static void internal_sends_are_hidden_and_shown_on_request(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);

    (void)state;
    start(0, -16, 0, FAKE_STANDARD);
    start(0, -1, 0, FAKE_STANDARD);
    start(0, 3, 1, FAKE_STANDARD);
    assert_int_equal(sends(1)->desired_tag, 3);
    assert_int_equal(extension->show_internal(&fake.host.process, 1), mqs_ok);
    (void)sends(3);
}

static void ranks_of_an_intercommunicator_are_the_remote_groups(void **state)
{
    const int local[2] = { 1, 0 }, remote[2] = { 3, 2 };
    const struct fake_queue *queue;
    struct fake_comm inter;

    (void)state;
    inter = fake_intercomm_new(JOB, 3, "inter", fake_group_of(JOB, local, 2), fake_group_of(JOB, remote, 2));
    fake_isend(JOB, &inter, &(struct fake_send){ 0, 8, 10, JOB->mpi_int, BUFFER, FAKE_STANDARD });
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 3, mqs_pending_sends);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_local_rank, 0);
    assert_int_equal(queue->operations[0].desired_global_rank, 3);
    assert_int_equal(queue->operations[0].actual_global_rank, 3);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(no_send_is_an_empty_queue),
        TEST(pending_send_tells_what_is_to_be_sent),
        TEST(actual_fields_are_the_desired_ones_in_every_status),
        TEST(send_has_text_for_a_person),
        TEST(sends_come_by_destination_then_in_their_order),
        TEST(order_of_sends_survives_the_wrap_of_16_bits),
        TEST(order_of_sends_ignores_the_upper_bits),
        TEST(send_that_is_waited_for_is_pending),
        TEST(persistent_send_forgets_the_last_answer_when_it_starts_again),
        TEST(persistent_send_that_changes_its_protocol_has_no_answer_yet),
        TEST(persistent_send_is_answered_if_nothing_else_explains_the_answer),
        TEST(eager_send_that_the_transport_holds_is_no_rendezvous),
        TEST(persistent_buffered_send_that_was_waited_for_is_in_flight),
        TEST(buffered_send_in_flight_shows_the_attached_buffer),
        TEST(buffered_send_that_has_left_is_not_listed),
        TEST(freed_send_is_listed_only_while_data_moves),
        TEST(complete_send_that_nobody_waited_for_is_listed),
        TEST(send_queued_for_want_of_resources_says_so),
        TEST(send_of_nothing_names_only_a_predefined_datatype),
        TEST(send_with_unreadable_datatype_is_listed_without_its_name),
        TEST(internal_sends_are_hidden_and_shown_on_request),
        TEST(ranks_of_an_intercommunicator_are_the_remote_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
