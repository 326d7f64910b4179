/*
 * progress.h - a line on standard error, if that is a terminal and it takes longer than a second.
 */
#ifndef MQD_DUMP_BASE_PROGRESS_H
#define MQD_DUMP_BASE_PROGRESS_H

#include <stddef.h>

/* From now on it takes time. */
void progress_start(void);

/*
 * "mqdump: read 12 of 64 ranks". It never waits for the terminal, since processes may be stopped meanwhile. Afterwards
 * nothing else may be written to the terminal before progress_end().
 */
void progress_show(const char *what, size_t n, size_t of);

/* Takes the line away. */
void progress_end(void);

#endif
