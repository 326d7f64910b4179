/*
 * elf_image.c - a program, library or debug file, for elfutils: only sections that are needed, within limits.
 *
 * Any number in the file may be wrong. libelf compares those of headers with the size of the file.
 */
#include "mqd/dump/collect/target/elf/elf_image.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/plain_file.h"

/* The largest debug files of real programs have some GiB: web browsers, libraries for graphics processors. */
static const uint64_t max_file = (uint64_t)16 << 30;

/* Of all files together. A program with many large libraries loads some hundreds of MiB of symbols. */
static const uint64_t max_loaded = (uint64_t)4 << 30;

static uint64_t n_loaded;      /* bytes of all files */

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

/* "": it has none. */
static const char *name_of(Elf *elf, const GElf_Shdr *header)
{
    size_t names;
    const char *name = elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header->sh_name) : NULL;

    return name != NULL ? name : "";
}

static enum need need_of(Elf *elf, const GElf_Shdr *header)
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
        return need_by_name(name_of(elf, header));
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

/* Files. */

static bool is_unchanged(const struct elf_image *image, int descriptor)
{
    const struct stat *before = &image->info;
    struct stat now;

    return fstat(descriptor, &now) == 0 && now.st_dev == before->st_dev && now.st_ino == before->st_ino &&
           now.st_size == before->st_size && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

/* Returns -1 if this path does not lead to the same file. */
static int try_path(const struct elf_image *image, const char *root, const char *path, char **why)
{
    int descriptor = path != NULL ? plain_file_open(root, path, why) : -1;

    if (descriptor >= 0 && !is_unchanged(image, descriptor))
        close_one(&descriptor);
    return descriptor;
}

/* Any path is good that leads to the same file. Returns -1, with the reason in *why, if none does. */
static int open_again(const struct elf_image *image, char **why)
{
    const struct file_source *source = &image->source;
    OWNED char *problem = NULL;
    int descriptor;

    if (file_seal_refuses(why))
        return -1;
    descriptor = try_path(image, NULL, source->direct, &problem);
    if (descriptor < 0)
        descriptor = try_path(image, source->root, source->path, &problem);
    if (descriptor < 0)
        descriptor = try_path(image, NULL, source->path, &problem);
    if (descriptor < 0)
        set_reason(why, "it was changed or replaced while it was read%s%s", problem != NULL ? ": " : "",
                   problem != NULL ? problem : "");
    return descriptor;
}

/* False if what was read of it since it was opened cannot be used. */
static bool check_unchanged(const struct elf_image *image, int descriptor, char **why)
{
    return is_unchanged(image, descriptor) || set_reason(why, "it was changed while it was read");
}

static bool read_all(int descriptor, uint64_t offset, void *buffer, size_t size, char **why)
{
    if (plain_file_read(descriptor, offset, buffer, size) == size)
        return true;
    return errno == 0 ? set_reason(why, "it became shorter while it was read")
                      : set_reason(why, "it cannot be read: %s", strerror(errno));
}

bool elf_image_read(const struct elf_image *image, uint64_t offset, void *buffer, size_t size, char **why)
{
    uint64_t left = offset < (uint64_t)image->info.st_size ? (uint64_t)image->info.st_size - offset : 0;
    size_t n = size < left ? size : (size_t)left;
    int descriptor = open_again(image, why);
    bool good = descriptor >= 0 && read_all(descriptor, offset, buffer, n, why) &&
                check_unchanged(image, descriptor, why);

    memset((char *)buffer + n, 0, size - n);
    close_one(&descriptor);
    return good;
}

/* Sections. */

/* A handle that gets the sections of one need, and sees no others. */
struct loading {
    struct elf_image *image;
    Elf *elf;
    enum need need;
    uint64_t sum, most;        /* bytes of all sections so far, since forged ones may overlap */
    char **why;
};

static uint64_t big_endian_at(const unsigned char *bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* How much memory elfutils will need for a section, whose content was loaded. */
static uint64_t inflated_size(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    size_t n = 0;
    const unsigned char *start = elf_image_content(section, &n);
    GElf_Chdr compression;

    if ((header->sh_flags & SHF_COMPRESSED) != 0)
        return gelf_getchdr(section, &compression) != NULL ? compression.ch_size : 0;
    return name_begins_with(name, ".zdebug_") && n >= 12 && memcmp(start, "ZLIB", 4) == 0 ? big_endian_at(start + 4) : 0;
}

static bool fail_large(const struct loading *loading, const char *name, uint64_t size)
{
    return set_reason(loading->why, "its section %.64s makes %" PRIu64 " bytes, more than the %" PRIu64
                      " MiB that are read", name, size, loading->most >> 20);
}

static bool count_loaded(struct elf_image *image, uint64_t size, char **why)
{
    if (size > max_loaded - n_loaded)
        return set_reason(why, "the program files have more content to be read than %" PRIu64 " GiB", max_loaded >> 30);
    image->n_loaded += size;
    n_loaded += size;
    return true;
}

/* What is compressed counts as what it is inflated to. */
static bool load_section(struct loading *loading, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    uint64_t all = (uint64_t)loading->image->info.st_size, inflated;

    if (header->sh_offset > all || header->sh_size > all - header->sh_offset)
        return set_reason(loading->why, "its section %.64s lies behind its end", name);
    if (header->sh_size > loading->most - loading->sum)
        return fail_large(loading, name, loading->sum + header->sh_size);
    if (!count_loaded(loading->image, header->sh_size, loading->why))
        return false;
    loading->sum += header->sh_size;
    /* libelf has no content for some that are not of their type. */
    if (WATCHED(elf_rawdata(section, NULL)) == NULL && errno != 0)
        return set_reason(loading->why, "it cannot be read: %s", strerror(errno));
    inflated = inflated_size(section, header, name);
    if (inflated > loading->most - loading->sum)
        return fail_large(loading, name, inflated);
    loading->sum += inflated;
    return true;
}

/* Without them no section has a name. */
static bool load_names(struct loading *loading)
{
    size_t number;
    Elf_Scn *section = elf_getshdrstrndx(loading->elf, &number) == 0 ? elf_getscn(loading->elf, number) : NULL;
    GElf_Shdr header;

    return section == NULL || gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_STRTAB ||
           load_section(loading, section, &header, ".shstrtab");
}

static bool load_sections(struct loading *loading)
{
    GElf_Shdr header;

    if (!load_names(loading))
        return false;
    for (Elf_Scn *section = NULL; (section = next_section(loading->elf, section, &header)) != NULL;) {
        enum need need = need_of(loading->elf, &header);

        if (header.sh_type == SHT_NOBITS && (header.sh_flags & SHF_EXECINSTR) != 0)
            loading->image->has_code = false;
        if (need == NEED_DEBUG && strstr(name_of(loading->elf, &header), "debug_info") != NULL)
            loading->image->has_debug_info = true;
        if (need == loading->need && !load_section(loading, section, &header, name_of(loading->elf, &header)))
            return false;
        /* elfutils reads debug information by itself to unwind, and inflates it without a limit. */
        if (need != loading->need && need != NEED_NONE && header.sh_type != SHT_STRTAB)
            hide(section, header);
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

/* Opening. */

/* Archives and compressed files are none. */
static bool has_elf_magic(int descriptor)
{
    unsigned char ident[EI_NIDENT];

    return pread(descriptor, ident, sizeof ident, 0) == (ssize_t)sizeof ident && memcmp(ident, ELFMAG, SELFMAG) == 0 &&
           (ident[EI_CLASS] == ELFCLASS32 || ident[EI_CLASS] == ELFCLASS64) &&
           (ident[EI_DATA] == ELFDATA2LSB || ident[EI_DATA] == ELFDATA2MSB);
}

/* Without section headers elfutils finds what it needs by those of segments, when it needs that. */
static bool read_content(struct elf_image *image, int descriptor, char **why)
{
    size_t size = (size_t)image->info.st_size;

    if (size > MAX_BASICS)
        return set_reason(why, "its segments have more than %d MiB", MAX_BASICS >> 20);
    image->content = allocate_array(size, 1);
    if (!count_loaded(image, size, why) || !read_all(descriptor, 0, image->content, size, why))
        return false;
    elf_end(image->elf);
    image->elf = WATCHED(elf_memory(image->content, size));
    return image->elf != NULL;
}

static uint64_t find_debug_entry(Elf *elf, const GElf_Ehdr *header)
{
    size_t word = header->e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    GElf_Phdr segment;
    Elf_Data *data;
    GElf_Dyn entry;

    for (int i = 0; gelf_getphdr(elf, i, &segment) != NULL; i++) {
        if (segment.p_type != PT_DYNAMIC)
            continue;
        data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_DYN);
        for (int k = 0; gelf_getdyn(data, k, &entry) != NULL; k++)
            if (entry.d_tag == DT_DEBUG)
                return segment.p_vaddr + (2 * (uint64_t)k + 1) * word;
    }
    return 0;
}

static bool read_image(struct elf_image *image, int descriptor, char **why)
{
    struct loading loading = {.image = image, .need = NEED_BASIC, .most = MAX_BASICS, .why = why};
    size_t n_sections;
    ssize_t n_id;

    image->has_code = true;
    image->elf = WATCHED(elf_begin(descriptor, ELF_C_READ, NULL));
    if (gelf_getehdr(image->elf, &image->header) == NULL || elf_getshdrnum(image->elf, &n_sections) != 0 ||
        (n_sections == 0 && !read_content(image, descriptor, why)))
        return false;
    loading.elf = image->elf;
    if (!load_sections(&loading))
        return false;
    read_links(image);
    image->debug_entry = WATCHED(find_debug_entry(image->elf, &image->header));
    n_id = WATCHED(dwelf_elf_gnu_build_id(image->elf, &image->build_id));
    image->n_build_id = n_id > 0 ? (size_t)n_id : 0;
    if (n_id <= 0)
        image->build_id = NULL;
    elf_cntl(image->elf, ELF_C_FDDONE);
    return check_unchanged(image, descriptor, why);
}

static char *copy_or_null(const char *text)
{
    return text != NULL ? copy_string(text) : NULL;
}

static bool check_size(const struct elf_image *image, char **why)
{
    int64_t size = image->info.st_size;

    if (size < 0 || (uint64_t)size > max_file)
        return set_reason(why, "it has %" PRId64 " bytes: more than any program (%" PRIu64 " GiB)", size, max_file >> 30);
    return (uint64_t)size >= sizeof(Elf64_Ehdr);
}

bool elf_image_open(struct elf_image *image, int descriptor, const struct file_source *source, char **why)
{
    bool good = false;

    *image = (struct elf_image){0};
    if (has_elf_magic(descriptor)) {
        elf_version(EV_CURRENT);
        image->source = (struct file_source){copy_or_null(source->root), copy_or_null(source->path),
                                             copy_or_null(source->direct)};
        if (fstat(descriptor, &image->info) != 0)
            set_reason(why, "it cannot be read: %s", strerror(errno));
        else
            good = check_size(image, why) && read_image(image, descriptor, why);
    }
    close_one(&descriptor);
    if (!good)
        elf_image_close(image);
    return good;
}

void file_source_clear(struct file_source *source)
{
    FREE_ALL((char *)(uintptr_t)source->root, (char *)(uintptr_t)source->path, (char *)(uintptr_t)source->direct);
}

void elf_image_close(struct elf_image *image)
{
    elf_end(image->debug);
    elf_end(image->elf);
    n_loaded -= image->n_loaded;
    file_source_clear(&image->source);
    FREE_ALL(image->content, image->links.debug, image->links.alternate, image->links.alternate_id);
    *image = (struct elf_image){0};
}

bool elf_image_load_debug(struct elf_image *image, char **why)
{
    int descriptor = open_again(image, why);
    struct loading loading = {.image = image, .need = NEED_DEBUG, .most = max_debug, .why = why};
    bool good;

    if (descriptor < 0)
        return false;
    loading.elf = WATCHED(elf_begin(descriptor, ELF_C_READ, NULL));
    good = load_sections(&loading) && check_unchanged(image, descriptor, why);
    elf_cntl(loading.elf, ELF_C_FDDONE);
    close_one(&descriptor);
    if (good)
        image->debug = loading.elf;
    else
        elf_end(loading.elf);
    return good;
}

Elf_Scn *elf_image_section(const struct elf_image *image, const char *name)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = next_section(image->elf, section, &header)) != NULL)
        if (header.sh_type != SHT_NOBITS && strcmp(name_of(image->elf, &header), name) == 0)
            break;
    return section;
}

const unsigned char *elf_image_content(Elf_Scn *section, size_t *n_bytes)
{
    const Elf_Data *data = WATCHED(elf_rawdata(section, NULL));

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

bool elf_image_has_build_id(const struct elf_image *image, const void *id, size_t n)
{
    return image->build_id != NULL && image->n_build_id == n && memcmp(image->build_id, id, n) == 0;
}

char *build_id_text(const unsigned char *id, size_t n)
{
    char *text = allocate_array(2 * n + 1, 1);

    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return text;
}
