/* test_dll_cm.c - the PML cm: what its requests tell, what they do not, and what the MTL ofi adds. */
#include "fake_cm.h"
#include "fake_fixture.h"
#include "include/mqd_extension.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { BUFFER = 0x10000000, ATTACHED = 0x20000040, MAX_READS = 5000 };

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define HOST (&fake.host)
#define PROCESS (&fake.host.process)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define GET(object, type, member) FAKE_GET(IMAGE, object, type, member)
#define AT(object, type, member) FAKE_AT(IMAGE, object, type, member)

static struct fake_ofi ofi;

static int setup(void **state)
{
    int rc = fake_setup(state);

    fake_cm_init(JOB);
    return rc;
}

static int setup_ofi(void **state)
{
    const enum fake_ofi_tags *tags = *state;
    int rc = fake_setup(state);

    fake_ofi_init(JOB, *tags, &ofi);
    return rc;
}

/* A queue of MPI_COMM_WORLD, in which there must be n operations and nothing that could not be read. */
static const mqs_pending_operation *queue_of(mqs_op_class op_class, size_t n)
{
    const struct fake_queue *queue;

    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, op_class);
    assert_int_equal(queue->setup, mqs_ok);
    assert_int_equal(queue->error, mqs_ok);
    assert_int_equal(queue->n, n);
    return queue->operations;
}

static const mqs_pending_operation *sends(size_t n)
{
    return queue_of(mqs_pending_sends, n);
}

static const mqs_pending_operation *receives(size_t n)
{
    return queue_of(mqs_pending_receives, n);
}

/* What the extension says is not known of the i-th operation of a queue of MPI_COMM_WORLD. */
static struct mqd_unknown_description unknown_of(mqs_op_class op_class, size_t i)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    struct mqd_unknown_description unknown;
    mqs_pending_operation operation;

    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, (int)op_class), mqs_ok);
    for (size_t k = 0; k <= i; k++)
        assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
    assert_int_equal(extension->describe_unknown(PROCESS, &unknown), mqs_ok);
    return unknown;
}

static void assert_unknown(mqs_op_class op_class, size_t i, int peer, int tag)
{
    struct mqd_unknown_description unknown = unknown_of(op_class, i);

    assert_int_equal(unknown.peer, peer);
    assert_int_equal(unknown.tag, tag);
    assert_int_equal(unknown.length, 0);
    assert_int_equal(unknown.buffer, 0);
}

static fake_ta isend(int tag, size_t count, enum fake_send_mode mode)
{
    return fake_cm_isend(JOB, &JOB->world, &(struct fake_send){ 2, tag, count, JOB->mpi_int, BUFFER, mode });
}

static struct fake_recv receive(int source, int tag)
{
    return (struct fake_recv){ source, tag, 10, JOB->mpi_int, BUFFER };
}

static fake_ta irecv(int source, int tag)
{
    const struct fake_recv recv = receive(source, tag);

    return fake_cm_irecv(JOB, &JOB->world, &recv);
}

/* By the MTL ofi. */
static fake_ta ofi_irecv(int source, int tag, uint64_t address)
{
    const struct fake_recv recv = receive(source, tag);

    return fake_ofi_irecv(JOB, &ofi, &JOB->world, &recv, address);
}

static void no_operation_is_an_empty_queue(void **state)
{
    (void)state;
    (void)sends(0);
    (void)receives(0);
}

static void thin_send_tells_all_but_its_destination(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    isend(77, 1000, FAKE_SYNCHRONOUS);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_equal(op->desired_global_rank, -1);
    assert_int_equal(op->actual_local_rank, -1);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_tag, 77);
    assert_int_equal(op->desired_length, 4000);
    assert_int_equal(op->system_buffer, 0);
    assert_int_equal(op->buffer, BUFFER);
    assert_true(fake_says(op, "Ssend"));
    assert_true(fake_says(op, "1000 x MPI_INT"));
    assert_true(fake_says(op, "given to the network's library, not complete yet"));
    assert_true(fake_says(op, "not known: destination"));
    assert_string_equal(op->extra_text[4], "");
    assert_unknown(mqs_pending_sends, 0, 1, 0);
}

