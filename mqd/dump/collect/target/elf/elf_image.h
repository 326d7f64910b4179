/*
 * elf_image.h - a program, library or debug file, for elfutils: only sections that are needed, within limits.
 *
 * elfutils gets memory, never a file. Sections that would make it open another file, or that are larger than they may
 * be, are hidden from it.
 *
 * Two things bound what a file can cost. Its size: mqdump(1) names the limits, and what exceeds them is not read. What
 * is within them and still takes too much memory or time, as tables that refer to themselves, ends with the collector
 * (confine_limit), which loses the ranks of this owner alone.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_ELF_IMAGE_H
#define MQD_DUMP_COLLECT_TARGET_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/target/elf/file_image.h"

/*
 * Other files that belong to this one, as it says; NULL: none. `debug` has debug information that was separated,
 * `alternate` what several files have in common. The names may be any text.
 */
struct elf_links {
    char *debug, *alternate;
    unsigned char *alternate_id;
    size_t n_alternate_id;
};

struct elf_image {
    struct file_image *content;
    Elf *elf;
    GElf_Ehdr header;
    size_t names;              /* the section with the names of sections */
    bool has_code;             /* false: it has separate debug information only */
    bool has_debug_info;       /* also if it has not been loaded */
    struct elf_links links;
};

/*
 * Takes over an open file, and loads its headers and what symbols, the dynamic linker, notes and unwinding need.
 * Returns false, with the reason in *why, if it cannot be used, and without a reason if it is no ELF file.
 */
bool elf_image_open(struct elf_image *image, int descriptor, const struct file_source *source, char **why);
void elf_image_close(struct elf_image *image);

/*
 * Loads the debug information too. Returns false, with the reason in *why, if it cannot be had or is larger than it may
 * be; it is hidden then. Compressed sections count as what they are inflated to.
 */
bool elf_image_load_debug(struct elf_image *image, char **why);

/*
 * Goes to the next section, from NULL to the first, or to the first of a type (SHT_SYMTAB and so on), and puts its
 * header into *header. NULL if there is none.
 */
Elf_Scn *next_section(Elf *elf, Elf_Scn *section, GElf_Shdr *header);
Elf_Scn *section_of_type(Elf *elf, uint32_t type, GElf_Shdr *header);

/*
 * The names in the section of that number, which others refer to: texts of *n_bytes together, of which the last is a
 * NUL. NULL if it has none.
 */
const char *section_names(Elf *elf, size_t number, size_t *n_bytes);

/*
 * The section of that name; NULL if there is none, or if it is hidden. Its content is only there if it was loaded:
 * elf_image_content is what the section has, NULL if that is not known or the section is empty.
 */
Elf_Scn *elf_image_section(const struct elf_image *image, const char *name);
const unsigned char *elf_image_content(Elf_Scn *section, size_t *n_bytes);

/* What identifies the build, and how many bytes that has; NULL if the file has none. */
const void *elf_image_build_id(const struct elf_image *image, size_t *n);

#endif
