/*
 * queue_run.h - operations of a queue that differ only in what runs on regularly.
 *
 * A program that posts receives in a loop has thousands of operations of which the first and the last tell all. Two
 * operations are of one kind if they differ in nothing but their ranks, tags and addresses. In a run with the period p
 * each operation is of the kind of the one p places before it, and its rank and its tag are as far from those of that
 * one as these are from those of the next p places before. So the first p and the last p operations tell all others, but
 * for addresses, which may be any (not zero in one and not in another), and for what ranks of the communicator are called
 * in MPI_COMM_WORLD.
 */
#ifndef MQD_DUMP_SHOW_QUEUE_RUN_H
#define MQD_DUMP_SHOW_QUEUE_RUN_H

#include <stddef.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/show/operation_row.h"

/* Fewer operations are no run; nor fewer than so many periods. A loop has no more different operations than these. */
enum { LEAST_RUN = 8, LEAST_PERIODS = 3, MAX_PERIOD = 64 };

struct run {
    size_t first, n;               /* the position of the first one, and how many they are; 1: it is of no run */
    size_t period;                 /* of a run: the operations of one period may be of several kinds */
    size_t stride;                 /* positions from one operation to the next */
};
struct runs {
    struct run *runs;              /* all operations of the queue, in its order */
    size_t n, room;
};

/*
 * Divides a queue of that class into runs. The time grows with the number of operations, whatever they are. Release
 * with runs_clear.
 */
void runs_find(struct runs *runs, int class, const struct queue *queue);

/* The same without any run: each operation for itself. */
void runs_of_each(struct runs *runs, const struct queue *queue);
void runs_clear(struct runs *runs);

/* The operations at one place of each period of a run: they are of one kind. */
struct run run_place(const struct run *run, size_t place);

/*
 * What a run is, for free(): "99,990 receives from rank 0, tags 10-99,999, 4 bytes each, 399,960 in all". With `around`
 * not 0, ranks of the communicator are distances from `own`: see struct row_view.
 */
char *run_phrase(const struct run *run, int class, const struct queue *queue, const struct row_view *view);

#endif
