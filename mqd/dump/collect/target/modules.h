/*
 * modules.h - the program and library files that a process has mapped, and what their symbols and types say.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MODULES_H
#define MQD_DUMP_COLLECT_TARGET_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/mpi_interface.h"
#include "mqd/dump/collect/target/elf_file.h"
#include "mqd/dump/collect/target/files.h"
#include "mqd/dump/collect/target/process.h"

/* A file at the place where a process has it. */
struct module {
    struct elf_file *file;
    uint64_t bias;             /* address in the process minus address as linked, modulo 2^64 */
    bool idle;                 /* it holds an MPI library that is not the one in use: nothing of it counts */
};

/* Those of one process: its executable first, the others by address. */
struct modules {
    struct module *modules;
    size_t n, room;
    char *doubt;               /* why its symbols may not be all that was asked for; NULL: they are */
};

/* One mapped range of a file. */
struct mapping {
    uint64_t start, end, offset;
    bool executable;
};

/*
 * Finds the files that the process has mapped and loaded as programs. `executable` is its path, or NULL if that is not
 * known. A program file that has been replaced meanwhile is left out with a warning. False if it cannot be
 * told what is mapped, or no such file can be read: the reason is in *why.
 */
bool modules_read(struct modules *modules, struct files *files, struct process *process, const char *executable,
                  char **why);
void modules_clear(struct modules *modules);

/*
 * The address of a symbol: of the executable's definition if it has one, else of the first library's that is not idle;
 * local symbols of any file only where nothing else has that name.
 */
bool modules_find_symbol(const struct modules *modules, const char *name, uint64_t *address);

/*
 * The complete type of that name from the first file that is not idle and has it; NULL if none has. Lives as long as
 * the files.
 */
mqs_type *modules_find_type(const struct modules *modules, const char *name);

/*
 * The bias of a file that is loaded at n ranges of it, in the order of their addresses. False if these ranges are not a
 * loaded program: a part is missing or lies elsewhere, or code cannot be executed, as where a file is only read.
 */
bool module_bias(const struct elf_load *loads, size_t n_loads, const struct mapping *mappings, size_t n,
                 uint64_t *bias);

#endif
