/*
 * elf_image.c - a program, library or debug file, for elfutils: only sections that are needed, within limits.
 *
 * Any number in the file may be wrong. libelf compares those of headers with the size of the file.
 */
#include "mqd/dump/collect/target/elf/elf_image.h"

#include <elfutils/libdwelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/reason.h"

/* The largest libraries have symbols and tables to unwind of some hundreds of MiB. */
enum { MAX_BASICS = 1 << 30 };

/* Debug information that is read, inflated. That of the largest programs has some GiB. */
static const uint64_t max_debug = (uint64_t)2 << 30;

/* What elfutils needs of a section. */
enum need {
    NEED_NONE,                 /* its content is never looked at */
    NEED_BASIC,
    NEED_DEBUG,
    NEED_HIDE                  /* it would be read without use, or leads to another file */
};

/* Of DWARF only what types and source lines need. ".zdebug_" is an old name of compressed sections. */
static enum need need_by_name(const char *name)
{
    static const char *const basic[] = {".eh_frame", ".eh_frame_hdr", ".debug_frame", ".zdebug_frame",
                                        ".gnu_debuglink", ".gnu_debugaltlink", ".gnu_debugdata"};
    static const char *const debug[] = {"info", "abbrev", "str", "line", "line_str", "aranges", "ranges", "rnglists",
                                        "str_offsets", "addr", "types"};
    const char *kind = without_beginning(without_beginning(name, ".debug_"), ".zdebug_");

    if (IS_ONE_OF(name, basic))
        return NEED_BASIC;
    if (kind != name)
        return IS_ONE_OF(kind, debug) ? NEED_DEBUG : NEED_HIDE;
    return name_begins_with(name, ".gnu.debuglto_") ? NEED_HIDE : NEED_NONE;
}

static const char *name_of(const struct elf_image *image, const GElf_Shdr *header)
{
    const char *name = elf_strptr(image->elf, image->names, header->sh_name);

    return name != NULL ? name : "";
}

static enum need need_of(const struct elf_image *image, const GElf_Shdr *header)
{
    switch (header->sh_type) {
    case SHT_NOBITS:
    case SHT_NULL:
        return NEED_NONE;
    case SHT_SYMTAB:
    case SHT_DYNSYM:
    case SHT_STRTAB:
    case SHT_DYNAMIC:
    case SHT_NOTE:
        return NEED_BASIC;
    default:
        return need_by_name(name_of(image, header));
    }
}

static void hide(Elf_Scn *section, GElf_Shdr header)
{
    header.sh_type = SHT_NOBITS;
    gelf_update_shdr(section, &header);
}

Elf_Scn *next_section(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
    section = elf_nextscn(elf, section);
    return section != NULL && gelf_getshdr(section, header) != NULL ? section : NULL;
}

Elf_Scn *section_of_type(Elf *elf, uint32_t type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;

    while ((section = next_section(elf, section, header)) != NULL && header->sh_type != type)
        continue;
    return section;
}

/* Sizes. */

