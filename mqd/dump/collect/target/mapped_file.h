/*
 * mapped_file.h - opens the files that a process has mapped, also if the process has another root or mount namespace.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_MAPPED_FILE_H
#define MQD_DUMP_COLLECT_TARGET_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "mqd/dump/collect/target/elf/file_image.h"
#include "mqd/dump/collect/target/process.h"

/* A file as a line of the process's maps names it. */
struct mapped_file {
    const char *path;
    uint64_t device, inode;
    uint64_t start, end, offset;
};

/*
 * Opens it for reading. Returns -1, with the reason in errno, if it cannot be opened; *other then says whether there is
 * another file of that name now.
 */
int mapped_file_open(const struct mapped_file *mapped, struct process *process, bool *other);

/* Where it is, as long as the process is there. The texts are for free(). */
struct file_source mapped_file_source(const struct mapped_file *mapped, const struct process *process);
void mapped_file_source_clear(struct file_source *source);

#endif