static void thin_send_has_its_buffer_where_the_data_do_not_begin_at_it(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    PUT(JOB->mpi_int, opal_datatype_t, true_lb, 48);
    isend(1, 10, FAKE_STANDARD);
    PUT(AT(isend(2, 10, FAKE_STANDARD), mca_pml_cm_request_t, req_convertor), opal_convertor_t, flags, 4);
    op = sends(2);
    assert_int_equal(op[op[0].desired_tag == 1 ? 0 : 1].buffer, BUFFER);
    /* A convertor that is prepared has the user's address as it is. */
    assert_int_equal(op[op[0].desired_tag == 1 ? 1 : 0].buffer, BUFFER + 48);
}

static void heavy_send_tells_all(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    fake_cm_send_start(JOB, &JOB->world, &(struct fake_send){ 3, 5, 20, JOB->mpi_double, BUFFER, FAKE_READY });
    op = sends(1);
    assert_int_equal(op->desired_local_rank, 3);
    assert_int_equal(op->desired_global_rank, 3);
    assert_int_equal(op->actual_local_rank, 3);
    assert_int_equal(op->desired_tag, 5);
    assert_int_equal(op->actual_tag, 5);
    assert_int_equal(op->desired_length, 160);
    assert_int_equal(op->buffer, BUFFER);
    assert_true(fake_says(op, "Rsend, persistent"));
    assert_true(fake_says(op, "20 x MPI_DOUBLE"));
    assert_false(fake_says(op, "not known"));
    assert_unknown(mqs_pending_sends, 0, 0, 0);
}

static void buffered_send_is_in_the_attached_buffer_until_it_is_sent(void **state)
{
    const struct fake_send send = { 2, 9, 25, JOB->mpi_int, BUFFER, FAKE_BUFFERED };
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = fake_cm_ibsend(JOB, &JOB->world, &send, ATTACHED);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->system_buffer, 1);
    assert_int_equal(op->buffer, ATTACHED);
    assert_int_equal(op->desired_length, 100);
    assert_true(fake_says(op, "25 x MPI_INT"));
    assert_true(fake_says(op, "complete for MPI, data still in transit"));
    fake_cm_complete(JOB, request);
    op = sends(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->system_buffer, 0);
    assert_int_equal(op->buffer, BUFFER);
    /* MPI_Bsend frees its request at once. It is listed while data move. */
    PUT(request, mca_pml_cm_request_t, req_free_called, 1);
    (void)sends(0);
    PUT(request, mca_pml_cm_request_t, req_pml_complete, 0);
    (void)sends(1);
}

static void persistent_send_is_listed_while_it_is_under_way(void **state)
{
    const struct fake_send send = { 2, 9, 25, JOB->mpi_int, BUFFER, FAKE_BUFFERED };
    fake_ta request;

    (void)state;
    request = fake_cm_send_start(JOB, &JOB->world, &send);
    fake_cm_complete_for_mpi(JOB, request);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    (void)sends(1);
    PUT(request, mca_pml_cm_request_t, req_pml_complete, 1);
    (void)sends(0);
}

static void thin_receive_tells_neither_source_nor_tag(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    irecv(2, 7);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_pending);
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_tag, -1);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->buffer, BUFFER);
    assert_true(fake_says(op, "10 x MPI_INT"));
    assert_true(fake_says(op, "posted, waiting for a message"));
    assert_true(fake_says(op, "not known: source, tag"));
    assert_unknown(mqs_pending_receives, 0, 1, 1);
}

