/* test_dll_cm.c - the PML cm: what its requests tell, what they do not, and what the MTL ofi adds. */
#include "fake_cm.h"
#include "fake_sweep.h"
#include "fake_test.h"

enum { BUFFER = 0x10000000, ATTACHED = 0x20000040 };

#define SENDS(pattern) fake_expect(0, mqs_pending_sends, pattern)
#define RECEIVES(pattern) fake_expect(0, mqs_pending_receives, pattern)

static struct fake_ofi ofi;

static void setup(const struct fake_build *build)
{
    fake_setup(build);
    fake_cm_init(JOB);
}

static void setup_by_address(const struct fake_build *build)
{
    fake_setup(build);
    fake_ofi_init(JOB, FAKE_OFI_BY_ADDRESS, &ofi);
}

static void setup_tag_1(const struct fake_build *build)
{
    fake_setup(build);
    fake_ofi_init(JOB, FAKE_OFI_TAG_1, &ofi);
}

static void setup_tag_2(const struct fake_build *build)
{
    fake_setup(build);
    fake_ofi_init(JOB, FAKE_OFI_TAG_2, &ofi);
}

SUITE(each, setup, fake_teardown);
SUITE(by_address, setup_by_address, fake_teardown);
SUITE(tag_1, setup_tag_1, fake_teardown);
SUITE(tag_2, setup_tag_2, fake_teardown);
SUITE(builds, setup_tag_2, fake_teardown, &fake_release_31, &fake_release_40, &fake_release, &fake_debug,
      &fake_release_50, &fake_release_507, &fake_debug_507, &fake_release_60, &fake_s390x, &fake_s390x_507, &fake_i386,
      &fake_i386_31, &fake_i386_40);

static struct fake_send send_of(int tag, size_t count, enum fake_send_mode mode)
{
    return (struct fake_send){ 2, tag, count, JOB->mpi_int, BUFFER, mode };
}

