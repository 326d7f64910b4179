/*
 * paragraph.h - text that fits the terminal, from words and names from elsewhere.
 */
#ifndef MQD_DUMP_SHOW_PARAGRAPH_H
#define MQD_DUMP_SHOW_PARAGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A place in a line: where the next piece goes, and where lines that follow start. */
struct paragraph {
    FILE *to;
    size_t indent;
    size_t column;
    bool space;            /* between what was put and what comes next, if that fits into this line */
};

/* Each paragraph begins at a column of its own and ends with its line. */
struct paragraph start_paragraph(FILE *to, size_t indent);
void end_paragraph(struct paragraph *paragraph);

/* Puts a name from elsewhere as it is, spaces included. */
void put_name(struct paragraph *paragraph, const char *name);

/* Puts text from elsewhere, with line breaks between words where needed. */
void put_text(struct paragraph *paragraph, const char *text);

/* Puts one more item of a list whose items are kept together where they fit into a line. */
void put_item(struct paragraph *paragraph, const char *text);

/* A whole paragraph of text from elsewhere: its first line, and those that follow, begin at these columns. */
void print_paragraph(FILE *to, size_t first_indent, size_t indent, const char *text);

/* A paragraph that says what the error is about, which may be "", and the error. */
void print_error_line(FILE *to, size_t indent, const char *what, const char *error);

#endif
