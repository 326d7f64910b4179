/*
 * test_dll_constants.c - constants come from the table and not from the code. A release with other numbers, in its
 * table and in its memory, has the same listing. A table with one wrong number has another listing, or an error.
 *
 * The program has a table of its own, a copy of the generated one in which constants can be changed. It defines
 * mqd_tables, so that the linker does not take the library's.
 */
#include "fake_test.h"

#define mqd_tables generated_tables
#define mqd_n_tables n_generated_tables
#include "layout/tables.c"
#undef mqd_tables
#undef mqd_n_tables

#include "mqd/dll/codes.h"
#include "mqd/dll/ucx/envelope.h"
#include "mqd/dll/ucx/persistent.h"

/* The only table that the DLL has. */
static struct mqd_table table;
const struct mqd_table *const mqd_tables[] = { &table };
const size_t mqd_n_tables = 1;

static struct mqd_constant constants[MQD_N_CONSTANTS];

/* The place of a number, its value in the releases of the fake jobs, and its value in the new release. */
struct number {
    enum mqd_constant_id constant;
    enum fake_member member;
    int64_t from, to;
};
#define NUMBER(constant, type, member, from, to) { MQD_CONSTANT_##constant, FAKE_MEMBER_##type##__##member, from, to }
static const struct number numbers[] = {
    NUMBER(any_source, mca_pml_base_request_t, req_peer, -1, -7),
    NUMBER(any_source, ompi_status_public_t, MPI_SOURCE, -1, -7),
    NUMBER(any_tag, mca_pml_base_request_t, req_tag, -1, -8),
    NUMBER(any_tag, ompi_status_public_t, MPI_TAG, -1, -8),
    NUMBER(proc_null, ompi_communicator_t, c_my_rank, -2, -9),
    NUMBER(success, ompi_status_public_t, MPI_ERROR, 0, 99),
    NUMBER(err_truncate, ompi_status_public_t, MPI_ERROR, 15, 98),
    NUMBER(request_pml, ompi_request_t, req_type, 0, 21),
    NUMBER(request_null, ompi_request_t, req_type, 5, 22),
    NUMBER(request_inactive, ompi_request_t, req_state, 1, 31),
    NUMBER(request_active, ompi_request_t, req_state, 2, 32),
    NUMBER(request_pending, ompi_request_t, req_complete, 0, 41),
    NUMBER(request_completed, ompi_request_t, req_complete, 1, 42),
    NUMBER(pml_send, mca_pml_base_request_t, req_type, 1, 51),
    NUMBER(pml_recv, mca_pml_base_request_t, req_type, 2, 52),
    NUMBER(pml_iprobe, mca_pml_base_request_t, req_type, 3, 53),
    NUMBER(pml_probe, mca_pml_base_request_t, req_type, 4, 54),
    NUMBER(pml_improbe, mca_pml_base_request_t, req_type, 5, 55),
    NUMBER(pml_mprobe, mca_pml_base_request_t, req_type, 6, 56),
    NUMBER(send_synchronous, mca_pml_base_send_request_t, req_send_mode, 0, 61),
    NUMBER(send_buffered, mca_pml_base_send_request_t, req_send_mode, 2, 62),
    NUMBER(send_ready, mca_pml_base_send_request_t, req_send_mode, 3, 63),
    NUMBER(send_not_queued, mca_pml_ob1_send_request_t, req_pending, 0, 71),
    NUMBER(hdr_match, mca_pml_ob1_common_hdr_t, hdr_type, 65, 81),
    NUMBER(hdr_rendezvous, mca_pml_ob1_common_hdr_t, hdr_type, 66, 82),
    NUMBER(hdr_rget, mca_pml_ob1_common_hdr_t, hdr_type, 67, 83),
    NUMBER(hdr_cid, mca_pml_ob1_common_hdr_t, hdr_type, 74, 84),
};
static const struct number flags[] = {
    NUMBER(comm_inter, ompi_communicator_t, c_flags, 0x1, 0x200000),
    NUMBER(comm_name_set, ompi_communicator_t, c_flags, 0x2, 0x400000),
    NUMBER(comm_intrinsic, ompi_communicator_t, c_flags, 0x4, 0x800000),
    NUMBER(comm_pml_added, ompi_communicator_t, c_flags, 0x1000, 0x1000000),
    NUMBER(comm_global_index, ompi_communicator_t, c_flags, 0x10000, 0x2000000),
    NUMBER(group_sporadic, ompi_group_t, grp_flags, 0x8, 0x100),
    NUMBER(group_strided, ompi_group_t, grp_flags, 0x10, 0x200),
    NUMBER(group_bitmap, ompi_group_t, grp_flags, 0x20, 0x400),
};

enum { N_NUMBERS = sizeof numbers / sizeof numbers[0], N_FLAGS = sizeof flags / sizeof flags[0] };

