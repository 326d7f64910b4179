/*
 * copies.c - which of several libraries is in use, and whether a process is a copy of another.
 */
#include "mqd/dump/copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "mqd/dump/common.h"
#include "mqd/dump/printable.h"

/* The variables that tell: all zero before MPI_Init; and what has become of MPI since. */
static const char table_name[] = "ompi_mpi_communicators", state_name[] = "ompi_mpi_state";

/* States from here on are those of MPI_Finalize; the table keeps some of its values. */
enum { FIRST_FINAL_STATE = 3 };

enum { MAX_TABLE = 1024, N_RANDOM_BYTES = 16 };

enum use { NO_LIBRARY, UNUSED, FINISHED, IN_USE };

static bool find(const struct module *module, const char *name, struct elf_symbol *symbol)
{
    bool found = elf_file_find_symbol(module->file, name, false, symbol) ||
                 elf_file_find_symbol(module->file, name, true, symbol);

    if (found)
        symbol->value += module->bias;
    return found;
}

static bool is_zero(struct process *process, const struct elf_symbol *symbol)
{
    unsigned char bytes[MAX_TABLE];
    size_t size = symbol->size < sizeof bytes ? (size_t)symbol->size : sizeof bytes;

    if (process_read(process, symbol->value, bytes, size) != READ_OK)
        return true;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* A program that only refers to one of these variables may have it too, but not both: that takes the whole library. */
static enum use use_of(const struct module *module, struct process *process)
{
    struct elf_symbol table, state;
    int value;

    if (!find(module, table_name, &table) || !find(module, state_name, &state))
        return NO_LIBRARY;
    if (is_zero(process, &table))
        return UNUSED;
    if (process_read(process, state.value, &value, sizeof value) == READ_OK && value >= FIRST_FINAL_STATE)
        return FINISHED;
    return IN_USE;
}

static void doubt(struct modules *modules, const struct module *shown, const struct module *other)
{
    char *shown_path = printable(elf_file_path(shown->file), 0), *other_path = printable(elf_file_path(other->file), 0);

    fail(&modules->doubt, "MPI is initialised in two libraries, %s and %s: only the first one is looked at",
         shown_path, other_path);
    free(shown_path);
    free(other_path);
}

void copies_choose(struct modules *modules, struct process *process)
{
    struct module *chosen = NULL;
    enum use most = NO_LIBRARY;

    for (size_t i = 0; i < modules->n; i++) {
        struct module *module = &modules->modules[i];
        enum use use = use_of(module, process);

        module->idle = use != NO_LIBRARY;
        if (use == IN_USE && most == IN_USE)
            doubt(modules, chosen, module);
        if (use > most) {
            chosen = module;
            most = use;
        }
    }
    if (chosen != NULL)
        chosen->idle = false;
}

/* The address of the random bytes that each program gets from the kernel when it starts; 0 if it cannot be had. */
static uint64_t random_address(pid_t pid, size_t word)
{
    char path[64], *bytes;
    uint64_t found = 0;
    size_t size;

    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    bytes = proc_read_file(path, &size);
    for (size_t at = 0; bytes != NULL && found == 0 && at + 2 * word <= size; at += 2 * word) {
        uint64_t key = 0, value = 0;

        if (word == sizeof(uint32_t)) {
            key = ((const uint32_t *)(const void *)bytes)[at / word];
            value = ((const uint32_t *)(const void *)bytes)[at / word + 1];
        } else {
            key = ((const uint64_t *)(const void *)bytes)[at / word];
            value = ((const uint64_t *)(const void *)bytes)[at / word + 1];
        }
        if (key == AT_RANDOM)
            found = value;
    }
    free(bytes);
    return found;
}

static bool run_the_same_program(struct process *a, struct process *b, size_t word)
{
    uint64_t address = random_address(a->reader, word);
    unsigned char of_a[N_RANDOM_BYTES], of_b[N_RANDOM_BYTES];

    return address != 0 && random_address(b->reader, word) == address &&
           process_read(a, address, of_a, sizeof of_a) == READ_OK &&
           process_read(b, address, of_b, sizeof of_b) == READ_OK && memcmp(of_a, of_b, sizeof of_a) == 0;
}

/* After a fork everything is where it was. */
static bool has_initialised(const struct modules *modules, struct process *process)
{
    for (size_t i = 0; i < modules->n; i++)
        if (!modules->modules[i].idle && use_of(&modules->modules[i], process) >= FINISHED)
            return true;
    return false;
}

pid_t copies_forked_from(const struct modules *modules, struct process *process)
{
    size_t word = elf_file_is_64_bit(modules->modules[0].file) ? sizeof(uint64_t) : sizeof(uint32_t);
    struct proc_status status;
    struct process parent;
    bool same;

    if (!proc_read_status(process->reader, &status) || status.parent <= 0)
        return 0;
    parent = (struct process){.pid = status.parent, .reader = status.parent, .memory = -1};
    same = run_the_same_program(process, &parent, word) && has_initialised(modules, &parent);
    process_close(&parent);
    return same ? status.parent : 0;
}