static fake_ta isend(int tag, size_t count, enum fake_send_mode mode)
{
    const struct fake_send send = send_of(tag, count, mode);

    return fake_cm_isend(JOB, &JOB->world, &send);
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

static void start_recv(const struct fake_comm *comm, int source, int tag)
{
    const struct fake_recv recv = receive(source, tag);

    fake_cm_recv_start(JOB, comm, &recv);
}

/* By the MTL ofi. */
static fake_ta ofi_irecv(int source, int tag, uint64_t address)
{
    const struct fake_recv recv = receive(source, tag);

    return fake_ofi_irecv(JOB, &ofi, &JOB->world, &recv, address);
}

TEST(thin_send_tells_all_but_its_destination)
{
    SENDS("");
    RECEIVES("");
    fake_name(&fake.names, "send", 1, isend(77, 1000, FAKE_SYNCHRONOUS));
    SENDS("pending: peer -1, tag 77, 4000 bytes at 0x10000000; Ssend, request send1; 1000 x MPI_INT; "
          "given to the network's library, not complete yet; not known: destination\n");
}

/* A convertor that is prepared has the user's address as it is. */
TEST(thin_send_has_its_buffer_where_the_data_do_not_begin_at_it)
{
    PUT(JOB->mpi_int, opal_datatype_t, true_lb, 48);
    isend(1, 10, FAKE_STANDARD);
    PUT(AT(isend(2, 10, FAKE_STANDARD), mca_pml_cm_request_t, req_convertor), opal_convertor_t, flags, 4);
    SENDS("*, tag 2, 40 bytes at 0x10000030; *\n*, tag 1, 40 bytes at 0x10000000; *\n");
}

TEST(heavy_send_tells_all)
{
    fake_cm_send_start(JOB, &JOB->world, &(struct fake_send){ 3, 5, 20, JOB->mpi_double, BUFFER, FAKE_READY });
    SENDS("pending: peer 3, tag 5, 160 bytes at 0x10000000; Rsend, persistent, *; 20 x MPI_DOUBLE; "
          "given to the network's library, not complete yet\n");
}

TEST(buffered_send_is_in_the_attached_buffer_until_it_is_sent)
{
    const struct fake_send send = send_of(9, 25, FAKE_BUFFERED);
    fake_ta request = fake_cm_ibsend(JOB, &JOB->world, &send, ATTACHED);

    SENDS("pending: *, tag 9, 100 bytes at 0x20000040 (system); *; 25 x MPI_INT; "
          "complete for MPI, data still in transit*\n");
    fake_cm_complete(JOB, request);
    SENDS("complete: *, tag 9, 100 bytes at 0x10000000; *\n");
    /* MPI_Bsend frees its request at once. It is listed while data move. */
    PUT(request, mca_pml_cm_request_t, req_free_called, 1);
    SENDS("");
    PUT(request, mca_pml_cm_request_t, req_pml_complete, 0);
    SENDS("*\n");
}

TEST(send_of_no_data_needs_no_attached_buffer)
{
    const struct fake_send send = send_of(9, 0, FAKE_BUFFERED);

    fake_cm_ibsend(JOB, &JOB->world, &send, ATTACHED);
    SENDS("complete: *, tag 9, 0 bytes at 0x10000000; *\n");
}

TEST(freed_send_is_listed_until_its_data_have_gone)
{
    fake_ta request = isend(9, 25, FAKE_STANDARD);

    fake_cm_complete_for_mpi(JOB, request);
    SENDS("complete: *\n");
    PUT(request, mca_pml_cm_request_t, req_free_called, 1);
    SENDS("pending: *\n");
}

TEST(persistent_send_is_listed_while_it_is_under_way)
{
    const struct fake_send send = send_of(9, 25, FAKE_BUFFERED);
    fake_ta request = fake_cm_send_start(JOB, &JOB->world, &send);

    fake_cm_complete_for_mpi(JOB, request);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    SENDS("*\n");
    PUT(request, mca_pml_cm_request_t, req_pml_complete, 1);
    SENDS("");
}

TEST(thin_receive_tells_neither_source_nor_tag)
{
    irecv(2, 7);
    RECEIVES("pending: peer -1, tag -1, 40 bytes at 0x10000000; Recv, *; 10 x MPI_INT; posted, waiting for a message; "
             "not known: source, tag\n");
}

TEST(heavy_receive_tells_all)
{
    start_recv(&JOB->world, 3, 4);
    start_recv(&JOB->self, FAKE_ANY, FAKE_ANY);
    RECEIVES("pending: peer 3, tag 4, 40 bytes at 0x10000000; *; posted, waiting for a message\n");
    fake_expect(1, mqs_pending_receives, "pending: peer -1, any tag, *; posted, waiting for a message\n");
}

/* The status of a receive that failed or was cancelled may have a source and a tag of no message. */
TEST(complete_receive_tells_its_message_if_it_has_one)
{
    fake_ta request = irecv(2, 7);

    fake_cm_recv_complete(JOB, request, 2, 7, 12, 0);
    RECEIVES("complete: peer -1, tag -1, *, got peer 2, tag 7, 12 bytes; *; not known: source, tag\n");
    fake_cm_recv_complete(JOB, request, 3, 8, 40, 15);
    RECEIVES("complete: *message was longer than the buffer*\n");
    fake_cm_recv_cancel(JOB, request, 7);
    RECEIVES("complete: *, got peer -1, tag -1, 0 bytes; *cancelled*\n");
    PUT(AT(request, ompi_request_t, req_status), ompi_status_public_t, _cancelled, 0);
    fake_cm_recv_complete(JOB, request, 3, 8, 40, 17);
    RECEIVES("complete: *, got peer -1, tag -1, 0 bytes; *MPI error class 17*\n");
}

TEST(unexpected_messages_are_said_to_be_elsewhere)
{
    struct mqd_limit_description limit;

    fake_expect(0, mqs_unexpected_messages, "error: *the network's library*\n");
    assert_int_equal(EXTENSION->reason_of(fake_queue(&fake, 0, mqs_unexpected_messages)->setup), MQD_REASON_elsewhere);
    for (int i = 0; EXTENSION->describe_limit(PROCESS, i, &limit) != mqs_end_of_list; i++)
        if (limit.shown == MQD_SHOWN_receives || limit.shown == MQD_SHOWN_sends) {
            assert_int_equal(limit.reason, MQD_REASON_none);
            assert_int_equal(limit.hindrance, MQD_REASON_elsewhere);
        }
}

TEST(requests_of_another_size_are_refused)
{
    fake_ta send_class = JOB->classes[FAKE_TYPE_mca_pml_cm_hvy_send_request_t];
    fake_ta receive_class = JOB->classes[FAKE_TYPE_mca_pml_cm_hvy_recv_request_t];

    isend(1, 1, FAKE_STANDARD);
    irecv(2, 7);
    PUT(send_class, opal_class_t, cls_sizeof, FAKE_SIZE(IMAGE, mca_pml_cm_hvy_send_request_t) + 8);
    SENDS("error: *PML cm have another size*\n");
    RECEIVES("*\n");
    PUT(send_class, opal_class_t, cls_sizeof, FAKE_SIZE(IMAGE, mca_pml_cm_hvy_send_request_t));
    PUT(receive_class, opal_class_t, cls_sizeof, FAKE_SIZE(IMAGE, mca_pml_cm_hvy_recv_request_t) + 8);
    SENDS("*\n");
    RECEIVES("error: *PML cm have another size*\n");
}

TEST(request_of_an_impossible_kind_is_told)
{
    PUT(isend(1, 1, FAKE_STANDARD), mca_pml_cm_request_t, req_pml_type, FAKE_CM_THIN_RECV);
    isend(2, 1, FAKE_STANDARD);
    SENDS("*, tag 2, *\nerror: *\n");
}

/* Where the bits have the source. */

static void bits_tell_tag_and_source(const struct fake_build *build __attribute__((unused)))
{
    ofi_irecv(3, 1234, 0);
    RECEIVES("pending: peer 3, tag 1234, *; posted, waiting for a message\n");
}

static void source_0_and_tag_0_may_stand_for_any(const struct fake_build *build __attribute__((unused)))
{
    static const int sources[] = { 0, FAKE_ANY }, tags[] = { 0, FAKE_ANY };

    for (int i = 0; i < 4; i++) {
        fake_ta request = ofi_irecv(sources[i / 2], tags[i % 2], 0);

        RECEIVES("pending: peer -1, tag -1, *; not known: source (0 or any), tag (0 or any)\n");
        PUT(request, ompi_request_t, req_state, FAKE_INVALID);
    }
}

static void receives_of_collectives_are_hidden(const struct fake_build *build __attribute__((unused)))
{
    ofi_irecv(2, -17, 0);
    ofi_irecv(2, 17, 0);
    RECEIVES("*, tag 17, *\n");
}

TEST_ALSO(tag_1, bits_tell_tag_and_source)
TEST_ALSO(tag_2, bits_tell_tag_and_source)
TEST_ALSO(tag_1, source_0_and_tag_0_may_stand_for_any)
TEST_ALSO(tag_2, source_0_and_tag_0_may_stand_for_any)
TEST_ALSO(tag_1, receives_of_collectives_are_hidden)
TEST_ALSO(tag_2, receives_of_collectives_are_hidden)
TEST_ALSO(by_address, receives_of_collectives_are_hidden)

/* Where the source is an address. */

TEST_ON(by_address, address_tells_the_source)
{
    fake_ofi_endpoint(JOB, JOB->procs[0], 1, 0);
    fake_ofi_endpoint(JOB, JOB->procs[1], 1, 5);
    ofi_irecv(0, 8, 0);
    RECEIVES("pending: peer 0, tag 8, *; posted, waiting for a message\n");
}

TEST_ON(by_address, any_source_is_known_by_its_address)
{
    ofi_irecv(FAKE_ANY, 8, 0);
    RECEIVES("pending: peer -1, tag 8, *; posted, waiting for a message\n");
}

/* Nobody has the address; somebody has it in an object of another class; two have it. */
TEST_ON(by_address, address_that_tells_nobody_leaves_the_source_not_known)
{
    static const char unknown[] = "pending: peer -1, tag 8, *; not known: source\n";
    fake_ta endpoint;

    ofi_irecv(0, 8, 6);
    RECEIVES(unknown);
    endpoint = fake_ofi_endpoint(JOB, JOB->procs[0], 2, 6);
    RECEIVES("pending: peer 0, tag 8, *\n");
    fake_construct(JOB, endpoint, FAKE_TYPE_opal_list_item_t);
    RECEIVES(unknown);
    fake_construct(JOB, endpoint, FAKE_TYPE_mca_mtl_ofi_endpoint_t);
    fake_ofi_endpoint(JOB, JOB->procs[1], 2, 6);
    RECEIVES(unknown);
}

TEST_ON(by_address, address_may_have_a_context_in_its_highest_bits)
{
    static const struct { int n_bits; bool is_found; } cases[] = {
        { 3, true }, { 61, true }, { 1, false }, { 0, false }, { -1, false }, { 64, false }, { 62, false },
    };

    fake_ofi_endpoint(JOB, JOB->procs[0], 0, 6);
    ofi_irecv(0, 8, UINT64_C(0xa000000000000006));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PUT(ofi.module, mca_mtl_ofi_module_t, rx_ctx_bits, (uint32_t)cases[i].n_bits);
        RECEIVES(cases[i].is_found ? "pending: peer 0, *\n" : "*; not known: source\n");
    }
}

