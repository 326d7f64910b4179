/*
 * unit_test.h - CMocka, and tests that list themselves: TEST(name) { ... } is a test of its program. They run in the
 * order of the file.
 *
 * A file may define, before it includes this:
 *   TEST_FIXTURE    the type of what each test has as `fixture`: new and zeroed
 *   TEST_SHARED     true: processes that a test forks share the fixture
 *   TEST_SETUP, TEST_TEARDOWN   expressions that are evaluated before and after each TEST, with that fixture
 *   TEST_SECONDS    what takes so long will never come: an alarm ends the test
 * A PLAIN_TEST has no setup and no teardown.
 */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#ifdef TEST_FIXTURE
TEST_FIXTURE;
#define TEST_FIXTURE_SIZE sizeof(TEST_FIXTURE)
#define TEST_PARAMETER __attribute__((unused)) TEST_FIXTURE *fixture
#define TEST_TAKE_FIXTURE TEST_PARAMETER = *state;
#define TEST_ARGUMENT *state
#else
#define TEST_FIXTURE_SIZE 0
#define TEST_PARAMETER void
#define TEST_TAKE_FIXTURE
#define TEST_ARGUMENT
#endif
#ifndef TEST_SETUP
#define TEST_SETUP (void)0
#endif
#ifndef TEST_TEARDOWN
#define TEST_TEARDOWN (void)0
#endif
#ifndef TEST_SHARED
#define TEST_SHARED false
#endif
#ifndef TEST_SECONDS
#define TEST_SECONDS 0
#endif

#define TEST_BETWEEN(name, setup, teardown)                                                                            \
    static int unit_test_begin_##name(void **state)                                                                    \
    {                                                                                                                  \
        *state = unit_test_begin(TEST_FIXTURE_SIZE, TEST_SHARED, TEST_SECONDS);                                        \
        {                                                                                                              \
            TEST_TAKE_FIXTURE                                                                                          \
            setup;                                                                                                     \
        }                                                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static void name(TEST_PARAMETER);                                                                                  \
    static void unit_test_run_##name(__attribute__((unused)) void **state)                                             \
    {                                                                                                                  \
        name(TEST_ARGUMENT);                                                                                           \
    }                                                                                                                  \
    static int unit_test_end_##name(void **state)                                                                      \
    {                                                                                                                  \
        TEST_TAKE_FIXTURE                                                                                              \
        teardown;                                                                                                      \
        return unit_test_end(*state, TEST_FIXTURE_SIZE, TEST_SHARED);                                                  \
    }                                                                                                                  \
    __attribute__((constructor)) static void unit_test_add_##name(void)                                                \
    {                                                                                                                  \
        unit_test_add((struct CMUnitTest){#name, unit_test_run_##name, unit_test_begin_##name, unit_test_end_##name,   \
                                          NULL});                                                                      \
    }                                                                                                                  \
    static void name(TEST_PARAMETER)
#define TEST(name) TEST_BETWEEN(name, TEST_SETUP, TEST_TEARDOWN)
#define PLAIN_TEST(name) TEST_BETWEEN(name, (void)0, (void)0)

void unit_test_add(struct CMUnitTest test);
void *unit_test_begin(size_t fixture_size, bool shared, unsigned seconds);
int unit_test_end(void *fixture, size_t fixture_size, bool shared);

/* Runs all tests, between these two of the program. This is what main does; a program may have a main of its own. */
int unit_tests_run(CMFixtureFunction setup, CMFixtureFunction teardown);

/* What lives until the end of a test: what free() frees; a text; a path in a directory that is removed with it. */
void *of_test(void *memory);
char *test_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *test_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *test_join(const char *const *texts, size_t n, const char *between);
#define test_directory() test_path("%s", "")

/* Writes a file, and the directories that it is in, and returns its path. */
char *test_file(const char *path, const void *content, size_t n);

/* WHY is where a function puts a reason, which is why() then. It lives until the end of the test. */
#define WHY test_new_why()
char **test_new_why(void);
const char *why(void);

/* What a call prints to test_to: PRINTED(json_print(test_to, listings, n)). It lives until the end of the test. */
#define PRINTED(call) (test_begin_output(), (void)(call), test_end_output())
extern FILE *test_to;
void test_begin_output(void);
char *test_end_output(void);

/* A moment, after which another process or thread may have done something. */
void rest(void);

/* Whoever starts a program may ignore signals, as nohup does, and a shell for what runs in the background. */
void restore_signals(void);

/* How often is a part in a text? Assertions about that show the text if they fail. Texts may be NULL. */
size_t count_of(const char *text, const char *part);
#define assert_has(text, part) test_check_text(text, part, 1, SIZE_MAX, __FILE__, __LINE__)
#define assert_lacks(text, part) test_check_text(text, part, 0, 0, __FILE__, __LINE__)
#define assert_times(text, part, n) test_check_text(text, part, n, n, __FILE__, __LINE__)
#define assert_text(text, expected) test_check_same(text, expected, __FILE__, __LINE__)
void test_check_text(const char *text, const char *part, size_t least, size_t most, const char *file, int line);
void test_check_same(const char *text, const char *expected, const char *file, int line);

/* tests/skips.txt has the reasons for which a test may be skipped. */
#define skip_because(reason) (print_message("skipped because: %s\n", reason), skip())

/* The exit status of a program that skips all of its tests. */
int skip_all(const char *reason);

#define N_OF(array) (sizeof(array) / sizeof *(array))

#endif
