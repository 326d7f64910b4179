/*
 * unwind.h - the stacks of a process's threads, as addresses.
 *
 * Threads are unwound while they are stopped, or from a core. What the addresses mean is found out afterwards: stack.h.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_UNWIND_H
#define MQD_DUMP_COLLECT_TARGET_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"

/* The return addresses of one thread, the innermost first, each moved into the call that it returns to. */
struct stack {
    pid_t thread;
    bool ended;            /* the outermost frame was reached */
    bool in_futex;         /* it waits for another thread */
    bool in_system;        /* it waits in the kernel, for whatever */
    int error_signal;      /* in a core: core_error_signal(), of the thread that it hit; 0: none */
    size_t interrupted;    /* the outermost frame that a signal interrupted; 0: none, or the first */
    uint64_t *addresses;
    size_t n, room;
};

struct stacks {
    struct stack *stacks;  /* of the threads that were held */
    size_t n, room;
    bool complete;         /* no thread was left out */
};

/*
 * Unwinds the threads of a stopped process, or of one of which there is a core, by the modules that it has mapped. What
 * cannot be had is left out; it takes no longer than a given part of a second per process.
 */
void stacks_take(struct stacks *stacks, struct process *process, const struct modules *modules);
void stacks_clear(struct stacks *stacks);

#endif
