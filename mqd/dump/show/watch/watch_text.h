/*
 * watch_text.h - what several looks show together, for people: a page for a screen, or lines about what has changed.
 */
#ifndef MQD_DUMP_SHOW_WATCH_TEXT_H
#define MQD_DUMP_SHOW_WATCH_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/show/watch/history.h"

struct watch_page {
    const char *job;               /* what is watched, of any origin */
    const char *time;              /* of the latest look, "12:04:31" */
    double interval;               /* seconds between looks */
    size_t n_lines;                /* that there is room for: ranks are folded to fit, findings may take more */
};

/*
 * Prints the page: how many ranks move, findings and for how long they are there, those that have gone, and where the
 * ranks are, those first that have not moved for the longest time.
 */
void watch_print_page(FILE *to, const struct history *history, const struct watch_page *page);

/* Prints a line for all that the latest look has changed, each with the time. Nothing if nothing has. */
void watch_print_changes(FILE *to, const struct history *history, const char *time);

/* Prints what is left to say when the job has ended: for how long it was watched, and the last findings. */
void watch_print_end(FILE *to, const struct history *history);

/* "45 s", "1:20", "2:03:10", for free(). */
char *duration_text(double seconds) __attribute__((returns_nonnull, warn_unused_result));

#endif
