/*
 * terminal.c - the width and the colours of text on standard output.
 */
#include "mqd/dump/base/terminal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_COLUMNS = 80, LEAST_COLUMNS = 40, MOST_COLUMNS = 200 };

static size_t n_columns = DEFAULT_COLUMNS;
static bool has_colour;

size_t terminal_choose_columns(const char *columns, size_t of_terminal)
{
    size_t n = of_terminal > 0 ? of_terminal : DEFAULT_COLUMNS;

    if (columns != NULL && isdigit((unsigned char)*columns)) {
        char *end;
        unsigned long wish = strtoul(columns, &end, 10);

        if (*end == '\0' && wish > 0)
            n = wish;
    }
    return n < LEAST_COLUMNS ? LEAST_COLUMNS : n > MOST_COLUMNS ? MOST_COLUMNS : n;
}

bool terminal_choose_colour(enum colour_wish wish, bool is_terminal, const char *no_color, const char *term)
{
    if (wish != COLOUR_AUTO)
        return wish == COLOUR_ALWAYS;
    return is_terminal && (no_color == NULL || *no_color == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

void terminal_look(enum colour_wish wish)
{
    struct winsize size = {0};
    bool is_terminal = isatty(STDOUT_FILENO);

    if (!is_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        size.ws_col = 0;
    n_columns = terminal_choose_columns(getenv("COLUMNS"), size.ws_col);
    has_colour = terminal_choose_colour(wish, is_terminal, getenv("NO_COLOR"), getenv("TERM"));
}

/* Lines that are cut at the edge of a terminal say more than those that have one word each. */
void terminal_set_columns(size_t n)
{
    n_columns = n < LEAST_COLUMNS ? LEAST_COLUMNS : n > MOST_COLUMNS ? MOST_COLUMNS : n;
}

size_t terminal_columns(void)
{
    return n_columns;
}

void terminal_style(FILE *to, enum style style)
{
    static const char *const sequences[] = {
        [STYLE_PLAIN] = "\033[0m", [STYLE_HEADING] = "\033[1m", [STYLE_BAD] = "\033[1;31m", [STYLE_DOUBT] = "\033[33m",
        [STYLE_GOOD] = "\033[32m"};

    if (has_colour)
        fputs(sequences[style], to);
}
