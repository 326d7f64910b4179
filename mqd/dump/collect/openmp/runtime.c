/*
 * runtime.c - the ground of the readers: pages, numbers by a layout, and what a loaded file tells of itself.
 */
#include "mqd/dump/collect/openmp/runtime.h"

#include <elf.h>

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

/* Memory. */

/*
 * 512 pages are more than a runtime's structures have for some hundred threads: a page is read once mostly. Those that
 * are not used are never touched: the kernel would have to make them while ranks are held.
 */
enum { PAGE = 4096, N_PAGES = 512 };

struct runtime_page {
    uint64_t key;                  /* its start, and 1; 0: none */
    bool is_readable;
    unsigned char bytes[PAGE];
};

static const struct runtime_page *page_at(struct runtime_memory *memory, uint64_t start)
{
    struct runtime_page *page;

    if (memory->pages == NULL)
        memory->pages = allocate_array(N_PAGES, sizeof *memory->pages);
    page = &memory->pages[start / PAGE % N_PAGES];
    if (page->key != (start | 1)) {
        page->key = start | 1;
        page->is_readable = memory->read(memory->context, start, page->bytes, PAGE);
    }
    return page->is_readable ? page : NULL;
}

bool runtime_read(struct runtime_memory *memory, uint64_t address, void *buffer, size_t size)
{
    size_t done = 0;

    if (address == 0 || address > UINT64_MAX - size)
        return false;
    while (done < size) {
        uint64_t at = address + done, start = at & -(uint64_t)PAGE;
        size_t here = PAGE - (size_t)(at - start), n = size - done < here ? size - done : here;
        const struct runtime_page *page = page_at(memory, start);

        if (page == NULL)
            return false;
        memcpy((char *)buffer + done, page->bytes + (at - start), n);
        done += n;
    }
    return true;
}

bool runtime_read_word(struct runtime_memory *memory, uint64_t address, uint64_t *word)
{
    uint64_t found;

    if (!runtime_read(memory, address, &found, sizeof found))
        return false;
    *word = found;
    return true;
}

void runtime_memory_clear(struct runtime_memory *memory)
{
    free(memory->pages);
    memory->pages = NULL;
}

/* Numbers by a layout. */

uint64_t runtime_part(const struct runtime *runtime, uint64_t object, enum mqd_path_id path)
{
    const struct mqd_place *place = &runtime->layout->paths[path];

    return place->source != MQD_SOURCE_absent && object != 0 ? object + place->offset : 0;
}

/* mqdump reads processes of its own byte order only. */
static uint64_t widen(const unsigned char *bytes, size_t size, bool is_signed)
{
    uint64_t value = 0;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    memcpy((char *)&value + sizeof value - size, bytes, size);
#else
    memcpy(&value, bytes, size);
#endif
    if (is_signed && size < sizeof value && (value >> (size * 8 - 1) & 1) != 0)
        value |= UINT64_MAX << size * 8;
    return value;
}

static bool is_signed(enum mqd_kind kind)
{
    return kind == MQD_KIND_i8 || kind == MQD_KIND_i16 || kind == MQD_KIND_i32 || kind == MQD_KIND_enum;
}

bool runtime_get(const struct runtime *runtime, uint64_t object, enum mqd_path_id path, uint64_t *value)
{
    enum mqd_kind kind = (enum mqd_kind)runtime->layout->paths[path].kind;
    uint32_t size = mqd_kind_size(kind, &runtime->layout->abi);
    uint64_t address = runtime_part(runtime, object, path);
    unsigned char bytes[sizeof *value];

    if (address == 0 || size == 0 || size > sizeof bytes || !runtime_read(runtime->memory, address, bytes, size))
        return false;
    *value = widen(bytes, size, is_signed(kind));
    return true;
}

bool runtime_demand(struct runtime *runtime, bool holds)
{
    *(holds ? &runtime->n_held : &runtime->n_broken) += 1;
    return holds;
}

uint64_t runtime_need(struct runtime *runtime, uint64_t object, enum mqd_path_id path)
{
    uint64_t value = 0;

    runtime_demand(runtime, runtime_get(runtime, object, path, &value));
    return value;
}

