/*
 * test_dump_terminal.c - how wide text is, whether it has colours, and what is said beside the output.
 */
#include <ctype.h>
#include <unistd.h>

#include "unit_test.h"

#include "mqd/dump/base/terminal.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/show/text/paragraph.h"

TEST(columns_are_chosen)
{
    assert_int_equal(terminal_choose_columns(NULL, 0), 80);
    assert_int_equal(terminal_choose_columns(NULL, 132), 132);
    assert_int_equal(terminal_choose_columns("100", 132), 100);
    assert_int_equal(terminal_choose_columns("100", 0), 100);
    assert_int_equal(terminal_choose_columns("10", 0), 40);
    assert_int_equal(terminal_choose_columns(NULL, 1), 40);
    assert_int_equal(terminal_choose_columns("99999999999999999999999", 0), 200);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(terminal_choose_columns((const char *[]){"", "0", "-50", "50x", " 50"}[i], 90), 90);
}

TEST(colours_are_chosen)
{
    assert_true(terminal_choose_colour(COLOUR_AUTO, true, NULL, "xterm"));
    assert_true(terminal_choose_colour(COLOUR_AUTO, true, "", "xterm"));
    assert_false(terminal_choose_colour(COLOUR_AUTO, true, "0", "xterm"));
    assert_false(terminal_choose_colour(COLOUR_AUTO, true, NULL, "dumb"));
    assert_false(terminal_choose_colour(COLOUR_AUTO, true, NULL, NULL));
    assert_false(terminal_choose_colour(COLOUR_AUTO, false, NULL, "xterm"));
    assert_true(terminal_choose_colour(COLOUR_ALWAYS, false, "1", "dumb"));
    assert_false(terminal_choose_colour(COLOUR_NEVER, true, NULL, "xterm"));
}

static char *print_on(const char *columns, enum colour_wish wish)
{
    setenv("COLUMNS", columns, 1);
    terminal_look(wish);
    test_begin_output();
    print_paragraph(test_to, 2, 4, "These are words that fill more than one line where it is as short as this one, and "
                                   "one word-that-is-longer-than-any-line-of-forty-columns-can-be.");
    print_error_line(test_to, 4, "Sends:", "nothing is known of them");
    unsetenv("COLUMNS");
    terminal_look(COLOUR_NEVER);
    return test_end_output();
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;

    for (; *text != '\0'; text += strcspn(text, "\n") + 1)
        if (strcspn(text, "\n") > longest)
            longest = strcspn(text, "\n");
    return longest;
}

TEST(text_is_as_wide_as_the_terminal)
{
    static const size_t widths[] = {40, 57, 80, 132};

    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char columns[8], *text;

        snprintf(columns, sizeof columns, "%zu", widths[i]);
        text = print_on(columns, COLOUR_NEVER);
        assert_in_range(longest_line(text), i > 0 ? widths[i - 1] + 1 : 1, widths[i]);
    }
}

/* A list that takes two lines and more breaks between numbers, one of more than two is cut. */
TEST(lists_break_after_commas)
{
    char list[1000], *text;
    size_t size, length = (size_t)snprintf(list, sizeof list, "Ranks ");
    FILE *to = open_memstream(&text, &size);

    assert_non_null(to);
    for (int i = 0; length < 150; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%d", i > 0 ? "," : "", 100 + i * i);
    print_paragraph(to, 2, 4, list);
    assert_int_equal(fflush(to), 0);
    assert_true(longest_line(text) <= 80);
    assert_has(text, ",\n    ");
    assert_lacks(text, "other");
    snprintf(list + length, sizeof list - length, ",5000,6001,7003,8005");
    print_paragraph(to, 2, 4, list);
    assert_int_equal(fclose(to), 0);
    assert_has(text, " others\n");
    for (const char *at = strchr(text, '\n'); at != NULL; at = strchr(at + 1, '\n'))
        assert_false(isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1 + strspn(at + 1, " ")]));
    free(text);
}

TEST(colours_are_closed_and_change_no_words)
{
    char *plain = (print_on("80", COLOUR_NEVER)), *coloured = (print_on("80", COLOUR_ALWAYS)), *end = coloured;

    assert_null(strchr(plain, '\033'));
    assert_has(plain, "Sends: error: nothing");
    assert_has(coloured, "\033[1;31m error:\033[0m nothing");
    for (const char *at = coloured; *at != '\0'; at++) {
        if (*at == '\033')
            at += strcspn(at, "m");
        else
            *end++ = *at;
    }
    *end = '\0';
    assert_string_equal(coloured, plain);
}

TEST(warnings_are_given_once_and_fit_for_a_terminal)
{
    FILE *before = stderr;
    char *text;
    size_t size;

    warnings_clear();
    stderr = open_memstream(&text, &size);
    assert_non_null(stderr);
    for (int i = 0; i < 3; i++) {
        warning_give("%s cannot be used%s", "/lib/a\nb", i == 1 ? " either" : "");
        notice_give("the DLL says: %s", "\033[2J");
    }
    fclose(stderr);
    stderr = before;
    assert_string_equal(text, "mqdump: warning: /lib/a\\x0ab cannot be used\nmqdump: the DLL says: \\x1b[2J\n"
                              "mqdump: warning: /lib/a\\x0ab cannot be used either\nmqdump: the DLL says: \\x1b[2J\n"
                              "mqdump: the DLL says: \\x1b[2J\n");
    free(text);
    assert_string_equal(warning_given(0), "/lib/a\nb cannot be used");
    assert_string_equal(warning_given(1), "/lib/a\nb cannot be used either");
    assert_null(warning_given(2));
    warnings_clear();
    assert_null(warning_given(0));
}
