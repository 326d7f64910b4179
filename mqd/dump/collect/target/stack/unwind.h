/*
 * unwind.h - the stacks of a process's threads, as addresses.
 *
 * Threads are unwound while they are stopped, or from a core. stack.h finds the functions of the addresses afterwards.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_UNWIND_H
#define MQD_DUMP_COLLECT_TARGET_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/stack/thread_registers.h"

/* The return addresses of one thread, the innermost first. Each is moved back into the call instruction before it. */
struct stack {
    pid_t thread;
    bool ended;            /* the outermost frame was reached */
    bool in_futex;         /* it waits for another thread, however long that takes */
    uint64_t futex;        /* the address of the futex that it waits for, for ever or not; 0: none, or not known */
    uint32_t futex_value;  /* what is there as long as it waits */
    struct thread_registers registers; /* zeroed: not known */
    int error_signal;      /* in a core: core_error_signal(), of the thread that it hit; 0: none */
    size_t interrupted;    /* the outermost frame that a signal interrupted; 0: none, or the first */
    uint64_t *addresses;
    size_t n, room;
    uint64_t low, high;    /* the stack pointers of the innermost and of the outermost frame; 0: not known */
};

struct stacks {
    struct stack *stacks;  /* of the threads that were held */
    size_t n, room;
    bool complete;         /* no thread was left out */
    pid_t initialiser;     /* the thread that has initialised MPI, from initialiser.h; 0: not known */
    uint64_t vdso_start, vdso_end; /* the library that the kernel maps, which is no module; 0: none */
};

/*
 * Unwinds the threads of a stopped process, or of a core, by the modules that it has mapped. Leaves out what cannot be
 * unwound. The time per process is limited to a part of a second.
 */
void stacks_take(struct stacks *stacks, struct process *process, const struct modules *modules);
void stacks_clear(struct stacks *stacks);

#endif
