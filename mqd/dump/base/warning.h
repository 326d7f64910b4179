/*
 * warning.h - writes warnings and notices to standard error. All code below main, observe and select_job uses it.
 */
#ifndef MQD_DUMP_BASE_WARNING_H
#define MQD_DUMP_BASE_WARNING_H

#include <stddef.h>

/* Writes "mqdump: warning: ...", safe for a terminal. Does not write a text that was written before. */
void warning_give(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* From now on warnings are only kept, for warning_given: somebody else writes them. */
void warnings_keep(void);

/* Writes "mqdump: ...", safe for a terminal, also if the same text was written before. */
void notice_give(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Writes a line that another process of mqdump wanted to write, safe for a terminal. */
void message_pass(const char *text);

/* Returns the text of the i-th warning, without "mqdump: warning: "; NULL if there are not so many. */
const char *warning_given(size_t i);

/* Forgets all warnings. */
void warnings_clear(void);

#endif
