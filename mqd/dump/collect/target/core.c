/*
 * core.c - a core file: a process and the part of its memory that was written.
 *
 * Any number in the file may be wrong. Sizes are compared with that of the file before memory is allocated or read.
 * Offsets and addresses are used only in reads that check them.
 */
#include "mqd/dump/collect/target/core.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"

enum {
    MAX_STACK = 8 * 1024 * 1024,               /* arguments and environment have at most 6 MiB together */
    MAX_FILE_NOTES = 4096,                     /* bytes of one segment of notes in a program file */
    PAGE = 4096
};

/* The file. */

static bool read_at(const struct core *core, uint64_t offset, void *buffer, size_t size)
{
    if (plain_file_read(core->descriptor, offset, buffer, size) == size)
        return true;
    errno = errno != 0 ? errno : EIO;
    return false;
}

/* Are these bytes inside a file of `size` bytes? */
static bool is_inside(uint64_t size, uint64_t offset, uint64_t n_bytes)
{
    return offset <= size && n_bytes <= size - offset;
}

static bool fail_cut(char **why, uint64_t size, const char *what)
{
    return set_reason(why,
                      "it is cut off: it has %llu bytes, and %s lies behind them (a full disk, or a limit on the size "
                      "of cores: ulimit -c)",
                      (unsigned long long)size, what);
}

