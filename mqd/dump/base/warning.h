/*
 * warning.h - what is said on standard error beside the output, in one place for all that collects and concludes.
 */
#ifndef MQD_DUMP_BASE_WARNING_H
#define MQD_DUMP_BASE_WARNING_H

#include <stddef.h>

/* "mqdump: warning: ...", fit for a terminal. A text that was given before is not given again. */
void warning_give(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "mqdump: ...", fit for a terminal, as often as it is said. */
void notice_give(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The i-th of the warnings that were given, without what comes before it; NULL if there are not so many. */
const char *warning_given(size_t i);

/* Forgets all that were given. */
void warnings_clear(void);

#endif
