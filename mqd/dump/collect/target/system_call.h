/*
 * system_call.h - the names of system calls in which a thread may stay for long.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_SYSTEM_CALL_H
#define MQD_DUMP_COLLECT_TARGET_SYSTEM_CALL_H

/* The name of a call by its number on this machine; NULL if the table has none. */
const char *system_call_name(long number);

/* The number of a call that is in the table by that name; -1 if none is. */
long system_call_number(const char *name);

enum system_call_kind {
    CALL_OTHER,                /* or not in the table */
    CALL_ON_FILE,              /* its first argument is a file descriptor */
    CALL_SLEEPS,               /* it waits for nothing but time */
    CALL_RESTARTS              /* the kernel has begun a call again that something had interrupted: it does not tell which */
};
enum system_call_kind system_call_kind(long number);

#endif
