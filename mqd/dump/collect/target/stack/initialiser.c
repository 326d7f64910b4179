/*
 * initialiser.c - which thread has initialised MPI.
 *
 * Open MPI keeps that thread as an object, in a variable that it exports. The object has the thread's handle, which on
 * some architectures is its thread pointer: on others nothing is found.
 */
#include "mqd/dump/collect/target/stack/initialiser.h"

#include "mqd/dump/collect/target/elf/elf_file.h"

/* More words than the object has before its end in any build. */
enum { N_WORDS = 8 };

static uint64_t find_object(struct process *process, const struct modules *modules)
{
    static const char name[] = "ompi_mpi_main_thread";
    uint64_t object = 0;

    for (size_t i = 0; i < modules->n && object == 0; i++) {
        const struct elf_file *file = modules->modules[i].file;
        const struct symbol *symbol = file->is_64_bit ? symbols_find(&file->symbols, name, false) : NULL;

        if (symbol != NULL &&
            !process_read_word(process, symbol->value + modules->modules[i].bias, sizeof object, &object))
            object = 0;
    }
    return object;
}

static pid_t find_thread(const struct stacks *stacks, uint64_t pointer)
{
    for (size_t i = 0; i < stacks->n; i++)
        if (pointer != 0 && stacks->stacks[i].registers.thread_pointer == pointer)
            return stacks->stacks[i].thread;
    return 0;
}

/* None of the object's other words can be a thread pointer: only one may be. */
pid_t initialiser_find(struct process *process, const struct modules *modules, const struct stacks *stacks)
{
    uint64_t object = stacks->n > 0 ? find_object(process, modules) : 0, word;
    pid_t found = 0;

    for (size_t i = 0; i < N_WORDS && object != 0; i++) {
        pid_t thread = process_read_word(process, object + i * sizeof word, sizeof word, &word)
                           ? find_thread(stacks, word) : 0;

        if (thread != 0 && found != 0)
            return 0;
        found = thread != 0 ? thread : found;
    }
    return found;
}
