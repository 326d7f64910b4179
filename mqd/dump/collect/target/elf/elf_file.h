/*
 * elf_file.h - one program or library file: how it is loaded, its symbols, its types.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_ELF_FILE_H
#define MQD_DUMP_COLLECT_TARGET_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/mpi_interface.h"
#include "mqd/dump/collect/target/elf/debug_info.h"
#include "mqd/dump/collect/target/elf/elf_image.h"
#include "mqd/dump/collect/target/elf/symbols.h"

/* A part of the file that is mapped when it is loaded. */
struct elf_load {
    uint64_t offset;       /* in the file */
    uint64_t address;      /* as linked */
    uint64_t size;         /* in memory */
    bool executable;
};

/* What others may read, and from `image` on what only functions for files use. */
struct elf_file {
    const char *path, *name;           /* that it was opened under, and that without directories */
    unsigned machine;                  /* that its code is for, EM_X86_64 and so on */
    bool is_64_bit, is_little_endian;
    struct elf_load *loads;            /* the loadable parts in their order */
    size_t n_loads;
    const char **needed;               /* the names of the libraries that it needs (DT_NEEDED) */
    size_t n_needed;
    const char *needed_as;             /* the name that others need it by (DT_SONAME); `name` if it has none */
    uint64_t counted;                  /* of whoever counts how often a process has it: the last one, and how often */
    size_t count;
    struct symbols symbols;            /* that it defines: of its full table if it has one, else of its dynamic one */

    struct elf_image image;
    struct elf_image debug_image;      /* of a separate file; without `elf` if there is none */
    char *inflated;                    /* a file in memory with symbols that the file keeps compressed, or NULL */
    Elf *inflated_elf;
    bool rules_read, debug_read;
    struct Dwarf_CFI_s *rules;         /* NULL: it does not tell how to unwind */
    struct debug_info *debug;          /* NULL: none */
    bool fortran_known, has_fortran;
};

/*
 * Takes over an open file. `from` says where it is: its debug information is searched below that root. Returns NULL,
 * with the reason in *why, if it cannot be used, and without a reason if it is no ELF program or library. With
 * `separate_debug` its debug information is also searched in other files (debug_file.h). No descriptor stays open.
 */
struct elf_file *elf_file_open(int descriptor, const struct file_source *from, bool separate_debug, char **why);
void elf_file_close(struct elf_file *file);

/*
 * Reads from the file's content. As in a mapping, the last page is filled with zeros behind the end of the file. False
 * if the file is shorter.
 */
bool elf_file_read(const struct elf_file *file, uint64_t offset, void *buffer, size_t size);

/* The function that has an address as linked; NULL: not known. *offset is from its start. */
const char *elf_file_find_function(struct elf_file *file, uint64_t address, uint64_t *offset);

/*
 * What the source has at an address as linked, which may read much of the debug information. Without that, code whose
 * function's name may be of Fortran is taken for it if the file has other code of Fortran.
 */
void elf_file_find_source(struct elf_file *file, uint64_t address, struct source_place *source);

/* Does the file tell how to unwind (.eh_frame) a function that has this address as linked? */
bool elf_file_can_unwind(struct elf_file *file, uint64_t address);

/* Is there a symbol, also one that the file only uses, whose name ends with this text? */
bool elf_file_has_name(const struct elf_file *file, const char *text);

/* Is there a string in the content of the loaded parts that ends with this text? False if they cannot be read. */
bool elf_file_has_string(const struct elf_file *file, const char *text);

/*
 * Reads everything that is asked for while processes are held, when files are sealed: the debug information, and the
 * names of all types in it. What cannot be read is warned of. Done once for a file.
 */
void elf_file_prepare(struct elf_file *file);

/* types_find on the file's debug information; NULL too if it has none. */
mqs_type *elf_file_find_type(struct elf_file *file, const char *name, bool tags_only, const char **declared);

#endif
