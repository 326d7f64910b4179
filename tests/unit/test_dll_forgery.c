/*
 * test_dll_forgery.c - one offset or size is wrong, in the debugger's types or in a table of Open MPI or UCX. The
 * listing may be right, there may be an error, or the listing may be wrong without an error. The test changes every
 * member of a table, one at a time, by several amounts, in tables of several releases and machines.
 *
 * The program has tables of its own, copies of generated ones in which offsets can be changed. It defines mqd_tables
 * and mqd_ucx_tables, so that the linker does not take the library's.
 */
#include "fake_sweep.h"
#include "fake_test.h"

#define mqd_tables generated_tables
#define mqd_n_tables n_generated_tables
#define mqd_ucx_tables generated_ucx_tables
#define mqd_n_ucx_tables n_generated_ucx_tables
#include "layout/tables.c"
#undef mqd_tables
#undef mqd_n_tables
#undef mqd_ucx_tables
#undef mqd_n_ucx_tables

/* The only tables that the DLL has. So no other table can replace the wrong one. */
static struct mqd_table table, ucx_table;
const struct mqd_table *const mqd_tables[] = { &table }, *const mqd_ucx_tables[] = { &ucx_table };
const size_t mqd_n_tables = 1, mqd_n_ucx_tables = 1;

static struct mqd_table_type types[MQD_N_TYPES];
static struct mqd_field fields[MQD_N_STEPS];

static const int amounts[] = { -16, -8, -4, -2, -1, 1, 2, 4, 8, 16 };

/* By default one amount for each member, or two. Each build, test and member begins with another one. */
static unsigned turn;

enum { N_AMOUNTS = sizeof amounts / sizeof amounts[0], STRIDE = 10, UCX_STRIDE = 5 };

/* Several times what one look at this job takes. */
enum { MAX_READS = 3000 };

/* What is falsified: the offset of a step or, behind the steps, the size of a type of UCX. */
enum { N_FALSIFIED = MQD_N_STEPS + MQD_N_TYPES };

static const char *type_of(unsigned which)
{
    return mqd_type_specs[which < MQD_N_STEPS ? mqd_step_specs[which].type : which - MQD_N_STEPS].name;
}

static const char *member_of(unsigned which)
{
    return which < MQD_N_STEPS ? mqd_step_specs[which].member : "size";
}

struct tally {
    unsigned n[FAKE_N_OUTCOMES];
    unsigned by[N_FALSIFIED][FAKE_N_OUTCOMES];
    unsigned n_impossible; /* of those told: members would overlap, exceed their type or be misaligned */
};

static void copy_table(struct mqd_table *copy, const struct mqd_table *original)
{
    *copy = *original;
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        unsigned first = mqd_type_specs[type].first_step;
        size_t n = mqd_type_end((enum mqd_type_id)type) - first;

        if (original->types[type] == NULL)
            continue;
        memcpy(&fields[first], original->types[type]->fields, n * sizeof fields[0]);
        types[type] = (struct mqd_table_type){ original->types[type]->size, &fields[first] };
        copy->types[type] = &types[type];
    }
}

static void take_turn(const struct fake_build *build)
{
    static const struct fake_build *last;

    turn += build == last ? 1 : 2;
    last = build;
}

static void setup(const struct fake_build *build)
{
    take_turn(build);
    memset(fields, 0, sizeof fields);
    copy_table(&table, fake_table(build, generated_tables, n_generated_tables));
    fake_setup_populated(build);
}

static void setup_ucx(const struct fake_build *build)
{
    take_turn(build);
    memset(fields, 0, sizeof fields);
    copy_table(&table, fake_table(&fake_release, generated_tables, n_generated_tables));
    copy_table(&ucx_table, fake_table(build, generated_ucx_tables, n_generated_ucx_tables));
    fake_ucx_setup_populated(build);
}

/* The process is set up anew and looked at. Whatever is false: no accident, no endless walk. */
static enum fake_outcome look_anew(void)
{
    (void)fake_look_anew(&fake);
    assert_string_equal(fake.listing.broken, "");
    assert_int_equal(HOST->violations, 0);
    assert_in_range(HOST->n_reads, 0, MAX_READS);
    return fake_judge(&fake.listing, &fake.truth);
}

