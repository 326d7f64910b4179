/*
 * suite.h - tests that list themselves, as those of unit_test.h do, and of which each runs on several builds of a fake.
 * TEST(name) { ... } is all there is to a test.
 */
#ifndef SUITE_H
#define SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct fake_build;

/* What a test runs on: a fixture, which is made anew for each of these builds. Without builds it runs once. */
struct suite {
    int (*setup)(void **state), (*teardown)(void **state);
    const char *names;                      /* of the builds, as they are written */
    const struct fake_build *builds[20];
};
#define SUITE(name, setup, teardown, ...) SUITE_EXPANDED(name, setup, teardown, __VA_ARGS__)
#define SUITE_EXPANDED(name, setup, teardown, ...) \
    static const struct suite name = { setup, teardown, #__VA_ARGS__, { __VA_ARGS__ } }

void suite_add(const char *name, void (*function)(void **state), const struct suite *suite);

/* A test of the suite, which may look at its `build`. */
#define TEST_ON(on, name) \
    static void name(const struct fake_build *build); \
    static void run_##name(void **state) \
    { \
        name(*state); \
    } \
    SUITE_ADD(on, name, run_##name) \
    static void name(const struct fake_build *build __attribute__((unused)))

/* The same of the suite that the file calls `each`. */
#define TEST(name) TEST_ON(each, name)

/* A test with a fixture and builds of its own. */
#define TEST_WITH(name, setup, teardown, ...) \
    SUITE(suite_of_##name, setup, teardown, __VA_ARGS__); \
    TEST_ON(suite_of_##name, name)

/* A function for CMocka that is elsewhere. */
#define TEST_ALSO(on, name) SUITE_ADD(on, name, name)

#define SUITE_ADD(on, name, function) \
    __attribute__((constructor)) static void add_##name##_on_##on(void) \
    { \
        suite_add(#name, function, &on); \
    }

#endif
