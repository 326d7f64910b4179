/*
 * suite.h - tests of unit_test.h that run on several builds of a fake: TEST(name) { ... } is one on all of them.
 */
#ifndef SUITE_H
#define SUITE_H

#include "unit_test.h"

struct fake_build;

/* What a test runs on: a fixture, which is made anew for each of these builds. Without builds it runs once. */
struct suite {
    void (*setup)(const struct fake_build *build);
    int (*teardown)(void);
    const char *names;                      /* of the builds, as they are written */
    const struct fake_build *builds[20];
};
#define SUITE(name, setup, teardown, ...) SUITE_EXPANDED(name, setup, teardown, __VA_ARGS__)
#define SUITE_EXPANDED(name, setup, teardown, ...) \
    static const struct suite name = { setup, teardown, #__VA_ARGS__, { __VA_ARGS__ } }

void suite_add(const char *name, void (*function)(const struct fake_build *build), const struct suite *suite);

/* A test of the suite, which may look at its `build`. */
#define TEST_ON(on, name) \
    static void name(const struct fake_build *build); \
    TEST_ALSO(on, name) \
    static void name(const struct fake_build *build __attribute__((unused)))

/* The same of the suite that the file calls `each`. */
#undef TEST
#define TEST(name) TEST_ON(each, name)

/* A test with a fixture and builds of its own. */
#define TEST_WITH(name, setup, teardown, ...) \
    SUITE(suite_of_##name, setup, teardown, __VA_ARGS__); \
    TEST_ON(suite_of_##name, name)

/* A test that is elsewhere. */
#define TEST_ALSO(on, name) \
    __attribute__((constructor)) static void add_##name##_on_##on(void) \
    { \
        suite_add(#name, name, &on); \
    }

#endif
