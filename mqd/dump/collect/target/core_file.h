/*
 * core_file.h - finds the program and library files that a core names, and checks that they are the same.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_CORE_FILE_H
#define MQD_DUMP_COLLECT_TARGET_CORE_FILE_H

#include "mqd/dump/collect/target/core.h"
#include "mqd/dump/collect/target/elf/elf_file.h"
#include "mqd/dump/collect/target/elf/files.h"

/*
 * Returns the file whose first mapping starts at `start`. Returns NULL if there is no such program or library, or if it
 * is another file: if its build-id, or without a build-id its first page, differs from the core. For files that matter
 * a warning says so once.
 */
struct elf_file *core_file_find(struct files *files, const struct core *core, uint64_t start);

#endif
