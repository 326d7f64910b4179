/*
 * debug_info.h - the debug information of a program or library: types, and source lines.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_DEBUG_INFO_H
#define MQD_DUMP_COLLECT_TARGET_DEBUG_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "include/mpi_interface.h"
#include "mqd/dump/collect/target/elf/elf_image.h"
#include "mqd/dump/collect/target/elf/routine.h"

struct debug_info;

/*
 * Loads the debug information of `image`, which belongs to `program` (and may be the same). NULL if there is none; a
 * warning says so if there is and it cannot be used. Both must live longer than the result.
 */
struct debug_info *debug_info_open(struct elf_image *image, const struct elf_image *program);
void debug_info_close(struct debug_info *info);

/* Finds out the names of all types, which makes later questions short. */
void debug_info_read_types(struct debug_info *info);

/* types_find on it. */
mqs_type *debug_info_find_type(struct debug_info *info, const char *name, bool tags_only, const char **declared);

/*
 * Finds the source line of an address as linked. Returns the file's path, which lives as long as `info`; NULL if the
 * debug information does not tell it.
 */
const char *debug_info_find_line(struct debug_info *info, uint64_t address, int *line);

/*
 * In which language the code at an address is written: is it Fortran? *program is the name of the main program in the
 * same source, which lives as long as `info`, NULL if there is none. False if the debug information does not tell.
 */
bool debug_info_find_fortran(struct debug_info *info, uint64_t address, bool *is_fortran, const char **program);

/* Finds the functions at an address. */
void debug_info_find_routine(struct debug_info *info, uint64_t address, struct routine *routine);

#endif
