/*
 * test_dll_ucx_builds.c - one job, with the layout of every table of UCX: the listing is the same.
 */
#include "fake_test.h"

/* The listing of the first mirrored build, as text. */
static char *expected;

static const char *wanted_lines[] = {
    "recv1", "recv9", "send1", "send4", "data1", "data4", "four of eight doubles", "persistent", "cancelled",
};

/* Lists a populated job with that build. The caller frees the text. */
static char *list(const struct fake_build *build)
{
    char *text;

    fake_ucx_begin(&fake_release, build);
    fake_ucx_populate(&fake.names);
    assert_int_equal(fake_look(&fake), mqs_ok);
    text = fake_text(&fake.listing, &fake.names);
    return text;
}

static void assert_listed_alike(const char *what, const struct fake_build *build)
{
    char *text = list(build);

    if (strcmp(text, expected) != 0)
        fail_msg("%s is listed otherwise:\n%s\nand not:\n%s\n%s", what, text, expected, fake.listing.message);
    free(text);
    assert_int_equal(fake_end(&fake), 0);
}

static void listing_has_all_that_was_put_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wanted_lines / sizeof wanted_lines[0]; i++)
        if (strstr(expected, wanted_lines[i]) == NULL)
            fail_msg("\"%s\" is not in the listing:\n%s", wanted_lines[i], expected);
}

static void mirrored_builds_are_listed_alike(void **state)
{
    (void)state;
    for (int i = 0; i < FAKE_N_UCX_BUILDS; i++)
        assert_listed_alike(fake_ucx_builds[i]->version, fake_ucx_builds[i]);
}

static void every_table_is_listed_alike(void **state)
{
    unsigned n = 0;

    (void)state;
    for (size_t i = 0; i < mqd_n_ucx_tables; i++) {
        const struct mqd_table *table = mqd_ucx_tables[i];
        struct fake_build build = fake_ucx_of_table(table);
        char what[128];

        snprintf(what, sizeof what, "%s %s %s", table->first, table->arch, table->variant);
        assert_int_equal(table->abi.pointer_size, 8);
        assert_true(table->abi.little_endian);
        assert_listed_alike(what, &build);
        n++;
    }
    assert_in_range(n, 20, SIZE_MAX);
}

/* Other machines have more room in the worker, so that another table is the right one. */
static void machines_differ(void **state)
{
    const struct mqd_table *x86 = fake_ucx_table(&fake_ucx_118, mqd_ucx_tables, mqd_n_ucx_tables);
    bool differ = false;

    (void)state;
    for (size_t i = 0; i < mqd_n_ucx_tables; i++) {
        const struct mqd_table *table = mqd_ucx_tables[i];

        if (strcmp(table->arch, "aarch64") == 0 && strcmp(table->first, x86->first) == 0 &&
            fake_ucx_has_variant(table->variant, "release")) {
            struct fake_build one = fake_ucx_of_table(x86), other = fake_ucx_of_table(table);

            differ = one.members[FAKE_MEMBER_ucp_worker_t__tm].offset !=
                     other.members[FAKE_MEMBER_ucp_worker_t__tm].offset;
        }
    }
    assert_true(differ);
}

/* The report names the release that the process states, and its family. */
static void family_of_the_release_is_named(void **state)
{
    (void)state;
    for (int i = 0; i < FAKE_N_UCX_BUILDS; i++) {
        const struct fake_build *build = fake_ucx_builds[i];
        const struct mqd_table *table = fake_ucx_table(build, mqd_ucx_tables, mqd_n_ucx_tables);
        struct mqd_library_summary summary;
        char family[64];

        free(list(build));
        assert_int_equal(EXTENSION->describe_library(PROCESS, 0, &summary), mqs_ok);
        assert_string_equal(summary.name, "UCX");
        assert_string_equal(summary.version, build->version);
        assert_int_equal(summary.version_in_family, 1);
        snprintf(family, sizeof family, "%s-%s", table->first, table->last);
        assert_string_equal(summary.family, family);
        assert_true(fake_ucx_has_variant(summary.variant, build->variant));
        assert_string_equal(summary.arch, "x86_64");
        assert_string_equal(summary.found, "");
        assert_int_equal(EXTENSION->describe_library(PROCESS, 1, &summary), mqs_end_of_list);
        assert_int_equal(fake_end(&fake), 0);
    }
}

static int make_expected(void **state)
{
    (void)state;
    expected = list(&fake_ucx_113_assert);
    return fake_end(&fake);
}

static int free_expected(void **state)
{
    (void)state;
    free(expected);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listing_has_all_that_was_put_in),
        cmocka_unit_test(mirrored_builds_are_listed_alike),
        cmocka_unit_test(every_table_is_listed_alike),
        cmocka_unit_test(machines_differ),
        cmocka_unit_test(family_of_the_release_is_named),
    };
    return cmocka_run_group_tests(tests, make_expected, free_expected);
}
