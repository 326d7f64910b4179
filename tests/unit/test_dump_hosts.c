/*
 * test_dump_hosts.c - names of machines, and lists of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/host_name.h"
#include "mqd/dump/base/memory.h"

/* Names. */

static void names_that_are_valid(void **state)
{
    static const char *const names[] = {"a", "0", "n01", "n-1.cluster_2.example", "10.0.0.1", "2001:db8::1", "N"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(host_name_is_valid(names[i]));
}

static void names_that_are_not(void **state)
{
    static const char *const names[] = {"", "-oProxyCommand=x", "-", ".a", "_a", ":1", "a b", "a@b", "a/b", "a;b", "a%b",
                                        "a\n", "\303\244", "a\303\244", "$(x)", "`x`", "a'b", "a\"b", "a=b", "a,b", "a[1]"};
    char longest[MAX_HOST_NAME + 2];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(host_name_is_valid(names[i]));
    memset(longest, 'a', sizeof longest);
    longest[MAX_HOST_NAME + 1] = '\0';
    assert_false(host_name_is_valid(longest));
    longest[MAX_HOST_NAME] = '\0';
    assert_true(host_name_is_valid(longest));
}

static void each_byte_in_a_name(void **state)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        const char name[] = {'a', (char)byte, '\0'};

        assert_int_equal(host_name_is_valid(name), strchr(allowed, (char)byte) != NULL);
    }
}

/* Commands give a colon a meaning: it is in addresses only. */
static void colons_are_of_addresses(void **state)
{
    (void)state;
    assert_true(host_name_is_valid("fe80::1"));
    assert_true(host_name_is_valid("2001:db8::7"));
    assert_false(host_name_is_valid("exec:n1"));
    assert_false(host_name_is_valid("n1:22"));
    assert_false(host_name_is_valid("a:"));
}

/* Lists. */

static void expect(const char *text, const char *expected)
{
    struct host_list list = {0};
    char *why = NULL, *joined = copy_string("");

    assert_true(host_list_read(&list, text, &why));
    assert_null(why);
    for (size_t i = 0; i < list.n; i++) {
        char *longer = format_text("%s%s%s", joined, i > 0 ? " " : "", list.names[i]);

        free(joined);
        joined = longer;
    }
    assert_string_equal(joined, expected);
    free(joined);
    host_list_clear(&list);
}

static void expect_refusal(const char *text, const char *reason)
{
    struct host_list list = {0};
    char *why = NULL;

    assert_false(host_list_read(&list, text, &why));
    assert_non_null(why);
    if (strstr(why, reason) == NULL)
        fail_msg("'%s' is refused because \"%s\", not \"%s\"", text, why, reason);
    free(why);
    host_list_clear(&list);
}

static void lists_are_read_in_order_each_once(void **state)
{
    (void)state;
    expect("a", "a");
    expect("b,a,b,,c,", "b a c");
    expect(" b\ta\nc ", "b a c");
    expect("n[1-3]", "n1 n2 n3");
    expect("n[08-11]", "n08 n09 n10 n11");
    expect("n[8-11]", "n8 n9 n10 n11");
    expect("n[02-04,7]b", "n02b n03b n04b n7b");
    expect("n[1,3-4].x,n2.x", "n1.x n3.x n4.x n2.x");
    expect("r[1-2]n[1,5]", "r1n1 r1n5 r2n1 r2n5");
    expect("r[1-2]n[1-2]p[1-2]", "r1n1p1 r1n1p2 r1n2p1 r1n2p2 r2n1p1 r2n1p2 r2n2p1 r2n2p2");
    expect("[1-2]", "1 2");
    expect("n[1-2],n[2-3]", "n1 n2 n3");
}

static void wrong_lists_are_refused_by_the_word(void **state)
{
    (void)state;
    expect_refusal("", "empty");
    expect_refusal(" , ", "empty");
    expect_refusal("a,-b,c", "'-b' is no name of a host");
    expect_refusal("a,b c;d", "'c;d' is no name of a host");
    expect_refusal("n[1-", "'n[1-' is no list");
    expect_refusal("n[1-3", "'n[1-3' is no list");
    expect_refusal("n[]", "'n[]' is no list");
    expect_refusal("n[a]", "'n[a]' is no list");
    expect_refusal("n[3-1]", "'n[3-1]' is no list");
    expect_refusal("n[1-3,x]", "'n[1-3,x]' is no list");
    expect_refusal("n[1-3]]", "is no name of a host");
    expect_refusal("n[1-3x]", "'n[1-3x]' is no list");
    expect_refusal("n[1][2][3][4][5]", "is no list");
    expect_refusal("n[1234567890123456789]", "is no list");
    expect_refusal("[1-2", "is no list");
    expect_refusal("n\033x", "'n\\x1bx'");
    expect_refusal("@/nowhere/at/all", "/nowhere/at/all cannot be read: No such file");
    expect_refusal("@/", "/ cannot be read");
}

