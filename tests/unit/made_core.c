/*
 * made_core.c - writes core files for tests.
 */
#include "tests/unit/made_core.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

enum { PAGE = 4096 };

size_t made_core_put(struct made_core *core, const void *bytes, size_t n)
{
    size_t start = core->n;

    if (start + n >= core->room) {
        core->room = 2 * (start + n + 1);
        core->bytes = realloc(core->bytes, core->room);
        if (core->bytes == NULL)
            out_of_memory();
    }
    memset(core->bytes + start, 0, n);
    if (bytes != NULL)
        memcpy(core->bytes + start, bytes, n);
    core->n += n;
    return start;
}

Elf64_Phdr *made_core_headers(const struct made_core *core)
{
    return (Elf64_Phdr *)(void *)(core->bytes + sizeof(Elf64_Ehdr));
}

void made_core_begin(struct made_core *core, uint16_t machine, uint16_t room)
{
    const int one = 1;
    const unsigned char encoding = *(const char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    const Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, encoding, EV_CURRENT}, .e_type = ET_CORE,
                               .e_machine = machine, .e_phoff = sizeof header, .e_phentsize = sizeof(Elf64_Phdr),
                               .e_phnum = (uint16_t)(room + 1)};

    *core = (struct made_core){.n_parts = 0};
    made_core_put(core, &header, sizeof header);
    core->notes = made_core_put(core, NULL, header.e_phnum * sizeof(Elf64_Phdr)) + header.e_phnum * sizeof(Elf64_Phdr);
}

size_t made_core_note(struct made_core *core, const char *name, uint32_t type, const void *content, size_t n)
{
    const Elf64_Nhdr header = {(Elf64_Word)strlen(name) + 1, (Elf64_Word)n, type};
    size_t start;

    made_core_put(core, &header, sizeof header);
    made_core_put(core, name, header.n_namesz);
    made_core_put(core, NULL, -core->n % 4);
    start = made_core_put(core, content, n);
    made_core_put(core, NULL, -core->n % 4);
    return start;
}

void made_core_status(struct made_core *core, int32_t thread, int16_t signal, const void *registers, size_t n_bytes)
{
    enum { SIGNAL = 12, ID = 32, REGISTERS = 112 };
    size_t start = made_core_note(core, "CORE", NT_PRSTATUS, NULL, REGISTERS + n_bytes + 8);

    memcpy(core->bytes + start + SIGNAL, &signal, sizeof signal);
    memcpy(core->bytes + start + ID, &thread, sizeof thread);
    memcpy(core->bytes + start + REGISTERS, registers, n_bytes);
}

void made_core_process(struct made_core *core, int32_t pid)
{
    int32_t info[34] = {[6] = pid};

    made_core_note(core, "CORE", NT_PRPSINFO, info, sizeof info);
}

void made_core_files(struct made_core *core, uint64_t unit, const struct made_mapping *mappings, size_t n)
{
    struct made_core content = {.n = 0};

    made_core_put(&content, (uint64_t[]){n, unit}, 16);
    for (size_t i = 0; i < n; i++)
        made_core_put(&content, &mappings[i], 24);
    for (size_t i = 0; i < n; i++)
        made_core_put(&content, mappings[i].path, strlen(mappings[i].path) + 1);
    made_core_note(core, "CORE", NT_FILE, content.bytes, content.n);
    free(content.bytes);
}

void made_core_end_notes(struct made_core *core)
{
    *made_core_headers(core) = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = core->notes,
                                            .p_filesz = core->n - core->notes};
    /* Memory starts at a page of the file, however long the names in the notes are. */
    made_core_put(core, NULL, -core->n % PAGE);
}

size_t made_core_part(struct made_core *core, Elf64_Phdr part, const void *content)
{
    part.p_type = PT_LOAD;
    part.p_offset = core->n;
    made_core_headers(core)[++core->n_parts] = part;
    return made_core_put(core, content, part.p_filesz);
}

void made_stack(unsigned char memory[MADE_STACK], uint64_t address, const void *vector, size_t n_bytes)
{
    static const char strings[] = "PMIX_NAMESPACE=prterun-a-1@1\0PMIX_RANK=3\0OMPI_COMM_WORLD_SIZE=8";
    const uint64_t first = address + 0x200, elsewhere = 0x600000,
                   words[] = {1, address + 0x1f0, 0, first + 29, elsewhere, first, first + 41, 0};

    memset(memory, 0, MADE_STACK);
    memcpy(memory + 0x100, words, sizeof words);
    memcpy(memory + 0x100 + sizeof words, vector, n_bytes);
    strcpy((char *)memory + 0x1f0, "PMIX_RANK=77");
    memcpy(memory + 0x200, strings, sizeof strings);
    strcpy((char *)memory + MADE_NAME, "./solver");
}
