/*
 * listing_text.c - listings for people.
 */
#include "mqd/dump/show/listing_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/show/layout_text.h"
#include "mqd/dump/show/paragraph.h"
#include "mqd/dump/show/window_text.h"
#include "mqd/dump/verdict/call.h"

enum { COMMUNICATOR_INDENT = 2, QUEUE_INDENT = 4, TABLE_INDENT = 6, DETAIL_INDENT = 10, GAP = 2 };

/* The columns in which an operation is shown, in this order. */
enum column { STATUS, PEER, WORLD, TAG, BYTES, ARRIVED, BUFFER, N_COLUMNS };

/* Room for the longest number with a remark, and for an address with a remark. */
typedef char cell_text[40];

struct table {
    int class;                     /* an mqs_op_class */
    const struct queue *queue;
    size_t widths[N_COLUMNS];      /* 0: the column is not shown */
};

/* Cells. */

/* An operation of a queue. */
struct row {
    int class;                     /* an mqs_op_class */
    const mqs_pending_operation *operation;
    const struct extra *extra;
};

static struct row row_of(const struct table *table, size_t i)
{
    return (struct row){table->class, &table->queue->operations[i], queue_extra(table->queue, i)};
}

/* The actual_* fields are meaningful for a receive only if it has a message. */
static bool has_message(const struct row *row)
{
    return row->class == mqs_pending_receives && row->operation->status != mqs_st_pending;
}

/* Is it neither known which rank the operation asks for nor which one has answered? */
static bool is_peer_unknown(const struct row *row)
{
    return row->extra->unknown.peer && !has_message(row);
}

static bool is_any_source(const struct row *row)
{
    return row->class == mqs_pending_receives && row->operation->desired_local_rank < 0 && !row->extra->unknown.peer;
}

static mqs_tword_t local_peer(const struct row *row)
{
    return has_message(row) ? row->operation->actual_local_rank : row->operation->desired_local_rank;
}

static mqs_tword_t global_peer(const struct row *row)
{
    return has_message(row) ? row->operation->actual_global_rank : row->operation->desired_global_rank;
}

/* Writes a rank or tag as asked for; for a wildcard the one that came. */
static void write_choice(cell_text text, bool any, bool known, mqs_tword_t value)
{
    if (any && !known)
        snprintf(text, sizeof(cell_text), "any");
    else
        snprintf(text, sizeof(cell_text), "%ld%s", value, any ? " (any)" : "");
}

static void write_peer(cell_text text, const struct row *row)
{
    if (is_peer_unknown(row))
        snprintf(text, sizeof(cell_text), "?");
    else
        write_choice(text, is_any_source(row), has_message(row), local_peer(row));
}

static void write_world(cell_text text, const struct row *row)
{
    mqs_tword_t rank = global_peer(row);

    if (is_peer_unknown(row))
        snprintf(text, sizeof(cell_text), "?");
    else if (rank < 0)
        snprintf(text, sizeof(cell_text), "-");
    else
        snprintf(text, sizeof(cell_text), "%ld", rank);
}

static void write_tag(cell_text text, const struct row *row)
{
    bool arrived = has_message(row);

    if (row->extra->unknown.tag && !arrived)
        snprintf(text, sizeof(cell_text), "?");
    else
        write_choice(text, row->class == mqs_pending_receives && row->operation->tag_wild, arrived,
                     arrived ? row->operation->actual_tag : row->operation->desired_tag);
}

static void write_buffer(cell_text text, const struct row *row)
{
    bool remark = row->operation->system_buffer && row->class != mqs_unexpected_messages;

    if (row->extra->unknown.buffer)
        snprintf(text, sizeof(cell_text), "?");
    else if (row->operation->buffer == 0)
        snprintf(text, sizeof(cell_text), "-");
    else
        snprintf(text, sizeof(cell_text), "0x%lx%s", row->operation->buffer, remark ? " (MPI's)" : "");
}

