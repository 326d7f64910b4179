/*
 * elf_file.h - one program or library file: how it is loaded, its symbols, its types.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_ELF_FILE_H
#define MQD_DUMP_COLLECT_TARGET_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/mpi_interface.h"
#include "mqd/dump/collect/target/elf/file_image.h"
#include "mqd/dump/collect/target/elf/routine.h"

/* A part of the file that is mapped when it is loaded. */
struct elf_load {
    uint64_t offset;       /* in the file */
    uint64_t address;      /* as linked */
    uint64_t size;         /* in memory */
    bool executable;
};

/* A symbol that the file defines: its value as linked, and its size, 0 if that is not known. */
struct elf_symbol {
    uint64_t value, size;
};

struct elf_file;

/* What lies at an address. The strings live as long as the file. */
struct elf_place {
    const char *function;  /* NULL: not known */
    uint64_t offset;       /* from its start */
    const char *source;    /* the file's name without directories; NULL: no debug information */
    int line;
    bool in_header;        /* `source` is a header of some library, as far as its path tells */
    bool is_fortran;       /* written in Fortran; without debug information: its name may be,
                              and its file has code of Fortran */
    const char *program;   /* is_fortran: the name of the main program in the same source; NULL: not known */
};

/*
 * Takes over an open file. `source` says where it is: its debug information is searched below that root. Returns NULL,
 * with the reason in *why, if it cannot be used, and without a reason if it is no ELF program or library. With
 * `separate_debug` its debug information is also searched in other files (debug_file.h). No descriptor stays open.
 */
struct elf_file *elf_file_open(int descriptor, const struct file_source *source, bool separate_debug, char **why);
void elf_file_close(struct elf_file *file);

/* Counts how often this was called with this number, which is larger than those before. */
size_t elf_file_count(struct elf_file *file, uint64_t number);

/* The path that it was opened under. */
const char *elf_file_path(const struct elf_file *file);

/* The machine that its code is for, EM_X86_64 and so on. */
unsigned elf_file_machine(const struct elf_file *file);
bool elf_file_is_64_bit(const struct elf_file *file);
bool elf_file_is_little_endian(const struct elf_file *file);

/* Does the file have program code? Files with separate debug information do not have it. */
bool elf_file_has_code(const struct elf_file *file);

/* What identifies the build, and how many bytes that has; NULL if the file has none. */
const void *elf_file_build_id(const struct elf_file *file, size_t *n);

/*
 * Reads from the file's content. As in a mapping, the last page is filled with zeros behind the end of the file. False
 * if the file is shorter.
 */
bool elf_file_read(const struct elf_file *file, uint64_t offset, void *buffer, size_t size);

/* The loadable parts in their order; *n counts them. */
const struct elf_load *elf_file_loads(const struct elf_file *file, size_t *n);

/*
 * A symbol that the file defines, from its full symbol table if it has one and its dynamic one otherwise. `local`
 * chooses between the file's local symbols and all others.
 */
bool elf_file_find_symbol(const struct elf_file *file, const char *name, bool local, struct elf_symbol *symbol);

/* The address as linked of the file's entry for debuggers (DT_DEBUG), which the dynamic linker fills in; 0: none. */
uint64_t elf_file_debug_entry(const struct elf_file *file);

/*
 * The names of the libraries that the file needs (DT_NEEDED); *n counts them. They live as long as the file. The name
 * that others need it by (DT_SONAME); its file's name if it has none.
 */
const char *const *elf_file_needed(const struct elf_file *file, size_t *n);
const char *elf_file_needed_as(const struct elf_file *file);

/* Does the file tell how to unwind (.eh_frame) a function that has this address as linked? */
bool elf_file_can_unwind(struct elf_file *file, uint64_t address);

/* Is there a symbol, also one that the file only uses, whose name ends with this text? */
bool elf_file_has_name(const struct elf_file *file, const char *text);

/* Is there a string in the content of the loaded parts that ends with this text? False if they cannot be read. */
bool elf_file_has_string(const struct elf_file *file, const char *text);

/*
 * What lies at an address as linked. The source is only looked for where `with_source`, since that may read much of the
 * debug information.
 */
void elf_file_find_place(struct elf_file *file, uint64_t address, bool with_source, struct elf_place *place);

/* The functions that the source has at an address as linked. */
void elf_file_find_routine(struct elf_file *file, uint64_t address, struct routine *routine);

/* One more reference to elfutils' view of the file, for elf_end(). NULL if there can be none. */
struct Elf *elf_file_share(const struct elf_file *file);

/* The file's name without directories. */
const char *elf_file_name(const struct elf_file *file);

/*
 * Reads everything that is asked for while processes are held, when files are sealed: the debug information, and the
 * names of all types in it. What cannot be read is warned of. Done once for a file.
 */
void elf_file_prepare(struct elf_file *file);

/* types_find on the file's debug information; NULL too if it has none. */
mqs_type *elf_file_find_type(struct elf_file *file, const char *name, bool tags_only, const char **declared);

#endif
