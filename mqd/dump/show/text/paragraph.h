/*
 * paragraph.h - breaks text into lines that fit the terminal. Texts may be of any origin.
 */
#ifndef MQD_DUMP_SHOW_PARAGRAPH_H
#define MQD_DUMP_SHOW_PARAGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/base/terminal.h"

/* A position in a line: where the next piece begins, and where the next lines begin. */
struct paragraph {
    FILE *to;
    size_t indent;
    size_t column;
    bool space;            /* a space comes before the next piece, if that fits into this line */
};

/* Starts a paragraph: its first line at the first column, the others at the second. end_paragraph ends its last line. */
struct paragraph start_paragraph(FILE *to, size_t first_indent, size_t indent);

/* The same of a finding, with its heading and a sentence. */
void print_headed(FILE *to, enum style style, const char *heading, const char *sentence);
void end_paragraph(struct paragraph *paragraph);

/* Puts a name with its spaces, without a line break. */
void put_name(struct paragraph *paragraph, const char *name);

/* Puts text, with line breaks between words where needed. Long lists of ranks are cut, as ranks_shorten does. */
void put_text(struct paragraph *paragraph, const char *text);
void put_format(struct paragraph *paragraph, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts one more item of a list. An item that fits into one line is not broken. */
void put_item(struct paragraph *paragraph, const char *text);

/* Prints a whole paragraph: its first line begins at the first column, the others at the second. */
void print_paragraph(FILE *to, size_t first_indent, size_t indent, const char *text);
void print_format(FILE *to, size_t first_indent, size_t indent, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Prints a line with a style. The text is printable, and stays one line. */
void print_styled(FILE *to, enum style style, const char *text);

/* Prints a paragraph with the subject of the error, which may be "", and the error. */
void print_error_line(FILE *to, size_t indent, const char *what, const char *error);

#endif
