/*
 * process_text.h - the communicators and queues of one process, for people.
 */
#ifndef MQD_DUMP_SHOW_PROCESS_TEXT_H
#define MQD_DUMP_SHOW_PROCESS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"

/*
 * Texts that are compared lack what tells one process from another: rank, process id, core file, addresses; and
 * relative ones also those of peers, which are distances then.
 */
enum comparison { NOT_COMPARED, COMPARED, COMPARED_RELATIVE };

struct process_view {
    bool jobs, users;              /* jobs are named, and their users */
    bool each;                     /* see struct queue_view */
    enum comparison comparison;
};

/* Prints a process of which something is known. */
void process_text_print(FILE *to, const struct listing *listing, const struct process_view *view);

/*
 * Processes that are shown together, " of job 4711 on n[01-02], processes 3911-3973", for free(). Process ids are left
 * out where there are several machines or too many ranges.
 */
char *process_text_others(const struct listing *const *listings, size_t n, const struct process_view *view);

#endif
