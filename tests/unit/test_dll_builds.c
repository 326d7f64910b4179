/* test_dll_builds.c - one job has the same listing with all fake builds of Open MPI and on all fake machines. */
#include "fake_test.h"

/* The populated job on 4.1 for x86_64, as text. */
static char *truth;

static int setup_truth(void **state)
{
    (void)state;
    fake_begin_populated(&fake, NULL);
    if (fake_look(&fake) != mqs_ok)
        return -1;
    truth = fake_text(&fake.listing, &fake.names);
    return fake_end(&fake);
}

static int teardown_truth(void **state)
{
    (void)state;
    free(truth);
    return 0;
}

static int setup(void **state)
{
    struct fake_options options = fake_options_of(*state);

    fake_begin_populated(&fake, &options);
    return 0;
}

/* Compares two texts, and prints only the first line that differs. */
static void assert_text(const char *expected)
{
    char *text = fake_text(&fake.listing, &fake.names);
    const char *got = text;
    bool same = strcmp(text, expected) == 0;

    while (!same && *expected != '\0' && strcspn(got, "\n") == strcspn(expected, "\n")
           && strncmp(got, expected, strcspn(got, "\n") + 1) == 0) {
        got += strcspn(got, "\n") + 1;
        expected += strcspn(expected, "\n") + 1;
    }
    if (!same)
        print_message("expected: %.*s\ngot:      %.*s\n", (int)strcspn(expected, "\n"), expected,
                      (int)strcspn(got, "\n"), got);
    free(text);
    assert_true(same);
}

static void assert_layout(const struct fake_build *build, const char *source)
{
    struct mqd_layout_summary summary;

    assert_int_equal(EXTENSION->describe_layout(PROCESS, &summary), mqs_ok);
    assert_string_equal(summary.openmpi, build->version);
    assert_true(fake_is_of_family(build, summary.family));
    assert_string_equal(summary.variant, build->variant);
    assert_string_equal(summary.source, source);
}

/* What the job contains. The listing must have each of these. */
static void truth_tells_everything(void **state)
{
    static const char *const words[] = {
        "\"MPI_COMM_WORLD\", rank 1 of 4, group 0: 0 1 2 3\n", "\"dup\", rank 0 of 2, group 0: 1 3\n", "\"inter\"",
        "communicator 263 ", "peer is rank 5 of another job", "four of eight doubles", "MPI_BYTE", "cancelled",
        "Recv, persistent", "Bsend", "Ssend", "Rsend, persistent", "(system)", "at data1 (system)", "at data6 (system)",
        "\"sparse\", rank 1 of 2, group 0: 3 1\n", "; Probe, request probe1; ", "; Mprobe, request probe2; posted",
        "waits for messages before number 4618", "305419896", "request recv7; ", "request send5; ", "rendezvous",
    };

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(truth, words[i]) == NULL)
            fail_msg("no %s in:\n%s", words[i], truth);
}

static void same_listing_by_the_table(void **state)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_text(truth);
    assert_layout(*state, "table");
}

static void same_listing_with_the_debuggers_types(void **state)
{
    fake_types_all(HOST, *state);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_text(truth);
    assert_layout(*state, "table+live");
}

int main(void)
{
#define TEST(function, build) \
    { #function ", " #build, function, setup, fake_teardown, (void *)&build }
#define TESTS(build) TEST(same_listing_by_the_table, build), TEST(same_listing_with_the_debuggers_types, build)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_tells_everything),
        TESTS(fake_release),
        TESTS(fake_debug),
        TESTS(fake_release_31),
        TESTS(fake_release_40),
        TESTS(fake_release_50),
        TESTS(fake_release_507),
        TESTS(fake_debug_507),
        TESTS(fake_release_60),
        TESTS(fake_s390x),
        TESTS(fake_s390x_507),
        TESTS(fake_i386_31),
        TESTS(fake_i386_40),
        TESTS(fake_i386),
        TESTS(fake_custom_507),
        TESTS(fake_arrays_507),
        TESTS(fake_fuzzy_507),
        TESTS(fake_vector_507),
    };
    return cmocka_run_group_tests(tests, setup_truth, teardown_truth);
}
