/*
 * test_dump_ranges.c - ranks as people write them, and long lists of them cut.
 */
#include "unit_test.h"

#include "mqd/dump/base/ranges.h"

enum { MAX_RANKS = 400, N_SETS = 3000 };

struct example {
    size_t n;
    long ranks[16];
    const char *folded;
    const char *list;              /* NULL: the same */
};

TEST(lists_are_as_people_write_them)
{
    static const struct example examples[] = {
        {0, {0}, "", NULL},
        {1, {7}, "7", NULL},
        {2, {0, 1}, "0,1", NULL},
        {6, {0, 1, 2, 5, 7, 8}, "0-2,5,7,8", NULL},
        {3, {2147483645, 2147483646, 2147483647}, "2147483645-2147483647", NULL},
        {4, {0, 2, 4, 6}, "0,2,4,6", NULL},
        {5, {0, 2, 4, 6, 8}, "0,2,4,6,8", "0,2,...,8"},
        {8, {1, 65, 129, 193, 257, 258, 259, 260}, "1,65,129,193,257-260", "1,65,...,257,258-260"},
        {9, {3, 4, 10, 20, 30, 40, 50, 60, 61}, "3,4,10,20,30,40,50,60,61", "3,4,10,20,...,60,61"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *example = &examples[i];
        char *folded = of_test(ranks_fold(example->ranks, example->n));
        char *list = of_test(ranks_list(example->ranks, example->n, ","));

        assert_string_equal(folded, example->folded);
        assert_string_equal(list, example->list != NULL ? example->list : example->folded);
    }
}

TEST(phrases_have_number)
{
    char *one = of_test(ranks_phrase((const long[]){3}, 1, "waits", "wait"));
    char *many = of_test(ranks_phrase((const long[]){0, 2, 4, 6, 8, 9}, 6, "waits", "wait"));

    assert_string_equal(one, "rank 3 waits");
    assert_string_equal(many, "ranks 0,2,...,8,9 wait");
}

/* Reads a list as people do. Returns how many ranks it has. */
static size_t read_list(const char *list, long *ranks)
{
    size_t n = 0;

    while (*list != '\0') {
        bool steps = strncmp(list, "...,", 4) == 0, range = *list == '-';
        char *end;
        long number = strtol(list + (steps ? 4 : range), &end, 10), distance = 1;

        if (steps)
            distance = ranks[n - 1] - ranks[n - 2];
        for (long rank = ranks[n > 0 ? n - 1 : 0] + distance; (steps || range) && rank < number; rank += distance)
            ranks[n++] = rank;
        ranks[n++] = number;
        list = end + (*end == ',');
    }
    return n;
}

/* Ranks with runs, steps and single ones, in ascending order. Returns how many. */
static size_t make_ranks(long *ranks)
{
    size_t n = 0, most = 1 + (size_t)rand() % (MAX_RANKS - 20);
    long next = rand() % 3;

    while (n < most) {
        int length = 1 + rand() % 12, distance = 1 + rand() % 4;

        for (int i = 0; i < length; i++, next += distance)
            ranks[n++] = next;
        next += rand() % 5;
    }
    return n;
}

TEST(lists_lose_nothing)
{
    long ranks[MAX_RANKS], found[MAX_RANKS];

    srand(1);
    for (int i = 0; i < N_SETS; i++) {
        size_t n = make_ranks(ranks);
        char *list = of_test(ranks_list(ranks, n, ",")), *folded = of_test(ranks_fold(ranks, n));

        assert_int_equal(read_list(list, found), n);
        assert_memory_equal(found, ranks, n * sizeof *ranks);
        assert_int_equal(read_list(folded, found), n);
        assert_memory_equal(found, ranks, n * sizeof *ranks);
        assert_true(strlen(list) <= strlen(folded));
    }
}

/* What is shown, and how many others, are all of them. */
TEST(cut_lists_count_what_they_lack)
{
    long ranks[MAX_RANKS], found[MAX_RANKS];
    size_t n_cut = 0;

    srand(2);
    for (int i = 0; i < N_SETS; i++) {
        size_t n = make_ranks(ranks), most = 20 + (size_t)rand() % 200, n_shown;
        char *list = of_test(ranks_list(ranks, n, ",")), *shown = of_test(ranks_shorten(list, most));
        char *and = strstr(shown, " and ");

        if (and != NULL) {
            n_cut++;
            assert_in_range(and - shown, 1, most);
            *and = '\0';
        }
        n_shown = read_list(shown, found);
        assert_memory_equal(found, ranks, n_shown * sizeof *ranks);
        assert_int_equal(n_shown + (and != NULL ? strtoul(and + strlen(" and "), NULL, 10) : 0), n);
        assert_true(and != NULL || strlen(list) <= most);
    }
    assert_in_range(n_cut, N_SETS / 10, N_SETS - N_SETS / 10);
}

static void check_cut(const char *text, const char *expected)
{
    assert_string_equal(of_test(ranks_shorten(text, 10)), expected);
}

TEST(only_lists_of_ranks_are_cut)
{
    check_cut("", "");
    check_cut("Ranks 0-3 wait: 0 -> 1.", "Ranks 0-3 wait: 0 -> 1.");
    check_cut("Ranks 1,3,4,8,11,17,19 wait.", "Ranks 1,3,4,8,11 and 2 others wait.");
    check_cut("ranks 1,3,4,8,11,17.", "ranks 1,3,4,8,11 and 1 other.");
    check_cut("(1,3,4,8,11-99,200), 1,3,4,8,11,17", "(1,3,4,8 and 90 others), 1,3,4,8,11 and 1 other");
    /* A part of what is at equal distances says nothing. */
    check_cut("1,5,7,...,99,102,105", "1 and 50 others");
    check_cut("10,12,...,98,100", "10,12,...,98,100");
    check_cut("100,102,...,198,201", "100,102,...,198,201");
    /* Names, numbers and versions. */
    check_cut("n1,2,3,4,5,6,7,8,9 12345678901234567890 10-1234567890 1.2.3.4.5.6.7",
              "n1,2,3,4,5,6,7,8,9 12345678901234567890 10-1234567890 1.2.3.4.5.6.7");
    check_cut("1,234,567,890,123,456 bytes", "1,234,567 and 3 others bytes");
    check_cut(",,,,,,,,,,,,,,,, -1,-2,-3,-4,-5", ",,,,,,,,,,,,,,,, -1,-2,-3,-4,-5");
}
