/*
 * operation_row.c - an operation as people see it.
 */
#include "mqd/dump/show/text/operation_row.h"

#include <ctype.h>
#include <stdio.h>

#include "mqd/dump/base/number.h"

struct row queue_row(int class, const struct queue *queue, size_t i)
{
    return (struct row){class, &queue->operations[i]};
}

bool row_has_message(const struct row *row)
{
    return row->class == mqs_pending_receives && row->operation->status != mqs_st_pending;
}

/* Is it neither known which rank the operation asks for nor which one has answered? */
static bool is_peer_unknown(const struct row *row)
{
    return row->operation->unknown.peer && !row_has_message(row);
}

static bool is_tag_unknown(const struct row *row)
{
    return row->operation->unknown.tag && !row_has_message(row);
}

static bool is_any_source(const struct row *row)
{
    return row->class == mqs_pending_receives && row->operation->desired_local_rank < 0 && !row->operation->unknown.peer;
}

static bool is_any_tag(const struct row *row)
{
    return row->class == mqs_pending_receives && row->operation->tag_wild;
}

bool row_waits_for_any_source(const struct row *row)
{
    return is_any_source(row) && !row_has_message(row);
}

bool row_waits_for_any_tag(const struct row *row)
{
    return is_any_tag(row) && !row_has_message(row);
}

bool row_has_peer(const struct row *row)
{
    return !is_peer_unknown(row) && !row_waits_for_any_source(row);
}

bool row_has_tag(const struct row *row)
{
    return !is_tag_unknown(row) && !row_waits_for_any_tag(row);
}

mqs_tword_t row_peer(const struct row *row)
{
    return row_has_message(row) ? row->operation->actual_local_rank : row->operation->desired_local_rank;
}

mqs_tword_t row_world(const struct row *row)
{
    return row_has_message(row) ? row->operation->actual_global_rank : row->operation->desired_global_rank;
}

mqs_tword_t row_tag(const struct row *row)
{
    return row_has_message(row) ? row->operation->actual_tag : row->operation->desired_tag;
}

/* Writes a rank or tag as asked for; for a wildcard the one that came. */
static void write_choice(cell_text text, bool any, bool known, const char *value)
{
    if (any && !known)
        snprintf(text, sizeof(cell_text), "any");
    else
        snprintf(text, sizeof(cell_text), "%s%s", value, any ? " (any)" : "");
}

static void write_peer(cell_text text, const struct row *row, const struct row_view *view)
{
    mqs_tword_t peer = row_peer(row);
    number_chars rank;

    snprintf(rank, sizeof rank, "%ld", peer);
    if (is_peer_unknown(row))
        snprintf(text, sizeof(cell_text), "?");
    else if (view->size > 0 && row_has_peer(row) && peer >= 0 && peer < view->size)
        snprintf(text, sizeof(cell_text), "+%ld%s", (peer - view->own + view->size) % view->size,
                 is_any_source(row) ? " (any)" : "");
    else
        write_choice(text, is_any_source(row), row_has_message(row), rank);
}

static void write_world(cell_text text, const struct row *row, const struct row_view *view)
{
    mqs_tword_t rank = row_world(row);

    if (view->size > 0)
        *text = '\0';
    else if (is_peer_unknown(row))
        snprintf(text, sizeof(cell_text), "?");
    else if (rank < 0)
        snprintf(text, sizeof(cell_text), "-");
    else
        snprintf(text, sizeof(cell_text), "%ld", rank);
}

static void write_tag(cell_text text, const struct row *row)
{
    if (is_tag_unknown(row))
        snprintf(text, sizeof(cell_text), "?");
    else
        write_choice(text, is_any_tag(row), row_has_message(row), NUMBER(row_tag(row)));
}

static void write_buffer(cell_text text, const struct row *row, const struct row_view *view)
{
    bool remark = row->operation->system_buffer && row->class != mqs_unexpected_messages;

    if (row->operation->unknown.buffer)
        snprintf(text, sizeof(cell_text), "?");
    else if (row->operation->buffer == 0)
        snprintf(text, sizeof(cell_text), "-");
    else if (view->compared)
        snprintf(text, sizeof(cell_text), "0x%s", remark ? " (MPI's)" : "");
    else
        snprintf(text, sizeof(cell_text), "0x%lx%s", row->operation->buffer, remark ? " (MPI's)" : "");
}

void row_write_cell(cell_text text, const struct row *row, enum column column, const struct row_view *view)
{
    switch (column) {
    case STATUS:
        snprintf(text, sizeof(cell_text), "%s", operation_status_name(row->operation->status));
        break;
    case PEER:
        write_peer(text, row, view);
        break;
    case WORLD:
        write_world(text, row, view);
        break;
    case TAG:
        write_tag(text, row);
        break;
    case BYTES:
        if (row->operation->unknown.length)
            snprintf(text, sizeof(cell_text), "?");
        else
            snprintf(text, sizeof(cell_text), "%s", NUMBER(row->operation->desired_length));
        break;
    case ARRIVED:
        if (row_has_message(row))
            snprintf(text, sizeof(cell_text), "%s", NUMBER(row->operation->actual_length));
        else
            snprintf(text, sizeof(cell_text), "-");
        break;
    case BUFFER:
    default:
        write_buffer(text, row, view);
        break;
    }
}

const char *row_heading(int class, enum column column)
{
    static const char *const headings[N_COLUMNS] = {
        [STATUS] = "status", [PEER] = "from", [WORLD] = "world", [TAG] = "tag", [BYTES] = "bytes",
        [ARRIVED] = "arrived", [BUFFER] = "buffer"};

    return column == PEER && class == mqs_pending_sends ? "to" : headings[column];
}

/* Appends a text; if it is only compared without the digits of addresses, "request 0x". */
static char *append(char *to, const char *text, bool compared)
{
    for (const char *at = text; *at != '\0'; at++) {
        *to++ = *at;
        if (compared && *at == 'x' && at > text && at[-1] == '0')
            while (isxdigit((unsigned char)at[1]))
                at++;
    }
    return to;
}

void row_write_lines(row_lines text, const struct row *row, const struct row_view *view)
{
    const char *const *lines = row->operation->extra_text;
    char *to = text;

    for (int i = 0; i < N_EXTRA_TEXTS && lines[i] != NULL && *lines[i] != '\0'; i++) {
        to = append(to, lines[i], view->compared);
        *to++ = '\n';
    }
    *to = '\0';
}
