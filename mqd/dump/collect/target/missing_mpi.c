/*
 * missing_mpi.c - why a process has no symbols of an MPI library.
 */
#include "mqd/dump/collect/target/missing_mpi.h"

#include <string.h>

#include "mqd/dump/base/memory.h"

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

    if (modules_find_symbol(modules, "ompi_mpi_communicators", &address))
        return NULL;
    if (is_loading(executable, process))
        return copy_string("it is just loading its libraries, and Open MPI is not there yet: try again");
    /* The name of a class, which is in every library of Open MPI. */
    if (elf_file_has_string(executable->file, "ompi_communicator_t"))
        return copy_string("its executable holds a statically linked Open MPI but no symbols of it any more: link it "
                           "without stripping it, or with the shared library");
    return NULL;
}
