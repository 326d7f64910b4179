/*
 * test_dump_hosts.c - names of machines, and lists of them.
 */
#include "unit_test.h"

#include "mqd/dump/base/host_list.h"

/* Names. */

/* Commands give a colon a meaning: it is in addresses only. */
TEST(names_that_are_valid_or_not)
{
    static const char *const good[] = {"a", "0", "n01", "n-1.cluster_2.example", "10.0.0.1", "2001:db8::1", "N",
                                       "fe80::1", "2001:db8::7"};
    static const char *const bad[] = {"", "-oProxyCommand=x", "-", ".a", "_a", ":1", "a b", "a@b", "a/b", "a;b", "a%b",
                                      "a\n", "\303\244", "a\303\244", "$(x)", "`x`", "a'b", "a\"b", "a=b", "a,b",
                                      "a[1]", "exec:n1", "n1:22", "a:"};
    char longest[MAX_HOST_NAME + 2];

    for (size_t i = 0; i < N_OF(good); i++)
        assert_true(host_name_is_valid(good[i]));
    for (size_t i = 0; i < N_OF(bad); i++)
        assert_false(host_name_is_valid(bad[i]));
    memset(longest, 'a', sizeof longest);
    longest[MAX_HOST_NAME + 1] = '\0';
    assert_false(host_name_is_valid(longest));
    longest[MAX_HOST_NAME] = '\0';
    assert_true(host_name_is_valid(longest));
}

TEST(each_byte_in_a_name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

    for (int byte = 1; byte < 256; byte++) {
        const char name[] = {'a', (char)byte, '\0'};

        assert_int_equal(host_name_is_valid(name), strchr(allowed, (char)byte) != NULL);
    }
}

/* Lists. */

static void expect(const char *text, const char *expected)
{
    struct dictionary list = {0};

    assert_true(host_list_read(&list, text, true, WHY));
    assert_null(why());
    assert_string_equal(test_join((const char *const *)list.texts, list.n, " "), expected);
    dictionary_clear(&list);
}

static void expect_refusal(const char *text, const char *reason)
{
    struct dictionary list = {0};

    assert_false(host_list_read(&list, text, true, WHY));
    assert_has(why(), reason);
    dictionary_clear(&list);
}

TEST(lists_are_read_in_order_each_once)
{
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

TEST(wrong_lists_are_refused_by_the_word)
{
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

TEST(too_many_hosts_are_refused)
{
    struct dictionary list = {0};
    char *same = test_text("n[");

    expect_refusal("n[0-99999999999999]", "too many");
    expect_refusal("n[0-1048576]", "too many");
    assert_true(host_list_read(&list, "n[0-1048575]", true, WHY));
    assert_int_equal(list.n, MAX_LISTED_HOSTS);
    dictionary_clear(&list);

    /* The same names again and again take no memory, but time. */
    for (int i = 0; i < 1000; i++)
        same = test_text("%s%s1", same, i > 0 ? "," : "");
    expect_refusal(test_text("%s]x%s]y%s]", same, same + 1, same + 1), "too many");
}

TEST(longest_names_are_refused)
{
    char text[4096];

    memset(text, 'a', sizeof text);
    memcpy(text + sizeof text - 4, "[1]", 4);
    expect_refusal(text, "is no name of a host");
}

static void with_file(const char *content, void (*check)(const char *, const char *), const char *expected)
{
    check(test_text("first,@%s", test_file(test_path("/hosts"), content, strlen(content))), expected);
}

TEST(files_have_a_host_in_a_line)
{
    char *line = test_text("n1 %05000d n9\nn2", 1);

    with_file("n1 slots=4\n# n2\n\n  n3 # three\r\nn[4-5]\nn1\nn6", expect, "first n1 n3 n4 n5 n6");
    with_file("", expect, "first");
    with_file(line, expect, "first n1 n2");
    with_file("n1\nn2\n-n3\n", expect_refusal, ":3: '-n3' is no name");
    with_file("n1\n@/etc/passwd\n", expect_refusal, ":2: '@/etc/passwd' is no name");
}

TEST(names_of_others_are_no_files)
{
    struct dictionary list = {0};

    assert_false(host_list_read(&list, "n1,@/etc/passwd", false, WHY));
    assert_has(why(), "'@/etc/passwd' is no name");
    dictionary_clear(&list);
}

/* Folding. */

static void expect_folded(const char *text, const char *expected)
{
    struct dictionary list = {0};

    assert_true(host_list_read(&list, text, true, WHY));
    assert_string_equal(of_test(host_list_fold((const char *const *)list.texts, list.n)), expected);
    dictionary_clear(&list);
}

TEST(neighbours_are_folded)
{
    const char *const twice[] = {"b2", "b1", "b2"};

    assert_string_equal(of_test(host_list_fold(NULL, 0)), "");
    assert_string_equal(of_test(host_list_fold(twice, 3)), "b[1-2]");
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
TEST(what_is_folded_can_be_read)
{
    unsigned seed = 1;

    for (int round = 0; round < 300; round++) {
        struct dictionary list = {0}, again = {0};

        for (int i = 0; i < 60; i++)
            dictionary_number(&list, format_text("%s%0*d%s", rand_r(&seed) % 2 ? "n" : "rack1-", 1 + rand_r(&seed) % 3,
                                                 rand_r(&seed) % 120, rand_r(&seed) % 3 ? "" : ".x2"), NULL);
        assert_true(
            host_list_read(&again, of_test(host_list_fold((const char *const *)list.texts, list.n)), true, WHY));
        assert_int_equal(again.n, list.n);
        for (uint32_t i = 0, at; i < list.n; i++)
            assert_true(dictionary_find(&again, list.texts[i], &at));
        dictionary_clear(&list);
        dictionary_clear(&again);
    }
}