static void heavy_receive_tells_all(void **state)
{
    const struct fake_recv given = receive(3, 4), wild = receive(FAKE_ANY, FAKE_ANY);
    const mqs_pending_operation *op;

    (void)state;
    fake_cm_recv_start(JOB, &JOB->world, &given);
    op = receives(1);
    assert_int_equal(op->desired_local_rank, 3);
    assert_int_equal(op->desired_tag, 4);
    assert_int_equal(op->desired_length, 40);
    assert_int_equal(op->buffer, BUFFER);
    assert_unknown(mqs_pending_receives, 0, 0, 0);
    fake_cm_recv_start(JOB, &JOB->self, &wild);
    assert_int_equal(fake_look(&fake), mqs_ok);
    op = fake_queue(&fake, 1, mqs_pending_receives)->operations;
    assert_int_equal(op->desired_local_rank, -1);
    assert_int_equal(op->tag_wild, 1);
    assert_false(fake_says(op, "not known"));
}

static void complete_receive_tells_its_message(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = irecv(2, 7);
    fake_cm_recv_complete(JOB, request, 2, 7, 12, 0);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_int_equal(op->actual_local_rank, 2);
    assert_int_equal(op->actual_tag, 7);
    assert_int_equal(op->actual_length, 12);
    assert_unknown(mqs_pending_receives, 0, 1, 1);
    fake_cm_recv_complete(JOB, request, 3, 8, 40, 15);
    assert_true(fake_says(receives(1), "message was longer than the buffer"));
}

/* The status of a receive that failed or was cancelled may have a source and a tag of no message. */
static void receive_without_a_message_names_none(void **state)
{
    const mqs_pending_operation *op;
    fake_ta request;

    (void)state;
    request = irecv(2, 7);
    fake_cm_recv_cancel(JOB, request, 7);
    op = receives(1);
    assert_int_equal(op->status, mqs_st_complete);
    assert_true(fake_says(op, "cancelled"));
    assert_int_equal(op->actual_local_rank, -1);
    assert_int_equal(op->actual_tag, -1);
    PUT(AT(request, ompi_request_t, req_status), ompi_status_public_t, _cancelled, 0);
    fake_cm_recv_complete(JOB, request, 3, 8, 40, 17);
    op = receives(1);
    assert_true(fake_says(op, "MPI error class 17"));
    assert_int_equal(op->actual_local_rank, -1);
    assert_int_equal(op->actual_tag, -1);
    assert_int_equal(op->actual_length, 0);
}

static void unexpected_messages_are_said_to_be_elsewhere(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    const struct fake_queue *queue;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_unexpected_messages);
    assert_int_equal(queue->n, 0);
    assert_true(queue->setup >= mqs_first_user_code);
    assert_non_null(strstr(mqs_dll_error_string(queue->setup), "the network's library"));
    assert_int_equal(extension->reason_of(queue->setup), MQD_REASON_elsewhere);
    for (int i = 0;; i++) {
        struct mqd_limit_description limit;

        if (extension->describe_limit(PROCESS, i, &limit) == mqs_end_of_list)
            break;
        if (limit.shown == MQD_SHOWN_receives || limit.shown == MQD_SHOWN_sends) {
            assert_int_equal(limit.reason, MQD_REASON_none);
            assert_int_equal(limit.hindrance, MQD_REASON_elsewhere);
        }
    }
}

static void requests_of_another_size_are_refused(void **state)
{
    const struct fake_queue *queue;

    (void)state;
    isend(1, 1, FAKE_STANDARD);
    PUT(JOB->classes[FAKE_TYPE_mca_pml_cm_hvy_send_request_t], opal_class_t, cls_sizeof,
        FAKE_SIZE(IMAGE, mca_pml_cm_hvy_send_request_t) + 8);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_sends);
    assert_int_equal(queue->n, 0);
    assert_non_null(strstr(mqs_dll_error_string(queue->setup), "PML cm have another size"));
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->setup, mqs_ok);
}

static void request_of_an_impossible_kind_is_told(void **state)
{
    const struct fake_queue *queue;

    (void)state;
    PUT(isend(1, 1, FAKE_STANDARD), mca_pml_cm_request_t, req_pml_type, FAKE_CM_THIN_RECV);
    isend(2, 1, FAKE_STANDARD);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_sends);
    assert_int_equal(queue->n, 1);
    assert_true(queue->error >= mqs_first_user_code);
}