static enum fake_outcome count(struct tally *tally, unsigned which)
{
    enum fake_outcome outcome = look_anew();

    tally->n[outcome]++;
    tally->by[which][outcome]++;
    if (outcome == FAKE_TOLD && strstr(fake.listing.message, "overlap") != NULL)
        tally->n_impossible++;
    return outcome;
}

static unsigned percent_noticed(const struct tally *tally)
{
    return tally->n[FAKE_TOLD] * 100 / (tally->n[FAKE_TOLD] + tally->n[FAKE_SILENT]);
}

static void print_tally(const char *what, const struct tally *tally)
{
    print_message("%s: %u right, %u refused or told (%u as impossible), %u wrong and silent; noticed: %u %%:", what,
                  tally->n[FAKE_RIGHT], tally->n[FAKE_TOLD], tally->n_impossible, tally->n[FAKE_SILENT],
                  percent_noticed(tally));
    for (unsigned which = 0; which < N_FALSIFIED; which++) {
        const unsigned *n = tally->by[which];

        if (n[FAKE_SILENT] > 0)
            print_message(" %s.%s(%u/%u)", type_of(which), member_of(which), n[FAKE_SILENT],
                          n[FAKE_SILENT] + n[FAKE_TOLD]);
    }
    print_message("\n");
}

static unsigned first_amount(unsigned which, unsigned stride)
{
    return (turn + which) % (stride < N_AMOUNTS ? stride : N_AMOUNTS);
}

static void falsify(uint32_t *number, unsigned which, unsigned stride, struct tally *tally)
{
    uint32_t right = *number;

    for (unsigned i = first_amount(which, stride); i < N_AMOUNTS; i += stride) {
        if (amounts[i] < 0 && (uint32_t)-amounts[i] > right)
            continue;
        *number = right + (uint32_t)amounts[i];
        (void)count(tally, which);
    }
    *number = right;
}

/* All offsets of the library's table and, as nothing states the sizes of UCX's types, these too. */
static void falsify_table(enum mqd_library library, struct tally *tally)
{
    unsigned stride = fake_stride(library == MQD_LIBRARY_ucx ? UCX_STRIDE : STRIDE);

    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (fields[step].present && mqd_type_specs[mqd_step_specs[step].type].library == library)
            falsify(&fields[step].offset, step, stride, tally);
    for (unsigned type = 0; type < MQD_N_TYPES && library == MQD_LIBRARY_ucx; type++)
        if (ucx_table.types[type] != NULL)
            falsify(&types[type].size, MQD_N_STEPS + type, stride, tally);
}

/* Has the DLL passed a message with this member to the debugger? */
static bool message_names(unsigned step)
{
    const char *type = strstr(fake.listing.message, type_of(step));

    return type != NULL && strstr(type, member_of(step)) != NULL;
}

/*
 * The debugger's word counts where it is possible. What is not right then is told in a message that names the member,
 * and the DLL says that table and debugger disagree ("mixed").
 */
static void falsify_types(struct tally *tally)
{
    struct mqd_layout_summary summary;
    unsigned stride = fake_stride(STRIDE);

    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        for (unsigned i = first_amount(step, stride); fields[step].present && i < N_AMOUNTS; i += stride) {
            enum fake_outcome outcome;

            HOST->types.offset[step] += amounts[i];
            outcome = count(tally, step);
            (void)EXTENSION->describe_layout(PROCESS, &summary);
            if (outcome == FAKE_SILENT && strcmp(summary.source, "mixed") != 0)
                fail_msg("%s by %d: wrong, and said to rest on \"%s\"", member_of(step), amounts[i], summary.source);
            if (outcome != FAKE_RIGHT && !message_names(step))
                fail_msg("%s by %d: not named in \"%s\"", member_of(step), amounts[i], fake.listing.message);
            HOST->types.offset[step] -= amounts[i];
        }
}

/* So that the fake's offsets are as right as the table's. */
static void assert_same_offsets(const struct fake_build *build, enum mqd_library library, unsigned n_least)
{
    unsigned n = 0;

    for (unsigned step = 0; step < MQD_N_STEPS; step++) {
        if (!fields[step].present || mqd_type_specs[mqd_step_specs[step].type].library != library)
            continue;
        n++;
        assert_int_equal(fields[step].offset, build->members[step].offset);
    }
    assert_in_range(n, n_least, MQD_N_STEPS);
}

