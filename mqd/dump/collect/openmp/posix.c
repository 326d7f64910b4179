/*
 * posix.c - what threads wait for in the C library.
 *
 * A thread that waits for a mutex sleeps at the mutex's address, where glibc has its lock. glibc keeps the holder
 * behind that. A condition has no holder, and is waited for somewhere inside of it.
 */
#include "mqd/dump/collect/openmp/posix.h"

/* The beginning of a mutex of glibc. */
struct mutex {
    uint32_t lock;                 /* 0: free, 1: held, 2: held and waited for; or the holder's id, and flags */
    uint32_t count;
    uint32_t owner;                /* the holder's id, which it sets when it has the lock; 0: none, or not yet */
    uint32_t n_users;
    uint32_t kind;
};

enum { HELD_AND_AWAITED = 2, ID_MASK = 0x3fffffff, KIND_MASK = 0x3ff, ROBUST = 16, OF_PROCESSES = 128 };

/* Is it still as the thread found it when it went to sleep? */
static bool is_awaited_mutex(const struct mutex *mutex, uint32_t value)
{
    bool has_id = mutex->owner != 0 && (mutex->lock & ID_MASK) == mutex->owner;

    return (mutex->kind & ~(uint32_t)KIND_MASK) == 0 &&
           (has_id || (mutex->lock == HELD_AND_AWAITED && value == HELD_AND_AWAITED));
}

static pid_t find_thread(const struct stacks *stacks, uint32_t id)
{
    for (size_t i = 0; i < stacks->n; i++)
        if (id != 0 && (uint32_t)stacks->stacks[i].thread == id)
            return stacks->stacks[i].thread;
    return 0;
}

/* Does the thread work with that address? It is in a register then, or in the frames of the innermost functions. */
static bool has_address(struct runtime_memory *memory, const struct stack *stack, int stack_pointer, uint64_t address)
{
    enum { N_WORDS = 64 };
    uint64_t word, start = stack_pointer >= 0 ? stack->registers.values[stack_pointer] : 0;

    if (runtime_has_value(stack->registers.values, stack->registers.n, address))
        return true;
    for (size_t i = 0; i < N_WORDS && start != 0; i++)
        if (runtime_read_word(memory, start + i * sizeof word, &word) && word == address)
            return true;
    return false;
}

/*
 * The condition of glibc that a futex is in: 0 if none is proved. It has one word for each of two groups of threads;
 * glibc 2.41 has moved them. How many threads use it is counted in eights, in the word before those.
 */
static uint64_t find_condition(struct runtime_memory *memory, const struct stack *stack, int stack_pointer)
{
    static const unsigned places[] = {40, 32};
    enum { GROUP = 4, ONE_USER = 8 };
    uint64_t found = 0, second = stack->futex % sizeof(uint64_t);

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t groups = stack->futex - second;
        uint32_t n_users;

        if (!runtime_read(memory, groups - GROUP, &n_users, sizeof n_users) || n_users < ONE_USER ||
            !has_address(memory, stack, stack_pointer, groups - places[i]))
            continue;
        if (found != 0)
            return 0;
        found = groups - places[i];
    }
    return found;
}

void posix_find(struct openmp_sleep *sleep, struct runtime_memory *memory, const struct stacks *stacks, size_t i,
                int stack_pointer)
{
    const struct stack *stack = &stacks->stacks[i];
    struct mutex mutex;

    *sleep = (struct openmp_sleep){.is_known = stack->futex != 0 && stack->in_futex};
    if (!sleep->is_known)
        return;
    if (runtime_read(memory, stack->futex, &mutex, sizeof mutex) && is_awaited_mutex(&mutex, stack->futex_value)) {
        sleep->mutex = stack->futex;
        /*
         * Another process may hold one that processes share, and count threads in another namespace. glibc marks all
         * robust ones so.
         */
        if ((mutex.kind & (OF_PROCESSES | ROBUST)) != OF_PROCESSES)
            sleep->holder = find_thread(stacks, mutex.owner);
    }
    sleep->condition = find_condition(memory, stack, stack_pointer);
}
