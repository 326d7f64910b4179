/*
 * mapped_file.h - opens the files that a process has mapped, also if the process has another root or mount namespace.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MAPPED_FILE_H
#define MQD_DUMP_COLLECT_TARGET_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "mqd/dump/collect/target/process.h"

/* A file as a line of the process's maps names it. */
struct mapped_file {
    const char *path;
    uint64_t device, inode;
    uint64_t start, end, offset;
};

/*
 * Opens it for reading. Returns -1 if it cannot be opened; *other then says whether there is another file of that name
 * now.
 */
int mapped_file_open(const struct mapped_file *mapped, struct process *process, bool *other);

#endif