SUITE(each, setup, fake_teardown, &fake_release, &fake_release_507, &fake_i386, &fake_s390x_507);

TEST(nothing_false_is_right)
{
    assert_same_offsets(build, MQD_LIBRARY_openmpi, 100);
    fake_types_none(HOST);
    assert_int_equal(look_anew(), FAKE_RIGHT);
    fake_types_all(HOST, build);
    assert_int_equal(look_anew(), FAKE_RIGHT);
}

SUITE(ucx, setup_ucx, fake_teardown, &fake_ucx_113_assert, &fake_ucx_118);

TEST_ON(ucx, nothing_false_of_ucx_is_right)
{
    assert_same_offsets(build, MQD_LIBRARY_ucx, 80);
    assert_int_equal(look_anew(), FAKE_RIGHT);
    assert_in_range(fake_queue(&fake, 0, mqs_pending_sends)->n, 6, 6);
}

static void assert_harmless_or_told(const char *what)
{
    static struct tally tally;

    memset(&tally, 0, sizeof tally);
    falsify_types(&tally);
    print_tally(what, &tally);
    assert_true(tally.n[FAKE_RIGHT] > tally.n[FAKE_TOLD] && tally.n[FAKE_TOLD] > 0);
}

TEST(false_offset_of_the_debugger_is_harmless_or_told)
{
    fake_types_all(HOST, build);
    assert_harmless_or_told("types falsified (silent: but for the message that names the member)");
}

TEST(false_offset_of_a_debugger_without_sizes_is_harmless_or_told)
{
    HOST->image_callbacks.mqs_sizeof_fp = NULL;
    fake_types_all(HOST, build);
    assert_harmless_or_told("types without sizes falsified (silent: but for the message that names the member)");
}

/*
 * The size in class descriptors is what chooses the table: read from a wrong place it refuses all, types or not. And of
 * a member of a member no debugger is asked: where it lies in another member or outside of its type, no table is right.
 */
TEST(false_table_yields_to_the_debugger)
{
    static struct tally tally;
    unsigned told;

    memset(&tally, 0, sizeof tally);
    fake_types_all(HOST, build);
    falsify_table(MQD_LIBRARY_openmpi, &tally);
    print_tally("table falsified, types known", &tally);
    assert_int_equal(tally.n[FAKE_SILENT], 0);
    told = tally.by[MQD_STEP_opal_class_t__cls_sizeof][FAKE_TOLD];
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (mqd_step_specs[step].ways != NULL)
            told += tally.by[step][FAKE_TOLD];
    assert_int_equal(tally.n[FAKE_TOLD], told);
}

/*
 * What nothing in the process contradicts. A build whose sizes are all those of the table, and which differs from it in
 * one of these places only, would be listed wrongly without types of the debugger. No two tables of UCX differ so: what
 * lies before and behind these places is proved.
 */
