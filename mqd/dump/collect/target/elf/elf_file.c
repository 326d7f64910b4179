/*
 * elf_file.c - one program or library file: how it is loaded, its symbols, its types.
 */
#include "mqd/dump/collect/target/elf/elf_file.h"

#include "config.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#if HAVE_LZMA
#include <lzma.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/file_seal.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/elf/debug_file.h"
#include "mqd/dump/collect/target/elf/debug_info.h"
#include "mqd/dump/collect/target/elf/elf_image.h"
#include "mqd/dump/collect/target/elf/function_name.h"
#include "mqd/dump/collect/target/elf/symbols.h"

struct elf_file {
    struct elf_image image;
    struct elf_image debug_image;      /* of a separate file; without `elf` if there is none */
    char *inflated;                    /* a file in memory with symbols that the file keeps compressed, or NULL */
    Elf *inflated_elf;
    struct elf_load *loads;
    size_t n_loads;
    struct symbols symbols;
    const char **needed;
    size_t n_needed;
    const char *needed_as;             /* NULL: it does not say */
    bool rules_read, debug_read;
    Dwarf_CFI *rules;                  /* NULL: it does not tell how to unwind */
    struct debug_info *debug;          /* NULL: none */
    bool fortran_known, has_fortran;
    uint64_t counted;                  /* the last number that elf_file_count was called with */
    size_t count;
};

/*
 * Real programs have two to a dozen. Each is compared with each mapping of the file, and a process can have as many
 * mappings as it wants.
 */
enum { MAX_LOADS = 128 };

static bool read_loads(struct elf_file *file, char **why)
{
    GElf_Phdr header;
    size_t room = 0;

    for (int i = 0; gelf_getphdr(file->image.elf, i, &header) != NULL; i++) {
        if (header.p_type != PT_LOAD || header.p_filesz == 0)
            continue;
        if (file->n_loads == MAX_LOADS)
            return set_reason(why, "it has more than %d parts to be loaded, which no program has", MAX_LOADS);
        APPEND(file->loads, file->n_loads, room,
               (struct elf_load){.offset = header.p_offset, .address = header.p_vaddr, .size = header.p_memsz,
                                 .executable = (header.p_flags & PF_X) != 0});
    }
    return file->n_loads > 0;
}

static void read_entry(struct elf_file *file, const char *name, int64_t tag, size_t *room)
{
    if (tag == DT_SONAME)
        file->needed_as = name;
    if (name != NULL && tag == DT_NEEDED)
        APPEND(file->needed, file->n_needed, *room, name);
}

/* There is one such section. */
static void read_dynamic(struct elf_file *file)
{
    GElf_Shdr header;
    const char *names;
    Elf_Data *data;
    GElf_Dyn entry;
    size_t room = 0, n;

    memory_watch();
    data = elf_getdata(section_of_type(file->image.elf, SHT_DYNAMIC, &header), NULL);
    memory_check();
    names = data != NULL ? section_names(file->image.elf, header.sh_link, &n) : NULL;
    for (int i = 0; names != NULL && gelf_getdyn(data, i, &entry) != NULL; i++)
        if (entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME)
            read_entry(file, entry.d_un.d_val < n ? names + entry.d_un.d_val : NULL, entry.d_tag, &room);
}

/* Symbols. */

#if HAVE_LZMA
/* Inflates what is in the format xz, into memory of *n_bytes for free(); NULL if it is broken. */
static char *inflate(const unsigned char *compressed, size_t n, size_t *n_bytes)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_ret answer = lzma_stream_decoder(&stream, UINT64_MAX, 0);
    OWNED char *memory = NULL;
    size_t room = 0;

    stream.next_in = compressed;
    stream.avail_in = n;
    while (answer == LZMA_OK) {
        memory = grow_array(memory, stream.total_out, &room, 1);
        stream.next_out = (uint8_t *)memory + stream.total_out;
        stream.avail_out = room - stream.total_out;
        answer = lzma_code(&stream, LZMA_FINISH);
    }
    *n_bytes = stream.total_out;
    lzma_end(&stream);
    if (answer == LZMA_MEM_ERROR)
        out_of_memory();
    return answer == LZMA_STREAM_END ? TAKEN(memory) : NULL;
}

static void add_inflated_symbols(struct elf_file *file)
{
    size_t n = 0, n_inflated;
    const unsigned char *compressed = elf_image_content(elf_image_section(&file->image, ".gnu_debugdata"), &n);

    if (compressed == NULL)
        return;
    file->inflated = inflate(compressed, n, &n_inflated);
    if (file->inflated == NULL) {
        warning_give("not all symbols of %s are used: its section .gnu_debugdata is broken", elf_file_path(file));
        return;
    }
    memory_watch();
    file->inflated_elf = elf_memory(file->inflated, n_inflated);
    memory_check();
    if (file->inflated_elf != NULL)
        symbols_add(&file->symbols, file->inflated_elf, SHT_SYMTAB);
}
#else
static void add_inflated_symbols(struct elf_file *file)
{
    (void)file;
}
#endif

