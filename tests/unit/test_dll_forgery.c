/*
 * test_dll_forgery.c - one offset is wrong, in the debugger's types or in the table. The listing may be right, there
 * may be an error, or the listing may be wrong without an error. The test changes every member of a table, one at a
 * time, by several amounts, in tables of several releases and machines.
 *
 * The program has a table of its own, a copy of the generated one in which offsets can be changed. It defines
 * mqd_tables, so that the linker does not take the library's.
 */
#include "fake_fixture.h"

#define mqd_tables generated_tables
#define mqd_n_tables n_generated_tables
#include "layout/tables.c"
#undef mqd_tables
#undef mqd_n_tables

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define JOB (&fake.job)
#define HOST (&fake.host)
#define PROCESS (&fake.host.process)

/* The only table that the DLL has. So no other table can replace the wrong one. */
static struct mqd_table table;
const struct mqd_table *const mqd_tables[] = { &table };
const size_t mqd_n_tables = 1;

static struct mqd_table_type types[MQD_N_TYPES];
static struct mqd_field fields[MQD_N_STEPS];

static const int amounts[] = { -16, -8, -4, -2, -1, 1, 2, 4, 8, 16 };

enum { N_AMOUNTS = sizeof amounts / sizeof amounts[0] };

/* valgrind takes thirty times as long: it gets some of the amounts, and the lists of what is silent are not complete. */
static int stride(void)
{
    return getenv("MQD_TEST_SLOW") != NULL ? 4 : 1;
}

/* Several times what one look at this job takes. */
enum { MAX_READS = 3000 };

struct tally {
    unsigned n[FAKE_N_OUTCOMES];
    unsigned by_step[MQD_N_STEPS][FAKE_N_OUTCOMES];
    unsigned n_impossible; /* of those told: members would overlap, exceed their type or be misaligned */
};

static const struct mqd_table *table_of(const struct fake_build *build)
{
    for (size_t i = 0; i < n_generated_tables; i++) {
        const struct mqd_table *found = generated_tables[i];
        size_t n_first = strlen(found->first);

        if (strncmp(found->first, build->releases, n_first) == 0 && build->releases[n_first] == '-'
            && strcmp(found->arch, build->arch) == 0 && strcmp(found->variant, build->variant) == 0)
            return found;
    }
    fake_die("there is no table for %s", build->name);
}

static void copy_table(const struct mqd_table *original)
{
    table = *original;
    memset(fields, 0, sizeof fields);
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        unsigned first = mqd_type_specs[type].first_step;
        size_t n = mqd_type_end((enum mqd_type_id)type) - first;

        if (original->types[type] == NULL)
            continue;
        memcpy(&fields[first], original->types[type]->fields, n * sizeof fields[0]);
        types[type] = (struct mqd_table_type){ original->types[type]->size, &fields[first] };
        table.types[type] = &types[type];
    }
}

static int setup(void **state)
{
    copy_table(table_of(*state));
    return fake_setup_populated(state);
}

/* The process is set up anew and looked at. Whatever is false: no accident, no endless walk. */
static enum fake_outcome look_anew(void)
{
    HOST->n_reads = 0;
    fake.opened = false;
    (void)fake_look(&fake);
    assert_string_equal(fake.listing.broken, "");
    assert_int_equal(HOST->violations, 0);
    assert_in_range(HOST->n_reads, 0, MAX_READS);
    return fake_judge(&fake.listing, &fake.truth);
}

static void count(struct tally *tally, unsigned step, enum fake_outcome outcome)
{
    tally->n[outcome]++;
    if (outcome == FAKE_TOLD && strstr(fake.listing.message, "overlap") != NULL)
        tally->n_impossible++;
    tally->by_step[step][outcome]++;
}

static void print_tally(const char *what, const struct tally *tally)
{
    print_message("%s: %u right, %u refused or told (%u as impossible), %u wrong and silent:", what,
                  tally->n[FAKE_RIGHT], tally->n[FAKE_TOLD], tally->n_impossible, tally->n[FAKE_SILENT]);
    for (unsigned step = 0; step < MQD_N_STEPS; step++) {
        const unsigned *n = tally->by_step[step];

        if (n[FAKE_SILENT] > 0)
            print_message(" %s.%s(%u/%u)", mqd_type_specs[mqd_step_specs[step].type].name,
                          mqd_step_specs[step].member, n[FAKE_SILENT], n[FAKE_SILENT] + n[FAKE_TOLD]);
    }
    print_message("\n");
}