static uint64_t renumber(enum fake_member member, uint64_t value, bool back)
{
    uint64_t result = value;

    for (int i = 0; i < N_NUMBERS; i++) {
        int64_t from = back ? numbers[i].to : numbers[i].from, to = back ? numbers[i].from : numbers[i].to;

        if (numbers[i].member == member && ((int64_t)value == from || (from < 0 && (int32_t)value == from)))
            return (uint64_t)to;
    }
    for (int i = 0; i < N_FLAGS; i++) {
        uint64_t from = (uint64_t)(back ? flags[i].to : flags[i].from);
        uint64_t to = (uint64_t)(back ? flags[i].from : flags[i].to);

        if (flags[i].member == member && (value & from) != 0)
            result = (result & ~from) | to;
    }
    return result;
}

static void copy_table(const struct fake_build *build)
{
    table = *fake_table(build, generated_tables, n_generated_tables);
    memcpy(constants, table.constants, sizeof constants);
    table.constants = constants;
}

/* A job of that build, and what is listed of it as text. Operations of internal traffic are listed too. */
static char *list(const struct fake_build *build, bool renumbered)
{
    struct fake_options options = fake_options_of(build);

    options.renumber = renumbered ? renumber : NULL;
    fake_begin_populated(&fake, &options);
    assert_int_equal(fake_look(&fake), mqs_ok);
    return LISTING;
}

/* In the table, which must have had the number of the fake jobs. */
static void renumber_table(const struct number *number)
{
    if (!constants[number->constant].present)
        return;
    assert_true(constants[number->constant].value == number->from || constants[number->constant].value == number->to);
    constants[number->constant].value = number->to;
}

SUITE(each, NULL, fake_teardown, &fake_release, &fake_release_31, &fake_release_507, &fake_custom_507, &fake_release_60,
      &fake_s390x, &fake_i386);

/* The fake jobs are written with numbers of their own. These must be the same as in the headers of the tables. */
TEST(release_that_numbers_things_otherwise_is_listed_the_same)
{
    char *truth, *text;

    copy_table(build);
    truth = list(build, false);
    for (int i = 0; i < N_NUMBERS; i++)
        renumber_table(&numbers[i]);
    for (int i = 0; i < N_FLAGS; i++)
        renumber_table(&flags[i]);
    text = list(build, true);
    assert_text(text, truth);
}

/* Is the listing wrong, or is there an error, if the table has the new number and the memory has the old one? */
static bool shows(const struct fake_build *build, const struct number *number, const struct fake_listing *truth)
{
    struct fake_options options = fake_options_of(build);

    copy_table(build);
    renumber_table(number);
    fake_begin_populated(&fake, &options);
    (void)fake_look(&fake);
    return fake_judge(&fake.listing, truth) != FAKE_RIGHT;
}

/* Would the listing of this job be another one? What is not in it, and what only adds to texts, is tested elsewhere. */
static bool is_used(const struct fake_build *build, enum mqd_constant_id constant)
{
    static const enum mqd_constant_id unused[] = {
        MQD_CONSTANT_err_truncate, MQD_CONSTANT_pml_iprobe, MQD_CONSTANT_pml_improbe, MQD_CONSTANT_comm_pml_added,
        MQD_CONSTANT_comm_global_index, MQD_CONSTANT_group_sporadic, MQD_CONSTANT_group_bitmap };

    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++)
        if (unused[i] == constant)
            return false;
    return constant != MQD_CONSTANT_hdr_cid || build->family >= 500;
}

TEST(each_number_is_the_tables)
{
    static struct fake_fixture right;
    struct fake_options options = fake_options_of(build);

    copy_table(build);
    fake_begin_populated(&right, &options);
    fake_know_truth(&right);
    for (int i = 0; i < N_NUMBERS + N_FLAGS; i++) {
        const struct number *number = i < N_NUMBERS ? &numbers[i] : &flags[i - N_NUMBERS];

        if (is_used(build, number->constant) && !shows(build, number, &right.truth))
            fail_msg("%s: nobody notices another %s", build->name,
                     mqd_constant_specs[number->constant].name);
    }
    assert_int_equal(fake_teardown(), 0);
    fake_host_use(&right.host);
    assert_int_equal(fake_end(&right), 0);
}

