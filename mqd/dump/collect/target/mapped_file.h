/*
 * mapped_file.h - opens the files that a process has mapped, also where it sees other files than mqdump does.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MAPPED_FILE_H
#define MQD_DUMP_COLLECT_TARGET_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "mqd/dump/collect/target/process.h"

/* A file as one range of the process's maps names it. */
struct mapped_file {
    const char *path;
    uint64_t device, inode;
    uint64_t start, end, offset;
};

/*
 * Opens it for reading. -1 if it cannot be opened; *other then says whether its name leads to another file by now.
 */
int mapped_file_open(const struct mapped_file *mapped, struct process *process, bool *other);

#endif