static void write_cell(cell_text text, const struct row *row, enum column column)
{
    switch (column) {
    case STATUS:
        snprintf(text, sizeof(cell_text), "%s", operation_status_name(row->operation->status));
        break;
    case PEER:
        write_peer(text, row);
        break;
    case WORLD:
        write_world(text, row);
        break;
    case TAG:
        write_tag(text, row);
        break;
    case BYTES:
        if (row->extra->unknown.length)
            snprintf(text, sizeof(cell_text), "?");
        else
            snprintf(text, sizeof(cell_text), "%ld", row->operation->desired_length);
        break;
    case ARRIVED:
        if (has_message(row))
            snprintf(text, sizeof(cell_text), "%ld", row->operation->actual_length);
        else
            snprintf(text, sizeof(cell_text), "-");
        break;
    case BUFFER:
    default:
        write_buffer(text, row);
        break;
    }
}

static const char *heading(int class, enum column column)
{
    static const char *const headings[N_COLUMNS] = {
        [STATUS] = "status", [PEER] = "from", [WORLD] = "world", [TAG] = "tag", [BYTES] = "bytes",
        [ARRIVED] = "arrived", [BUFFER] = "buffer"};

    return column == PEER && class == mqs_pending_sends ? "to" : headings[column];
}

/* Tables. */

/*
 * The column of ranks in MPI_COMM_WORLD is shown if they differ from the ranks in the communicator, and that of arrived
 * bytes if something has arrived.
 */
static bool needs_column(const struct table *table, enum column column)
{
    for (size_t i = 0; i < table->queue->n; i++) {
        const struct row row = row_of(table, i);
        bool open = is_peer_unknown(&row) || (is_any_source(&row) && !has_message(&row));

        if (column == WORLD && !open && global_peer(&row) != local_peer(&row))
            return true;
        if (column == ARRIVED && has_message(&row))
            return true;
    }
    return column != WORLD && column != ARRIVED;
}