/* A site's table from debug information, for a release without a table of ours. Missing constants are not guessed. */
TEST(what_a_table_lacks_switches_off_what_needs_it)
{
    struct fake_options options = fake_options_of(build);

    copy_table(build);
    constants[MQD_CONSTANT_hdr_rget].present = false;
    constants[MQD_CONSTANT_send_ready].present = false;
    fake_begin_populated(&fake, &options);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_true(fake.listing.n_comms > 2);
    for (size_t i = 0; i < fake.listing.n_comms; i++) {
        const struct fake_queue *queues = fake.listing.comms[i].queues;

        assert_int_equal(queues[mqs_pending_receives].setup, mqs_ok);
        assert_int_equal(queues[mqs_pending_sends].setup, mqd_rc_unknown_constant(MQD_CONSTANT_send_ready));
        assert_int_equal(queues[mqs_unexpected_messages].setup, mqd_rc_unknown_constant(MQD_CONSTANT_hdr_rget));
    }
    assert_string_equal(mqs_dll_error_string((int)mqd_rc_unknown_constant(MQD_CONSTANT_hdr_rget)),
                        "the value of MCA_PML_OB1_HDR_TYPE_RGET in this release of Open MPI is not known");
    assert_non_null(strstr(fake.listing.message, "unexpected messages are not shown, since the value of "
                                                 "MCA_PML_OB1_HDR_TYPE_RGET in this release of Open MPI is not known"));
}

/* How many bits of UCX's tag MPI's tag, the rank and the communicator have. Each has its own limit. */
TEST_WITH(parts_of_a_tag_fit_into_their_numbers, NULL, NULL)
{
    static const struct {
        int64_t tag, rank, context;
        bool fits;
    } rows[] = { { 24, 20, 20, true }, { 24, 20, 19, false }, { 32, 16, 16, true }, { 33, 16, 15, false },
                 { 2, 31, 31, true },  { 1, 32, 31, false },  { 1, 31, 32, false }, { 32, 1, 31, true },
                 { 32, 31, 1, true } };
    static struct mqd_process process;
    struct mqd_constant *in_force = process.layout.constants;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t tag = UINT64_C(5) << (rows[i].rank + rows[i].context) | UINT64_C(1) << rows[i].context | 1;
        struct mqd_ucx_envelope envelope;
        enum mqd_rc rc;

        in_force[MQD_CONSTANT_pml_ucx_tag_bits] = (struct mqd_constant){ true, rows[i].tag };
        in_force[MQD_CONSTANT_pml_ucx_rank_bits] = (struct mqd_constant){ true, rows[i].rank };
        in_force[MQD_CONSTANT_pml_ucx_context_bits] = (struct mqd_constant){ true, rows[i].context };
        rc = mqd_ucx_envelope_of(&process, tag, &envelope);
        assert_int_equal(rc, rows[i].fits ? MQD_OK : MQD_RC_contradiction);
        if (rows[i].fits && rows[i].tag > 3)
            assert_true(envelope.tag == 5 && envelope.source == 1 && envelope.context == 1);
    }
}

/* The bytes of a persistent request are its elements' times their number, if that is a number. */
TEST_WITH(bytes_of_a_persistent_request_are_counted, NULL, NULL)
{
    static const struct {
        uint64_t size, count, bytes;
    } rows[] = { { 0, 5, 0 }, { 1, 5, 5 }, { 8, 3, 24 }, { 8, INT64_MAX / 8, INT64_MAX / 8 * UINT64_C(8) },
                 { 8, INT64_MAX / 8 + 1, 0 } };
    static struct mqd_process process;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mqd_ucx_persistent persistent = { .datatype_ta = 64, .count = rows[i].count };

        process.snapshot.datatype = (struct mqd_datatype){ .ta = 64, .size = rows[i].size };
        assert_int_equal(mqd_ucx_bytes_of(&process, &persistent), rows[i].bytes);
    }
}

/* A mask says whether the tag counts, and whether the source does; anything else is the mask of no receive. */
TEST_WITH(mask_of_a_receive_has_two_parts, NULL, NULL)
{
    enum { ANY = 0x0f, ONE = 0x3f, TAGS = 0xc0 };
    static const struct {
        uint64_t mask;
        bool possible, any_tag, any_source;
    } rows[] = { { TAGS | ONE, true, false, false }, { TAGS | ANY, true, false, true }, { ONE, true, true, false },
                 { ANY, true, true, true }, { 0x40 | ONE, false, false, false }, { TAGS | 0x1f, false, false, false } };
    static struct mqd_process process;
    struct mqd_constant *in_force = process.layout.constants;

    in_force[MQD_CONSTANT_pml_ucx_any_source_mask] = (struct mqd_constant){ true, ANY };
    in_force[MQD_CONSTANT_pml_ucx_source_mask] = (struct mqd_constant){ true, ONE };
    in_force[MQD_CONSTANT_pml_ucx_tag_mask] = (struct mqd_constant){ true, TAGS };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mqd_ucx_wild wild = mqd_ucx_wild_of(&process, rows[i].mask);

        assert_int_equal(wild.possible, rows[i].possible);
        assert_int_equal(wild.tag, rows[i].any_tag);
        assert_int_equal(wild.source, rows[i].any_source);
    }
}
