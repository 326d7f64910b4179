/*
 * elf_file.c - one program or library file: how it is loaded, its symbols, its types.
 */
#include "mqd/dump/collect/target/elf_file.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/types.h"

struct symbol {
    struct elf_symbol place;
    bool local;
};

struct elf_file {
    Dwfl *session;             /* elfutils' view of this file alone */
    Dwfl_Module *module;
    bool separate_debug;
    unsigned char elf_class, data_encoding;
    unsigned machine;
    struct elf_load *loads;
    size_t n_loads;
    struct symbol *symbols;
    size_t n_symbols, symbol_room;
    struct name_index names;   /* to positions in `symbols` */
    const char **needed;
    size_t n_needed;
    const char *needed_as;     /* NULL: it does not say */
    bool types_read;
    struct types *types;       /* NULL: no debug information */
};

/* elfutils has the file already, and shall not search for another. */
static int find_no_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file_name, Elf **elf)
{
    (void)module, (void)user, (void)name, (void)base, (void)file_name, (void)elf;
    return -1;
}

/* A server that only does not have the file answers at once. elfutils reads its settings from the environment. */
static void give_up_slow_servers(const char *path, double seconds)
{
    static const double slow = 4;
    const char *servers = getenv("DEBUGINFOD_URLS");

    if (seconds < slow || servers == NULL || *servers == '\0')
        return;
    warning_give("no debug information for %s after %.0f seconds: the servers of DEBUGINFOD_URLS (%s) are not asked "
                 "again", path, seconds, servers);
    unsetenv("DEBUGINFOD_URLS");
}

static int find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file_name,
                           const char *link, GElf_Word checksum, char **debug_file_name)
{
    const struct elf_file *file = *user;
    double start = seconds_now();
    int found;

    if (file == NULL || !file->separate_debug)
        return -1;
    found = dwfl_standard_find_debuginfo(module, user, name, base, file_name, link, checksum, debug_file_name);
    if (found < 0)
        give_up_slow_servers(name, seconds_now() - start);
    return found;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = find_no_elf, .find_debuginfo = find_debug_file, .section_address = dwfl_offline_section_address
};

static void read_loads(struct elf_file *file, Elf *elf)
{
    size_t n_headers, room = 0;

    if (elf_getphdrnum(elf, &n_headers) != 0)
        return;
    for (size_t i = 0; i < n_headers; i++) {
        GElf_Phdr header;

        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD || header.p_filesz == 0)
            continue;
        file->loads = grow_array(file->loads, file->n_loads, &room, sizeof *file->loads);
        file->loads[file->n_loads++] = (struct elf_load){.offset = header.p_offset, .address = header.p_vaddr,
                                                          .size = header.p_memsz,
                                                          .executable = (header.p_flags & PF_X) != 0};
    }
}

/* The largest programs need some hundreds of libraries; a forged file says any number. */
enum { MAX_NEEDED = 4096 };

static void read_entry(struct elf_file *file, const char *name, int64_t tag, size_t *room)
{
    if (tag == DT_SONAME)
        file->needed_as = name;
    if (name == NULL || tag != DT_NEEDED || file->n_needed == MAX_NEEDED)
        return;
    file->needed = grow_array(file->needed, file->n_needed, room, sizeof *file->needed);
    file->needed[file->n_needed++] = name;
}

/* There is one such section. */
static void read_dynamic(struct elf_file *file, Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    Elf_Data *data;
    GElf_Dyn entry;
    size_t room = 0;

    do {
        section = elf_nextscn(elf, section);
    } while (section != NULL && (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_DYNAMIC));
    data = section != NULL ? elf_getdata(section, NULL) : NULL;
    if (data == NULL || data->d_buf == NULL)
        return;
    for (int i = 0; gelf_getdyn(data, i, &entry) != NULL && entry.d_tag != DT_NULL; i++)
        read_entry(file, elf_strptr(elf, header.sh_link, entry.d_un.d_val), entry.d_tag, &room);
}

