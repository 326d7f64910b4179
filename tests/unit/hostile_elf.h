/*
 * hostile_elf.h - adds to made ELF files what harms who reads them without limits.
 */
#ifndef TESTS_UNIT_HOSTILE_ELF_H
#define TESTS_UNIT_HOSTILE_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/made_elf.h"

/* A structure of that name with four members of its own type and no name, and then "last". */
void hostile_elf_own_structure(struct made_elf *elf, const char *name);

/* A unit whose types are in the file of that path (split DWARF). */
void hostile_elf_split_unit(struct made_elf *elf, const char *path);

/* A base type whose name is said to be in the file of that path, which is to have an id of n_id bytes. */
void hostile_elf_alternate_name(struct made_elf *elf, const char *path, size_t n_id);

/* Debug information of some bytes that is said to be inflated to 8 GiB; the old kind has another name and header. */
void hostile_elf_inflating_section(struct made_elf *elf);
void hostile_elf_old_inflating_section(struct made_elf *elf);

/* Symbols (.gnu_debugdata) that are inflated to so many MiB. False if liblzma was missing at build time. */
bool hostile_elf_inflating_symbols(struct made_elf *elf, unsigned n_mib);

/* So many symbols, of which each has the rest of the name of the one before; the names have up to n_names bytes. */
void hostile_elf_suffix_symbols(struct made_elf *elf, uint32_t n, uint32_t n_names);

#endif
