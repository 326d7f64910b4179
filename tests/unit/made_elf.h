/*
 * made_elf.h - makes ELF files for tests, also ones that no linker would make.
 */
#ifndef TESTS_UNIT_MADE_ELF_H
#define TESTS_UNIT_MADE_ELF_H

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

/* The usual sections of their names. */
void made_elf_build_id(struct made_elf *elf, const unsigned char *id, size_t n);
void made_elf_debug_link(struct made_elf *elf, const char *name);

/* A table of one symbol of that name. */
void made_elf_symbol(struct made_elf *elf, const char *name, uint64_t value);

/* How often its one loaded part is listed. */
void made_elf_parts(struct made_elf *elf, uint16_t n);

/* Writes the file, which must not exist, and frees the rest. */
void made_elf_write(struct made_elf *elf, const char *path);

#endif
