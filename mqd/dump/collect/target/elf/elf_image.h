/*
 * elf_image.h - a program, library or debug file, for elfutils: only sections that are needed, within limits.
 *
 * Whoever owns a file can change it at any time. libelf reads it, and maps nothing: a mapping of a file that becomes
 * shorter would end mqdump with SIGBUS. No descriptor stays open, of which there are fewer than files: elfutils sees
 * what was loaded. Sections that would make it open another file, or that are larger than they may be, are hidden from
 * it. The file is opened again, and must be the same file, if more of it is needed. That fails while files are sealed
 * (plain_file.h).
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
#include <sys/stat.h>

/* Where a file is. */
struct file_source {
    const char *root;          /* the directory below which `path` is looked up; NULL: "/" */
    const char *path;
    const char *direct;        /* a path under /proc that leads to the file whatever its name is; NULL: none */
};

/* Frees the texts of one that owns them. */
void file_source_clear(struct file_source *source);

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
    struct file_source source; /* of its own */
    struct stat info;
    GElf_Ehdr header;
    Elf *elf;                  /* what symbols, the dynamic linker, notes and unwinding need */
    Elf *debug;                /* the debug information; NULL: it was not loaded */
    char *content;             /* all of a file without sections, whose handle points into it; else NULL */
    uint64_t n_loaded;         /* bytes */
    const void *build_id;      /* what identifies the build; NULL: it has none */
    size_t n_build_id;
    uint64_t debug_entry;      /* as linked, of what the dynamic linker tells debuggers (DT_DEBUG); 0: none */
    bool has_code;             /* false: it has separate debug information only */
    bool has_debug_info;       /* also if it has not been loaded */
    struct elf_links links;
};

/*
 * Takes over an open file, and loads its headers and sections but for debug information. Returns false, with the reason
 * in *why, if it cannot be used, and without a reason if it is no ELF file.
 */
bool elf_image_open(struct elf_image *image, int descriptor, const struct file_source *source, char **why);
void elf_image_close(struct elf_image *image);

/*
 * Loads the debug information too. Returns false, with the reason in *why, if it cannot be had or is larger than it may
 * be. Compressed sections count as what they are inflated to.
 */
bool elf_image_load_debug(struct elf_image *image, char **why);

/*
 * Reads from the file; bytes behind its end are zeros. False, with the reason in *why, if it cannot be read, or was
 * changed since it was opened.
 */
bool elf_image_read(const struct elf_image *image, uint64_t offset, void *buffer, size_t size, char **why);

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

bool elf_image_has_build_id(const struct elf_image *image, const void *id, size_t n);

/* What identifies a build as people write it, for free(). */
char *build_id_text(const unsigned char *id, size_t n);

#endif