/* Hands the descriptor over to elfutils; false if the file is of no use, the descriptor is then closed. */
static bool report(struct elf_file *file, int descriptor, const char *path)
{
    void **user;
    GElf_Ehdr header;
    GElf_Addr bias;
    Elf *elf;

    file->session = dwfl_begin(&callbacks);
    if (file->session != NULL) {
        dwfl_report_begin(file->session);
        file->module = dwfl_report_elf(file->session, path, path, descriptor, 0, true);
    }
    if (file->module == NULL) {
        close(descriptor);
        return false;
    }
    dwfl_report_end(file->session, NULL, NULL);
    dwfl_module_info(file->module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
    *user = file;
    elf = dwfl_module_getelf(file->module, &bias);
    if (elf == NULL || gelf_getehdr(elf, &header) == NULL || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
        return false;
    file->elf_class = header.e_ident[EI_CLASS];
    file->machine = header.e_machine;
    file->data_encoding = header.e_ident[EI_DATA];
    read_loads(file, elf);
    read_dynamic(file, elf);
    return file->n_loads > 0;
}

/* Thread-local symbols have no address; absolute ones are mostly version names. */
static bool is_place(const GElf_Sym *symbol)
{
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_NOTYPE:
    case STT_OBJECT:
    case STT_FUNC:
    case STT_COMMON:
    case STT_GNU_IFUNC:
        return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS;
    default:
        return false;
    }
}

static bool is_local(const GElf_Sym *symbol)
{
    return GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
}

static void index_symbols(struct elf_file *file, int n, bool local)
{
    for (int i = 0; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr value;
        const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &value, NULL, NULL, NULL);

        if (name == NULL || *name == '\0' || !is_place(&symbol) || is_local(&symbol) != local ||
            file->n_symbols == UINT32_MAX || !name_index_add(&file->names, name, (uint32_t)file->n_symbols))
            continue;
        file->symbols = grow_array(file->symbols, file->n_symbols, &file->symbol_room, sizeof *file->symbols);
        file->symbols[file->n_symbols++] = (struct symbol){{value, symbol.st_size}, local};
    }
}

/* The first symbol of a name stays, so that a local symbol never hides another. */
static void read_symbols(struct elf_file *file)
{
    int n = dwfl_module_getsymtab(file->module);

    index_symbols(file, n, false);
    index_symbols(file, n, true);
}

/* Without this test elfutils would unpack archives and compressed files. */
static bool has_elf_magic(int descriptor)
{
    char magic[SELFMAG];

    return pread(descriptor, magic, sizeof magic, 0) == (ssize_t)sizeof magic && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

struct elf_file *elf_file_open(int descriptor, const char *path, bool separate_debug)
{
    struct elf_file *file;

    if (!has_elf_magic(descriptor)) {
        close(descriptor);
        return NULL;
    }
    elf_version(EV_CURRENT);
    file = allocate_array(1, sizeof *file);
    file->separate_debug = separate_debug;
    if (report(file, descriptor, path)) {
        read_symbols(file);
        return file;
    }
    elf_file_close(file);
    return NULL;
}

void elf_file_close(struct elf_file *file)
{
    if (file == NULL)
        return;
    types_close(file->types);
    name_index_clear(&file->names);
    free(file->symbols);
    free(file->needed);
    free(file->loads);
    if (file->session != NULL)
        dwfl_end(file->session);
    free(file);
}

const char *elf_file_path(const struct elf_file *file)
{
    return dwfl_module_info(file->module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

unsigned elf_file_machine(const struct elf_file *file)
{
    return file->machine;
}

bool elf_file_is_64_bit(const struct elf_file *file)
{
    return file->elf_class == ELFCLASS64;
}

bool elf_file_is_little_endian(const struct elf_file *file)
{
    return file->data_encoding == ELFDATA2LSB;
}

static Elf *elf_of(const struct elf_file *file)
{
    GElf_Addr bias;

    return dwfl_module_getelf(file->module, &bias);
}

bool elf_file_has_code(const struct elf_file *file)
{
    Elf *elf = elf_of(file);

    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_NOBITS &&
            (header.sh_flags & SHF_EXECINSTR) != 0)
            return false;
    }
    return true;
}

const void *elf_file_build_id(const struct elf_file *file, size_t *n)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf_of(file), &id);

    if (size <= 0)
        return NULL;
    *n = (size_t)size;
    return id;
}