/* Where the bits have the source. */

static void bits_tell_tag_and_source(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    ofi_irecv(3, 1234, 0);
    op = receives(1);
    assert_int_equal(op->desired_local_rank, 3);
    assert_int_equal(op->desired_global_rank, 3);
    assert_int_equal(op->tag_wild, 0);
    assert_int_equal(op->desired_tag, 1234);
    assert_false(fake_says(op, "not known"));
    assert_unknown(mqs_pending_receives, 0, 0, 0);
}

static void source_0_and_tag_0_may_stand_for_any(void **state)
{
    static const int sources[] = { 0, FAKE_ANY }, tags[] = { 0, FAKE_ANY };

    (void)state;
    for (int i = 0; i < 4; i++) {
        fake_ta request = ofi_irecv(sources[i / 2], tags[i % 2], 0);
        const mqs_pending_operation *op = receives(1);

        assert_int_equal(op->desired_local_rank, -1);
        assert_int_equal(op->tag_wild, 0);
        assert_int_equal(op->desired_tag, -1);
        assert_true(fake_says(op, "not known: source (0 or any), tag (0 or any)"));
        assert_unknown(mqs_pending_receives, 0, 1, 1);
        PUT(request, ompi_request_t, req_state, FAKE_INVALID);
    }
}

static void receives_of_collectives_are_hidden(void **state)
{
    (void)state;
    ofi_irecv(2, -17, 0);
    ofi_irecv(2, 17, 0);
    assert_int_equal(receives(1)->desired_tag, 17);
}

/* Where the source is an address. */

static void address_tells_the_source(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    fake_ofi_endpoint(JOB, JOB->procs[0], 1, 0);
    fake_ofi_endpoint(JOB, JOB->procs[1], 1, 5);
    ofi_irecv(0, 8, 0);
    op = receives(1);
    assert_int_equal(op->desired_local_rank, 0);
    assert_int_equal(op->desired_global_rank, 0);
    assert_int_equal(op->desired_tag, 8);
    assert_unknown(mqs_pending_receives, 0, 0, 0);
}

static void any_source_is_known_by_its_address(void **state)
{
    const mqs_pending_operation *op;

    (void)state;
    ofi_irecv(FAKE_ANY, 8, 0);
    op = receives(1);
    assert_int_equal(op->desired_local_rank, -1);
    assert_false(fake_says(op, "not known"));
    assert_unknown(mqs_pending_receives, 0, 0, 0);
}

/* Nobody has the address; somebody has it in an object of another class; two have it. */
static void address_that_tells_nobody_leaves_the_source_not_known(void **state)
{
    fake_ta endpoint;

    (void)state;
    ofi_irecv(0, 8, 6);
    assert_true(fake_says(receives(1), "not known: source"));
    endpoint = fake_ofi_endpoint(JOB, JOB->procs[0], 2, 6);
    assert_int_equal(receives(1)->desired_local_rank, 0);
    fake_construct(JOB, endpoint, FAKE_TYPE_opal_list_item_t);
    assert_int_equal(receives(1)->desired_local_rank, -1);
    assert_unknown(mqs_pending_receives, 0, 1, 0);
    fake_construct(JOB, endpoint, FAKE_TYPE_mca_mtl_ofi_endpoint_t);
    fake_ofi_endpoint(JOB, JOB->procs[1], 2, 6);
    assert_int_equal(receives(1)->desired_local_rank, -1);
    assert_unknown(mqs_pending_receives, 0, 1, 0);
}

static void address_may_have_a_context_in_its_highest_bits(void **state)
{
    (void)state;
    PUT(ofi.module, mca_mtl_ofi_module_t, rx_ctx_bits, 3);
    fake_ofi_endpoint(JOB, JOB->procs[0], 0, 6);
    ofi_irecv(0, 8, UINT64_C(0xa000000000000006));
    assert_int_equal(receives(1)->desired_local_rank, 0);
}

