/*
 * made_elf.h - makes ELF files for tests, also ones that no linker would make, and what harms who reads them without
 * limits.
 */
#ifndef TESTS_UNIT_MADE_ELF_H
#define TESTS_UNIT_MADE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct made_elf;

/* A library with one loaded part, of a page at 0, and no sections. */
struct made_elf *made_elf_begin(void);

/* Adds a section; its content is copied. Returns its number. */
uint32_t made_elf_section(struct made_elf *elf, const char *name, uint32_t type, uint64_t flags, const void *content,
                          size_t n);

/* A section that refers to another, as a table of symbols does to its names. */
uint32_t made_elf_linked(struct made_elf *elf, const char *name, uint32_t type, uint32_t link, const void *content,
                         size_t n);

/* Debug information: one unit, whose length is set, with its abbreviations. */
void made_elf_debug_info(struct made_elf *elf, unsigned char *unit, size_t n, const unsigned char *abbreviations,
                         size_t n_abbreviations);

/* The usual sections of their names. */
void made_elf_build_id(struct made_elf *elf, const unsigned char *id, size_t n);
void made_elf_debug_link(struct made_elf *elf, const char *name);

/* A table of symbols, of all n or of the one of that name. */
struct made_symbol {
    const char *name;
    uint64_t value, size;
    enum {MADE_GLOBAL, MADE_WEAK, MADE_LOCAL} binding;
};
void made_elf_symbols(struct made_elf *elf, const struct made_symbol *symbols, size_t n);
void made_elf_symbol(struct made_elf *elf, const char *name, uint64_t value);

/* The libraries that it needs, by their names; the first is its own. */
void made_elf_needs(struct made_elf *elf, const char *const *names, size_t n);

/* All of its code can be unwound. */
void made_elf_unwind_rules(struct made_elf *elf);

/* How often its one loaded part is listed. */
void made_elf_parts(struct made_elf *elf, uint16_t n);

/* Writes the file, which must not exist, and frees the rest. */
void made_elf_write(struct made_elf *elf, const char *path);

/* A structure of that name with four members of its own type and no name, and then "last". */
void hostile_elf_own_structure(struct made_elf *elf, const char *name);

/* A unit whose types are in the file of that path (split DWARF). */
void hostile_elf_split_unit(struct made_elf *elf, const char *path);

/* A base type whose name is said to be in the file of that path, which is to have an id of n_id bytes. */
void hostile_elf_alternate_name(struct made_elf *elf, const char *path, size_t n_id);

/* Debug information of some bytes that is said to be inflated to 8 GiB; the old kind has another name and header. */
void hostile_elf_inflating_section(struct made_elf *elf);
void hostile_elf_old_inflating_section(struct made_elf *elf);

/* So many symbols, of which each has the rest of the name of the one before; the names have up to n_names bytes. */
void hostile_elf_suffix_symbols(struct made_elf *elf, uint32_t n, uint32_t n_names);

#endif
