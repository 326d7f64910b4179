/*
 * guard.h - ends groups of processes when the process that has started them has ended, however that was.
 *
 * A program that mqdump starts may start others, which the kernel does not end with it. The guard is a process that
 * waits for nothing but the end of its caller, and then ends the groups that are left.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_GUARD_H
#define MQD_DUMP_COLLECT_CHILD_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

struct guard {
    pid_t pid;
    int to;                        /* its pipe; the guard ends when nobody has it any more */
};

/* Starts the guard of the calling process. Returns false if it cannot be started; the other functions do nothing then. */
bool guard_start(struct guard *guard);

/* The calling process becomes the leader of a session and group of its own, which is ended from now on. */
void guard_enter(const struct guard *guard);

/* The group is not ended any more. Its leader must not have been waited for: until then its number is nobody else's. */
void guard_leave(const struct guard *guard, pid_t group);

/* Ends the groups that are left, and the guard. */
void guard_end(struct guard *guard);

#endif
