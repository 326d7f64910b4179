/*
 * paragraph.c - text that fits a terminal.
 */
#include "mqd/dump/show/text/paragraph.h"

#include <stdarg.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/ranges.h"

struct paragraph start_paragraph(FILE *to, size_t first_indent, size_t indent)
{
    fprintf(to, "%*s", (int)first_indent, "");
    return (struct paragraph){.to = to, .indent = indent, .column = first_indent};
}

static void next_line(struct paragraph *paragraph)
{
    fprintf(paragraph->to, "\n%*s", (int)paragraph->indent, "");
    paragraph->column = paragraph->indent;
    paragraph->space = false;
}

void end_paragraph(struct paragraph *paragraph)
{
    putc('\n', paragraph->to);
}

/* Where a word is broken that is longer than a line: after a comma, if there is one. */
static size_t piece_of(const char *word, size_t n_columns)
{
    size_t fits = bytes_that_fit(word, n_columns), length = fits;

    while (length > 0 && word[length - 1] != ',')
        length--;
    return length > 0 ? length : fits;
}

/* Puts a printable word into this line or the next one; a word that is longer than a line goes over several. */
static void put_word(struct paragraph *paragraph, const char *word)
{
    size_t n_columns = columns_of(word), width = terminal_columns();

    if (paragraph->column + n_columns > width && paragraph->indent + n_columns <= width)
        next_line(paragraph);
    while (paragraph->column + n_columns > width) {
        size_t n_fit = width - paragraph->column, fits = piece_of(word, n_fit);
        OWNED char *piece = NULL;

        /* The end of a sentence is no line of its own. */
        if (strcmp(word + fits, ".") == 0 && n_fit > 1)
            fits = piece_of(word, n_fit - 1);
        piece = format_text("%.*s", (int)fits, word);
        fputs(piece, paragraph->to);
        n_columns -= columns_of(piece);
        word += fits;
        next_line(paragraph);
    }
    fputs(word, paragraph->to);
    paragraph->column += n_columns;
}

static void put_space(struct paragraph *paragraph)
{
    if (paragraph->space)
        putc(' ', paragraph->to);
    paragraph->column += paragraph->space;
    paragraph->space = false;
}

void put_name(struct paragraph *paragraph, const char *name)
{
    OWNED char *word = printable(name, 0);
    size_t n_columns = columns_of(word), width = terminal_columns();

    if (paragraph->column + paragraph->space + n_columns > width && paragraph->indent + n_columns <= width)
        next_line(paragraph);
    put_space(paragraph);
    put_word(paragraph, word);
}

static void put_words(struct paragraph *paragraph, const char *text)
{
    while (*text != '\0') {
        size_t space = strspn(text, " \n"), length = strcspn(text + space, " \n");
        OWNED char *bytes = format_text("%.*s", (int)length, text + space), *word = printable(bytes, 0);

        paragraph->space |= space > 0 && paragraph->column > paragraph->indent;
        if (paragraph->space && length > 0 && paragraph->column + 1 + columns_of(word) > terminal_columns())
            next_line(paragraph);
        if (length > 0) {
            put_space(paragraph);
            put_word(paragraph, word);
        }
        text += space + length;
    }
}

/* Longer lists of ranks are not read: they would take more than two lines. */
enum { MAX_LIST = 150 };

void put_text(struct paragraph *paragraph, const char *text)
{
    OWNED char *shown = ranks_shorten(text, MAX_LIST);

    put_words(paragraph, shown);
}

void put_format(struct paragraph *paragraph, const char *fmt, ...)
{
    OWNED char *text = NULL;
    va_list list;

    va_start(list, fmt);
    text = format_list(fmt, list);
    va_end(list);
    put_text(paragraph, text);
}

void put_item(struct paragraph *paragraph, const char *text)
{
    OWNED char *item = printable(text, 0);

    if (paragraph->column > paragraph->indent) {
        putc(';', paragraph->to);
        paragraph->column++;
        /* One column stays free for the next semicolon. */
        if (paragraph->column + 1 + columns_of(item) + 1 > terminal_columns()) {
            next_line(paragraph);
        } else {
            putc(' ', paragraph->to);
            paragraph->column++;
        }
    }
    put_text(paragraph, text);
}

void print_error_line(FILE *to, size_t indent, const char *what, const char *error)
{
    struct paragraph paragraph = start_paragraph(to, indent, indent);

    put_text(&paragraph, what);
    terminal_style(to, STYLE_BAD);
    put_text(&paragraph, *what != '\0' ? " error:" : "error:");
    terminal_style(to, STYLE_PLAIN);
    put_text(&paragraph, " ");
    put_text(&paragraph, error);
    end_paragraph(&paragraph);
}

void print_headed(FILE *to, enum style style, const char *heading, const char *sentence)
{
    struct paragraph paragraph = start_paragraph(to, 2, 4);

    terminal_style(to, style);
    put_text(&paragraph, heading);
    terminal_style(to, STYLE_PLAIN);
    put_text(&paragraph, " ");
    put_text(&paragraph, sentence);
    end_paragraph(&paragraph);
}

/* How many bytes of a text, in whole words, fit into n_columns. */
static size_t first_words(const char *text, size_t n_columns)
{
    size_t length = 0;

    while (text[length] != '\0' && length <= n_columns)
        length += 1 + strcspn(text + length + 1, " \n");
    return length;
}

void print_paragraph(FILE *to, size_t first_indent, size_t indent, const char *text)
{
    struct paragraph paragraph = start_paragraph(to, first_indent, first_indent);
    size_t length = first_words(text, indent > first_indent ? indent - first_indent : 0);
    OWNED char *first = format_text("%.*s", (int)length, text);

    put_text(&paragraph, first);
    paragraph.indent = indent;
    put_text(&paragraph, text + length);
    end_paragraph(&paragraph);
}

void print_format(FILE *to, size_t first_indent, size_t indent, const char *fmt, ...)
{
    OWNED char *text = NULL;
    va_list list;

    va_start(list, fmt);
    text = format_list(fmt, list);
    va_end(list);
    print_paragraph(to, first_indent, indent, text);
}

void print_styled(FILE *to, enum style style, const char *text)
{
    terminal_style(to, style);
    fputs(text, to);
    terminal_style(to, STYLE_PLAIN);
    putc('\n', to);
}