static void measure_column(struct table *table, enum column column)
{
    size_t width = strlen(heading(table->class, column));

    if (!needs_column(table, column))
        return;
    for (size_t i = 0; i < table->queue->n; i++) {
        const struct row row = row_of(table, i);
        cell_text text;

        write_cell(text, &row, column);
        if (strlen(text) > width)
            width = strlen(text);
    }
    table->widths[column] = width;
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

static void print_cell(FILE *to, const struct table *table, enum column column, const char *text)
{
    int width = (int)table->widths[column];

    if (column == STATUS)
        print_status(to, text, width);
    else if (column == BUFFER)
        fprintf(to, "%*s%s", GAP, "", text);
    else
        fprintf(to, "%*s%*s", GAP, "", width, text);
}

/* Prints a row of the table; for NULL the headings. */
static void print_row(FILE *to, const struct table *table, const struct row *row)
{
    for (enum column column = 0; column < N_COLUMNS; column++) {
        cell_text text;

        if (table->widths[column] == 0)
            continue;
        if (row == NULL)
            snprintf(text, sizeof text, "%s", heading(table->class, column));
        else
            write_cell(text, row, column);
        print_cell(to, table, column, text);
    }
    putc('\n', to);
}

/* Prints an operation as a list, if its numbers are too large for a table. */
static void print_as_list(FILE *to, const struct table *table, const struct row *row)
{
    struct paragraph paragraph = start_paragraph(to, TABLE_INDENT);

    for (enum column column = 0; column < N_COLUMNS; column++) {
        cell_text text;
        char *item;

        if (table->widths[column] == 0)
            continue;
        write_cell(text, row, column);
        item = column == STATUS ? copy_string(text) : format_text("%s %s", heading(table->class, column), text);
        put_item(&paragraph, item);
        free(item);
    }
    end_paragraph(&paragraph);
}

/* "found through the message at rank 2": why a send is listed that the process itself does not show. */
static char *say_found(const struct extra *extra, const struct mqd_process_name *here)
{
    return extra->found_at.job == here->job
               ? format_text("found through the message at rank %ld", extra->found_at.rank)
               : format_text("found through the message at rank %ld of another job", extra->found_at.rank);
}

/* Prints the DLL's own lines, and mqdump's. They end at the first empty one. A full line may have no NUL. */
static void print_details(FILE *to, const struct row *row, const struct mqd_process_name *here)
{
    enum { N_LINES = sizeof row->operation->extra_text / sizeof *row->operation->extra_text };
    const mqs_pending_operation *operation = row->operation;
    struct paragraph paragraph;

    if (operation->extra_text[0][0] == '\0' && !row->extra->found)
        return;
    paragraph = start_paragraph(to, DETAIL_INDENT);
    for (int i = 0; i < N_LINES && operation->extra_text[i][0] != '\0'; i++) {
        char line[sizeof operation->extra_text[i] + 1] = "";

        memcpy(line, operation->extra_text[i], sizeof operation->extra_text[i]);
        put_item(&paragraph, line);
    }
    if (row->extra->found) {
        char *item = say_found(row->extra, here);

        put_item(&paragraph, item);
        free(item);
    }
    end_paragraph(&paragraph);
}

static void print_operations(FILE *to, int class, const struct queue *queue, const struct mqd_process_name *here)
{
    struct table table = {.class = class, .queue = queue};
    bool fits = measure(&table);

    if (fits)
        print_row(to, &table, NULL);
    for (size_t i = 0; i < queue->n; i++) {
        const struct row row = row_of(&table, i);

        if (fits)
            print_row(to, &table, &row);
        else
            print_as_list(to, &table, &row);
        print_details(to, &row, here);
    }
}

/* Communicators. */

static const char *const queue_titles[N_QUEUES] = {
    [mqs_pending_sends] = "Sends",
    [mqs_pending_receives] = "Receives",
    [mqs_unexpected_messages] = "Unexpected messages",
};

static bool is_known_empty(const struct queue *queue)
{
    return queue->available && queue->n == 0 && queue->error == NULL;
}

static bool is_idle(const struct communicator *communicator)
{
    for (int class = 0; class < N_QUEUES; class++)
        if (!is_known_empty(&communicator->queues[class]))
            return false;
    return communicator->group_error == NULL;
}

static void print_queue(FILE *to, int class, const struct queue *queue, const struct mqd_process_name *here)
{
    char *title;

    if (queue->n > 0) {
        fprintf(to, "%*s%s\n", QUEUE_INDENT, "", queue_titles[class]);
        print_operations(to, class, queue, here);
    }
    if (queue->error == NULL)
        return;
    title = format_text("%s:%s", queue_titles[class], queue->available ? " not complete," : "");
    print_error_line(to, QUEUE_INDENT, title, queue->error);
    free(title);
}

static void print_empty_queues(FILE *to, const struct communicator *communicator)
{
    static const char *const texts[N_QUEUES] = {
        [mqs_pending_sends] = "no sends",
        [mqs_pending_receives] = "no receives",
        [mqs_unexpected_messages] = "no unexpected messages",
    };
    char line[80] = "";

    for (int class = 0; class < N_QUEUES; class++) {
        if (!is_known_empty(&communicator->queues[class]))
            continue;
        strcat(line, *line != '\0' ? ", " : "");
        strcat(line, texts[class]);
    }
    if (*line != '\0')
        print_paragraph(to, QUEUE_INDENT, QUEUE_INDENT, line);
}

static void print_communicator(FILE *to, const struct communicator *communicator, const struct mqd_process_name *here)
{
    struct paragraph paragraph = start_paragraph(to, COMMUNICATOR_INDENT);
    /* A communicator that is not made yet may have messages, but it has no members. */
    const char *what = communicator->size > 0 ? " (id %lu), rank %ld of %ld%s" : " (id %lu)";
    char *place = format_text(what, communicator->unique_id, communicator->local_rank, communicator->size,
                              is_idle(communicator) ? ": nothing pending" : "");

    paragraph.indent = QUEUE_INDENT;
    put_name(&paragraph, communicator->name[0] != '\0' ? communicator->name : "Communicator without a name");
    put_text(&paragraph, place);
    end_paragraph(&paragraph);
    free(place);
    if (communicator->group_error != NULL)
        print_error_line(to, QUEUE_INDENT, "Ranks in MPI_COMM_WORLD:", communicator->group_error);
    if (is_idle(communicator))
        return;
    for (int class = 0; class < N_QUEUES; class++)
        print_queue(to, class, &communicator->queues[class], here);
    print_empty_queues(to, communicator);
}

/* Processes. */

static void print_core(FILE *to, const struct listing *listing)
{
    struct paragraph paragraph = start_paragraph(to, 0);
    char *end = listing->signal != 0
                    ? format_text(", ended by signal %d (%s)", listing->signal, strsignal(listing->signal))
                    : copy_string("");

    put_text(&paragraph, "Core file ");
    put_name(&paragraph, listing->core);
    put_text(&paragraph, end);
    end_paragraph(&paragraph);
    free(end);
}

/* "Rank 3 of job 4711"; the job only where there are several, its user only if names do not tell. */
static char *say_rank(const struct listing *listing, bool jobs, bool users)
{
    if (!jobs || listing->job == NULL)
        return format_text("Rank %ld", listing->rank);
    if (users && listing->user >= 0)
        return format_text("Rank %ld of job %s of user %ld", listing->rank, listing->job, listing->user);
    return format_text("Rank %ld of job %s", listing->rank, listing->job);
}

/* "Rank 3 on n02, process 9688: "; the machine only where there are several. */
static char *say_process(const struct listing *listing, bool jobs, bool users)
{
    char *rank = listing->rank >= 0 ? say_rank(listing, jobs, users) : NULL, *host = host_phrase(&listing->host, 1);
    char *text = rank != NULL ? format_text("%s%s, process %d: ", rank, host, (int)listing->pid)
                              : format_text("Process %d%s: ", (int)listing->pid, host);

    free(rank);
    free(host);
    return text;
}

static void print_header(FILE *to, const struct listing *listing, bool jobs, bool users)
{
    struct paragraph paragraph = start_paragraph(to, 0);
    char *text = say_process(listing, jobs, users);

    put_text(&paragraph, text);
    paragraph.indent = COMMUNICATOR_INDENT;
    put_name(&paragraph, listing->executable != NULL ? listing->executable : "executable unknown");
    end_paragraph(&paragraph);
    free(text);
    if (listing->core != NULL)
        print_core(to, listing);
    if (listing->was_running)
        print_paragraph(to, 0, 0, "It was not stopped: what is shown may contradict itself");
    if (listing->has_layout)
        layout_print_summary(to, listing);
}

/* Is a thread in a call whose send may be on its stack, and not found? Where threads are may not be known. */
static bool may_hide_send(const struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++) {
        const struct queue *queue = &listing->communicators[i].queues[mqs_pending_sends];

        for (size_t k = 0; k < queue->n; k++)
            if (queue_extra(queue, k)->found)
                return false;
    }
    for (size_t i = 0; listing->calls != NULL && i < listing->calls->n; i++) {
        const struct call *call = &listing->calls->calls[i];

        if (call->state == CALL_MPI && call_may_hide_send(call->function))
            return true;
    }
    return listing->calls == NULL;
}

