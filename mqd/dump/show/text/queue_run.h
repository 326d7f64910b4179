/*
 * queue_run.h - operations as people see them, each one row of a table, and those of a queue that differ only in what runs
 * on regularly.
 *
 * A program that posts receives in a loop has thousands of operations of which the first and the last tell all. Two
 * operations are of one kind if they differ in nothing but their ranks, tags and addresses. In a run with the period p
 * each operation is of the kind of the one p places before it, and its rank and its tag are as far from those of that
 * one as these are from those of the next p places before. So the first p and the last p operations tell all others,
 * but for addresses, which may be any (not zero in one and not in another), and for what ranks of the communicator are
 * called in MPI_COMM_WORLD.
 *
 * Where operations of several series come in any order, as messages from many ranks do, hardly any run on. Then those
 * of one kind are taken together, by rank, and in the order of the queue only if both are the same.
 */
#ifndef MQD_DUMP_SHOW_QUEUE_RUN_H
#define MQD_DUMP_SHOW_QUEUE_RUN_H

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

/* Is the peer one rank: that which is asked for, or has answered? */
bool row_has_peer(const struct row *row);

/* That rank, in the communicator and in MPI_COMM_WORLD; any number if there is none. */
mqs_tword_t row_peer(const struct row *row);
mqs_tword_t row_world(const struct row *row);

/* What operations of each queue are called: "sends". */
extern const char *const queue_nouns[N_QUEUES];

/* What is shown of it. */
void row_write_cell(cell_text text, const struct row *row, enum column column, const struct row_view *view);

/* The heading of a column of a queue of that class. */
const char *row_heading(int class, enum column column);

/* Its lines of text, each with a newline; rows that are only compared have no addresses there either. */
typedef char row_lines[N_EXTRA_TEXTS * (MAX_QUEUED_TEXT + 1) + 1];
void row_write_lines(row_lines text, const struct row *row, const struct row_view *view);

/* Fewer operations are no run; nor fewer than so many periods. A loop has no more different operations than these. */
enum { LEAST_RUN = 8, LEAST_PERIODS = 3, MAX_PERIOD = 64 };

struct run {
    size_t first, n;               /* the place of the first one, and how many they are; 1: it is of no run */
    size_t period;                 /* of a run: the operations of one period may be of several kinds */
    size_t stride;                 /* places from one operation to the next */
    const size_t *order;           /* the position in the queue by place; NULL: they are the same */
};
struct runs {
    struct run *runs;              /* all operations of the queue, by their places */
    size_t n, room;
    size_t *order;                 /* not NULL: they are not in the order of the queue, but together by kind and rank */
};

/*
 * Divides a queue of that class into runs. The time is that of sorting the operations, whatever they are. Release with
 * runs_clear.
 */
void runs_find(struct runs *runs, int class, const struct queue *queue);

/* The same without any run: each operation for itself. */
void runs_of_each(struct runs *runs, const struct queue *queue);
void runs_clear(struct runs *runs);

/* How many operations tell all: the first and the last period of each run. */
size_t runs_count_told(const struct runs *runs);

/* The i-th operation of a run. */
struct row run_row(const struct run *run, int class, const struct queue *queue, size_t i);

/* The operations at one place of each period of a run: they are of one kind. */
struct run run_place(const struct run *run, size_t place);

/*
 * What a run is, for free(): "99,990 receives from rank 0, tags 10-99,999, 4 bytes each, 399,960 in all". With `size`
 * not 0, ranks of the communicator are distances from `own`: see struct row_view.
 */
char *run_phrase(const struct run *run, int class, const struct queue *queue, const struct row_view *view);

#endif
