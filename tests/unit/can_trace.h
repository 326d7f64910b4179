/*
 * can_trace.h - may a process be held here?
 */
#ifndef CAN_TRACE_H
#define CAN_TRACE_H

#include <stdbool.h>

/* Containers and security settings may forbid to trace a process at all. Says so on stderr. */
bool can_trace(void);

#endif
