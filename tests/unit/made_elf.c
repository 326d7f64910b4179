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
        .sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0};
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

void made_elf_symbol(struct made_elf *elf, const char *name, uint64_t value)
{
    Elf64_Sym symbols[2] = {{.st_name = 0}, {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                             .st_shndx = 1, .st_value = value, .st_size = 16}};
    char names[256] = "";
    uint32_t section;

    strcpy(names + 1, name);
    section = made_elf_section(elf, ".strtab", SHT_STRTAB, 0, names, strlen(name) + 2);
    made_elf_linked(elf, ".symtab", SHT_SYMTAB, section, symbols, sizeof symbols);
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