static void too_many_hosts_are_refused(void **state)
{
    struct host_list list = {0};
    char *why = NULL, *same = copy_string("n["), *text;

    (void)state;
    expect_refusal("n[0-99999999999999]", "too many");
    expect_refusal("n[0-1048576]", "too many");
    assert_true(host_list_read(&list, "n[0-1048575]", &why));
    assert_int_equal(list.n, MAX_LISTED_HOSTS);
    host_list_clear(&list);

    /* The same names again and again take no memory, but time. */
    for (int i = 0; i < 1000; i++) {
        text = format_text("%s%s1", same, i > 0 ? "," : "");
        free(same);
        same = text;
    }
    text = format_text("%s]x%s]y%s]", same, same + 1, same + 1);
    expect_refusal(text, "too many");
    free(text);
    free(same);
}

static void longest_names_are_refused(void **state)
{
    char text[4096];

    (void)state;
    memset(text, 'a', sizeof text);
    memcpy(text + sizeof text - 4, "[1]", 4);
    expect_refusal(text, "is no name of a host");
}

static void with_file(const char *content, void (*check)(const char *, const char *), const char *expected)
{
    char path[] = "/tmp/mqd_hosts.XXXXXX", *text;
    int descriptor = mkstemp(path);

    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, strlen(content)), (ssize_t)strlen(content));
    close(descriptor);
    text = format_text("first,@%s", path);
    check(text, expected);
    free(text);
    unlink(path);
}

static void files_have_a_host_in_a_line(void **state)
{
    char *line = format_text("n1 %05000d n9\nn2", 1);

    (void)state;
    with_file("n1 slots=4\n# n2\n\n  n3 # three\r\nn[4-5]\nn1\nn6", expect, "first n1 n3 n4 n5 n6");
    with_file("", expect, "first");
    with_file(line, expect, "first n1 n2");
    with_file("n1\nn2\n-n3\n", expect_refusal, ":3: '-n3' is no name");
    with_file("n1\n@/etc/passwd\n", expect_refusal, ":2: '@/etc/passwd' is no name");
    free(line);
}

static void names_of_others_are_no_files(void **state)
{
    struct host_list list = {0};
    char *why = NULL;

    (void)state;
    assert_false(host_list_read_names(&list, "n1,@/etc/passwd", &why));
    assert_non_null(strstr(why, "'@/etc/passwd' is no name"));
    free(why);
    host_list_clear(&list);
}

/* Folding. */

static void expect_folded(const char *text, const char *expected)
{
    struct host_list list = {0};
    char *why = NULL, *folded;

    assert_true(host_list_read(&list, text, &why));
    folded = host_list_fold((const char *const *)list.names, list.n);
    assert_string_equal(folded, expected);
    free(folded);
    host_list_clear(&list);
}

static void neighbours_are_folded(void **state)
{
    const char *const twice[] = {"b2", "b1", "b2"};
    char *folded = host_list_fold(NULL, 0);

    (void)state;
    assert_string_equal(folded, "");
    free(folded);
    folded = host_list_fold(twice, 3);
    assert_string_equal(folded, "b[1-2]");
    free(folded);
    expect_folded("a", "a");
    expect_folded("n7", "n7");
    expect_folded("n1,n2", "n[1-2]");
    expect_folded("n10,n8,n9,n11", "n[8-11]");
    expect_folded("n08,n09,n10,n8,n9", "n[8,08,9,09-10]");
    expect_folded("n001,n003,login,n002", "login,n[001-003]");
    expect_folded("n1.a,n2.a,n1.b", "n[1-2].a,n1.b");
    expect_folded("r1n1,r1n2,r2n1", "r1n[1-2],r2n1");
    expect_folded("10.0.0.9,10.0.0.10", "10.0.0.[9-10]");
    expect_folded("n,n1,n2", "n,n[1-2]");
    expect_folded("n99,n100,n098", "n[098,99-100]");
}

/* Whatever is folded can be read, and has the same names. */
static void what_is_folded_can_be_read(void **state)
{
    unsigned seed = 1;

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct host_list list = {0}, again = {0};
        char *why = NULL, *folded;

        for (int i = 0; i < 60; i++) {
            char *name = format_text("%s%0*d%s", rand_r(&seed) % 2 ? "n" : "rack1-", 1 + rand_r(&seed) % 3,
                                     rand_r(&seed) % 120, rand_r(&seed) % 3 ? "" : ".x2");

            host_list_add(&list, name);
            free(name);
        }
        folded = host_list_fold((const char *const *)list.names, list.n);
        assert_true(host_list_read(&again, folded, &why));
        assert_int_equal(again.n, list.n);
        for (size_t i = 0, at; i < list.n; i++)
            assert_true(host_list_find(&again, list.names[i], &at));
        free(folded);
        host_list_clear(&list);
        host_list_clear(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_are_valid),
        cmocka_unit_test(names_that_are_not),
        cmocka_unit_test(each_byte_in_a_name),
        cmocka_unit_test(colons_are_of_addresses),
        cmocka_unit_test(lists_are_read_in_order_each_once),
        cmocka_unit_test(wrong_lists_are_refused_by_the_word),
        cmocka_unit_test(too_many_hosts_are_refused),
        cmocka_unit_test(longest_names_are_refused),
        cmocka_unit_test(files_have_a_host_in_a_line),
        cmocka_unit_test(names_of_others_are_no_files),
        cmocka_unit_test(neighbours_are_folded),
        cmocka_unit_test(what_is_folded_can_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
