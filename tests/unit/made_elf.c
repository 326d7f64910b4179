/*
 * made_elf.c - makes ELF files for tests.
 */
#include "tests/unit/made_elf.h"

#include <elf.h>

#include "tests/unit/unit_test.h"

enum { PAGE = 4096, MAX_SECTIONS = 32 };

struct made_elf {
    Elf64_Shdr sections[MAX_SECTIONS];
    uint16_t n_sections, n_parts;
    char names[1024];
    size_t n_names;
    unsigned char *content;    /* of all sections, behind the first page */
    size_t n_content;
};

struct made_elf *made_elf_begin(void)
{
    struct made_elf *elf = calloc(1, sizeof *elf);

    assert_non_null(elf);
    elf->n_sections = 1;
    elf->n_names = 1;
    elf->n_parts = 1;
    return elf;
}

uint32_t made_elf_linked(struct made_elf *elf, const char *name, uint32_t type, uint32_t link, const void *content,
                         size_t n)
{
    size_t padded = (n + 7) & ~(size_t)7, length = strlen(name) + 1;

    assert_true(elf->n_sections < MAX_SECTIONS && elf->n_names + length <= sizeof elf->names);
    memcpy(elf->names + elf->n_names, name, length);
    elf->sections[elf->n_sections] = (Elf64_Shdr){
        .sh_name = (Elf64_Word)elf->n_names, .sh_type = type, .sh_offset = PAGE + elf->n_content, .sh_size = n,
        .sh_link = link, .sh_addralign = type == SHT_NOTE ? 4 : 8,
        .sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : type == SHT_DYNAMIC ? sizeof(Elf64_Dyn) : 0};
    elf->n_names += length;
    elf->content = realloc(elf->content, elf->n_content + padded + 1);
    assert_non_null(elf->content);
    memset(elf->content + elf->n_content, 0, padded);
    memcpy(elf->content + elf->n_content, content, n);
    elf->n_content += padded;
    return elf->n_sections++;
}

uint32_t made_elf_section(struct made_elf *elf, const char *name, uint32_t type, uint64_t flags, const void *content,
                          size_t n)
{
    uint32_t number = made_elf_linked(elf, name, type, 0, content, n);

    elf->sections[number].sh_flags = flags;
    return number;
}

void made_elf_debug_info(struct made_elf *elf, unsigned char *unit, size_t n, const unsigned char *abbreviations,
                         size_t n_abbreviations)
{
    const uint32_t length = (uint32_t)n - 4;

    memcpy(unit, &length, sizeof length);
    made_elf_section(elf, ".debug_info", SHT_PROGBITS, 0, unit, n);
    made_elf_section(elf, ".debug_abbrev", SHT_PROGBITS, 0, abbreviations, n_abbreviations);
}

void made_elf_build_id(struct made_elf *elf, const unsigned char *id, size_t n)
{
    unsigned char note[sizeof(Elf64_Nhdr) + 4 + 64] = {0};
    const Elf64_Nhdr header = {4, (Elf64_Word)n, NT_GNU_BUILD_ID};

    assert_true(n <= 64 && n % 4 == 0);
    memcpy(note, &header, sizeof header);
    memcpy(note + sizeof header, "GNU", 4);
    memcpy(note + sizeof header + 4, id, n);
    made_elf_section(elf, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, note, sizeof header + 4 + n);
}

void made_elf_debug_link(struct made_elf *elf, const char *name)
{
    char content[256] = "";

    assert_true(strlen(name) < sizeof content - 8);
    strcpy(content, name);
    made_elf_section(elf, ".gnu_debuglink", SHT_PROGBITS, 0, content, (strlen(name) + 4) / 4 * 4 + 4);
}

void made_elf_symbols(struct made_elf *elf, const struct made_symbol *given, size_t n)
{
    static const unsigned char bindings[] = {STB_GLOBAL, STB_WEAK, STB_LOCAL};
    Elf64_Sym symbols[32] = {{.st_name = 0}};
    char names[1024] = "";
    size_t n_names = 1;
    uint32_t section;

    assert_true(n < N_OF(symbols));
    for (size_t i = 0; i < n; i++) {
        assert_true(n_names + strlen(given[i].name) < sizeof names);
        symbols[i + 1] = (Elf64_Sym){
            .st_name = (Elf64_Word)n_names, .st_shndx = 1, .st_value = given[i].value, .st_size = given[i].size,
            .st_info = (unsigned char)ELF64_ST_INFO(bindings[given[i].binding], STT_FUNC)};
        strcpy(names + n_names, given[i].name);
        n_names += strlen(given[i].name) + 1;
    }
    section = made_elf_section(elf, ".strtab", SHT_STRTAB, 0, names, n_names);
    made_elf_linked(elf, ".symtab", SHT_SYMTAB, section, symbols, (n + 1) * sizeof *symbols);
}

