/*
 * operation_row.h - an operation as people see it: one row of a table.
 */
#ifndef MQD_DUMP_SHOW_OPERATION_ROW_H
#define MQD_DUMP_SHOW_OPERATION_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/client/listing.h"

/* The columns, in this order. */
enum column { STATUS, PEER, WORLD, TAG, BYTES, ARRIVED, BUFFER, N_COLUMNS };

/* Room for the longest number with a remark, and for an address with a remark. */
typedef char cell_text[40];

/* An operation of a queue. */
struct row {
    int class;                     /* an mqs_op_class */
    const struct queued *operation;
};

/*
 * What rows are written for. Rows that are only compared have no addresses; and if `size` is not 0, ranks of the
 * communicator, which has that size, as distances from `own` in a circle, and no other ranks: relative peers.
 */
struct row_view {
    bool compared;
    long own, size;
};

/* The i-th operation of a queue of that class. */
struct row queue_row(int class, const struct queue *queue, size_t i);

/* The actual_* fields are meaningful for a receive only if it has a message. */
bool row_has_message(const struct row *row);

/* Is the peer one rank: that which is asked for, or has answered? And the tag one number? */
bool row_has_peer(const struct row *row);
bool row_has_tag(const struct row *row);

/* That rank, in the communicator and in MPI_COMM_WORLD, and that tag; any number if there is none. */
mqs_tword_t row_peer(const struct row *row);
mqs_tword_t row_world(const struct row *row);
mqs_tword_t row_tag(const struct row *row);

/* Is it a receive from any source, or with any tag, to which nothing has come yet? */
bool row_waits_for_any_source(const struct row *row);
bool row_waits_for_any_tag(const struct row *row);

/* What is shown of it. */
void row_write_cell(cell_text text, const struct row *row, enum column column, const struct row_view *view);

/* The heading of a column of a queue of that class. */
const char *row_heading(int class, enum column column);

/* Its lines of text, each with a newline; rows that are only compared have no addresses there either. */
typedef char row_lines[N_EXTRA_TEXTS * (MAX_QUEUED_TEXT + 1) + 1];
void row_write_lines(row_lines text, const struct row *row, const struct row_view *view);

#endif
