/*
 * test_dll_ucx_builds.c - one job, with the layout of every table of UCX: the listing is the same.
 */
#include "fake_test.h"

static const char *wanted_lines[] = {
    "recv1", "recv9", "send1", "send4", "data1", "data4", "four of eight doubles", "persistent", "cancelled",
};

static void list(const struct fake_build *build)
{
    fake_ucx_begin(&fake_release, build);
    fake_ucx_populate(&fake.names);
    assert_int_equal(fake_look(&fake), mqs_ok);
}

/* The listing of a mirrored build. */
static const char *expected(void)
{
    static char *text;

    if (text == NULL) {
        list(&fake_ucx_113_assert);
        text = fake_text(&fake.listing, &fake.names);
    }
    return text;
}

static void assert_listed_alike(const char *what, const struct fake_build *build)
{
    const char *wanted = expected();

    list(build);
    if (strcmp(LISTING, wanted) != 0)
        fail_msg("%s is listed otherwise:\n%s\nand not:\n%s\n%s", what, LISTING, wanted, fake.listing.message);
}

SUITE(each, NULL, fake_teardown);

TEST(listing_has_all_that_was_put_in)
{
    for (size_t i = 0; i < sizeof wanted_lines / sizeof wanted_lines[0]; i++)
        if (strstr(expected(), wanted_lines[i]) == NULL)
            fail_msg("\"%s\" is not in the listing:\n%s", wanted_lines[i], expected());
}

TEST(mirrored_builds_are_listed_alike)
{
    for (int i = 0; i < FAKE_N_UCX_BUILDS; i++)
        assert_listed_alike(fake_ucx_builds[i]->version, fake_ucx_builds[i]);
}

TEST(every_table_is_listed_alike)
{
    unsigned n = 0;

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
TEST(machines_differ)
{
    const struct mqd_table *x86 = fake_table(&fake_ucx_118, mqd_ucx_tables, mqd_n_ucx_tables);
    bool differ = false;

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
TEST(family_of_the_release_is_named)
{
    for (int i = 0; i < FAKE_N_UCX_BUILDS; i++) {
        const struct fake_build *build = fake_ucx_builds[i];
        const struct mqd_table *table = fake_table(build, mqd_ucx_tables, mqd_n_ucx_tables);
        struct mqd_library_summary summary;
        char family[64];

        list(build);
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
    }
}
