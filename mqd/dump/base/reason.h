/*
 * reason.h - keeps the first reason why something failed.
 */
#ifndef MQD_DUMP_BASE_REASON_H
#define MQD_DUMP_BASE_REASON_H

#include <stdbool.h>

/*
 * Sets *why to a text for free(), unless it has one already. Returns false: functions of mqdump return this result when
 * they fail.
 */
bool set_reason(char **why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
