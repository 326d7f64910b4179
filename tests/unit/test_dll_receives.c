/* test_dll_receives.c - the queue of receives. */
#include "fake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { BUFFER = 0x10000000 };

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define STATUS(request) FAKE_AT(IMAGE, request, ompi_request_t, req_status)

static fake_ta post(int source, int tag, size_t count)
{
    return fake_irecv(JOB, &JOB->world, &(struct fake_recv){ source, tag, count, JOB->mpi_int, BUFFER });
}

/* The receives on MPI_COMM_WORLD, of which there must be n and nothing that could not be read. */
static const mqs_pending_operation *receives(size_t n)
{
    const struct fake_queue *queue;

    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->setup, mqs_ok);
    assert_int_equal(queue->error, mqs_ok);
    assert_int_equal(queue->n, n);
    return queue->operations;
}

static void no_receive_is_an_empty_queue(void **state)
{
    (void)state;
    (void)receives(0);
}

static void posted_receive_tells_what_was_asked_for(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    post(2, 77, 10);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_local_rank, 2);
    assert_int_equal(op->desired_global_rank, 2);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_tag, 77);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->system_buffer, 0);
    assert_int_equal(op->buffer, BUFFER);
}

static void posted_receive_has_text_for_a_person(void **state)
{
    const mqs_pending_operation *op;
    char address[32];
    fake_ta request;

    (void)state;
    request = post(2, 77, 10);
    op = receives(1);
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)request);
    assert_true(fake_says(op, "Recv"));
    assert_true(fake_says(op, address));
    assert_true(fake_says(op, "10 x MPI_INT"));
    assert_true(fake_says(op, "posted"));
    assert_false(fake_says(op, "persistent"));
}

static void any_source_and_any_tag_are_minus_one_and_wild(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    post(FAKE_ANY, 5, 1);
    post(3, FAKE_ANY, 1);
    ops = receives(2);
    assert_int_equal(ops[0].desired_local_rank, -1);
    assert_int_equal(ops[0].desired_global_rank, -1);
    assert_int_equal(ops[0].tag_wild, 0);
    assert_int_equal(ops[0].desired_tag, 5);
    assert_int_equal(ops[1].desired_local_rank, 3);
    assert_int_not_equal(ops[1].tag_wild, 0);
}

/* Elements leave a free list in an order of their own: the newest chunk first, the last element first. */
static void receives_come_in_the_order_of_posting_not_of_memory(void **state)
{
    enum { N = 100 };
    const mqs_pending_operation *ops;

    (void)state;
    for (int i = 0; i < N; i++)
        post(i % 3 == 0 ? FAKE_ANY : i % 4, i, 1);
    ops = receives(N);
    for (int i = 0; i < N; i++)
        assert_int_equal(ops[i].desired_tag, i);
}

static void posting_order_survives_the_wrap_of_the_sequence(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    PUT(JOB->world.pml, mca_pml_ob1_comm_t, recv_sequence, 0xfffffffe);
    for (int i = 0; i < 4; i++)
        post(2, i, 1);
    assert_int_equal(FAKE_GET(IMAGE, JOB->world.pml, mca_pml_ob1_comm_t, recv_sequence), 2);
    ops = receives(4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ops[i].desired_tag, i);
}

static void blocked_receive_with_sync_pointer_is_pending(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    /* Addresses of objects on a stack, as a waiting thread leaves them; 0x...01 would be "complete" as a bool. */
    PUT(post(0, 1, 1), ompi_request_t, req_complete, 0x7ffdeadbe601);
    PUT(post(0, 2, 1), ompi_request_t, req_complete, 0x7ffdeadbe600);
    ops = receives(2);
    assert_int_equal(ops[0].status, mqs_st_pending);
    assert_int_equal(ops[1].status, mqs_st_pending);
}

static void matched_receive_tells_the_message(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = post(FAKE_ANY, FAKE_ANY, 10);
    fake_recv_match(JOB, request, 3, 9, 24);
    PUT(request, mca_pml_ob1_recv_request_t, req_bytes_received, 8);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_matched);
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_equal(op->desired_global_rank, -1);
    assert_int_not_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->actual_local_rank, 3);
    assert_int_equal(op->actual_global_rank, 3);
    assert_int_equal(op->actual_tag, 9);
    assert_int_equal(op->actual_length, 24);
    assert_int_equal(op->buffer, BUFFER);
}

