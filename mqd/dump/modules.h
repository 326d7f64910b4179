/*
 * modules.h - the program and library files that a process has mapped, and what their symbols and types say.
 */
#ifndef MQD_DUMP_MODULES_H
#define MQD_DUMP_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/mpi_interface.h"
#include "mqd/dump/elf_file.h"
#include "mqd/dump/process.h"

/* All files that were opened, each once however many processes have mapped it. */
struct file_entry {
    uint64_t device, inode;
    bool opened;               /* false: it was only warned that it cannot be */
    struct elf_file *file;     /* NULL: no ELF program or library, or not opened */
};
struct files {
    struct file_entry *entries;
    size_t n, room;

    /* For core files. */
    const char *sysroot;                 /* where the files are that they name; NULL: where they say */
    const char *const *executables;      /* to be taken for theirs, if they are the same build */
    size_t n_executables;
    char **warnings;                     /* that were given about files that cannot be used */
    size_t n_warnings, warning_room;
    bool warned_of_others;               /* of one of those that matter less */
};

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

void files_close(struct files *files);

/* Takes over a descriptor: the file, opened only if it was not before. NULL if it is no ELF program or library. */
struct elf_file *files_take(struct files *files, int descriptor, const char *path);

/*
 * Finds the files that the process has mapped and loaded as programs. `executable` is its path, or NULL if that is not
 * known. A program file that has been replaced meanwhile is left out with a warning on stderr. False if it cannot be
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

/* Is a file of that name worth the search for separate debug information? */
bool module_deserves_debug_file(const char *path);

#endif
