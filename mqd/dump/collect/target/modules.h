/*
 * modules.h - the program and library files that a process has mapped, with their symbols and types.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MODULES_H
#define MQD_DUMP_COLLECT_TARGET_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/mpi_interface.h"
#include "mqd/dump/collect/target/elf/elf_file.h"
#include "mqd/dump/collect/target/elf/files.h"
#include "mqd/dump/collect/target/mapped_file.h"
#include "mqd/dump/collect/target/process.h"

/* A file at the addresses where a process has it. */
struct module {
    struct elf_file *file;
    uint64_t bias;             /* address in the process minus address as linked, modulo 2^64 */
    bool idle;                 /* it holds an MPI library that is not the one in use: nothing of it counts */
};

/* Code of a module, by address. */
struct code_range {
    uint64_t start, end;
    size_t module;
};

/* Those of one process: its executable first, the others by address. */
struct modules {
    struct module *modules;
    size_t n, room;
    struct code_range *code;   /* sorted by start */
    size_t n_code, code_room;
    bool incomplete;           /* a program file is left out for want of something, or is beyond a limit */
    char *doubt;               /* why its symbols may not be all that was asked for; NULL: they are */
};

/*
 * Finds the program and library files that the process has loaded. `executable` is the path of the program, or NULL if
 * it is not known. A file that has been replaced meanwhile is left out with a warning. Returns false, with the reason
 * in *why, if the mappings are not known, or if no such file can be read.
 *
 * With `has_new`, which is for a process that is held, no file is opened or read: those that no process had mapped when
 * it was NULL are left out, and *has_new says whether one of them may be a program.
 */
bool modules_read(struct modules *modules, struct files *files, struct process *process, const char *executable,
                  bool *has_new, char **why);
void modules_clear(struct modules *modules);

/* elf_file_prepare for all of them. */
void modules_prepare(const struct modules *modules);

/* The module whose code is at an address, NULL if there is none. */
const struct module *modules_find(const struct modules *modules, uint64_t address);

/*
 * Puts the address of a symbol into *address: that of the executable's definition if it has one, else that of the first
 * library that has one and is not idle. Local symbols are used only if no other symbol has that name.
 */
bool modules_find_symbol(const struct modules *modules, const char *name, uint64_t *address);

/*
 * The complete type of that name from the first file that has it and is not idle; NULL if no file has it. The result is
 * valid as long as the files are open.
 */
mqs_type *modules_find_type(const struct modules *modules, const char *name);

/*
 * Puts into *bias the bias of a file of which n ranges are mapped; they are sorted by address, and overlap in forged
 * cores only: of two that have an address the one that starts later counts then. Returns false if these ranges are not a
 * loaded program: if a part is missing or lies elsewhere, or if code is not executable, as in a file that is mapped only
 * to be read.
 */
bool module_bias(const struct elf_load *loads, size_t n_loads, const struct mapping *mappings, size_t n,
                 uint64_t *bias);

#endif