static void matched_receive_that_is_waited_for_is_still_matched(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = post(3, 9, 10);
    fake_recv_match(JOB, request, 3, 9, 24);
    PUT(request, ompi_request_t, req_complete, 0x7ffdeadbe610);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_matched);
    assert_int_equal(op->actual_length, 24);
}

static void complete_receive_tells_the_length_that_arrived(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = post(FAKE_ANY, 9, 10);
    fake_recv_match(JOB, request, 0, 9, 12);
    fake_recv_complete(JOB, request);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->actual_local_rank, 0);
    assert_int_equal(op->actual_global_rank, 0);
    assert_int_equal(op->actual_tag, 9);
    assert_int_equal(op->actual_length, 12);
}

static void cancelled_receive_is_complete_and_says_so(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    fake_recv_cancel(JOB, post(2, 4, 10));
    op = receives(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_true(fake_says(op, "cancelled"));
    assert_int_equal(op->actual_length, 0);
}

/* Requests that complete with an error: the wait that reports the error does not free them. */
static void failed_receive_is_complete_and_says_why(void **state)
{
    static const int errors[] = { 15 /* MPI_ERR_TRUNCATE */, 16 };
    const mqs_pending_operation *ops;

    (void)state;
    for (int i = 0; i < 2; i++) {
        fake_ta request = post(2, i, 10);

        fake_recv_match(JOB, request, 2, i, 100);
        fake_recv_complete(JOB, request);
        PUT(STATUS(request), ompi_status_public_t, MPI_ERROR, errors[i]);
    }
    ops = receives(2);
    assert_int_equal(ops[0].status, mqs_st_complete);
    assert_true(fake_says(&ops[0], "longer than the buffer"));
    assert_int_equal(ops[1].status, mqs_st_complete);
    assert_true(fake_says(&ops[1], "error class 16"));
}

static void missing_symbol_of_the_list_is_named(void **state)
{
    const struct fake_queue *queue;

    (void)state;
    post(2, 1, 1);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_recv_requests", true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_true(queue->setup >= mqs_first_user_code);
    assert_non_null(strstr(mqs_dll_error_string(queue->setup), "mca_pml_base_recv_requests"));
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_sends)->setup, mqs_ok);
}

static void receive_of_nothing_has_length_zero(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    post(2, 4, 0);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_length, 0);
    assert_true(fake_says(op, "0 x MPI_INT"));
}

static void length_is_bytes_even_beyond_4_gib(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    post(2, 4, (size_t)1 << 31);
    op = receives(1);
    assert_true(op->desired_length == (mqs_tword_t)1 << 33);
}

static void persistent_receive_is_listed_from_its_start_on(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = fake_recv_init(JOB, &JOB->world, &(struct fake_recv){ 2, 4, 10, JOB->mpi_int, BUFFER });
    (void)receives(0);
    fake_recv_start(JOB, request);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_true(fake_says(op, "persistent"));
    fake_recv_match(JOB, request, 2, 4, 40);
    fake_recv_complete(JOB, request);
    assert_int_equal(receives(1)->status, mqs_st_complete);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    (void)receives(0);
}

/* The status of a started receive that was never reset: rank 0, tag 0. */
static void inactive_persistent_receive_with_a_matched_status_is_not_listed(void **state)
{
    fake_ta request;

    (void)state;
    request = fake_recv_init(JOB, &JOB->world, &(struct fake_recv){ 2, 4, 10, JOB->mpi_int, BUFFER });
    assert_int_equal(FAKE_GET(IMAGE, STATUS(request), ompi_status_public_t, MPI_TAG), 0);
    (void)receives(0);
}

static void freed_receive_is_listed_only_while_it_is_in_flight(void **state)
{
    fake_ta request;

    (void)state;
    request = post(2, 4, 10);
    PUT(request, mca_pml_base_request_t, req_free_called, 1);
    assert_int_equal(receives(1)->status, mqs_st_pending);
    fake_recv_match(JOB, request, 2, 4, 40);
    fake_recv_complete(JOB, request);
    (void)receives(0);
}

static void spare_request_and_returned_ones_are_not_listed(void **state)
{
    fake_ta request;

    (void)state;
    /* Taken from the list and kept: state INVALID, on no list of free ones. */
    (void)fake_free_list_take(JOB, JOB->recv_requests);
    request = post(2, 4, 10);
    fake_recv_match(JOB, request, 2, 4, 40);
    fake_recv_complete(JOB, request);
    PUT(request, ompi_request_t, req_state, FAKE_INVALID);
    fake_free_list_return(JOB, JOB->recv_requests, request);
    (void)receives(0);
}

