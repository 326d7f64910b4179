#include "unit_test.h"

/* That of suite.h is meant. */
#undef TEST
#include "suite.h"

#include <sys/resource.h>

enum { MAX_TESTS = 600, MAX_SECONDS = 600 };

/* A walk without end is ended, unless there is a lower limit already. */
__attribute__((constructor)) static void limit_time(void)
{
    struct rlimit seconds;

    if (getrlimit(RLIMIT_CPU, &seconds) != 0)
        abort();
    if (seconds.rlim_cur > MAX_SECONDS)
        seconds.rlim_cur = MAX_SECONDS;
    if (setrlimit(RLIMIT_CPU, &seconds) != 0)
        abort();
}

/* `build` is what the suite's text has there, "&fake_release, ...". */
static void add_one(const char *name, void (*function)(void **state), const struct suite *suite,
                    const struct fake_build *state, const char *build)
{
    static char names[MAX_TESTS][160];
    static size_t n;

    if (n == MAX_TESTS)
        abort();
    snprintf(names[n], sizeof names[0], "%s %.*s", name, (int)strcspn(build, ","), build);
    unit_test_add((struct CMUnitTest){ names[n], function, suite->setup, suite->teardown, (void *)(uintptr_t)state });
    n++;
}

void suite_add(const char *name, void (*function)(void **state), const struct suite *suite)
{
    const char *build = suite->names;

    if (suite->builds[0] == NULL)
        add_one(name, function, suite, NULL, "");
    for (size_t i = 0; suite->builds[i] != NULL; i++) {
        build += strcspn(build, "&") + 1;
        add_one(name, function, suite, suite->builds[i], build);
    }
}
