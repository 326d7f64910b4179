/*
 * activity.h - what a process does as the kernel sees it: whether it runs, and what it waits for in the kernel.
 *
 * All of it comes from files under /proc that the kernel fills without touching the process's memory or files. So a
 * process that waits for a dead file server is described too, and nobody waits with it.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_ACTIVITY_H
#define MQD_DUMP_COLLECT_TARGET_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/process.h"

enum { NO_SYSTEM_CALL = -1 };

struct activity {
    pid_t thread;          /* that is described: one that waits uninterruptibly, else the main one; 0: none is known */
    char state;            /* as in struct proc_status */
    pid_t tracer;          /* 0: nobody but mqdump traces it */
    char tracer_name[64];
    long call;             /* the number of the system call that it waits in; NO_SYSTEM_CALL: none, or not known */
    char channel[64];      /* the function of the kernel in which it waits; "": not known */
    char file[128];        /* what the call's file descriptor stands for, cut; "": it has none, or not known */
    uint64_t switches;     /* how often another thread got its processor; 0: not known */
    double at;             /* when it was read, by seconds_now() */
    double since;          /* since when it is proved to wait uninterruptibly in the same call without having run */
    bool has_share;        /* the process was looked at before: */
    double share;          /* how much of one processor it has used since then, 1: all of it */
    double free_at, used;  /* when it was last let go, and the processor time that it had used then, in seconds */
};

/*
 * Reads what a live process does. `*activity` is that of the look before, or zeroed. The process must not be held. If
 * there is no such process any more activity->thread is 0.
 */
void activity_take(struct activity *activity, const struct process *process);

/* Looks again at a thread that waited uninterruptibly, so that a longer time is proved. */
void activity_follow(struct activity *activity, const struct process *process);

/*
 * Names a call that the kernel has begun again, as it does after a thread was held: `function` is the function of the C
 * library that the thread is in.
 */
void activity_name_restarted(struct activity *activity, const char *function);

/* Notes that the process is about to be let go: the share of the processor counts from here. */
void activity_start_share(struct activity *activity, const struct process *process);

/* Is the process kept from running by job control, or by another debugger? */
bool activity_is_stopped(const struct activity *activity);

/* The same from the look before to this one? */
bool activity_stayed_stopped(const struct activity *before, const struct activity *after);

/* For how many seconds it is proved to wait uninterruptibly; 0: it does not, or was seen once. */
double activity_stuck_seconds(const struct activity *activity);

/* "vfork", or "system call 470", in the buffer, if it has no name here; NULL: in none, or not known. */
enum { CALL_NAME_SIZE = 40 };
const char *activity_call_name(const struct activity *activity, char buffer[CALL_NAME_SIZE]);

#endif
