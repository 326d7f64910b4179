/*
 * queue_run.h - operations of a queue that differ only in what runs on regularly.
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

#include <stddef.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/show/text/operation_row.h"

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
