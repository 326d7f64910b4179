/*
 * mapped_file.h - finds and opens the files that a process or a core has mapped.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MAPPED_FILE_H
#define MQD_DUMP_COLLECT_TARGET_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/target/elf/files.h"
#include "mqd/dump/collect/target/process.h"

/* One mapped range of a file. */
struct mapping {
    uint64_t start, end, offset;
    bool executable;
};

/* A file as consecutive lines of a process's maps name it. */
struct mapped_file {
    char *path;
    bool deleted, executable;  /* executable: a part of it */
    uint64_t device, inode;
    struct mapping *mappings;
    size_t n, room;
};

/*
 * Opens it for reading. Returns -1, with the reason in errno, if it cannot be opened; *other then says whether there is
 * another file of that name now.
 */
int mapped_file_open(const struct mapped_file *mapped, struct process *process, bool *other);

/* Where it is, as long as the process is there. The texts are for free(). */
struct file_source mapped_file_source(const struct mapped_file *mapped, const struct process *process);

/*
 * Returns the file whose first mapping in a core starts at `start`. Returns NULL if there is no such program or
 * library, or if it is another file: if its build-id, or without a build-id its first page, differs from the core. Of
 * files that matter a warning says so once.
 */
struct elf_file *core_file_find(struct files *files, const struct core *core, uint64_t start);

#endif
