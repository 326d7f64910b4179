/*
 * warning.h - writes warnings and notices to standard error. All code below main, observe and select_job uses it.
 */
#ifndef MQD_DUMP_BASE_WARNING_H
#define MQD_DUMP_BASE_WARNING_H

#include <stddef.h>

/* Writes "mqdump: warning: ...", safe for a terminal. Does not write a text that was written before. */
void warning_give(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Writes "mqdump: ...", safe for a terminal, also if the same text was written before. */
void notice_give(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Returns the text of the i-th warning, without "mqdump: warning: "; NULL if there are not so many. */
const char *warning_given(size_t i);

/* Forgets all warnings. */
void warnings_clear(void);

#endif
