/*
 * terminal.h - the width and the colours of text on standard output.
 */
#ifndef MQD_DUMP_BASE_TERMINAL_H
#define MQD_DUMP_BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum colour_wish { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
enum style { STYLE_PLAIN, STYLE_HEADING, STYLE_BAD, STYLE_DOUBT, STYLE_GOOD };

/* Examines standard output and the environment. Before this call there are 80 columns and no colours. */
void terminal_look(enum colour_wish wish);

/* The width of text. */
size_t terminal_columns(void);

/* Sets it, for a terminal that has got another size: what the environment says was true of the old one. */
void terminal_set_columns(size_t n);

/* Sets the style of the text that follows. Writes nothing if there are no colours. */
void terminal_style(FILE *to, enum style style);

/*
 * The rules. The width is that of the variable COLUMNS, else the terminal's, which is 0 if there is no terminal; it is
 * 40 to 200 columns. Colours are used on a terminal, unless NO_COLOR is set and not empty, or TERM is missing or
 * "dumb".
 */
size_t terminal_choose_columns(const char *columns, size_t of_terminal);
bool terminal_choose_colour(enum colour_wish wish, bool is_terminal, const char *no_color, const char *term);

#endif
