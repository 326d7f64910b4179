/*
 * queue_text.c - the operations of a queue, for people.
 */
#include "mqd/dump/show/text/queue_text.h"

#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/show/text/paragraph.h"
#include "mqd/dump/show/text/queue_run.h"

enum { TABLE_INDENT = 6, DETAIL_INDENT = 10, GAP = 2 };

struct table {
    FILE *to;
    int class;                     /* an mqs_op_class */
    const struct queue *queue;
    const struct queue_view *view;
    struct runs runs;
    size_t widths[N_COLUMNS];      /* 0: the column is not shown */
    bool fits;                     /* else operations are lists: their numbers are too large for a table */
};

/*
 * The column of ranks in MPI_COMM_WORLD is shown if they differ from the ranks in the communicator, and that of arrived
 * bytes if something has arrived. Where ranks are distances it is nothing: the same communicator of other ranks, as each
 * row of a grid has one, has others there.
 */
static bool needs_column(const struct table *table, enum column column)
{
    if (column == WORLD && table->view->row.size > 0)
        return false;
    for (size_t i = 0; i < table->queue->n; i++) {
        const struct row row = queue_row(table->class, table->queue, i);

        if (column == WORLD && row_has_peer(&row) && row_world(&row) != row_peer(&row))
            return true;
        if (column == ARRIVED && row_has_message(&row))
            return true;
    }
    return column != WORLD && column != ARRIVED;
}

static void widen(struct table *table, enum column column, const struct run *run, size_t i)
{
    const struct row row = run_row(run, table->class, table->queue, i);
    cell_text text;

    row_write_cell(text, &row, column, &table->view->row);
    if (strlen(text) > table->widths[column])
        table->widths[column] = strlen(text);
}

/*
 * How many operations of a run are shown from its first one on: one period. Texts that are compared have two, and with
 * these all of the run.
 */
static size_t count_first(const struct run *run, const struct queue_view *view)
{
    return run->n == 1 || !view->row.compared ? run->period : 2 * run->period;
}

/* How many up to its last one: the first and the last of each place tell the steps of all others. */
static size_t count_last(const struct run *run)
{
    return run->n == 1 ? 0 : run->period;
}

static void measure_column(struct table *table, enum column column)
{
    if (!needs_column(table, column))
        return;
    table->widths[column] = strlen(row_heading(table->class, column));
    for (size_t i = 0; i < table->runs.n; i++) {
        const struct run *run = &table->runs.runs[i];

        for (size_t k = 0; k < count_first(run, table->view); k++)
            widen(table, column, run, k);
        for (size_t k = run->n - count_last(run); k < run->n; k++)
            widen(table, column, run, k);
    }
}

static bool measure(struct table *table)
{
    size_t total = TABLE_INDENT;

    for (enum column column = 0; column < N_COLUMNS; column++) {
        measure_column(table, column);
        if (table->widths[column] > 0)
            total += table->widths[column] + (column > 0 ? GAP : 0);
    }
    return total <= terminal_columns();
}

/* Users look for what is pending, not for what is complete. The heading of the column has no style. */
static enum style style_of(const char *status)
{
    if (strcmp(status, operation_status_name(mqs_st_pending)) == 0)
        return STYLE_DOUBT;
    return strcmp(status, operation_status_name(mqs_st_complete)) == 0 ? STYLE_GOOD : STYLE_PLAIN;
}

static void print_status(FILE *to, const char *text, int width)
{
    fprintf(to, "%*s", TABLE_INDENT, "");
    terminal_style(to, style_of(text));
    fputs(text, to);
    terminal_style(to, STYLE_PLAIN);
    fprintf(to, "%*s", width - (int)strlen(text), "");
}

static void print_cell(const struct table *table, enum column column, const char *text)
{
    int width = (int)table->widths[column];

    if (column == STATUS)
        print_status(table->to, text, width);
    else if (column == BUFFER)
        fprintf(table->to, "%*s%s", GAP, "", text);
    else
        fprintf(table->to, "%*s%*s", GAP, "", width, text);
}

