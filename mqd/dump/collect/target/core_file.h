/*
 * core_file.h - the program and library files that a core names, found again and checked to be the same.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_CORE_FILE_H
#define MQD_DUMP_COLLECT_TARGET_CORE_FILE_H

#include "mqd/dump/collect/target/core.h"
#include "mqd/dump/collect/target/elf_file.h"
#include "mqd/dump/collect/target/files.h"

/*
 * The file that is mapped at `start`, where its first mapping starts. NULL if there is no such program or library, or
 * if its build-id, or where it has none its first page, is not that in the core; a warning then says so where
 * it matters, once.
 */
struct elf_file *core_file_find(struct files *files, const struct core *core, uint64_t start);

#endif