/* MPI_Imrecv leaves in the MTL's part what was there. Each of these shows that the part is not of this receive. */
static void part_of_another_receive_tells_nothing(void **state)
{
    fake_ta request, part;

    (void)state;
    request = ofi_irecv(3, 1234, 0);
    part = fake_ofi_part(JOB, request);
#define SPOIL(member, value) \
    do { \
        uint64_t old = GET(part, ompi_mtl_ofi_request_t, member); \
        PUT(part, ompi_mtl_ofi_request_t, member, value); \
        assert_int_equal(receives(1)->desired_tag, -1); \
        assert_unknown(mqs_pending_receives, 0, 1, 1); \
        PUT(part, ompi_mtl_ofi_request_t, member, old); \
        assert_int_equal(receives(1)->desired_tag, 1234); \
    } while (0)
    SPOIL(type, 0);
    SPOIL(comm, JOB->self.ta);
    SPOIL(convertor, 0);
    SPOIL(length, 41);
    SPOIL(req_started, 1);
    SPOIL(match_bits, UINT64_C(0x7000000c000004d2));
#undef SPOIL
    PUT(part, mca_mtl_request_t, ompi_req, request + 8);
    assert_int_equal(receives(1)->desired_tag, -1);
    assert_unknown(mqs_pending_receives, 0, 1, 1);
}

static void receive_that_is_complete_takes_nothing_from_the_mtl(void **state)
{
    (void)state;
    fake_cm_recv_complete(JOB, ofi_irecv(3, 1234, 0), 3, 1234, 8, 0);
    assert_int_equal(receives(1)->actual_tag, 1234);
    assert_unknown(mqs_pending_receives, 0, 1, 1);
}

/* A module whose members do not prove to be what they should be, and an MTL that is not ofi. */
static void mtl_that_is_not_certain_tells_nothing(void **state)
{
    fake_ta base = AT(ofi.module, mca_mtl_ofi_module_t, base);

    (void)state;
    ofi_irecv(3, 1234, 0);
    assert_int_equal(receives(1)->desired_tag, 1234);
#define SPOIL(object, type, member, value) \
    do { \
        uint64_t old = GET(object, type, member); \
        PUT(object, type, member, value); \
        assert_int_equal(receives(1)->desired_tag, -1); \
        PUT(object, type, member, old); \
        assert_int_equal(receives(1)->desired_tag, 1234); \
    } while (0)
    SPOIL(base, mca_mtl_base_module_t, mtl_request_size, 8);
    SPOIL(ofi.module, mca_mtl_ofi_module_t, fi_cq_data, 2);
    SPOIL(ofi.module, mca_mtl_ofi_module_t, mpi_tag_mask, 0xfff0);
    SPOIL(ofi.module, mca_mtl_ofi_module_t, num_bits_mpi_tag, 31);
    SPOIL(ofi.module, mca_mtl_ofi_module_t, num_bits_source_rank, 17);
    SPOIL(ofi.module, mca_mtl_ofi_module_t, source_rank_mask, 0x1ffff);
    SPOIL(ofi.module, mca_mtl_ofi_module_t, source_rank_tag_mask, 0xff);
#undef SPOIL
    fake_mtl_select(JOB, &ofi, "psm2");
    assert_int_equal(receives(1)->desired_tag, -1);
    fake_image_set_symbol_hidden(IMAGE, "ompi_mtl", true);
    fake_mtl_select(JOB, &ofi, "ofi");
    assert_int_equal(receives(1)->desired_tag, -1);
}

/* Corrupt memory, failing reads and allocations. */