static uint64_t big_endian_at(const unsigned char *bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* How much memory elfutils will need for a section, whose content was loaded. */
static uint64_t inflated_size(const struct elf_image *image, Elf_Scn *section, const GElf_Shdr *header)
{
    const unsigned char *start = file_image_memory(image->content) + header->sh_offset;
    GElf_Chdr compression;

    if ((header->sh_flags & SHF_COMPRESSED) != 0)
        return gelf_getchdr(section, &compression) != NULL ? compression.ch_size : 0;
    if (name_begins_with(name_of(image, header), ".zdebug_") && header->sh_size >= 12 && memcmp(start, "ZLIB", 4) == 0)
        return big_endian_at(start + 4);
    return 0;
}

static bool is_inside(const struct elf_image *image, uint64_t offset, uint64_t size)
{
    uint64_t all = file_image_size(image->content);

    return offset <= all && size <= all - offset;
}

static bool fail_large(const struct elf_image *image, const GElf_Shdr *header, uint64_t size, uint64_t most, char **why)
{
    return set_reason(why, "its section %.64s makes %" PRIu64 " bytes, more than the %" PRIu64 " MiB that are read",
                      name_of(image, header), size, most >> 20);
}

/*
 * Loads one section. *sum counts the bytes of all, since forged sections may overlap. What is compressed counts as
 * what it is inflated to.
 */
static bool load_section(struct elf_image *image, Elf_Scn *section, const GElf_Shdr *header, uint64_t *sum,
                         uint64_t most, char **why)
{
    uint64_t inflated;

    if (!is_inside(image, header->sh_offset, header->sh_size))
        return set_reason(why, "its section %.64s lies behind its end", name_of(image, header));
    if (header->sh_size > most - *sum)
        return fail_large(image, header, *sum + header->sh_size, most, why);
    *sum += header->sh_size;
    if (!file_image_load(image->content, header->sh_offset, header->sh_size, why))
        return false;
    inflated = inflated_size(image, section, header);
    if (inflated > most - *sum)
        return fail_large(image, header, inflated, most, why);
    *sum += inflated;
    return true;
}

/* Headers. */

/* elfutils reads headers when it begins, so that it begins again when more of them are there. */
static bool begin(struct elf_image *image)
{
    elf_end(image->elf);
    memory_watch();
    image->elf = elf_memory((char *)file_image_memory(image->content), file_image_size(image->content));
    memory_check();
    return gelf_getehdr(image->elf, &image->header) != NULL;
}

static bool load_table(const struct elf_image *image, uint64_t offset, Elf_Type type, size_t n, char **why)
{
    return file_image_load(image->content, offset, gelf_fsize(image->elf, type, n, EV_CURRENT), why);
}

/* Counts that do not fit into the header are in the first section. */
static bool load_headers(struct elf_image *image, char **why)
{
    const GElf_Ehdr *header = &image->header;
    size_t n_sections, n_segments;

    return file_image_load(image->content, 0, sizeof(Elf64_Ehdr), why) && begin(image) &&
           load_table(image, header->e_shoff, ELF_T_SHDR, 1, why) && begin(image) &&
           elf_getshdrnum(image->elf, &n_sections) == 0 && elf_getphdrnum(image->elf, &n_segments) == 0 &&
           load_table(image, header->e_phoff, ELF_T_PHDR, n_segments, why) &&
           load_table(image, header->e_shoff, ELF_T_SHDR, n_sections, why) && begin(image);
}

/* Sections. */

static bool load_names(struct elf_image *image, uint64_t *sum, char **why)
{
    Elf_Scn *section;
    GElf_Shdr header;

    if (elf_getshdrstrndx(image->elf, &image->names) != 0)
        image->names = 0;
    section = image->names != 0 ? elf_getscn(image->elf, image->names) : NULL;
    if (section == NULL || gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_STRTAB)
        return true;
    return load_section(image, section, &header, sum, MAX_BASICS, why);
}

static bool load_basic_sections(struct elf_image *image, uint64_t *sum, char **why)
{
    GElf_Shdr header;

    for (Elf_Scn *section = NULL; (section = next_section(image->elf, section, &header)) != NULL;) {
        enum need need;

        if (header.sh_type == SHT_NOBITS && (header.sh_flags & SHF_EXECINSTR) != 0)
            image->has_code = false;
        need = need_of(image, &header);
        if (need == NEED_BASIC && !load_section(image, section, &header, sum, MAX_BASICS, why))
            return false;
        if (need == NEED_HIDE)
            hide(section, header);
        if (need == NEED_DEBUG && strstr(name_of(image, &header), "debug_info") != NULL)
            image->has_debug_info = true;
    }
    return true;
}

/* Without section headers there are these still. */
static bool load_basic_segments(struct elf_image *image, uint64_t *sum, char **why)
{
    GElf_Phdr header;

    for (int i = 0; gelf_getphdr(image->elf, i, &header) != NULL; i++) {
        if ((header.p_type != PT_DYNAMIC && header.p_type != PT_NOTE && header.p_type != PT_GNU_EH_FRAME) ||
            !is_inside(image, header.p_offset, header.p_filesz))
            continue;
        if (header.p_filesz > MAX_BASICS - *sum)
            return set_reason(why, "its segments have more than %d MiB", MAX_BASICS >> 20);
        *sum += header.p_filesz;
        if (!file_image_load(image->content, header.p_offset, header.p_filesz, why))
            return false;
    }
    return true;
}

/* A text at the start of a section; NULL if it does not end there. */
static char *text_of(const unsigned char *content, size_t n)
{
    return content != NULL && memchr(content, '\0', n) != NULL ? copy_string((const char *)content) : NULL;
}

/* elfutils would open the alternate file by itself. */
static void read_links(struct elf_image *image)
{
    struct elf_links *links = &image->links;
    Elf_Scn *section = elf_image_section(image, ".gnu_debugaltlink");
    size_t n = 0, used;
    const unsigned char *content = elf_image_content(elf_image_section(image, ".gnu_debuglink"), &n);
    GElf_Shdr header;

    links->debug = text_of(content, n);
    content = elf_image_content(section, &n);
    links->alternate = text_of(content, n);
    if (links->alternate != NULL) {
        used = strlen(links->alternate) + 1;
        links->n_alternate_id = n - used;
        links->alternate_id = allocate_array(n - used, 1);
        memcpy(links->alternate_id, content + used, n - used);
    }
    if (section != NULL && gelf_getshdr(section, &header) != NULL)
        hide(section, header);
}

static bool read_image(struct elf_image *image, char **why)
{
    uint64_t sum = 0;

    if (!load_headers(image, why))
        return false;
    memory_watch();
    /* Where headers are not aligned elfutils copies all of them at the first question. */
    elf_nextscn(image->elf, NULL);
    memory_check();
    image->has_code = true;
    if (!load_names(image, &sum, why) || !load_basic_sections(image, &sum, why) ||
        !load_basic_segments(image, &sum, why))
        return false;
    read_links(image);
    return true;
}

/* Archives and compressed files are none. */
static bool has_elf_magic(int descriptor)
{
    unsigned char ident[EI_NIDENT];

    return pread(descriptor, ident, sizeof ident, 0) == (ssize_t)sizeof ident && memcmp(ident, ELFMAG, SELFMAG) == 0 &&
           (ident[EI_CLASS] == ELFCLASS32 || ident[EI_CLASS] == ELFCLASS64) &&
           (ident[EI_DATA] == ELFDATA2LSB || ident[EI_DATA] == ELFDATA2MSB);
}

bool elf_image_open(struct elf_image *image, int descriptor, const struct file_source *source, char **why)
{
    bool good;

    *image = (struct elf_image){0};
    if (!has_elf_magic(descriptor)) {
        close(descriptor);
        return false;
    }
    elf_version(EV_CURRENT);
    image->content = file_image_open(descriptor, source, why);
    good = image->content != NULL && file_image_size(image->content) >= sizeof(Elf64_Ehdr) && read_image(image, why);
    if (good)
        file_image_rest(image->content);
    else
        elf_image_close(image);
    return good;
}

void elf_image_close(struct elf_image *image)
{
    elf_end(image->elf);
    file_image_close(image->content);
    FREE_ALL(image->links.debug, image->links.alternate, image->links.alternate_id);
    *image = (struct elf_image){0};
}

static bool load_debug_sections(struct elf_image *image, char **why)
{
    GElf_Shdr header;
    uint64_t sum = 0;

    for (Elf_Scn *section = NULL; (section = next_section(image->elf, section, &header)) != NULL;)
        if (need_of(image, &header) == NEED_DEBUG && !load_section(image, section, &header, &sum, max_debug, why))
            return false;
    return true;
}

/* elfutils reads debug information by itself to unwind, and inflates it without a limit. */
static void hide_debug_sections(struct elf_image *image)
{
    GElf_Shdr header;

    for (Elf_Scn *section = NULL; (section = next_section(image->elf, section, &header)) != NULL;)
        if (need_of(image, &header) == NEED_DEBUG)
            hide(section, header);
}

bool elf_image_load_debug(struct elf_image *image, char **why)
{
    bool good = load_debug_sections(image, why);

    if (!good)
        hide_debug_sections(image);
    file_image_rest(image->content);
    return good;
}

Elf_Scn *elf_image_section(const struct elf_image *image, const char *name)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = next_section(image->elf, section, &header)) != NULL)
        if (header.sh_type != SHT_NOBITS && strcmp(name_of(image, &header), name) == 0)
            break;
    return section;
}

const unsigned char *elf_image_content(Elf_Scn *section, size_t *n_bytes)
{
    const Elf_Data *data;

    memory_watch();
    data = elf_rawdata(section, NULL);
    memory_check();
    if (data == NULL || data->d_buf == NULL || data->d_size == 0)
        return NULL;
    *n_bytes = data->d_size;
    return data->d_buf;
}

const char *section_names(Elf *elf, size_t number, size_t *n_bytes)
{
    Elf_Scn *section = elf_getscn(elf, number);
    const unsigned char *content;
    GElf_Shdr header;

    if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_STRTAB)
        return NULL;
    content = elf_image_content(section, n_bytes);
    return content != NULL && content[*n_bytes - 1] == '\0' ? (const char *)content : NULL;
}

const void *elf_image_build_id(const struct elf_image *image, size_t *n)
{
    const void *id;
    ssize_t size;

    memory_watch();
    size = dwelf_elf_gnu_build_id(image->elf, &id);
    memory_check();
    if (size <= 0)
        return NULL;
    *n = (size_t)size;
    return id;
}
