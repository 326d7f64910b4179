/*
 * active_library.c - which of several MPI libraries a process uses, or why it has none.
 */
#include "mqd/dump/collect/target/active_library.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/reason.h"

/* Two variables of Open MPI: a table that is all zero before MPI_Init, and the state of MPI. */
static const char table_name[] = "ompi_mpi_communicators", state_name[] = "ompi_mpi_state";

/* States from here on are those of MPI_Finalize; the table keeps some of its values. */
enum { FIRST_FINAL_STATE = 3 };

enum { MAX_TABLE = 1024 };

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

/* A program that refers to one of these variables may define it too. Only a library defines both. */
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
    OWNED char *shown_path = printable(elf_file_path(shown->file), 0);
    OWNED char *other_path = printable(elf_file_path(other->file), 0);

    set_reason(&modules->doubt, "MPI is initialised in two libraries, %s and %s: only the first one is looked at",
               shown_path, other_path);
}

void active_library_choose(struct modules *modules, struct process *process)
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

bool active_library_was_initialised(const struct modules *modules, struct process *process)
{
    for (size_t i = 0; i < modules->n; i++)
        if (!modules->modules[i].idle && use_of(&modules->modules[i], process) >= FINISHED)
            return true;
    return false;
}

static bool read_word(struct process *process, uint64_t address, size_t word, uint64_t *value)
{
    uint32_t narrow;
    bool good;

    if (word == sizeof *value)
        return process_read(process, address, value, sizeof *value) == READ_OK;
    good = process_read(process, address, &narrow, sizeof narrow) == READ_OK;
    if (good)
        *value = narrow;
    return good;
}

/*
 * The dynamic linker tells debuggers its state (struct r_debug of <link.h>): at first there is no such structure, and
 * while libraries are loaded its state is not zero.
 */
static bool is_loading(const struct module *executable, struct process *process)
{
    size_t word = elf_file_is_64_bit(executable->file) ? sizeof(uint64_t) : sizeof(uint32_t);
    uint64_t entry = elf_file_debug_entry(executable->file), debug;
    int state;

    if (entry == 0 || !read_word(process, entry + executable->bias, word, &debug))
        return false;
    return debug == 0 || (process_read(process, debug + 3 * word, &state, sizeof state) == READ_OK && state != 0);
}

char *missing_mpi_reason(const struct modules *modules, struct process *process)
{
    const struct module *executable = &modules->modules[0];
    uint64_t address;

    if (modules_find_symbol(modules, table_name, &address))
        return NULL;
    if (is_loading(executable, process))
        return copy_string("it is just loading its libraries, and Open MPI is not there yet: try again");
    /* The name of a class, which is in every library of Open MPI. */
    if (elf_file_has_string(executable->file, "ompi_communicator_t"))
        return copy_string("its executable holds a statically linked Open MPI but no symbols of it any more: link it "
                           "without stripping it, or with the shared library");
    return NULL;
}
