/*
 * debug_file.h - finds the files with the debug information of a program or library.
 *
 * The rule: a regular file below the root of the process or core, in one of the places where distributions keep such
 * files, with the same build-id. Whoever makes a program can write any name and any link into it, and mqdump may have
 * rights that he has not. So a name that leads somewhere else is not followed, and a file without a build-id is not
 * taken for that of another file.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_DEBUG_FILE_H
#define MQD_DUMP_COLLECT_TARGET_DEBUG_FILE_H

#include <stdbool.h>

#include "mqd/dump/collect/target/elf/elf_image.h"

/*
 * Opens the debug information of `program` that was separated, by its build-id and by its debug link; else from the
 * servers of DEBUGINFOD_URLS. False if there is none.
 */
bool debug_file_find(struct elf_image *found, const struct elf_image *program);

/* Opens what the debug file, which belongs to `program`, has in common with others. False if there is none. */
bool debug_file_find_alternate(struct elf_image *found, const struct elf_image *debug, const struct elf_image *program);

#endif