static const struct {
    unsigned step;                 /* mqd_step_id */
    const char *reason;
} silent[] = {
    { MQD_STEP_ompi_request_t__req_persistent, "any byte is yes or no" },
    { MQD_STEP_mca_pml_base_request_t__req_free_called, "not 0 means that the handle was freed" },
    { MQD_STEP_mca_pml_base_request_t__req_datatype, "a datatype that cannot be read only costs its name in sends" },
    { MQD_STEP_mca_pml_base_request_t__req_addr, "any number is an address" },
    { MQD_STEP_mca_pml_base_request_t__req_count, "sends have their length in bytes elsewhere" },
    { MQD_STEP_mca_pml_base_request_t__req_tag, "a negative number is a tag of Open MPI's own" },
    { MQD_STEP_mca_pml_base_request_t__req_sequence, "orders the sends; any number does" },
    { MQD_STEP_mca_pml_base_send_request_t__req_send_mode, "the padding behind it holds a valid mode" },
    { MQD_STEP_opal_ptr_t__pval, "where pointers have 4 bytes: the other half of 8 is a number too" },
    { MQD_STEP_mca_pml_ob1_send_request_t__req_recv, "not NULL means that the receiver has answered" },
    { MQD_STEP_mca_pml_ob1_send_request_t__req_pending, "not 0 means that the transport has no room" },
    { MQD_STEP_mca_pml_ob1_recv_request_t__req_bytes_received, "any number of bytes may have arrived" },
    { MQD_STEP_mca_pml_ob1_match_hdr_t__hdr_seq, "its end is that of the header, which the length is counted from" },
    { MQD_STEP_mca_pml_ob1_recv_frag_t__segments, "any number is an address, or a length that is not too large" },
    { MQD_STEP_ucp_dt_generic_t__context, "what is no datatype of Open MPI only costs its name" },
    { MQD_STEP_ucp_proto_config_t__operation, "any operation but a synchronous send is a send" },
    { MQD_STEP_ucp_recv_desc_t__flags, "some other bytes have the bits of a message" },
    { MQD_STEP_ucp_eager_sync_first_hdr_t__total_len, "any number is a length" },
    { MQD_STEP_ucp_request_t__flags, "no request is a send then; that none is a receive is told" },
    { MQD_STEP_ucp_request_t__send_cb, "what has no callback of Open MPI is a request of UCX's own" },
    { MQD_STEP_ucp_request_t__send_tag, "the tag of MPI is any number, and a negative one is Open MPI's own" },
    { MQD_STEP_ucp_request_t__send_iter_class, "any class but the generic one is contiguous" },
    { MQD_STEP_ucp_request_t__send_iter_buffer, "any number is an address" },
    { MQD_STEP_ucp_request_t__send_iter_generic, "what is no datatype of Open MPI only costs its name" },
    { MQD_STEP_ucp_request_t__send_proto, "what is no protocol of a synchronous send is one of another send" },
    { MQD_STEP_ucp_request_t__recv_buffer, "any number is an address" },
    { MQD_STEP_ucp_request_t__recv_datatype, "what is no datatype of Open MPI only costs its name" },
    { MQD_STEP_ucp_request_t__recv_iter_class, "any class but the generic one is contiguous" },
    { MQD_STEP_ucp_request_t__recv_iter_generic, "what is no datatype of Open MPI only costs its name" },
};

enum { N_SILENT = sizeof silent / sizeof silent[0] };

/* Members that were wrong and silent with any build. */
static bool was_silent[N_FALSIFIED];

/* The least percentage of wrong offsets that must be noticed, of those that change a listing. */
enum { CAUGHT_PERCENT = 95, CAUGHT_PERCENT_OF_UCX = 60 };

static bool has_reason(unsigned which)
{
    for (int i = 0; i < N_SILENT; i++)
        if (which == (unsigned)silent[i].step)
            return true;
    return false;
}

static void assert_noticed(enum mqd_library library, unsigned least_percent)
{
    static struct tally tally;
    unsigned n_without = 0;

    memset(&tally, 0, sizeof tally);
    falsify_table(library, &tally);
    print_tally("table falsified, no types", &tally);
    for (unsigned which = 0; which < N_FALSIFIED; which++) {
        if (tally.by[which][FAKE_SILENT] == 0)
            continue;
        was_silent[which] = true;
        if (!has_reason(which)) {
            print_error("%s of %s can be wrong and nobody notices\n", member_of(which), type_of(which));
            n_without++;
        }
    }
    assert_int_equal(n_without, 0);
    assert_in_range(percent_noticed(&tally), least_percent, 100);
}

TEST(false_table_alone_is_noticed_but_for_what_nothing_contradicts)
{
    fake_types_none(HOST);
    assert_noticed(MQD_LIBRARY_openmpi, CAUGHT_PERCENT);
}

TEST_ON(ucx, false_table_of_ucx_is_noticed_but_for_what_nothing_contradicts)
{
    assert_noticed(MQD_LIBRARY_ucx, CAUGHT_PERCENT_OF_UCX);
}

SUITE(alone, NULL, NULL);

/* Where all amounts were tried. */
TEST_ON(alone, what_nothing_contradicts_is_listed)
{
    for (int i = 0; i < N_SILENT && fake_stride(2) == 1; i++) {
        if (!was_silent[silent[i].step])
            fail_msg("%s of %s is noticed now: take it off the list", member_of(silent[i].step),
                     type_of(silent[i].step));
        print_message("%s.%s: %s\n", type_of(silent[i].step), member_of(silent[i].step), silent[i].reason);
    }
}
