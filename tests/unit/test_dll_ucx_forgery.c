/*
 * test_dll_ucx_forgery.c - one offset or size in the table of UCX is wrong. The listing may be right, there may be an
 * error, or the listing may be wrong without an error. The test changes every member of a table of UCX, one at a time,
 * by several amounts.
 *
 * The program has one table of UCX, a copy of a generated one: no other can replace the wrong one.
 */
#include "fake_ucx_fixture.h"

#define mqd_ucx_tables generated_tables
#define mqd_n_ucx_tables n_generated_tables
#include "layout/tables.c"
#undef mqd_ucx_tables
#undef mqd_n_ucx_tables

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define HOST (&fake.host)

static struct mqd_table table;
const struct mqd_table *const mqd_ucx_tables[] = { &table };
const size_t mqd_n_ucx_tables = 1;

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

/* What is falsified: the offset of a step or, behind the steps, the size of a type. */
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
};

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
    copy_table(fake_ucx_table(*state, generated_tables, n_generated_tables));
    return fake_ucx_setup_populated(state);
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

static void falsify(uint32_t *number, unsigned which, struct tally *tally)
{
    uint32_t right = *number;

    for (int i = 0; i < N_AMOUNTS; i += stride()) {
        enum fake_outcome outcome;

        if (amounts[i] < 0 && (uint32_t)-amounts[i] > right)
            continue;
        *number = right + (uint32_t)amounts[i];
        outcome = look_anew();
        tally->n[outcome]++;
        tally->by[which][outcome]++;
    }
    *number = right;
}

static void falsify_all(struct tally *tally)
{
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (fields[step].present)
            falsify(&fields[step].offset, step, tally);
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (table.types[type] != NULL)
            falsify(&types[type].size, MQD_N_STEPS + type, tally);
}

static void nothing_false_is_right(void **state)
{
    (void)state;
    assert_int_equal(look_anew(), FAKE_RIGHT);
    assert_in_range(fake_queue(&fake, 0, mqs_pending_sends)->n, 6, 6);
}

static void every_member_of_the_table_is_falsified(void **state)
{
    struct fake_build stated = fake_ucx_of_table(&table);
    const struct fake_build *build = *state;
    unsigned n = 0;

    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        n += fields[step].present;
    assert_in_range(n, 80, MQD_N_STEPS);
    for (unsigned member = 0; member < MQD_N_STEPS; member++)
        assert_int_equal(stated.members[member].offset, build->members[member].offset);
}

/*
 * What nothing in the process contradicts. Most are the arguments of calls that nobody repeats: any number is an address
 * or a length. A build that differs from a table in one of these places only would be listed wrongly; no two tables do,
 * since what lies before and behind them is proved.
 */
static const struct {
    const char *type, *member, *reason;
} silent[] = {
    { "ucp_dt_generic_t", "context", "what is no datatype of Open MPI only costs its name" },
    { "ucp_proto_config_t", "operation", "any operation but a synchronous send is a send" },
    { "ucp_recv_desc_t", "flags", "some other bytes have the bits of a message" },
    { "ucp_eager_sync_first_hdr_t", "total_len", "any number is a length" },
    { "ucp_request_t", "flags", "no request is a send then; that none is a receive is told" },
    { "ucp_request_t", "send_cb", "what has no callback of Open MPI is a request of UCX's own" },
    { "ucp_request_t", "send_tag", "the tag of MPI is any number, and a negative one is Open MPI's own" },
    { "ucp_request_t", "send_iter_class", "any class but the generic one is contiguous" },
    { "ucp_request_t", "send_iter_buffer", "any number is an address" },
    { "ucp_request_t", "send_iter_generic", "what is no datatype of Open MPI only costs its name" },
    { "ucp_request_t", "send_proto", "what is no protocol of a synchronous send is one of another send" },
    { "ucp_request_t", "recv_buffer", "any number is an address" },
    { "ucp_request_t", "recv_datatype", "what is no datatype of Open MPI only costs its name" },
    { "ucp_request_t", "recv_iter_class", "any class but the generic one is contiguous" },
    { "ucp_request_t", "recv_iter_generic", "what is no datatype of Open MPI only costs its name" },
};
enum { N_SILENT = sizeof silent / sizeof silent[0] };

/* Members that were wrong and silent with any build. */
static bool was_silent[N_FALSIFIED];

static const char *reason_of(unsigned which)
{
    for (int i = 0; i < N_SILENT; i++)
        if (strcmp(type_of(which), silent[i].type) == 0 && strcmp(member_of(which), silent[i].member) == 0)
            return silent[i].reason;
    return NULL;
}

/* The least percentage of wrong places that must be noticed, of those that change a listing. */
enum { CAUGHT_PERCENT = 60 };

static void false_table_is_noticed_but_for_what_nothing_contradicts(void **state)
{
    struct tally tally;
    unsigned percent, n_without = 0;

    (void)state;
    memset(&tally, 0, sizeof tally);
    falsify_all(&tally);
    percent = tally.n[FAKE_TOLD] * 100 / (tally.n[FAKE_TOLD] + tally.n[FAKE_SILENT]);
    print_message("%u right, %u refused or told, %u wrong and silent; noticed: %u %%\n", tally.n[FAKE_RIGHT],
                  tally.n[FAKE_TOLD], tally.n[FAKE_SILENT], percent);
    for (unsigned which = 0; which < N_FALSIFIED; which++) {
        const unsigned *n = tally.by[which];

        if (n[FAKE_SILENT] == 0)
            continue;
        was_silent[which] = true;
        if (reason_of(which) == NULL) {
            print_error("%s of %s can be wrong and nobody notices (%u of %u)\n", member_of(which), type_of(which),
                        n[FAKE_SILENT], n[FAKE_SILENT] + n[FAKE_TOLD]);
            n_without++;
        }
    }
    assert_int_equal(n_without, 0);
    assert_in_range(percent, CAUGHT_PERCENT, 100);
}

static void what_nothing_contradicts_is_listed(void **state)
{
    (void)state;
    if (stride() > 1)
        return;
    for (int i = 0; i < N_SILENT; i++) {
        bool found = false;

        for (unsigned which = 0; which < N_FALSIFIED; which++)
            found |= was_silent[which] && strcmp(type_of(which), silent[i].type) == 0 &&
                     strcmp(member_of(which), silent[i].member) == 0;
        if (!found)
            fail_msg("%s of %s is noticed now: take it off the list", silent[i].member, silent[i].type);
        print_message("%s.%s: %s\n", silent[i].type, silent[i].member, silent[i].reason);
    }
}

int main(void)
{
#define TEST(function, build) { #function ", " #build, function, setup, fake_teardown, (void *)&build }
#define TESTS(build) \
    TEST(nothing_false_is_right, build), TEST(every_member_of_the_table_is_falsified, build), \
        TEST(false_table_is_noticed_but_for_what_nothing_contradicts, build)
    const struct CMUnitTest tests[] = {
        TESTS(fake_ucx_113_assert),
        TESTS(fake_ucx_118),
        cmocka_unit_test(what_nothing_contradicts_is_listed),
    };
    fake_limit_time();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
