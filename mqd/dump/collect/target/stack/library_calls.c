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

static bool is_system(const struct module *module)
{
    static const char *const names[] = {"libc.", "libc-", "libpthread", "ld-"};

    return BEGINS_WITH_ANY(elf_file_name(module->file), names);
}

static bool is_openmp(const struct module *module)
{
    static const char *const names[] = {"libgomp", "libomp.", "libomp-", "libiomp5"};

    return BEGINS_WITH_ANY(elf_file_name(module->file), names);
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

/* One frame: its module, and the name of its function. */
struct named_frame {
    const struct module *module;       /* NULL: none has it */
    const char *function;              /* NULL: not known */
};

static struct named_frame name_frame(const struct stack *stack, size_t i, const struct modules *modules)
{
    struct named_frame frame = {.module = modules_find(modules, stack->addresses[i])};
    struct elf_place place = {.function = NULL};

    if (frame.module == NULL)
        return frame;
    elf_file_find_place(frame.module->file, stack->addresses[i] - frame.module->bias, false, &place);
    frame.function = place.function;
    return frame;
}

/* The first frame that is not the system's; stack->n if there is none. */
static size_t skip_system(const struct stack *stack, const struct modules *modules)
{
    size_t i = 0;

    while (i < stack->n) {
        const struct module *module = modules_find(modules, stack->addresses[i]);

        if (module != NULL && !is_system(module))
            break;
        i++;
    }
    return i;
}

/* "libgomp" of "libgomp.so.1" and "libomp" of "libomp-14.so.5" */
static void set_openmp(struct library_calls *calls, const struct module *module)
{
    const char *name = elf_file_name(module->file);

    snprintf(calls->openmp, sizeof calls->openmp, "%.*s", (int)strcspn(name, ".-"), name);
}

/* Counts a thread whose frames from `first` on are in OpenMP and were called by code of somebody else. */
static void add_wait(struct library_calls *calls, const struct stack *stack, size_t first,
                     const struct modules *modules)
{
    bool lock = false, barrier = false;
    struct named_frame frame = {.module = NULL};
    size_t i = first;

    for (; i < stack->n; i++) {
        frame = name_frame(stack, i, modules);
        if (frame.module == NULL || !is_openmp(frame.module))
            break;
        lock |= frame.function != NULL && is_lock(frame.function);
        barrier |= frame.function != NULL && is_barrier(frame.function);
    }
    if (i == stack->n || frame.module == NULL || is_system(frame.module) || (!lock && !barrier && !stack->in_futex))
        return;
    calls->n_at_lock += lock;
    calls->n_in_barrier += barrier && !lock;
    calls->n_in_openmp += !lock && !barrier;
    set_openmp(calls, modules_find(modules, stack->addresses[first]));
}

/* The system call by the function of the C library that makes it, perhaps through others of that library. */
static void set_system(struct library_calls *calls, const struct stack *stack, size_t end, const struct modules *modules)
{
    for (size_t i = 0; i < end; i++) {
        const char *function = name_frame(stack, i, modules).function;

        if (function == NULL || system_call_number(function + strspn(function, "_")) < 0)
            continue;
        snprintf(calls->system, sizeof calls->system, "%s", function + strspn(function, "_"));
        return;
    }
}

/* What the main thread does in the system, for whom. */
static void set_main(struct library_calls *calls, const struct stack *stack, size_t first,
                     const struct modules *modules)
{
    struct named_frame frame;

    set_system(calls, stack, first, modules);
    if (first == stack->n)
        return;
    frame = name_frame(stack, first, modules);
    if (frame.module == NULL || frame.module == &modules->modules[0] || is_openmp(frame.module))
        return;
    snprintf(calls->library, sizeof calls->library, "%s", elf_file_name(frame.module->file));
    if (frame.function != NULL)
        snprintf(calls->function, sizeof calls->function, "%s", frame.function);
}

void library_calls_add(struct library_calls *calls, const struct stack *stack, bool is_main,
                       const struct modules *modules)
{
    size_t first = skip_system(stack, modules);
    const struct module *module = first < stack->n ? modules_find(modules, stack->addresses[first]) : NULL;

    if (module != NULL && is_openmp(module))
        add_wait(calls, stack, first, modules);
    if (is_main)
        set_main(calls, stack, first, modules);
}