uint64_t runtime_constant(const struct runtime *runtime, enum mqd_constant_id constant)
{
    const struct mqd_constant *found = &runtime->layout->constants[constant];

    return found->present ? (uint64_t)found->value : 0;
}

size_t runtime_find_thread(const struct runtime *runtime, uint64_t pointer)
{
    size_t i = 0;

    while (i < runtime->n_threads && (pointer == 0 || runtime->threads[i].pointer != pointer))
        i++;
    return i;
}

/* Facts. */

size_t runtime_find_team(struct runtime *runtime, struct openmp *openmp, uint64_t address,
                         const struct runtime_team_paths *paths, bool *is_new)
{
    struct openmp_team team = {.address = address, .parent = -1, .parent_number = -1, .awaited = -1};
    uint64_t size, cancelled;
    size_t i = 0;

    while (i < openmp->n_teams && openmp->teams[i].address != address)
        i++;
    *is_new = i == openmp->n_teams;
    if (!*is_new)
        return i;
    size = runtime_need(runtime, address, paths->size);
    if (runtime_demand(runtime, size > 0 && size <= MAX_TEAM_SIZE))
        team.size = (long)size;
    team.cancelled = runtime_get(runtime, address, paths->cancelled, &cancelled) && cancelled != 0;
    APPEND(openmp->teams, openmp->n_teams, openmp->team_room, team);
    return i;
}

void openmp_add_ended(struct openmp *openmp, size_t team, const bool *has, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!has[i])
            APPEND(openmp->threads, openmp->n_threads, openmp->thread_room,
                   (struct openmp_thread){
                       .team = (long)team, .number = (long)i, .state = OPENMP_ended, .children = -1});
}

/* Loaded files. */

static void note_segment(struct runtime_image *image, const Elf64_Phdr *segment)
{
    uint64_t start = image->bias + segment->p_vaddr, end = start + segment->p_memsz;

    if (segment->p_type == PT_DYNAMIC) {
        image->dynamic = start;
        image->n_dynamic = segment->p_memsz;
    } else if (segment->p_type == PT_TLS) {
        image->tls_size = segment->p_memsz;
        image->tls_align = segment->p_align;
    } else if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) != 0) {
        image->data = image->data == 0 || start < image->data ? start : image->data;
        image->data_end = end > image->data_end ? end : image->data_end;
    }
}

bool runtime_image_read(struct runtime_image *image, struct runtime_memory *memory, uint64_t start, uint64_t bias)
{
    enum { MAX_SEGMENTS = 64 };
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    if (!runtime_read(memory, start, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof segment || header.e_phnum > MAX_SEGMENTS)
        return false;
    *image = (struct runtime_image){.bias = bias, .machine = header.e_machine};
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (!runtime_read(memory, start + header.e_phoff + i * sizeof segment, &segment, sizeof segment))
            return false;
        note_segment(image, &segment);
    }
    return true;
}

/* Of an entry for the distance of a variable of a thread from the thread pointer; 0: not known. */
static uint64_t tls_relocation(unsigned machine)
{
    static const struct {
        unsigned machine;
        uint64_t type;
    } types[] = {{EM_X86_64, R_X86_64_TPOFF64}, {EM_AARCH64, R_AARCH64_TLS_TPREL}, {EM_PPC64, R_PPC64_TPREL64},
                 {EM_S390, R_390_TLS_TPOFF},    {EM_RISCV, R_RISCV_TLS_TPREL64}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].machine == machine)
            return types[i].type;
    return 0;
}

/* An entry of the dynamic section that is an address. Some linkers leave it as it was linked. */
static uint64_t in_process(const struct runtime_image *image, uint64_t address)
{
    return address < image->bias ? address + image->bias : address;
}

static bool find_relocations(const struct runtime_image *image, struct runtime_memory *memory, uint64_t *start,
                             uint64_t *n)
{
    enum { MAX_ENTRIES = 1000, MAX_RELOCATIONS = 100 * 1000 };
    uint64_t size = 0;
    Elf64_Dyn entry;

    *start = 0;
    for (uint64_t i = 0; i < image->n_dynamic / sizeof entry && i < MAX_ENTRIES; i++) {
        if (!runtime_read(memory, image->dynamic + i * sizeof entry, &entry, sizeof entry))
            return false;
        if (entry.d_tag == DT_RELA)
            *start = in_process(image, entry.d_un.d_ptr);
        if (entry.d_tag == DT_RELASZ)
            size = entry.d_un.d_val;
        if (entry.d_tag == DT_NULL)
            break;
    }
    *n = size / sizeof(Elf64_Rela);
    return *start != 0 && *n <= MAX_RELOCATIONS;
}