void made_elf_symbol(struct made_elf *elf, const char *name, uint64_t value)
{
    made_elf_symbols(elf, &(struct made_symbol){name, value, 16, MADE_GLOBAL}, 1);
}

void made_elf_needs(struct made_elf *elf, const char *const *names, size_t n)
{
    Elf64_Dyn entries[8] = {{.d_tag = DT_NULL}};
    char all[256] = "";
    size_t n_all = 1;
    uint32_t section;

    assert_true(n < N_OF(entries));
    for (size_t i = 0; i < n; i++) {
        assert_true(n_all + strlen(names[i]) < sizeof all);
        entries[i] = (Elf64_Dyn){.d_tag = i == 0 ? DT_SONAME : DT_NEEDED, .d_un.d_val = n_all};
        strcpy(all + n_all, names[i]);
        n_all += strlen(names[i]) + 1;
    }
    section = made_elf_section(elf, ".dynstr", SHT_STRTAB, SHF_ALLOC, all, n_all);
    made_elf_linked(elf, ".dynamic", SHT_DYNAMIC, section, entries, sizeof entries);
}

void made_elf_unwind_rules(struct made_elf *elf)
{
    static const unsigned char rules[] = {
        /* The usual ones: the address to return to lies below the frame (r7 + 8). */
        20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x0c, 7, 8, 0x90, 1, 0, 0,
        /* For 4096 bytes at 0. */
        24, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0};

    made_elf_section(elf, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, rules, sizeof rules);
}

void made_elf_parts(struct made_elf *elf, uint16_t n)
{
    elf->n_parts = n;
}

void made_elf_write(struct made_elf *elf, const char *path)
{
    uint32_t names = made_elf_section(elf, ".shstrtab", SHT_STRTAB, 0, elf->names, sizeof elf->names);
    const Elf64_Phdr part = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = PAGE, .p_memsz = PAGE,
                             .p_align = PAGE};
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_DYN,
        .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof header, .e_phentsize = sizeof part,
        .e_shentsize = sizeof(Elf64_Shdr), .e_shstrndx = (Elf64_Half)names};
    FILE *to = fopen(path, "wx");
    char page[PAGE] = "";

    assert_non_null(to);
    /* The names have grown by that of their own section. */
    memcpy(elf->content + elf->sections[names].sh_offset - PAGE, elf->names, sizeof elf->names);
    header.e_shoff = PAGE + elf->n_content;
    header.e_shnum = elf->n_sections;
    header.e_phoff = header.e_shoff + elf->n_sections * sizeof *elf->sections;
    header.e_phnum = elf->n_parts;
    memcpy(page, &header, sizeof header);
    fwrite(page, 1, sizeof page, to);
    fwrite(elf->content, 1, elf->n_content, to);
    fwrite(elf->sections, sizeof *elf->sections, elf->n_sections, to);
    for (unsigned i = 0; i < elf->n_parts; i++)
        fwrite(&part, 1, sizeof part, to);
    assert_int_equal(fclose(to), 0);
    free(elf->content);
    free(elf);
}

/* What harms who reads files without limits. */

/* DWARF 4, as bytes: the abbreviations and the entries of one unit. */
struct unit {
    unsigned char abbreviations[128], entries[512];
    size_t n_abbreviations, n_entries;
};

static void put(unsigned char *to, size_t *n, size_t room, const void *bytes, size_t n_bytes)
{
    assert_true(n_bytes <= room - *n);
    memcpy(to + *n, bytes, n_bytes);
    *n += n_bytes;
}
#define ABBREVIATION(unit, ...)                                                                                        \
    put((unit)->abbreviations, &(unit)->n_abbreviations, sizeof (unit)->abbreviations,                                 \
        (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}))
#define ENTRY(unit, ...)                                                                                               \
    put((unit)->entries, &(unit)->n_entries, sizeof (unit)->entries, (const unsigned char[]){__VA_ARGS__},             \
        sizeof((const unsigned char[]){__VA_ARGS__}))

static void put_text(struct unit *unit, const char *text)
{
    put(unit->entries, &unit->n_entries, sizeof unit->entries, text, strlen(text) + 1);
}

