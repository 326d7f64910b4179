/*
 * queue_text.h - the operations of a queue, for people.
 */
#ifndef MQD_DUMP_SHOW_QUEUE_TEXT_H
#define MQD_DUMP_SHOW_QUEUE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/show/text/queue_run.h"

/* How queues are shown. */
struct queue_view {
    struct row_view row;
    bool each;                     /* each operation; else of runs of them the first and the last period */
    const struct mqd_process_name *here;   /* the process that has the queue */
};

/* Prints the operations of a queue of that class, as a table if that fits the terminal. */
void queue_text_print(FILE *to, int class, const struct queue *queue, const struct queue_view *view);

/* How many operations would be shown. */
size_t queue_text_count(int class, const struct queue *queue);

#endif