/* The full table is in the file or in its separate debug information; else there are those that others may use. */
static void read_symbols(struct elf_file *file)
{
    if (symbols_add(&file->symbols, file->image.elf, SHT_SYMTAB) ||
        (file->debug_image.elf != NULL && symbols_add(&file->symbols, file->debug_image.elf, SHT_SYMTAB)))
        return;
    symbols_add(&file->symbols, file->image.elf, SHT_DYNSYM);
    add_inflated_symbols(file);
}

/* Opening. */

static bool read_file(struct elf_file *file, bool separate_debug, char **why)
{
    if ((file->image.header.e_type != ET_EXEC && file->image.header.e_type != ET_DYN) || !read_loads(file, why))
        return false;
    read_dynamic(file);
    if (separate_debug && !file->image.has_debug_info)
        debug_file_find(&file->debug_image, &file->image);
    read_symbols(file);
    return true;
}

struct elf_file *elf_file_open(int descriptor, const struct file_source *source, bool separate_debug, char **why)
{
    struct elf_file *file = allocate_array(1, sizeof *file);

    if (elf_image_open(&file->image, descriptor, source, why) && read_file(file, separate_debug, why))
        return file;
    elf_file_close(file);
    return NULL;
}

void elf_file_close(struct elf_file *file)
{
    if (file == NULL)
        return;
    debug_info_close(file->debug);
    dwarf_cfi_end(file->rules);
    symbols_clear(&file->symbols);
    elf_end(file->inflated_elf);
    elf_image_close(&file->debug_image);
    elf_image_close(&file->image);
    FREE_ALL(file->needed, file->loads, file->inflated, file);
}

size_t elf_file_count(struct elf_file *file, uint64_t number)
{
    file->count = file->counted == number ? file->count + 1 : 1;
    file->counted = number;
    return file->count;
}

const char *elf_file_path(const struct elf_file *file)
{
    return file_image_source(file->image.content)->path;
}

const char *elf_file_name(const struct elf_file *file)
{
    const char *path = elf_file_path(file), *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

unsigned elf_file_machine(const struct elf_file *file)
{
    return file->image.header.e_machine;
}

bool elf_file_is_64_bit(const struct elf_file *file)
{
    return file->image.header.e_ident[EI_CLASS] == ELFCLASS64;
}

bool elf_file_is_little_endian(const struct elf_file *file)
{
    return file->image.header.e_ident[EI_DATA] == ELFDATA2LSB;
}

bool elf_file_has_code(const struct elf_file *file)
{
    return file->image.has_code;
}

const void *elf_file_build_id(const struct elf_file *file, size_t *n)
{
    return elf_image_build_id(&file->image, n);
}

const struct elf_load *elf_file_loads(const struct elf_file *file, size_t *n)
{
    *n = file->n_loads;
    return file->loads;
}

struct Elf *elf_file_share(const struct elf_file *file)
{
    return elf_begin(-1, ELF_C_READ, file->image.elf);
}

/* Content. */

bool elf_file_read(const struct elf_file *file, uint64_t offset, void *buffer, size_t size)
{
    static const uint64_t page = 4096;
    uint64_t end = (file_image_size(file->image.content) + page - 1) / page * page;
    OWNED char *why = NULL;
    bool good;

    if (offset > end || size > end - offset)
        return false;
    good = file_image_load(file->image.content, offset, size, &why);
    file_image_rest(file->image.content);
    if (good)
        memcpy(buffer, file_image_memory(file->image.content) + offset, size);
    else
        warning_give("%s cannot be read any more: %s", elf_file_path(file), why);
    return good;
}

bool elf_file_has_name(const struct elf_file *file, const char *text)
{
    GElf_Shdr header;

    for (Elf_Scn *section = NULL; (section = next_section(file->image.elf, section, &header)) != NULL;) {
        size_t n = 0;
        const unsigned char *names = header.sh_type == SHT_STRTAB ? elf_image_content(section, &n) : NULL;

        if (names != NULL && memmem(names, n, text, strlen(text) + 1) != NULL)
            return true;
    }
    return false;
}

bool elf_file_has_string(const struct elf_file *file, const char *text)
{
    struct file_image *content = file->image.content;
    uint64_t size = file_image_size(content), end = 0;
    OWNED char *why = NULL;
    GElf_Phdr header;
    bool found;

    for (int i = 0; gelf_getphdr(file->image.elf, i, &header) != NULL; i++)
        if (header.p_type == PT_LOAD && header.p_offset <= size && header.p_filesz <= size - header.p_offset &&
            header.p_offset + header.p_filesz > end)
            end = header.p_offset + header.p_filesz;
    found = file_image_load(content, 0, end, &why) &&
            memmem(file_image_memory(content), (size_t)end, text, strlen(text) + 1) != NULL;
    file_image_rest(content);
    return found;
}

/* Symbols. */

bool elf_file_find_symbol(const struct elf_file *file, const char *name, bool local, struct elf_symbol *symbol)
{
    const struct symbol *found = symbols_find(&file->symbols, name, local);

    if (found == NULL)
        return false;
    *symbol = (struct elf_symbol){found->value, found->size};
    return true;
}

static uint64_t find_debug_entry(const struct elf_file *file)
{
    Elf *elf = file->image.elf;
    size_t word = elf_file_is_64_bit(file) ? 8 : 4;
    GElf_Phdr header;
    Elf_Data *data;
    GElf_Dyn entry;

    for (int i = 0; gelf_getphdr(elf, i, &header) != NULL; i++) {
        if (header.p_type != PT_DYNAMIC)
            continue;
        data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_DYN);
        for (int k = 0; gelf_getdyn(data, k, &entry) != NULL; k++)
            if (entry.d_tag == DT_DEBUG)
                return header.p_vaddr + (2 * (uint64_t)k + 1) * word;
    }
    return 0;
}