/* What the queues lack, where it matters, and once. */
static void print_gaps(FILE *to, const struct listing *listing)
{
    const char *told = "";

    for (int class = 0; class < N_QUEUES; class++) {
        const char *text = listing->gaps[class].text;

        if (text == NULL || (class == mqs_pending_sends && !may_hide_send(listing)) || strcmp(text, told) == 0)
            continue;
        print_paragraph(to, COMMUNICATOR_INDENT, COMMUNICATOR_INDENT, text);
        told = text;
    }
}

static void print_process(FILE *to, const struct listing *listing, bool jobs, bool users)
{
    print_header(to, listing, jobs, users);
    if (listing->error != NULL)
        print_error_line(to, COMMUNICATOR_INDENT, "", listing->error);
    print_gaps(to, listing);
    for (size_t i = 0; i < listing->n; i++)
        print_communicator(to, &listing->communicators[i], &listing->name);
    for (size_t i = 0; i < listing->n_windows; i++)
        window_text_print(to, &listing->windows[i], COMMUNICATOR_INDENT, QUEUE_INDENT);
    if (listing->n == 0 && listing->error == NULL)
        fprintf(to, "%*sno communicators\n", COMMUNICATOR_INDENT, "");
}

void text_print(FILE *to, const struct listing *const *listings, size_t n)
{
    bool first = true, jobs = listings_have_several_jobs(listings, n), users = listings_share_job_names(listings, n);

    for (size_t i = 0; i < n; i++) {
        if (!listings[i]->has_communicators)
            continue;
        fputs(first ? "" : "\n", to);
        print_process(to, listings[i], jobs, users);
        first = false;
    }
}