/* While a member has another value the receive tells nothing. */
static void expect_spoilt(fake_ta object, enum fake_member member, uint64_t value)
{
    uint64_t old = fake_image_get_member(IMAGE, object, member);

    fake_image_put_member(IMAGE, object, member, value);
    RECEIVES("*: peer -1, tag -1, *; not known: source, tag\n");
    fake_image_put_member(IMAGE, object, member, old);
    RECEIVES("*: peer 3, tag 1234, *\n");
}

/* MPI_Imrecv leaves in the MTL's part what was there. Each of these shows that the part is not of this receive. */
TEST_ON(tag_1, part_of_another_receive_tells_nothing)
{
    fake_ta request = ofi_irecv(3, 1234, 0), part = fake_ofi_part(JOB, request);

#define SPOIL(member, value) expect_spoilt(part, FAKE_MEMBER_ompi_mtl_ofi_request_t__##member, value)
    SPOIL(type, 0);
    SPOIL(comm, JOB->self.ta);
    SPOIL(convertor, 0);
    SPOIL(length, 41);
    SPOIL(req_started, 1);
    SPOIL(match_bits, UINT64_C(0x7000000c000004d2));
#undef SPOIL
    expect_spoilt(part, FAKE_MEMBER_mca_mtl_request_t__ompi_req, request + 8);
}