/* The entries start with the unit's header. */
static void begin_unit(struct unit *unit)
{
    *unit = (struct unit){.n_entries = 0};
    ENTRY(unit, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8);
}

static void add_unit(struct made_elf *elf, struct unit *unit)
{
    ENTRY(unit, 0, 0);
    ABBREVIATION(unit, 0);
    made_elf_debug_info(elf, unit->entries, unit->n_entries, unit->abbreviations, unit->n_abbreviations);
}

void hostile_elf_own_structure(struct made_elf *elf, const char *name)
{
    struct unit unit;

    begin_unit(&unit);
    ABBREVIATION(&unit, 1, 0x11, 1, 0, 0);                              /* unit, with children */
    ABBREVIATION(&unit, 2, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0);      /* structure: name, size */
    ABBREVIATION(&unit, 3, 0x0d, 0, 0x49, 0x13, 0x38, 0x0b, 0, 0);      /* member: type, place */
    ABBREVIATION(&unit, 4, 0x0d, 0, 0x03, 0x08, 0x38, 0x0b, 0, 0);      /* member: name, place */
    ENTRY(&unit, 1, 2);
    put_text(&unit, name);
    ENTRY(&unit, 64);
    for (unsigned char i = 0; i < 4; i++)
        ENTRY(&unit, 3, 12, 0, 0, 0, i);
    ENTRY(&unit, 4, 'l', 'a', 's', 't', 0, 40, 0);
    add_unit(elf, &unit);
}

void hostile_elf_split_unit(struct made_elf *elf, const char *path)
{
    struct unit unit;

    begin_unit(&unit);
    ABBREVIATION(&unit, 1, 0x11, 0, 0xb0, 0x42, 0x08, 0xb1, 0x42, 0x07, 0, 0); /* DW_AT_GNU_dwo_name, _id */
    ENTRY(&unit, 1);
    put_text(&unit, path);
    ENTRY(&unit, 1, 2, 3, 4, 5, 6, 7, 8);
    add_unit(elf, &unit);
}

void hostile_elf_alternate_name(struct made_elf *elf, const char *path, size_t n_id)
{
    char content[256] = "";
    struct unit unit;

    assert_true(strlen(path) + 1 + n_id <= sizeof content);
    strcpy(content, path);
    begin_unit(&unit);
    ABBREVIATION(&unit, 1, 0x11, 1, 0, 0);
    ABBREVIATION(&unit, 2, 0x24, 0, 0x03, 0xa1, 0x3e, 0x0b, 0x0b, 0, 0); /* base type: name in the alternate, size */
    ENTRY(&unit, 1, 2, 0, 0, 0, 0, 4);
    add_unit(elf, &unit);
    made_elf_section(elf, ".gnu_debugaltlink", SHT_PROGBITS, 0, content, strlen(path) + 1 + n_id);
}

void hostile_elf_inflating_section(struct made_elf *elf)
{
    const Elf64_Chdr compression = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = (uint64_t)8 << 30, .ch_addralign = 1};
    unsigned char content[256] = {0};

    memcpy(content, &compression, sizeof compression);
    made_elf_section(elf, ".debug_info", SHT_PROGBITS, SHF_COMPRESSED, content, sizeof content);
}

void hostile_elf_old_inflating_section(struct made_elf *elf)
{
    const unsigned char content[256] = {'Z', 'L', 'I', 'B', 0, 0, 0, 2};

    made_elf_section(elf, ".zdebug_info", SHT_PROGBITS, 0, content, sizeof content);
}

void hostile_elf_suffix_symbols(struct made_elf *elf, uint32_t n, uint32_t n_names)
{
    Elf64_Sym *symbols = calloc(n, sizeof *symbols);
    char *names = malloc(n_names);
    uint32_t section;

    assert_true(symbols != NULL && names != NULL && n >= 2 && n_names > n + 6);
    for (uint32_t i = 1; i < n; i++)
        symbols[i] = (Elf64_Sym){.st_name = i, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1};
    memset(names, 'x', n_names);
    names[0] = names[n_names - 1] = '\0';
    /* But for the last one, by which a test sees that all were read. */
    memcpy(names + n_names - 6, "short", 6);
    symbols[n - 1].st_name = n_names - 6;
    section = made_elf_section(elf, ".strtab", SHT_STRTAB, 0, names, n_names);
    made_elf_linked(elf, ".symtab", SHT_SYMTAB, section, symbols, n * sizeof *symbols);
    free(symbols);
    free(names);
}
