/*
 * files.h - the program and library files that were opened, for all processes together.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_FILES_H
#define MQD_DUMP_COLLECT_TARGET_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/target/elf_file.h"

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
    bool warned_of_others;               /* of one of those that matter less */
};

void files_close(struct files *files);

/* Takes over a descriptor: the file, opened only if it was not before. NULL if it is no ELF program or library. */
struct elf_file *files_take(struct files *files, int descriptor, const char *path);

/* The entry of a file, by its numbers; NULL if it has none. What is returned moves when the next one is added. */
struct file_entry *files_find(const struct files *files, uint64_t device, uint64_t inode);
struct file_entry *files_add(struct files *files, uint64_t device, uint64_t inode);

/* Is a file of that name worth the search for separate debug information? */
bool file_deserves_debug_file(const char *path);

#endif