uint64_t elf_file_debug_entry(const struct elf_file *file)
{
    uint64_t found;

    memory_watch();
    found = find_debug_entry(file);
    memory_check();
    return found;
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

/* Code. */

static Dwarf_CFI *rules_of(struct elf_file *file)
{
    memory_watch();
    if (!file->rules_read)
        file->rules = dwarf_getcfi_elf(file->image.elf);
    memory_check();
    file->rules_read = true;
    return file->rules;
}

bool elf_file_can_unwind(struct elf_file *file, uint64_t address)
{
    Dwarf_CFI *rules = rules_of(file);
    OWNED Dwarf_Frame *frame = NULL;
    bool found;

    memory_watch();
    found = rules != NULL && dwarf_cfi_addrframe(rules, address, &frame) == 0;
    memory_check();
    return found;
}

/* While files are sealed the question is not answered for good. */
static struct debug_info *debug_of(struct elf_file *file)
{
    OWNED char *why = NULL;

    if (!file->debug_read && !file_seal_refuses(&why)) {
        file->debug = debug_info_open(file->debug_image.elf != NULL ? &file->debug_image : &file->image, &file->image);
        file->debug_read = true;
    }
    return file->debug;
}

/* The first who asks for rules to unwind may make elfutils load a library of its own for the machine. */
void elf_file_prepare(struct elf_file *file)
{
    struct debug_info *debug = debug_of(file);

    rules_of(file);
    if (debug != NULL)
        debug_info_read_types(debug);
}

/* The names of large programs are many: they are searched for a function whose own name may be of Fortran. */
static bool may_be_fortran(const char *function)
{
    return function != NULL && *function != '\0' && function[strlen(function) - 1] == '_';
}

/*
 * Programs of Fortran start the runtime system of their compiler, and libraries call MPI by its names for Fortran. Who
 * has such a function itself is a wrapper, and may be of any language.
 */
static bool has_fortran(struct elf_file *file)
{
    static const char *const names[] = {
        "_gfortran_set_args", "_gfortran_st_write", "_gfortran_os_error_at", "for_rtl_init_", "for_write_seq_lis",
        "_FortranAProgramStart", "_FortranAioBeginExternalListOutput", "fort_init", "mpi_init_", "mpi_send_",
        "mpi_isend_", "mpi_recv_", "mpi_irecv_", "mpi_wait_", "mpi_waitall_", "mpi_sendrecv_", "mpi_bcast_",
        "mpi_barrier_", "mpi_reduce_", "mpi_allreduce_", "mpi_alltoall_", "mpi_recv_f08_", "mpi_recv_f08ts_"};

    for (size_t i = 0; i < sizeof names / sizeof *names && !file->fortran_known; i++)
        file->has_fortran |= elf_file_has_name(file, names[i]) && symbols_find(&file->symbols, names[i], false) == NULL;
    file->fortran_known = true;
    return file->has_fortran;
}

void elf_file_find_place(struct elf_file *file, uint64_t address, bool with_source, struct elf_place *place)
{
    const struct symbol *symbol = symbols_at(&file->symbols, address);
    struct debug_info *debug = with_source ? debug_of(file) : NULL;

    *place = (struct elf_place){.line = 0};
    if (symbol != NULL) {
        place->function = symbol->name;
        place->offset = address - symbol->value;
    }
    if (debug != NULL)
        place->source = debug_info_find_line(debug, address, &place->line);
    if (place->source != NULL)
        place->in_header = is_header(place->source);
    if (place->source != NULL && strrchr(place->source, '/') != NULL)
        place->source = strrchr(place->source, '/') + 1;
    if (with_source &&
        (debug == NULL || !debug_info_find_fortran(debug, address, &place->is_fortran, &place->program)))
        place->is_fortran = may_be_fortran(place->function) && has_fortran(file);
}

void elf_file_find_routine(struct elf_file *file, uint64_t address, struct routine *routine)
{
    struct debug_info *debug = debug_of(file);

    *routine = (struct routine){.name = NULL};
    if (debug != NULL)
        debug_info_find_routine(debug, address, routine);
}

mqs_type *elf_file_find_type(struct elf_file *file, const char *name, bool tags_only, const char **declared)
{
    struct debug_info *debug = debug_of(file);

    return debug != NULL ? debug_info_find_type(debug, name, tags_only, declared) : NULL;
}