/* The request of MPI_Probe is on a stack, in no free list; that of MPI_Mprobe is one of the free list's. */
static void probes_stand_among_the_receives(void **state)
{
    const mqs_pending_operation *ops;

    (void)state;
    post(2, 4, 1);
    fake_probe(JOB, &JOB->world, 3, 5);
    post(2, 6, 1);
    fake_mprobe(JOB, &JOB->world, FAKE_ANY, FAKE_ANY);
    fake_probe(JOB, &JOB->world, FAKE_ANY, 8);
    post(FAKE_ANY, 9, 1);
    ops = receives(6);
    assert_int_equal(ops[0].desired_tag, 4);
    assert_int_equal(ops[1].desired_tag, 5);
    assert_int_equal(ops[1].status, mqs_st_pending);
    assert_int_equal(ops[1].desired_local_rank, 3);
    assert_int_equal(ops[1].desired_global_rank, 3);
    assert_int_equal(ops[1].desired_length, 0);
    assert_int_equal(ops[1].buffer, 0);
    assert_true(fake_says(&ops[1], "Probe"));
    assert_true(fake_says(&ops[1], "posted"));
    assert_false(fake_says(&ops[1], " x "));
    assert_int_equal(ops[2].desired_tag, 6);
    assert_true(fake_says(&ops[3], "Mprobe"));
    assert_int_equal(ops[3].desired_local_rank, -1);
    assert_int_not_equal(ops[3].tag_wild, 0);
    assert_int_equal(ops[4].desired_tag, 8);
    assert_int_equal(ops[4].desired_local_rank, -1);
    assert_int_equal(ops[5].desired_tag, 9);
    assert_false(fake_says(&ops[5], "probe"));
}

/* MPI_Mprobe has taken it, MPI_Mrecv has not: it is neither a receive nor a message that one can match. */
static void message_taken_by_a_probe_is_no_operation(void **state)
{
    fake_ta request, frag;

    (void)state;
    frag = fake_frag_new(JOB, 0, &(struct fake_message){ 2, 4, 80, FAKE_HDR_MATCH }, 1);
    request = fake_mprobe(JOB, &JOB->world, 2, FAKE_ANY);
    post(2, 5, 1);
    fake_mprobe_match(JOB, request, frag, 2, 4, 80);
    assert_int_equal(receives(1)->desired_tag, 5);
    assert_int_equal(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 0);
}

static void probes_of_open_mpi_itself_are_hidden(void **state)
{
    (void)state;
    fake_probe(JOB, &JOB->world, 3, -17);
    (void)receives(0);
}

/* The lists may have receives that the sweep of the free list has not found. */
static void receive_that_only_a_list_leads_to_is_listed_once(void **state)
{
    const struct fake_queue *queue;

    (void)state;
    for (int i = 0; i < 6; i++)
        post(i % 2 == 0 ? 2 : FAKE_ANY, i, 1);
    /* So many elements as the first chunk has: the second is not looked at. */
    PUT(JOB->recv_requests, opal_free_list_t, fl_num_allocated, 4);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->n, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(queue->operations[i].desired_tag, i);
}

static void list_that_leads_nowhere_costs_no_receive_of_the_free_list(void **state)
{
    const struct fake_queue *queue;
    fake_ta last;

    (void)state;
    post(2, 4, 1);
    last = post(2, 5, 1);
    fake_probe(JOB, &JOB->world, FAKE_ANY, 6);
    /* As a thread leaves it that was stopped while it put a receive into the list. */
    PUT(last, opal_list_item_t, opal_list_next, 0);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->n, 3);
    assert_int_equal(queue->operations[2].desired_tag, 6);
    assert_true(queue->error >= mqs_first_user_code);
}

static void internal_receives_are_hidden_and_shown_on_request(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    const mqs_pending_operation *ops;

    (void)state;
    post(0, -16, 0);
    post(0, FAKE_ANY, 1);
    post(0, -17, 1);
    ops = receives(1);
    assert_int_not_equal(ops[0].tag_wild, 0);
    assert_int_equal(extension->show_internal(&fake.host.process, 1), mqs_ok);
    ops = receives(3);
    assert_int_equal(ops[0].desired_tag, -16);
    assert_int_equal(ops[0].tag_wild, 0);
    assert_int_not_equal(ops[1].tag_wild, 0);
    assert_int_equal(ops[2].desired_tag, -17);
    assert_int_equal(extension->show_internal(&fake.host.process, 0), mqs_ok);
    (void)receives(1);
}

