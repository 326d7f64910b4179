/*
 * library_calls.c - in which libraries threads are, besides MPI.
 *
 * A thread is taken to wait in OpenMP if its innermost frames are in such a library and one of them has the name of a
 * barrier or a lock. Distributions strip these libraries, and their entries end with jumps, so that often no frame has
 * a name: then it must be asleep. A thread of the pool that has nothing to do was called by no program, and does not
 * count.
 */
#include "mqd/dump/collect/target/stack/library_calls.h"

#include <stdio.h>
#include <string.h>

#include "mqd/dump/base/name_list.h"
#include "mqd/dump/collect/target/system_call.h"

bool module_is_system(const struct module *module)
{
    static const char *const names[] = {"libc.", "libc-", "libpthread", "ld-"};

    return BEGINS_WITH_ANY(module->file->name, names);
}

static bool is_openmp(const struct module *module)
{
    static const char *const names[] = {"libgomp", "libomp.", "libomp-", "libiomp5"};

    return BEGINS_WITH_ANY(module->file->name, names);
}

static bool is_lock(const char *function)
{
    static const char *const parts[] = {"lock", "critical", "GOMP_atomic_start", "mutex", "ordered_start"};

    return HAS_ANY(function, parts);
}

/* A region, a loop or sections end with a barrier. */
static bool is_barrier(const char *function)
{
    static const char *const parts[] = {"barrier", "GOMP_parallel", "_end", "__kmpc_fork_call", "join"};

    return HAS_ANY(function, parts);
}

static const char *function_of(const struct frame *frame)
{
    return frame->known != NULL ? frame->known->function : NULL;
}

/* Counts a thread whose frames from `first` on are in OpenMP and were called by code of somebody else. */
static void add_wait(struct library_calls *calls, const struct stack *stack, const struct frame *first,
                     const struct frame *end)
{
    const char *name = first->module->file->name;
    bool lock = false, barrier = false;
    const struct frame *frame = first;

    for (; frame < end && frame->module != NULL && is_openmp(frame->module); frame++) {
        lock |= function_of(frame) != NULL && is_lock(function_of(frame));
        barrier |= function_of(frame) != NULL && is_barrier(function_of(frame));
    }
    if (frame == end || frame->module == NULL || module_is_system(frame->module) ||
        (!lock && !barrier && !stack->in_futex))
        return;
    calls->n_at_lock += lock;
    calls->n_in_barrier += barrier && !lock;
    calls->n_in_openmp += !lock && !barrier;
    /* "libgomp" of "libgomp.so.1" and "libomp" of "libomp-14.so.5" */
    snprintf(calls->openmp, sizeof calls->openmp, "%.*s", (int)strcspn(name, ".-"), name);
}

/* The system call by the function of the C library that makes it, perhaps through others of that library. */
static void set_system(struct library_calls *calls, const struct frame *frames, const struct frame *end)
{
    for (const struct frame *frame = frames; frame < end; frame++) {
        const char *function = function_of(frame);

        if (function == NULL || system_call_number(function + strspn(function, "_")) < 0)
            continue;
        snprintf(calls->system, sizeof calls->system, "%s", function + strspn(function, "_"));
        return;
    }
}

void library_calls_add(struct library_calls *calls, const struct stack *stack, const struct frame *frames, bool is_main)
{
    const struct frame *first = frames, *end = frames + stack->n;

    while (first < end && (first->module == NULL || module_is_system(first->module)))
        first++;
    if (is_main)
        set_system(calls, frames, first);
    if (first == end)
        return;
    if (is_openmp(first->module)) {
        add_wait(calls, stack, first, end);
    } else if (is_main && !first->is_executable) {
        snprintf(calls->library, sizeof calls->library, "%s", first->module->file->name);
        if (function_of(first) != NULL)
            snprintf(calls->function, sizeof calls->function, "%s", function_of(first));
    }
}