/* The variable is the first of the library's: its entry adds nothing, and names no symbol. */
bool runtime_find_tls(const struct runtime_image *image, struct runtime_memory *memory, uint64_t *distance)
{
    uint64_t start, n, type = tls_relocation(image->machine);
    Elf64_Rela relocation;

    if (type == 0 || !find_relocations(image, memory, &start, &n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!runtime_read(memory, start + i * sizeof relocation, &relocation, sizeof relocation))
            return false;
        if (ELF64_R_TYPE(relocation.r_info) == type && ELF64_R_SYM(relocation.r_info) == 0 && relocation.r_addend == 0)
            return runtime_read_word(memory, image->bias + relocation.r_offset, distance);
    }
    return false;
}

/* The ABIs of machines: the variables of a program end at the thread pointer, or begin a fixed distance from it. */
bool runtime_static_tls(const struct runtime_image *image, uint64_t value, uint64_t *distance)
{
    uint64_t align = image->tls_align > 1 ? image->tls_align : 1, header = 16;

    if ((align & (align - 1)) != 0 || value >= image->tls_size)
        return false;
    if (image->machine == EM_X86_64 || image->machine == EM_S390)
        *distance = value - ((image->tls_size + align - 1) & -align);
    else if (image->machine == EM_AARCH64)
        *distance = value + ((header + align - 1) & -align);
    else if (image->machine == EM_PPC64)
        *distance = value - 0x7000;
    else if (image->machine == EM_RISCV)
        *distance = value;
    else
        return false;
    return true;
}

/* Code. */

static uint64_t relative(const unsigned char *operand, uint64_t end)
{
    int32_t distance;

    memcpy(&distance, operand, sizeof distance);
    return end + (uint64_t)(int64_t)distance;
}

/* x86-64: "call" is e8, "lea X(%rip),REGISTER" is 48 8d, or 4c 8d, and a byte whose other bits are 05. */
uint64_t runtime_variable_of(struct runtime_memory *memory, unsigned machine, uint64_t function)
{
    unsigned char code[64];
    size_t at = 0;

    if (machine != EM_X86_64 || !runtime_read(memory, function, code, sizeof code))
        return 0;
    /* What is called lies in the same library, so that the distance has few bits. */
    while (at + 5 < sizeof code && (code[at] != 0xe8 || (code[at + 4] != 0 && code[at + 4] != 0xff)))
        at++;
    for (at += 5; at + 7 <= sizeof code; at++)
        if ((code[at] == 0x48 || code[at] == 0x4c) && code[at + 1] == 0x8d && (code[at + 2] & 0xc7) == 0x05)
            return relative(code + at + 3, function + at + 7);
    return 0;
}

/* A stub of x86-64: perhaps "endbr64", perhaps a prefix, and "jmp *X(%rip)". */
static uint64_t end_of_stub(struct runtime_memory *memory, uint64_t function)
{
    static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
    unsigned char code[12];
    uint64_t target = function;
    size_t at;

    if (!runtime_read(memory, function, code, sizeof code))
        return function;
    at = memcmp(code, landing, sizeof landing) == 0 ? sizeof landing : 0;
    at += code[at] == 0xf2;
    if (code[at] == 0xff && code[at + 1] == 0x25)
        runtime_read_word(memory, relative(code + at + 2, function + at + 6), &target);
    return target;
}

uint64_t runtime_called(struct runtime_memory *memory, unsigned machine, uint64_t return_address)
{
    unsigned char code[6];
    uint64_t function = 0;

    if (machine != EM_X86_64 || !runtime_read(memory, return_address - sizeof code, code, sizeof code))
        return 0;
    if (code[0] == 0xff && code[1] == 0x15)
        runtime_read_word(memory, relative(code + 2, return_address), &function);
    else if (code[1] == 0xe8)
        function = end_of_stub(memory, relative(code + 2, return_address));
    return function;
}
