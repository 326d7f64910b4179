/*
 * can_trace.h - may a process be held here?
 */
#ifndef CAN_TRACE_H
#define CAN_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

/* Containers and security settings may forbid to trace a process at all. Says so on stderr. */
bool can_trace(void);

/* What /proc says of a thread: its state, '?' if it has ended, and who traces it, 0 if nobody does. */
char state_of(pid_t thread);
pid_t tracer_of(pid_t thread);

#endif