static void populate(void)
{
    const struct fake_recv given = receive(3, 4);
    const struct fake_send send = { 2, 9, 25, JOB->mpi_int, BUFFER, FAKE_BUFFERED };

    fake_ofi_endpoint(JOB, JOB->procs[0], 1, 77);
    isend(1, 10, FAKE_STANDARD);
    fake_cm_ibsend(JOB, &JOB->world, &send, ATTACHED);
    ofi_irecv(0, 8, 77);
    fake_cm_recv_start(JOB, &JOB->world, &given);
    fake_cm_recv_complete(JOB, ofi_irecv(0, 12, 77), 0, 12, 16, 0);
}

static void assert_no_harm(void)
{
    assert_string_equal(fake.listing.broken, "");
    assert_int_equal(HOST->violations, 0);
    assert_in_range(HOST->n_reads, 0, MAX_READS);
}

static void no_single_corrupt_word_does_harm(void **state)
{
    static const uint64_t values[] = { 0, 1, UINT64_MAX, 0x7fffffffffffffff, 0x123456789000, BUFFER };
    fake_ta word = 0;

    (void)state;
    populate();
    assert_int_equal(fake_look(&fake), mqs_ok);
    while ((word = fake_image_next_written(IMAGE, word)) != 0) {
        uint64_t old = fake_image_get(IMAGE, word, 8);

        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            fake_image_put(IMAGE, word, 8, values[i]);
            (void)fake_look_anew(&fake);
            assert_no_harm();
        }
        fake_image_put(IMAGE, word, 8, old);
        word += 8;
    }
}

static bool tells_an_error(void)
{
    if (fake.listing.update != mqs_ok || fake.listing.error != mqs_ok || fake.listing.n_comms == 0)
        return true;
    for (size_t i = 0; i < fake.listing.n_comms; i++)
        for (int queue = mqs_pending_sends; queue <= mqs_pending_receives; queue++)
            if (fake.listing.comms[i].queues[queue].setup != mqs_ok ||
                fake.listing.comms[i].queues[queue].error != mqs_ok)
                return true;
    return false;
}

static bool lists_all(void)
{
    const struct fake_queue *sent = fake_queue(&fake, 0, mqs_pending_sends);
    const struct fake_queue *received = fake_queue(&fake, 0, mqs_pending_receives);

    return sent->n == 2 && received->n == 3;
}

static void each_read_and_each_allocation_may_fail(void **state)
{
    (void)state;
    populate();
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_true(lists_all());
    for (long n = 0;; n++) {
        HOST->fail_read = n;
        (void)fake_look_anew(&fake);
        assert_no_harm();
        assert_true(fake.listing.n_comms == 0 || tells_an_error() || lists_all());
        if (HOST->n_reads <= n)
            break;
    }
    HOST->fail_read = FAKE_NEVER;
    for (long n = 0;; n++) {
        HOST->fail_allocation = n;
        (void)fake_look_anew(&fake);
        assert_no_harm();
        if (HOST->n_allocations <= n)
            break;
        assert_true(fake.listing.n_comms == 0 || tells_an_error() || lists_all());
    }
    HOST->fail_allocation = FAKE_NEVER;
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_true(lists_all());
}

/* Every build: other layouts, byte orders, widths of pointers. Since 4.0 the module of the MTL has the masks. */
static void requests_of_every_build_are_read(void **state)
{
    const struct fake_build *build = *state;
    const struct fake_options options = fake_options_of(build);
    const struct fake_queue *queue;
    struct fake_recv given, wild;
    bool has_masks = build->family >= 400;

    fake_begin(&fake, &options);
    fake_ofi_init(JOB, FAKE_OFI_TAG_2, &ofi);
    given = receive(3, 700);
    wild = receive(2, 701);
    fake_cm_recv_start(JOB, &JOB->world, &given);
    fake_ofi_irecv(JOB, &ofi, &JOB->world, &wild, 0);
    isend(90, 11, FAKE_STANDARD);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->setup, mqs_ok);
    assert_int_equal(queue->error, mqs_ok);
    assert_int_equal(queue->n, 2);
    for (size_t i = 0; i < 2; i++) {
        const mqs_pending_operation *op = &queue->operations[i];
        bool is_heavy = fake_says(op, "persistent");

        assert_int_equal(op->desired_local_rank, is_heavy ? 3 : has_masks ? 2 : -1);
        assert_int_equal(op->desired_tag, is_heavy ? 700 : has_masks ? 701 : -1);
        assert_int_equal(op->desired_length, 40);
        assert_int_equal(op->buffer, BUFFER);
        assert_int_equal(fake_says(op, "not known: source, tag"), !is_heavy && !has_masks);
    }
    queue = fake_queue(&fake, 0, mqs_pending_sends);
    assert_int_equal(queue->setup, mqs_ok);
    assert_int_equal(queue->error, mqs_ok);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_tag, 90);
    assert_int_equal(queue->operations[0].desired_length, 44);
    assert_int_equal(queue->operations[0].buffer, BUFFER);
    assert_int_equal(fake_end(&fake), 0);
}

