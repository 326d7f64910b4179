/*
 * files.h - the program and library files that were opened, for all processes together.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_FILES_H
#define MQD_DUMP_COLLECT_TARGET_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/collect/target/elf/elf_file.h"

/* All files that were opened, each once however many processes have mapped it. */
struct file_entry {
    char number[40];           /* device and inode */
    bool opened;               /* false: it was tried in vain */
    bool warned;               /* that it cannot be opened */
    struct elf_file *file;     /* NULL: no ELF program or library, or not opened */
    char *refused;             /* why it cannot be used; NULL: it can, or it is no ELF program or library */
};
struct files {
    struct file_entry **entries;
    size_t n, room;
    struct name_index numbers; /* to positions in `entries` */

    /* For core files. */
    const char *sysroot;                 /* where the files are that they name; NULL: where they say */
    const char *const *executables;      /* to be taken for theirs, if they are the same build */
    size_t n_executables;
    bool warned_of_others;               /* of one of those that matter less */
};

void files_close(struct files *files);

/*
 * Takes over a descriptor and returns its file, which is opened only the first time. NULL, as from elf_file_open, if it
 * is no ELF program or library or cannot be used.
 */
struct elf_file *files_take(struct files *files, int descriptor, const struct file_source *source, char **why);

/* Takes over a descriptor of the entry's file, and opens that for good. */
void file_entry_open(struct file_entry *entry, int descriptor, const struct file_source *source);

/* The entry of a file by device and inode; NULL if there is none. */
struct file_entry *files_find(const struct files *files, uint64_t device, uint64_t inode);
struct file_entry *files_add(struct files *files, uint64_t device, uint64_t inode);

/* Is a file of that name worth the search for separate debug information? */
bool file_deserves_debug_file(const char *path);

#endif