static void each_communicator_has_its_own_receives_and_ranks(void **state)
{
    const int ranks[2] = { 3, 1 };
    const struct fake_queue *queue;
    struct fake_comm comm;
    fake_ta group;

    (void)state;
    group = fake_group_of(JOB, ranks, 2);
    comm = fake_comm_new(JOB, 3, "backwards", group, group);
    post(2, 1, 1);
    fake_irecv(JOB, &comm, &(struct fake_recv){ 0, 2, 1, JOB->mpi_int, BUFFER });
    assert_int_equal(receives(1)->desired_tag, 1);
    queue = fake_queue(&fake, 3, mqs_pending_receives);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_tag, 2);
    assert_int_equal(queue->operations[0].desired_local_rank, 0);
    assert_int_equal(queue->operations[0].desired_global_rank, 3);
    assert_int_equal(fake_queue(&fake, 1, mqs_pending_receives)->n, 0);
}

static void datatype_name_is_whole_and_untouched(void **state)
{
    const mqs_pending_operation *op;
    fake_ta percent, unnamed;

    (void)state;
    percent = fake_datatype_new(JOB, "100 %s of a struct with a rather long name, to be exact 62 c", 12);
    unnamed = fake_datatype_new(JOB, "", 3);
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 4, 3, percent, BUFFER });
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 4, 3, unnamed, BUFFER });
    op = receives(2);
    assert_int_equal(op[0].desired_length, 36);
    assert_true(fake_says(&op[0], "100 %s of a struct with a rather long name, to be exact 62 c"));
    assert_int_equal(op[1].desired_length, 9);
}

/* The length of the buffer is count times what cannot be read: that receive is an error, the others are there. */
static void unreadable_datatype_costs_one_receive_and_says_so(void **state)
{
    const struct fake_queue *queue;
    fake_ta hidden;

    (void)state;
    hidden = fake_image_alloc_pages(IMAGE, JOB->heap, FAKE_PAGE);
    fake_image_set_hidden(IMAGE, hidden, FAKE_PAGE, true);
    post(2, 1, 1);
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 2, 3, hidden, BUFFER });
    post(2, 3, 1);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->setup, mqs_ok);
    assert_int_equal(queue->n, 2);
    assert_int_equal(queue->operations[0].desired_tag, 1);
    assert_int_equal(queue->operations[1].desired_tag, 3);
    assert_true(queue->error >= mqs_first_user_code);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(no_receive_is_an_empty_queue),
        TEST(posted_receive_tells_what_was_asked_for),
        TEST(posted_receive_has_text_for_a_person),
        TEST(any_source_and_any_tag_are_minus_one_and_wild),
        TEST(receives_come_in_the_order_of_posting_not_of_memory),
        TEST(posting_order_survives_the_wrap_of_the_sequence),
        TEST(blocked_receive_with_sync_pointer_is_pending),
        TEST(matched_receive_tells_the_message),
        TEST(matched_receive_that_is_waited_for_is_still_matched),
        TEST(complete_receive_tells_the_length_that_arrived),
        TEST(cancelled_receive_is_complete_and_says_so),
        TEST(failed_receive_is_complete_and_says_why),
        TEST(missing_symbol_of_the_list_is_named),
        TEST(receive_of_nothing_has_length_zero),
        TEST(length_is_bytes_even_beyond_4_gib),
        TEST(persistent_receive_is_listed_from_its_start_on),
        TEST(inactive_persistent_receive_with_a_matched_status_is_not_listed),
        TEST(freed_receive_is_listed_only_while_it_is_in_flight),
        TEST(spare_request_and_returned_ones_are_not_listed),
        TEST(probes_stand_among_the_receives),
        TEST(message_taken_by_a_probe_is_no_operation),
        TEST(probes_of_open_mpi_itself_are_hidden),
        TEST(receive_that_only_a_list_leads_to_is_listed_once),
        TEST(list_that_leads_nowhere_costs_no_receive_of_the_free_list),
        TEST(internal_receives_are_hidden_and_shown_on_request),
        TEST(each_communicator_has_its_own_receives_and_ranks),
        TEST(datatype_name_is_whole_and_untouched),
        TEST(unreadable_datatype_costs_one_receive_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
