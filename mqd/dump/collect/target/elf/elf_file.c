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

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/elf/debug_file.h"

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
    else
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

    data = WATCHED(elf_getdata(section_of_type(file->image.elf, SHT_DYNAMIC, &header), NULL));
    names = data != NULL ? section_names(file->image.elf, header.sh_link, &n) : NULL;
    for (int i = 0; names != NULL && gelf_getdyn(data, i, &entry) != NULL; i++)
        if ((entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME) && entry.d_un.d_val < n)
            read_entry(file, names + entry.d_un.d_val, entry.d_tag, &room);
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
        warning_give("not all symbols of %s are used: its section .gnu_debugdata is broken", file->path);
        return;
    }
    file->inflated_elf = WATCHED(elf_memory(file->inflated, n_inflated));
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

static void read_header(struct elf_file *file)
{
    const GElf_Ehdr *header = &file->image.header;

    file->path = file->image.source.path;
    file->name = file->needed_as = name_of_path(file->path);
    file->machine = header->e_machine;
    file->is_64_bit = header->e_ident[EI_CLASS] == ELFCLASS64;
    file->is_little_endian = header->e_ident[EI_DATA] == ELFDATA2LSB;
}

static bool read_file(struct elf_file *file, bool separate_debug, char **why)
{
    if ((file->image.header.e_type != ET_EXEC && file->image.header.e_type != ET_DYN) || !read_loads(file, why))
        return false;
    read_header(file);
    read_dynamic(file);
    if (separate_debug && !file->image.has_debug_info)
        debug_file_find(&file->debug_image, &file->image);
    read_symbols(file);
    return true;
}

struct elf_file *elf_file_open(int descriptor, const struct file_source *from, bool separate_debug, char **why)
{
    struct elf_file *file = allocate_array(1, sizeof *file);

    if (elf_image_open(&file->image, descriptor, from, why) && read_file(file, separate_debug, why))
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

/* Content. */

bool elf_file_read(const struct elf_file *file, uint64_t offset, void *buffer, size_t size)
{
    static const uint64_t page = 4096;
    uint64_t end = ((uint64_t)file->image.info.st_size + page - 1) / page * page;
    OWNED char *why = NULL;

    if (offset > end || size > end - offset)
        return false;
    if (elf_image_read(&file->image, offset, buffer, size, &why))
        return true;
    warning_give("%s cannot be read any more: %s", file->path, why);
    return false;
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
    enum { PIECE = 1024 * 1024 };
    uint64_t size = (uint64_t)file->image.info.st_size, end = 0;
    size_t length = strlen(text) + 1;
    OWNED char *piece = allocate_array(PIECE + length, 1), *why = NULL;
    GElf_Phdr header;
    bool found = false, good = true;

    for (int i = 0; gelf_getphdr(file->image.elf, i, &header) != NULL; i++)
        if (header.p_type == PT_LOAD && header.p_offset <= size && header.p_filesz <= size - header.p_offset &&
            header.p_offset + header.p_filesz > end)
            end = header.p_offset + header.p_filesz;
    /* It may lie across the border of two pieces. */
    for (uint64_t at = 0; good && !found && at < end; at += PIECE) {
        size_t n = end - at < PIECE + length ? (size_t)(end - at) : PIECE + length;

        good = elf_image_read(&file->image, at, piece, n, &why);
        found = good && memmem(piece, n, text, length) != NULL;
    }
    return found;
}

/* Code. */

static Dwarf_CFI *rules_of(struct elf_file *file)
{
    if (!file->rules_read)
        file->rules = WATCHED(dwarf_getcfi_elf(file->image.elf));
    file->rules_read = true;
    return file->rules;
}

bool elf_file_can_unwind(struct elf_file *file, uint64_t address)
{
    Dwarf_CFI *rules = rules_of(file);
    OWNED Dwarf_Frame *frame = NULL;

    return rules != NULL && WATCHED(dwarf_cfi_addrframe(rules, address, &frame) == 0);
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

static struct types *types_of(struct elf_file *file)
{
    struct debug_info *debug = debug_of(file);

    return debug != NULL ? debug_info_types(debug) : NULL;
}

/* The first who asks for rules to unwind may make elfutils load a library of its own for the machine. */
void elf_file_prepare(struct elf_file *file)
{
    struct types *types = types_of(file);

    rules_of(file);
    memory_watch();
    if (types != NULL)
        types_read_all(types);
    memory_check();
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

const char *elf_file_find_function(struct elf_file *file, uint64_t address, uint64_t *offset)
{
    const struct symbol *symbol = symbols_at(&file->symbols, address);

    *offset = symbol != NULL ? address - symbol->value : 0;
    return symbol != NULL ? symbol->name : NULL;
}

void elf_file_find_source(struct elf_file *file, uint64_t address, struct source_place *source)
{
    struct debug_info *debug = debug_of(file);
    uint64_t offset;

    *source = (struct source_place){.line = 0};
    if (debug == NULL || !debug_info_find_source(debug, address, source))
        source->is_fortran = may_be_fortran(elf_file_find_function(file, address, &offset)) && has_fortran(file);
}

mqs_type *elf_file_find_type(struct elf_file *file, const char *name, bool tags_only, const char **declared)
{
    struct types *types = types_of(file);

    return types != NULL ? WATCHED(types_find(types, name, tags_only, declared)) : NULL;
}