/* The fake debugger's number of a step, FAKE_N_MEMBERS if it cannot be asked for it. */
static enum fake_member member_of(unsigned step)
{
    enum fake_type type = fake_type_named(mqd_type_specs[mqd_step_specs[step].type].name);

    return fake_member_named(type, mqd_step_specs[step].member);
}

static void falsify_table(struct tally *tally)
{
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        for (int i = 0; fields[step].present && i < N_AMOUNTS; i += stride()) {
            uint32_t offset = fields[step].offset;

            if (amounts[i] < 0 && (uint32_t)-amounts[i] > offset)
                continue;
            fields[step].offset = offset + (uint32_t)amounts[i];
            count(tally, step, look_anew());
            fields[step].offset = offset;
        }
}

/* Has the DLL passed a message with this member to the debugger? */
static bool message_names(unsigned step)
{
    const char *type = strstr(fake.listing.message, mqd_type_specs[mqd_step_specs[step].type].name);

    return type != NULL && strstr(type, mqd_step_specs[step].member) != NULL;
}

/*
 * The debugger's word counts where it is possible. What is not right then is told in a message that names the member,
 * and the DLL says that table and debugger disagree ("mixed").
 */
static void falsify_types(struct tally *tally)
{
    struct mqd_layout_summary summary;

    for (unsigned step = 0; step < MQD_N_STEPS; step++) {
        enum fake_member member = member_of(step);

        for (int i = 0; fields[step].present && member < FAKE_N_MEMBERS && i < N_AMOUNTS; i += stride()) {
            enum fake_outcome outcome;

            HOST->types.offset[member] += amounts[i];
            outcome = look_anew();
            count(tally, step, outcome);
            (void)ompi_mqd_extension(1)->describe_layout(PROCESS, &summary);
            if (outcome == FAKE_SILENT && strcmp(summary.source, "mixed") != 0)
                fail_msg("%s by %d: wrong, and said to rest on \"%s\"", mqd_step_specs[step].member, amounts[i],
                         summary.source);
            if (outcome != FAKE_RIGHT && !message_names(step))
                fail_msg("%s by %d: not named in \"%s\"", mqd_step_specs[step].member, amounts[i],
                         fake.listing.message);
            HOST->types.offset[member] -= amounts[i];
        }
    }
}

static void every_member_of_the_table_is_falsified(void **state)
{
    const struct fake_build *build = *state;
    unsigned n = 0;

    for (unsigned step = 0; step < MQD_N_STEPS; step++) {
        if (!fields[step].present)
            continue;
        n++;
        assert_int_equal(fields[step].offset, build->members[member_of(step)].offset);
    }
    assert_in_range(n, 100, MQD_N_STEPS);
}

static void nothing_false_is_right(void **state)
{
    fake_types_none(HOST);
    assert_int_equal(look_anew(), FAKE_RIGHT);
    fake_types_all(HOST, *state);
    assert_int_equal(look_anew(), FAKE_RIGHT);
}

static void false_offset_of_the_debugger_is_harmless_or_told(void **state)
{
    struct tally tally = { 0 };

    fake_types_all(HOST, *state);
    falsify_types(&tally);
    print_tally("types falsified (silent: but for the message that names the member)", &tally);
    assert_true(tally.n[FAKE_RIGHT] > tally.n[FAKE_TOLD] && tally.n[FAKE_TOLD] > 0);
}

static void false_offset_of_a_debugger_without_sizes_is_harmless_or_told(void **state)
{
    mqs_sizeof_ft sizeof_fp = HOST->image_callbacks.mqs_sizeof_fp;
    struct tally tally = { 0 };

    HOST->image_callbacks.mqs_sizeof_fp = NULL;
    fake_types_all(HOST, *state);
    falsify_types(&tally);
    HOST->image_callbacks.mqs_sizeof_fp = sizeof_fp;
    print_tally("types without sizes falsified (silent: but for the message that names the member)", &tally);
    assert_true(tally.n[FAKE_RIGHT] > tally.n[FAKE_TOLD] && tally.n[FAKE_TOLD] > 0);
}