/* Recognises the compressed cores that systems keep, and names their format. */
static bool explain_other_file(const unsigned char *start, char **why)
{
    static const struct {
        unsigned char magic[4];
        const char *text;
    } kinds[] = {
        {{0x28, 0xb5, 0x2f, 0xfd}, "it is compressed: unpack it first with zstd -d, or with coredumpctl dump"},
        {{0x04, 0x22, 0x4d, 0x18}, "it is compressed: unpack it first with lz4 -d, or with coredumpctl dump"},
        {{0xfd, '7', 'z', 'X'}, "it is compressed: unpack it first with xz -d, or with coredumpctl dump"},
        {{0x1f, 0x8b, 0x08, 0x00}, "it is compressed: unpack it first with gzip -d"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (memcmp(start, kinds[i].magic, sizeof kinds[i].magic) == 0)
            return set_reason(why, "%s", kinds[i].text);
    return set_reason(why, "it is no core file");
}

static bool check_header(const Elf64_Ehdr *header, char **why)
{
    const int one = 1;
    unsigned char encoding = *(const char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;

    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return explain_other_file(header->e_ident, why);
    if (header->e_ident[EI_DATA] != encoding)
        return set_reason(why, "it comes from a machine with the other byte order: look at it on such a machine");
    if (header->e_type != ET_CORE)
        return set_reason(why, "it is a program, a library or an object file, but no core file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64)
        return set_reason(why, "it is the core of a 32-bit program: only those of 64-bit programs can be read");
    if (header->e_phentsize != sizeof(Elf64_Phdr))
        return set_reason(why, "it is no core file that can be read: its program headers have %u bytes, not %zu",
                          header->e_phentsize, sizeof(Elf64_Phdr));
    return true;
}

/* A count that does not fit into the header is in the first section header. */
static bool read_segment_count(const struct core *core, const Elf64_Ehdr *header, uint64_t size, size_t *n, char **why)
{
    Elf64_Shdr section;

    *n = header->e_phnum;
    if (header->e_phnum == PN_XNUM) {
        if (!is_inside(size, header->e_shoff, sizeof section) ||
            !read_at(core, header->e_shoff, &section, sizeof section))
            return fail_cut(why, size, "the number of its segments");
        *n = section.sh_info;
    }
    return *n > 0 || set_reason(why, "it is no core file that can be read: it has 0 segments");
}

static bool fail_to_read(char **why)
{
    return set_reason(why, "it cannot be read: %s", strerror(errno));
}

static bool read_headers(struct core *core, uint64_t size, Elf64_Phdr **headers, size_t *n, char **why)
{
    Elf64_Ehdr header = {.e_type = ET_NONE};

    if (!read_at(core, 0, &header, size < sizeof header ? (size_t)size : sizeof header))
        return fail_to_read(why);
    if (size < sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
        return fail_cut(why, size, "the end of its header");
    if (!check_header(&header, why) || !read_segment_count(core, &header, size, n, why))
        return false;
    core->machine = header.e_machine;
    if (!is_inside(size, header.e_phoff, *n * sizeof **headers))
        return fail_cut(why, size, "the list of its segments");
    *headers = allocate_array(*n, sizeof **headers);
    return read_at(core, header.e_phoff, *headers, *n * sizeof **headers) || fail_to_read(why);
}

/* Memory. */

static bool read_segments(struct core *core, const Elf64_Phdr *headers, size_t n, uint64_t size, char **why)
{
    core->segments = allocate_array(n, sizeof *core->segments);
    for (size_t i = 0; i < n; i++) {
        if (headers[i].p_type != PT_LOAD)
            continue;
        if (!is_inside(size, headers[i].p_offset, headers[i].p_filesz))
            return fail_cut(why, size, "a part of the memory");
        core->segments[core->n_segments++] = (struct core_segment){
            .address = headers[i].p_vaddr, .size = headers[i].p_memsz, .offset = headers[i].p_offset,
            .n_bytes = headers[i].p_filesz < headers[i].p_memsz ? headers[i].p_filesz : headers[i].p_memsz,
            .executable = (headers[i].p_flags & PF_X) != 0};
    }
    SORT(core->segments, core->n_segments, compare_starts);
    return core->n_segments > 0 || set_reason(why, "it has no memory in it");
}

/* The last segment that starts at or below the address; NULL if none does. */
static const struct core_segment *find_segment(const struct core *core, uint64_t address)
{
    size_t n = count_up_to(address, core->segments, core->n_segments, sizeof *core->segments);

    return n > 0 ? &core->segments[n - 1] : NULL;
}

const struct core_mapping *core_find_mapping(const struct core *core, uint64_t address)
{
    size_t n = count_up_to(address, core->mappings, core->n_mappings, sizeof *core->mappings);

    return n > 0 && address < core->mappings[n - 1].end ? &core->mappings[n - 1] : NULL;
}

/* Reads as much as is in one segment, and returns the number of bytes; 0 if nothing is there. */
static size_t read_dumped(const struct core *core, uint64_t address, void *buffer, size_t size)
{
    const struct core_segment *segment = find_segment(core, address);
    uint64_t left;

    if (segment == NULL || address - segment->address >= segment->n_bytes)
        return 0;
    left = segment->n_bytes - (address - segment->address);
    if (size > left)
        size = (size_t)left;
    if (read_at(core, segment->offset + (address - segment->address), buffer, size))
        return size;
    warning_give("not all of core %s can be read: %s", core->path, strerror(errno));
    return 0;
}

/* Reads up to the end of a page: at the next page the mapping may end, or the core may have the content. */
static size_t read_mapped(const struct core *core, uint64_t address, void *buffer, size_t size)
{
    const struct core_mapping *mapping = core_find_mapping(core, address);

    if (mapping == NULL || mapping->file == NULL)
        return 0;
    if (size > PAGE - address % PAGE)
        size = PAGE - (size_t)(address % PAGE);
    return elf_file_read(mapping->file, mapping->offset + (address - mapping->start), buffer, size) ? size : 0;
}

static bool read_pieces(const struct core *core, uint64_t address, void *buffer, size_t size, bool from_files)
{
    char *to = buffer;

    if (size > UINT64_MAX - address)
        return false;
    while (size > 0) {
        size_t got = read_dumped(core, address, to, size);

        if (got == 0 && from_files)
            got = read_mapped(core, address, to, size);
        if (got == 0)
            return false;
        to += got;
        address += got;
        size -= got;
    }
    return true;
}

bool core_read(const struct core *core, uint64_t address, void *buffer, size_t size)
{
    return read_pieces(core, address, buffer, size, true);
}

bool core_lacks(const struct core *core, uint64_t address)
{
    const struct core_segment *segment = find_segment(core, address);
    bool was_there = (segment != NULL && address - segment->address < segment->size) ||
                     core_find_mapping(core, address) != NULL;
    char byte;

    return was_there && !core_read(core, address, &byte, 1);
}

bool core_read_dumped(const struct core *core, uint64_t address, void *buffer, size_t size)
{
    return read_pieces(core, address, buffer, size, false);
}

bool core_is_executable(const struct core *core, uint64_t address)
{
    const struct core_segment *segment = find_segment(core, address);

    return segment == NULL || address - segment->address >= segment->size || segment->executable;
}

void core_use_file(struct core *core, uint64_t start, struct elf_file *file)
{
    const struct core_mapping *mapping = core_find_mapping(core, start);

    if (mapping != NULL)
        core->mappings[mapping - core->mappings].file = file;
}

/* Notes. */

struct note {
    const char *name;
    const unsigned char *content;
    size_t start, size;            /* of the content, in the block */
    uint32_t type;
};

/* The next note of a block of n bytes from *at on. False at its end, or if the rest is none. */
static bool next_note(const unsigned char *block, size_t n, size_t *at, struct note *note)
{
    Elf_Data data = {.d_buf = (void *)(uintptr_t)block, .d_type = ELF_T_NHDR, .d_version = EV_CURRENT, .d_size = n};
    size_t name;
    GElf_Nhdr header;

    *at = gelf_getnote(&data, *at, &header, &name, &note->start);
    if (*at == 0)
        return false;
    note->name = (const char *)block + name;
    if (header.n_namesz == 0 || note->name[header.n_namesz - 1] != '\0')
        note->name = "";
    note->content = block + note->start;
    note->size = header.n_descsz;
    note->type = header.n_type;
    return true;
}

static uint64_t word_at(const unsigned char *content, size_t offset)
{
    uint64_t word;

    memcpy(&word, content + offset, sizeof word);
    return word;
}

static int32_t int_at(const unsigned char *content, size_t offset)
{
    int32_t number;

    memcpy(&number, content + offset, sizeof number);
    return number;
}

/* A deleted file and a file of the same name are different files. */
static void number_files(struct core *core)
{
    struct name_index names[2] = {{0}};

    for (size_t i = 0; i < core->n_mappings; i++) {
        struct core_mapping *mapping = &core->mappings[i];
        uint32_t number = (uint32_t)i;

        if (!name_index_add(&names[mapping->deleted], mapping->path, number))
            name_index_find(&names[mapping->deleted], mapping->path, &number);
        mapping->number = number;
    }
    name_index_clear(&names[0]);
    name_index_clear(&names[1]);
}

/* NT_FILE: a count, the unit of offsets, then start, end and offset of each mapping, then their paths. */
static bool read_mappings(struct core *core, const struct note *note, char **why)
{
    enum { HEADER = 16, ENTRY = 24 };
    const char *path, *end = (const char *)note->content + note->size;
    uint64_t n, unit;

    if (note->size < HEADER || (n = word_at(note->content, 0)) > (note->size - HEADER) / ENTRY)
        return set_reason(why, "its list of mapped files (NT_FILE) is broken");
    unit = word_at(note->content, 8);
    path = (const char *)note->content + HEADER + n * ENTRY;
    core->mappings = allocate_array((size_t)n, sizeof *core->mappings);
    for (size_t i = 0; i < n; i++) {
        struct core_mapping *mapping = &core->mappings[core->n_mappings];
        size_t at = HEADER + i * ENTRY, length = strnlen(path, (size_t)(end - path));

        if (path + length == end)
            return set_reason(why, "its list of mapped files (NT_FILE) is broken");
        mapping->start = word_at(note->content, at);
        mapping->end = word_at(note->content, at + 8);
        mapping->offset = word_at(note->content, at + 16) * unit;
        mapping->path = copy_string(path);
        mapping->deleted = proc_strip_deleted(mapping->path);
        core->n_mappings++;
        path += length + 1;
    }
    SORT(core->mappings, core->n_mappings, compare_starts);
    number_files(core);
    return true;
}

static uint64_t auxiliary_value(const struct note *vector, uint64_t type)
{
    return proc_auxiliary_value(vector->content, vector->size, sizeof(uint64_t), type);
}

/*
 * Finds the environment where the kernel puts it when it starts the program. The pointers to the strings end with a
 * NULL just before the auxiliary vector. The strings end with the program's name, whose address is in the auxiliary
 * vector. `stack` is the n bytes of memory that end at the name. False if they are not there: a program may overwrite
 * them.
 */
static bool find_environment(const unsigned char *stack, size_t n, uint64_t name, const struct note *vector,
                             size_t *start)
{
    uint64_t bottom = name - n, first = name;
    /* Pointers are at multiples of 8. */
    size_t at = (size_t)(-bottom % 8), pointer;

    while (at + vector->size <= n && memcmp(stack + at, vector->content, vector->size) != 0)
        at += 8;
    if (at + vector->size > n || at < 16 || word_at(stack, at - 8) != 0)
        return false;
    /* Variables that the program has set since are elsewhere, and do not come from the launcher. */
    for (pointer = at - 16; word_at(stack, pointer) != 0; pointer -= 8) {
        if (word_at(stack, pointer) >= bottom && word_at(stack, pointer) < first)
            first = word_at(stack, pointer);
        if (pointer < 8)
            return false;
    }
    *start = (size_t)(first - bottom);
    return true;
}

static void read_launch(struct core *core, const struct note *vector)
{
    uint64_t name = auxiliary_value(vector, AT_EXECFN);
    const struct core_segment *stack = find_segment(core, name);
    OWNED unsigned char *memory = NULL;
    size_t n, start;

    core->launch = proc_no_launch();
    if (stack == NULL)
        return;
    n = name - stack->address < MAX_STACK ? (size_t)(name - stack->address) : MAX_STACK;
    memory = allocate_array(n + 1, 1);
    if (core_read_dumped(core, name - n, memory, n) && find_environment(memory, n, name, vector, &start))
        core->launch = proc_parse_launch((const char *)memory + start, n - start);
}

/* The executable is the file with the program headers whose address the auxiliary vector has. */
static void find_executable(struct core *core, const struct note *vector)
{
    const struct core_mapping *mapping = core_find_mapping(core, auxiliary_value(vector, AT_PHDR));

    core->executable = mapping != NULL ? mapping->path : NULL;
}

/* The process, by the notes. The offsets in them are the same for all 64-bit machines. */

/*
 * Reads the status note of a thread; the first is that of the thread that the signal hit. `block` is where the notes
 * are.
 */
static void read_status(struct core *core, const struct note *note, uint64_t block)
{
    enum { SIGNAL = 12, PID = 32, REGISTERS = 112 };
    struct core_thread *thread;
    int16_t signal;

    if (note->size < PID + 4)
        return;
    if (core->n_threads == 0) {
        memcpy(&signal, note->content + SIGNAL, sizeof signal);
        core->signal = signal > 0 ? signal : 0;
    }
    APPEND(core->threads, core->n_threads, core->thread_room, (struct core_thread){.id = int_at(note->content, PID)});
    thread = &core->threads[core->n_threads - 1];
    if (note->size > REGISTERS) {
        thread->registers = block + note->start + REGISTERS;
        thread->n_bytes = note->size - REGISTERS;
    }
}

/* siginfo_t: a signal for an error that the kernel has detected has a code above 0, and no sender. */
static enum core_sender sender_of(const struct core *core, const struct note *note)
{
    enum { SIGNAL = 0, CODE = 8, SENDER = 16 };

    if (note->size < SENDER + 4 || int_at(note->content, SIGNAL) != core->signal)
        return SENDER_UNKNOWN;
    return int_at(note->content, CODE) > 0 || int_at(note->content, SENDER) == core->pid ? SENDER_ITSELF : SENDER_OTHER;
}

bool core_read_registers(const struct core *core, const struct core_thread *thread, uint64_t *words, size_t n)
{
    return n <= thread->n_bytes / sizeof *words && read_at(core, thread->registers, words, n * sizeof *words);
}

/* Notes that exist once for the process. */
struct process_notes {
    struct note info, vector, signal;
};

static void keep_first(struct note *kept, const struct note *note)
{
    if (kept->content == NULL)
        *kept = *note;
}

static void read_process(struct core *core, const struct process_notes *notes)
{
    enum { INFO_PID = 24 };

    if (notes->info.size >= INFO_PID + 4)
        core->pid = int_at(notes->info.content, INFO_PID);
    if (core->pid == 0)
        core->pid = core->threads[0].id;
    if (core->pid < 0)
        core->pid = 0;
    core->sender = sender_of(core, &notes->signal);
    core->vdso = auxiliary_value(&notes->vector, AT_SYSINFO_EHDR);
    find_executable(core, &notes->vector);
    read_launch(core, &notes->vector);
}

/* aarch64 has a note of its own for the thread pointer, behind the others of the thread. */
static void read_pointer(struct core *core, const struct note *note)
{
    uint64_t pointer;

    if (core->machine == EM_AARCH64 && note->type == NT_ARM_TLS && strcmp(note->name, "LINUX") == 0 &&
        core->n_threads > 0 && note->size >= sizeof pointer)
        core->threads[core->n_threads - 1].pointer = word_at(note->content, 0);
}

/* `offset` is where the block is in the file. */
static bool read_notes(struct core *core, const unsigned char *block, size_t n, uint64_t offset, char **why)
{
    struct process_notes notes = {0};
    struct note note;
    bool has_files = false;
    size_t at = 0;

    while (next_note(block, n, &at, &note)) {
        read_pointer(core, &note);
        if (strcmp(note.name, "CORE") != 0)
            continue;
        if (note.type == NT_FILE && !has_files) {
            has_files = true;
            if (!read_mappings(core, &note, why))
                return false;
        } else if (note.type == NT_AUXV) {
            keep_first(&notes.vector, &note);
        } else if (note.type == NT_PRPSINFO) {
            keep_first(&notes.info, &note);
        } else if (note.type == NT_SIGINFO) {
            keep_first(&notes.signal, &note);
        } else if (note.type == NT_PRSTATUS) {
            read_status(core, &note, offset);
        }
    }
    if (core->n_threads == 0)
        return set_reason(why, "it tells nothing of a process (NT_PRSTATUS)");
    if (!has_files)
        return set_reason(why,
                          "it does not tell which files were mapped (NT_FILE): cores of valgrind and of kernels before "
                          "3.7 do not");
    read_process(core, &notes);
    return true;
}

static bool read_note_segments(struct core *core, const Elf64_Phdr *headers, size_t n, uint64_t size, char **why)
{
    for (size_t i = 0; i < n; i++) {
        OWNED unsigned char *block = NULL;

        if (headers[i].p_type != PT_NOTE)
            continue;
        if (!is_inside(size, headers[i].p_offset, headers[i].p_filesz))
            return fail_cut(why, size, "a part of what it tells of the process");
        block = allocate_array((size_t)headers[i].p_filesz, 1);
        return read_at(core, headers[i].p_offset, block, (size_t)headers[i].p_filesz)
                   ? read_notes(core, block, (size_t)headers[i].p_filesz, headers[i].p_offset, why)
                   : fail_to_read(why);
    }
    return set_reason(why, "it tells nothing of a process: it has no notes");
}

/* Errors. */

const char *core_error_name(int signal)
{
    static const struct {
        int number;
        const char *name;
    } signals[] = {
        {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"},
        {SIGSYS, "SIGSYS"}, {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
    };

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == signal)
            return signals[i].name;
    return NULL;
}

/* gdb's gcore at a breakpoint has what the kernel writes of a process that SIGTRAP has killed: that is no error. */
int core_error_signal(const struct core *core)
{
    bool is_error = core->sender != SENDER_OTHER && core->signal != SIGTRAP && core_error_name(core->signal) != NULL;

    return is_error ? core->signal : 0;
}

/* Program files in memory. */

static bool find_build_id(const unsigned char *block, size_t n, struct core_build_id *id)
{
    struct note note;
    size_t at = 0;

    while (next_note(block, n, &at, &note)) {
        if (note.type != NT_GNU_BUILD_ID || strcmp(note.name, "GNU") != 0 || note.size == 0 ||
            note.size > sizeof id->bytes)
            continue;
        memcpy(id->bytes, note.content, note.size);
        id->n = note.size;
        return true;
    }
    return false;
}

bool core_build_id_at(const struct core *core, uint64_t start, struct core_build_id *id)
{
    unsigned char page[PAGE], notes[MAX_FILE_NOTES];
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    if (!core_read_dumped(core, start, page, sizeof page))
        return false;
    memcpy(&header, page, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof segment)
        return false;
    for (size_t i = 0; i < header.e_phnum; i++) {
        if (!is_inside(sizeof page, header.e_phoff, (i + 1) * sizeof segment))
            return false;
        memcpy(&segment, page + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_NOTE && segment.p_filesz <= sizeof notes &&
            core_read_dumped(core, start + segment.p_offset, notes, (size_t)segment.p_filesz) &&
            find_build_id(notes, (size_t)segment.p_filesz, id))
            return true;
    }
    return false;
}

/* Opening. */

static bool read_core(struct core *core, char **why)
{
    OWNED Elf64_Phdr *headers = NULL;
    struct stat info;
    uint64_t size;
    size_t n = 0;

    if (core->descriptor < 0)
        return false;
    if (fstat(core->descriptor, &info) != 0)
        return fail_to_read(why);
    size = (uint64_t)info.st_size;
    if (size == 0)
        return set_reason(why,
                          "it is empty: the disk was full, or a limit on the size of cores kept it so (ulimit -c)");
    return read_headers(core, size, &headers, &n, why) && read_segments(core, headers, n, size, why) &&
           read_note_segments(core, headers, n, size, why);
}

void core_source_open(struct core_source *source, const char *path)
{
    *source = (struct core_source){.path = path};
    source->descriptor = plain_file_open(NULL, path, &source->problem);
}

void core_source_refuse(struct core_source *source, char *problem)
{
    core_source_close(source);
    source->problem = problem;
}

void core_source_close(struct core_source *source)
{
    if (source->descriptor >= 0)
        close(source->descriptor);
    free(source->problem);
    source->descriptor = -1;
    source->problem = NULL;
}

struct core *core_open(const struct core_source *source, char **why)
{
    struct core *core = allocate_array(1, sizeof *core);

    core->path = copy_string(source->path);
    core->descriptor = source->descriptor >= 0 ? fcntl(source->descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    if (source->descriptor < 0)
        set_reason(why, "%s", source->problem);
    else if (core->descriptor < 0)
        fail_to_read(why);
    if (read_core(core, why))
        return core;
    core_close(core);
    return NULL;
}

void core_close(struct core *core)
{
    if (core == NULL)
        return;
    for (size_t i = 0; i < core->n_mappings; i++)
        free(core->mappings[i].path);
    if (core->descriptor >= 0)
        close(core->descriptor);
    FREE_ALL(core->mappings, core->segments, core->threads, core->path, core);
}