bool elf_file_read(const struct elf_file *file, uint64_t offset, void *buffer, size_t size)
{
    static const size_t page = 4096;
    size_t n = 0, there = 0;
    const char *content = elf_rawfile(elf_of(file), &n);
    size_t end = (n + page - 1) / page * page;

    if (content == NULL || offset > end || size > end - offset)
        return false;
    if (offset < n)
        there = size < n - offset ? size : n - (size_t)offset;
    if (there > 0)
        memcpy(buffer, content + offset, there);
    memset((char *)buffer + there, 0, size - there);
    return true;
}

const struct elf_load *elf_file_loads(const struct elf_file *file, size_t *n)
{
    *n = file->n_loads;
    return file->loads;
}

bool elf_file_find_symbol(const struct elf_file *file, const char *name, bool local, struct elf_symbol *symbol)
{
    uint32_t position;

    if (!name_index_find(&file->names, name, &position) || file->symbols[position].local != local)
        return false;
    *symbol = file->symbols[position].place;
    return true;
}

uint64_t elf_file_debug_entry(const struct elf_file *file)
{
    Elf *elf = elf_of(file);
    size_t n_headers, word = file->elf_class == ELFCLASS64 ? 8 : 4;
    GElf_Phdr header;
    Elf_Data *data;
    GElf_Dyn entry;

    if (elf == NULL || elf_getphdrnum(elf, &n_headers) != 0)
        return 0;
    for (size_t i = 0; i < n_headers; i++) {
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_DYNAMIC)
            continue;
        data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_DYN);
        for (int k = 0; data != NULL && gelf_getdyn(data, k, &entry) != NULL && entry.d_tag != DT_NULL; k++)
            if (entry.d_tag == DT_DEBUG)
                return header.p_vaddr + (2 * (uint64_t)k + 1) * word;
    }
    return 0;
}

const char *const *elf_file_needed(const struct elf_file *file, size_t *n)
{
    *n = file->n_needed;
    return file->needed;
}

const char *elf_file_needed_as(const struct elf_file *file)
{
    return file->needed_as != NULL ? file->needed_as : elf_file_name(file);
}

bool elf_file_can_unwind(const struct elf_file *file, uint64_t address)
{
    Dwarf_Addr bias;
    Dwarf_CFI *rules = dwfl_module_eh_cfi(file->module, &bias);
    Dwarf_Frame *frame = NULL;
    bool found = rules != NULL && dwarf_cfi_addrframe(rules, address - bias, &frame) == 0;

    free(frame);
    return found;
}

bool elf_file_has_string(const struct elf_file *file, const char *text)
{
    Elf *elf = elf_of(file);
    size_t n_bytes = 0;
    const char *bytes = elf != NULL ? elf_rawfile(elf, &n_bytes) : NULL;

    return bytes != NULL && memmem(bytes, n_bytes, text, strlen(text) + 1) != NULL;
}

void elf_file_find_place(struct elf_file *file, uint64_t address, bool with_source, struct elf_place *place)
{
    Dwfl_Line *line = with_source ? dwfl_module_getsrc(file->module, address) : NULL;
    GElf_Off offset = 0;
    GElf_Sym symbol;

    *place = (struct elf_place){.line = 0};
    place->function = dwfl_module_addrinfo(file->module, address, &offset, &symbol, NULL, NULL, NULL);
    place->offset = offset;
    if (line != NULL)
        place->source = dwfl_lineinfo(line, NULL, &place->line, NULL, NULL, NULL);
    if (place->source != NULL && strrchr(place->source, '/') != NULL)
        place->source = strrchr(place->source, '/') + 1;
}

struct Elf *elf_file_share(const struct elf_file *file)
{
    Elf *elf = elf_of(file);

    return elf != NULL ? elf_begin(-1, ELF_C_READ_MMAP_PRIVATE, elf) : NULL;
}

const char *elf_file_name(const struct elf_file *file)
{
    const char *path = elf_file_path(file);
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    return slash != NULL ? slash + 1 : path != NULL ? path : "?";
}

mqs_type *elf_file_find_type(struct elf_file *file, const char *name, bool tags_only, const char **declared)
{
    if (!file->types_read) {
        Dwarf_Addr bias;
        Dwarf *dwarf = dwfl_module_getdwarf(file->module, &bias);

        file->types = dwarf != NULL ? types_open(dwarf) : NULL;
        file->types_read = true;
    }
    return file->types != NULL ? types_find(file->types, name, tags_only, declared) : NULL;
}
