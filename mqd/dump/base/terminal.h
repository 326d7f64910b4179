/*
 * terminal.h - what the terminal is like that text is shown on.
 */
#ifndef MQD_DUMP_BASE_TERMINAL_H
#define MQD_DUMP_BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum colour_wish { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
enum style { STYLE_PLAIN, STYLE_HEADING, STYLE_BAD, STYLE_DOUBT, STYLE_GOOD };

/* Looks at standard output and the environment. Before that, there are 80 columns and no colours. */
void terminal_look(enum colour_wish wish);

/* How wide text shall be. */
size_t terminal_columns(void);

/* What follows looks like this until the next one: nothing is written where there are no colours. */
void terminal_style(FILE *to, enum style style);

/*
 * The rules. The variable COLUMNS comes first, then the terminal's width, 0 if there is no terminal; text is 40 to 200
 * columns wide. Colours are used on a terminal, unless NO_COLOR is set and not empty or TERM is missing or "dumb".
 */
size_t terminal_choose_columns(const char *columns, size_t of_terminal);
bool terminal_choose_colour(enum colour_wish wish, bool is_terminal, const char *no_color, const char *term);

#endif
