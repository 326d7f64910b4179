/*
 * reason.h - why something failed: the first reason is the one that counts.
 */
#ifndef MQD_DUMP_BASE_REASON_H
#define MQD_DUMP_BASE_REASON_H

#include <stdbool.h>

/*
 * Sets *why, unless it has a text already, and returns false: the way in which a function of mqdump says that it
 * failed. The text is for free().
 */
bool set_reason(char **why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
