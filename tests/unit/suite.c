#include "suite.h"

#include <sys/time.h>

/* A walk without end is ended: it takes so many seconds of a processor. 0: nothing is ended. */
enum { MAX_SECONDS = 600 };

static void limit_processor_time(long seconds)
{
    assert_int_equal(setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL), 0);
}

struct test_on_build {
    const struct suite *suite;
    void (*function)(const struct fake_build *build);
    const struct fake_build *build;
};

static int begin(void **state)
{
    const struct test_on_build *test = *state;

    (void)unit_test_begin(0, false, 0);
    limit_processor_time(MAX_SECONDS);
    if (test->suite->setup != NULL)
        test->suite->setup(test->build);
    return 0;
}

static void run(void **state)
{
    const struct test_on_build *test = *state;

    test->function(test->build);
}

static int end(void **state)
{
    const struct test_on_build *test = *state;
    int status = test->suite->teardown != NULL ? test->suite->teardown() : 0;

    limit_processor_time(0);
    return unit_test_end(NULL, 0, false) | status;
}

void suite_add(const char *name, void (*function)(const struct fake_build *build), const struct suite *suite)
{
    const char *build = suite->names;

    for (size_t i = 0; i == 0 || suite->builds[i] != NULL; i++) {
        struct test_on_build *test = malloc(sizeof *test);
        size_t size = strlen(name) + strlen(build) + 2;
        char *text = malloc(size);

        if (test == NULL || text == NULL)
            abort();
        build += strcspn(build, "&");
        snprintf(text, size, "%s %.*s", name, (int)strcspn(build, ","), build);
        build += strcspn(build, ",");
        *test = (struct test_on_build){ suite, function, suite->builds[i] };
        unit_test_add((struct CMUnitTest){ text, run, begin, end, test });
    }
}
