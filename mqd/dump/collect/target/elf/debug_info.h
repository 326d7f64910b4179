/*
 * debug_info.h - the debug information of a program or library: its types, and what its source has at an address.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_DEBUG_INFO_H
#define MQD_DUMP_COLLECT_TARGET_DEBUG_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/target/elf/elf_image.h"
#include "mqd/dump/collect/target/elf/types.h"

struct debug_info;

/* Of more the innermost ones are told. */
enum { MAX_INLINED = 32 };

/* A function that stands in another one. */
struct inlined {
    const char *function;      /* its symbol, or its name as written if it has none; NULL: not known */
    const char *source;        /* the path of the file where it is called; NULL: not known */
    int line;                  /* of the call; 0: not known */
};

/* What the source has at an address. The strings live as long as the debug information. */
struct source_place {
    const char *path;          /* of its file; NULL: not known */
    int line;
    bool is_fortran;
    const char *program;       /* is_fortran: the name of the main program in the same source; NULL: not known */
    const char *function;      /* as written, that has the code; NULL: not known */
    const char *module;        /* the module of Fortran that has this function; NULL: none */
    struct inlined inlined[MAX_INLINED];   /* the innermost first */
    size_t n_inlined;
};

/*
 * Loads the debug information of `image`, which belongs to `program` (and may be the same). NULL if there is none; a
 * warning says so if there is and it cannot be used. Both must live longer than the result.
 */
struct debug_info *debug_info_open(struct elf_image *image, const struct elf_image *program);
void debug_info_close(struct debug_info *info);

/* The types that it has; NULL: none that are read. */
struct types *debug_info_types(struct debug_info *info);

/* What the source has at an address as linked. False if the debug information does not tell in which language it is. */
bool debug_info_find_source(struct debug_info *info, uint64_t address, struct source_place *source);

#endif
