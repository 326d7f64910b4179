/*
 * system_call.h - the names of system calls in which a thread may stay for long.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_SYSTEM_CALL_H
#define MQD_DUMP_COLLECT_TARGET_SYSTEM_CALL_H

#include <stdbool.h>

/* The name of a call by its number on this machine; NULL if the table has none. */
const char *system_call_name(long number);

/* The number of a call that is in the table by that name; -1 if none is. */
long system_call_number(const char *name);

/* Has the kernel begun a call again that something had interrupted? It does not tell which. */
bool system_call_is_restart(long number);

/* Is the first argument of the call a file descriptor? */
bool system_call_has_file(long number);

/* Does the call wait for nothing but time? */
bool system_call_sleeps(long number);

#endif
