/* test_dll_builds.c - one job has the same listing with all fake builds of Open MPI and on all fake machines. */
#include "fake_test.h"

/* The populated job on 4.1 for x86_64, as text. */
static const char *truth(void)
{
    static char *text;

    if (text == NULL) {
        fake_setup_populated(NULL);
        assert_int_equal(fake_look(&fake), mqs_ok);
        text = fake_text(&fake.listing, &fake.names);
    }
    return text;
}

/* A populated job of a build has the same listing, with types of the debugger and without. */
static void assert_same_listing(const struct fake_build *build, const char *source)
{
    const char *expected = truth();

    fake_setup_populated(build);
    if (strcmp(source, "table+live") == 0)
        fake_types_all(HOST, build);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_text(LISTING, expected);
    assert_string_equal(fake_summary().openmpi, build->version);
    assert_true(fake_is_of_family(build, fake_summary().family));
    assert_string_equal(fake_summary().variant, build->variant);
    assert_string_equal(fake_summary().source, source);
}

SUITE(each, NULL, fake_teardown);

/* What the job contains. The listing must have each of these. */
TEST(truth_tells_everything)
{
    static const char *const words[] = {
        "\"MPI_COMM_WORLD\", rank 1 of 4, group 0: 0 1 2 3\n", "\"dup\", rank 0 of 2, group 0: 1 3\n", "\"inter\"",
        "communicator 263 ", "peer is rank 5 of another job", "four of eight doubles", "MPI_BYTE", "cancelled",
        "Recv, persistent", "Bsend", "Ssend", "Rsend, persistent", "(system)", "at data1 (system)", "at data6 (system)",
        "\"sparse\", rank 1 of 2, group 0: 3 1\n", "; Probe, request probe1; ", "; Mprobe, request probe2; posted",
        "waits for messages before number 4618", "305419896", "request recv7; ", "request send5; ", "rendezvous",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(truth(), words[i]) == NULL)
            fail_msg("no %s in:\n%s", words[i], truth());
}

TEST(every_build_has_the_same_listing)
{
    for (int i = 0; i < FAKE_N_BUILDS; i++) {
        assert_same_listing(fake_builds[i], "table");
        assert_same_listing(fake_builds[i], "table+live");
    }
}