TEST_ON(tag_1, receive_that_is_complete_takes_nothing_from_the_mtl)
{
    fake_cm_recv_complete(JOB, ofi_irecv(3, 1234, 0), 3, 1234, 8, 0);
    RECEIVES("complete: peer -1, tag -1, *, got peer 3, tag 1234, 8 bytes; *; not known: source, tag\n");
}

/* A module whose members do not prove to be what they should be, and an MTL that is not ofi. */
TEST_ON(tag_1, mtl_that_is_not_certain_tells_nothing)
{
    fake_ta base = AT(ofi.module, mca_mtl_ofi_module_t, base);

    ofi_irecv(3, 1234, 0);
    expect_spoilt(base, FAKE_MEMBER_mca_mtl_base_module_t__mtl_request_size, 8);
#define SPOIL(member, value) expect_spoilt(ofi.module, FAKE_MEMBER_mca_mtl_ofi_module_t__##member, value)
    SPOIL(fi_cq_data, 2);
    SPOIL(mpi_tag_mask, 0xfff0);
    SPOIL(num_bits_mpi_tag, 31);
    SPOIL(num_bits_source_rank, 17);
    SPOIL(source_rank_mask, 0x1ffff);
    SPOIL(source_rank_tag_mask, 0xff);
#undef SPOIL
    fake_mtl_select(JOB, &ofi, "psm2");
    RECEIVES("*, tag -1, *\n");
    fake_image_set_symbol_hidden(IMAGE, "ompi_mtl", true);
    fake_mtl_select(JOB, &ofi, "ofi");
    RECEIVES("*, tag -1, *\n");
}

/* Since 4.0 the module of the MTL has the masks. */
TEST_ON(builds, requests_of_every_build_are_read)
{
    bool has_masks = build->family >= 400;

    start_recv(&JOB->world, 3, 700);
    ofi_irecv(2, 701, 0);
    isend(90, 11, FAKE_STANDARD);
#define PERSISTENT "*: peer 3, tag 700, 40 bytes at 0x10000000; Recv, persistent, *; posted, waiting for a message\n"
    RECEIVES(has_masks ? "*: peer 2, tag 701, 40 bytes at 0x10000000; *; posted, waiting for a message\n" PERSISTENT
                       : "*: peer -1, tag -1, 40 bytes at 0x10000000; *; not known: source, tag\n" PERSISTENT);
    SENDS("*, tag 90, 44 bytes at 0x10000000; *\n");
}

/* Corrupt memory, failing reads and allocations. */

static void populate(void)
{
    struct fake_send send = send_of(9, 25, FAKE_BUFFERED);

    fake_ofi_endpoint(JOB, JOB->procs[0], 1, 77);
    isend(1, 10, FAKE_STANDARD);
    fake_cm_ibsend(JOB, &JOB->world, &send, ATTACHED);
    ofi_irecv(0, 8, 77);
    start_recv(&JOB->world, 3, 4);
    fake_cm_recv_complete(JOB, ofi_irecv(0, 12, 77), 0, 12, 16, 0);
    fake_cm_irecv(JOB, &JOB->self, &(struct fake_recv){ 0, 13, 2, JOB->mpi_int, BUFFER });
    fake_know_truth(&fake);
}

static void setup_populated(const struct fake_build *build)
{
    setup_by_address(build);
    populate();
}

static void setup_populated_tags(const struct fake_build *build)
{
    setup_tag_2(build);
    populate();
}

SUITE(with_tags, setup_populated_tags, fake_teardown, &fake_release_50);
TEST_ALSO(with_tags, no_single_corrupt_word_does_harm)

SUITE(populated, setup_populated, fake_teardown);
TEST_ALSO(populated, no_single_corrupt_word_does_harm)
TEST_ALSO(populated, each_read_may_fail)
TEST_ALSO(populated, each_allocation_may_fail)