int main(void)
{
    static enum fake_ofi_tags by_address = FAKE_OFI_BY_ADDRESS, tag_1 = FAKE_OFI_TAG_1, tag_2 = FAKE_OFI_TAG_2;
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, fake_teardown)
#define TEST_ON(build) { "requests_of_every_build_are_read " #build, requests_of_every_build_are_read, NULL, NULL, \
                         (void *)&build }
#define TEST_OFI(function, tags) { #function " " #tags, function, setup_ofi, fake_teardown, &tags }
    const struct CMUnitTest tests[] = {
        TEST(no_operation_is_an_empty_queue),
        TEST(thin_send_tells_all_but_its_destination),
        TEST(thin_send_has_its_buffer_where_the_data_do_not_begin_at_it),
        TEST(heavy_send_tells_all),
        TEST(buffered_send_is_in_the_attached_buffer_until_it_is_sent),
        TEST(persistent_send_is_listed_while_it_is_under_way),
        TEST(thin_receive_tells_neither_source_nor_tag),
        TEST(heavy_receive_tells_all),
        TEST(complete_receive_tells_its_message),
        TEST(receive_without_a_message_names_none),
        TEST(unexpected_messages_are_said_to_be_elsewhere),
        TEST(requests_of_another_size_are_refused),
        TEST(request_of_an_impossible_kind_is_told),
        TEST_OFI(bits_tell_tag_and_source, tag_1),
        TEST_OFI(bits_tell_tag_and_source, tag_2),
        TEST_OFI(source_0_and_tag_0_may_stand_for_any, tag_1),
        TEST_OFI(source_0_and_tag_0_may_stand_for_any, tag_2),
        TEST_OFI(receives_of_collectives_are_hidden, tag_1),
        TEST_OFI(receives_of_collectives_are_hidden, tag_2),
        TEST_OFI(receives_of_collectives_are_hidden, by_address),
        TEST_OFI(address_tells_the_source, by_address),
        TEST_OFI(any_source_is_known_by_its_address, by_address),
        TEST_OFI(address_that_tells_nobody_leaves_the_source_not_known, by_address),
        TEST_OFI(address_may_have_a_context_in_its_highest_bits, by_address),
        TEST_OFI(part_of_another_receive_tells_nothing, tag_1),
        TEST_OFI(receive_that_is_complete_takes_nothing_from_the_mtl, tag_1),
        TEST_OFI(mtl_that_is_not_certain_tells_nothing, tag_1),
        TEST_ON(fake_release_31),
        TEST_ON(fake_release_40),
        TEST_ON(fake_release),
        TEST_ON(fake_debug),
        TEST_ON(fake_release_50),
        TEST_ON(fake_release_507),
        TEST_ON(fake_debug_507),
        TEST_ON(fake_release_60),
        TEST_ON(fake_s390x),
        TEST_ON(fake_s390x_507),
        TEST_ON(fake_i386),
        TEST_ON(fake_i386_31),
        TEST_ON(fake_i386_40),
        TEST_OFI(no_single_corrupt_word_does_harm, by_address),
        TEST_OFI(each_read_and_each_allocation_may_fail, by_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