/*
 * The size in class descriptors is what chooses the table: read from a wrong place it refuses all, types or not. And of
 * a member of a member no debugger is asked: where it lies in another member or outside of its type, no table is right.
 */
static void false_table_yields_to_the_debugger(void **state)
{
    struct tally tally = { 0 };
    long told;

    fake_types_all(HOST, *state);
    falsify_table(&tally);
    print_tally("table falsified, types known", &tally);
    assert_int_equal(tally.n[FAKE_SILENT], 0);
    told = tally.by_step[MQD_STEP_opal_class_t__cls_sizeof][FAKE_TOLD];
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (mqd_step_specs[step].ways != NULL)
            told += tally.by_step[step][FAKE_TOLD];
    assert_int_equal(tally.n[FAKE_TOLD], told);
}

/*
 * What nothing in the process contradicts. A build whose sizes are all those of the table, and which differs from it in
 * one of these places only, would be listed wrongly without types of the debugger.
 */
static const struct {
    enum mqd_step_id step;
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
};

enum { N_SILENT = sizeof silent / sizeof silent[0] };

/* Members that were wrong and silent with any build. */
static bool was_silent[MQD_N_STEPS];

/* The least percentage of wrong offsets that must be noticed, of those that change a listing. */
enum { CAUGHT_PERCENT = 95 };

static const char *reason_of(unsigned step)
{
    for (int i = 0; i < N_SILENT; i++)
        if (step == (unsigned)silent[i].step)
            return silent[i].reason;
    return NULL;
}

static void false_table_alone_is_noticed_but_for_what_nothing_contradicts(void **state)
{
    struct tally tally = { 0 };
    unsigned percent;

    (void)state;
    fake_types_none(HOST);
    falsify_table(&tally);
    print_tally("table falsified, no types", &tally);
    percent = tally.n[FAKE_TOLD] * 100 / (tally.n[FAKE_TOLD] + tally.n[FAKE_SILENT]);
    print_message("noticed: %u %%\n", percent);
    for (unsigned step = 0; step < MQD_N_STEPS; step++) {
        if (tally.by_step[step][FAKE_SILENT] == 0)
            continue;
        was_silent[step] = true;
        if (reason_of(step) == NULL)
            fail_msg("%s of %s can be wrong and nobody notices", mqd_step_specs[step].member,
                     mqd_type_specs[mqd_step_specs[step].type].name);
    }
    assert_in_range(percent, CAUGHT_PERCENT, 100);
}

static void what_nothing_contradicts_is_listed(void **state)
{
    (void)state;
    if (stride() > 1)
        return;
    for (int i = 0; i < N_SILENT; i++) {
        const struct mqd_step_spec *step = &mqd_step_specs[silent[i].step];

        if (!was_silent[silent[i].step])
            fail_msg("%s of %s is noticed now: take it off the list", step->member, mqd_type_specs[step->type].name);
        print_message("%s.%s: %s\n", mqd_type_specs[step->type].name, step->member, silent[i].reason);
    }
}

int main(void)
{
#define TEST(function, build) \
    { #function ", " #build, function, setup, fake_teardown, (void *)&build }
#define TESTS(build) \
    TEST(every_member_of_the_table_is_falsified, build), TEST(nothing_false_is_right, build), \
        TEST(false_offset_of_the_debugger_is_harmless_or_told, build), \
        TEST(false_offset_of_a_debugger_without_sizes_is_harmless_or_told, build), \
        TEST(false_table_yields_to_the_debugger, build), \
        TEST(false_table_alone_is_noticed_but_for_what_nothing_contradicts, build)
    const struct CMUnitTest tests[] = {
        TESTS(fake_release), TESTS(fake_release_507),
        TESTS(fake_i386),    TESTS(fake_s390x_507),
        cmocka_unit_test(what_nothing_contradicts_is_listed),
    };
    fake_limit_time();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
