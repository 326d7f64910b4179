/*
 * progress.h - a line on standard error, if that is a terminal and it takes longer than a second.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_PROGRESS_H
#define MQD_DUMP_COLLECT_CHILD_PROGRESS_H

#include <stddef.h>

/* Starts the measurement of the second after which the line is shown. */
void progress_start(void);

/*
 * Shows "mqdump: read 12 of 64 ranks", where the noun is `counted`. It never waits for the terminal, since processes
 * may be stopped meanwhile. Until progress_end() nothing else may be written to the terminal.
 */
void progress_show(const char *what, size_t n, size_t of, const char *counted);

/* Removes the line. */
void progress_end(void);

#endif