/* Prints a row of the table; for NULL the headings. */
static void print_row(const struct table *table, const struct row *row)
{
    for (enum column column = 0; column < N_COLUMNS; column++) {
        cell_text text;

        if (table->widths[column] == 0)
            continue;
        if (row == NULL)
            snprintf(text, sizeof text, "%s", row_heading(table->class, column));
        else
            row_write_cell(text, row, column, &table->view->row);
        print_cell(table, column, text);
    }
    putc('\n', table->to);
}

/* Prints an operation as a list. */
static void print_as_list(const struct table *table, const struct row *row)
{
    struct paragraph paragraph = start_paragraph(table->to, TABLE_INDENT, TABLE_INDENT);

    for (enum column column = 0; column < N_COLUMNS; column++) {
        cell_text text;
        OWNED char *item = NULL;

        if (table->widths[column] == 0)
            continue;
        row_write_cell(text, row, column, &table->view->row);
        item = column == STATUS ? copy_string(text) : format_text("%s %s", row_heading(table->class, column), text);
        put_item(&paragraph, item);
    }
    end_paragraph(&paragraph);
}

/* Prints the DLL's own lines, and mqdump's. */
static void print_details(const struct table *table, const struct row *row)
{
    struct paragraph paragraph;
    row_lines lines;

    row_write_lines(lines, row, &table->view->row);
    if (*lines == '\0' && !row->operation->found)
        return;
    paragraph = start_paragraph(table->to, DETAIL_INDENT, DETAIL_INDENT);
    for (char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        put_item(&paragraph, line);
    }
    /* Why a send is listed that the process itself does not show. */
    if (row->operation->found) {
        OWNED char *item = format_text("found through the message at rank %ld%s", row->operation->found_at.rank,
                                       row->operation->found_at.job == table->view->here->job ? "" : " of another job");

        put_item(&paragraph, item);
    }
    end_paragraph(&paragraph);
}

/* Prints the i-th operation of a run. */
static void print_operation(const struct table *table, const struct run *run, size_t i)
{
    const struct row row = run_row(run, table->class, table->queue, i);

    if (table->fits)
        print_row(table, &row);
    else
        print_as_list(table, &row);
    print_details(table, &row);
}

static void print_run(const struct table *table, const struct run *run)
{
    OWNED char *phrase = run->n > 1 ? run_phrase(run, table->class, table->queue, &table->view->row) : NULL;

    if (phrase != NULL && run->period == 1)
        print_format(table->to, TABLE_INDENT, TABLE_INDENT + 2, "%s: the first and the last of them:", phrase);
    else if (phrase != NULL)
        print_format(table->to, TABLE_INDENT, TABLE_INDENT + 2,
                     "%s, in rounds of %zu: the first %zu and the last %zu of them:", phrase, run->period, run->period,
                     run->period);
    for (size_t i = 0; i < count_first(run, table->view); i++)
        print_operation(table, run, i);
    for (size_t i = run->n - count_last(run); i < run->n; i++)
        print_operation(table, run, i);
}

void queue_text_print(FILE *to, int class, const struct queue *queue, const struct queue_view *view)
{
    struct table table = {.to = to, .class = class, .queue = queue, .view = view};

    if (view->each)
        runs_of_each(&table.runs, queue);
    else
        runs_find(&table.runs, class, queue);
    table.fits = measure(&table);
    if (table.runs.order != NULL)
        print_paragraph(to, TABLE_INDENT, TABLE_INDENT + 2,
                        "In no regular order: those that differ only in what runs on are together.");
    if (table.fits)
        print_row(&table, NULL);
    for (size_t i = 0; i < table.runs.n; i++)
        print_run(&table, &table.runs.runs[i]);
    runs_clear(&table.runs);
}

size_t queue_text_count(int class, const struct queue *queue)
{
    struct runs runs;
    size_t n;

    runs_find(&runs, class, queue);
    n = runs_count_told(&runs);
    runs_clear(&runs);
    return n;
}
