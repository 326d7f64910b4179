/*
 * test_dump_hostile_files.c - program files made to harm who looks at the process that has them.
 */
#include "config.h"

#include <elf.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#if HAVE_LZMA
#include <lzma.h>
#endif
#include <malloc.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/base/plain_file.h"

#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN teardown(fixture)
#define TEST_FIXTURE struct fixture
#define TEST_SECONDS 600
#include "unit_test.h"

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/elf/elf_file.h"
#include "mqd/dump/collect/target/elf/types.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/stack/known_place.h"
#include "tests/unit/made_elf.h"

enum { N_ID = 20 };

static const unsigned char build_id[N_ID] = "one build of this";
static const unsigned char other_id[N_ID] = "another build of it";

struct fixture {
    char *program, *debug;     /* paths: the library, and where its debug information is searched */
    struct elf_file *file;
    struct process process;    /* this one, and what it has mapped */
    struct modules modules;
    struct files files;
};

static void setup(struct fixture *fixture)
{
    fixture->program = test_path("/libmpi.so");
    fixture->debug = test_path("/.debug/libmpi.debug");
    assert_int_equal(mkdir(test_path("/.debug"), 0700), 0);
    fixture->process = (struct process){.pid = getpid(), .reader = getpid(), .memory = -1};
}

static void teardown(struct fixture *fixture)
{
    elf_file_close(fixture->file);
    modules_clear(&fixture->modules);
    files_close(&fixture->files);
    warnings_clear();
}

/* Closes the one that is open, and opens the library as if it lay there. */
static struct elf_file *open_from(struct fixture *fixture, const struct file_source *source)
{
    int descriptor = open(fixture->program, O_RDONLY | O_CLOEXEC);

    assert_true(descriptor >= 0);
    elf_file_close(fixture->file);
    fixture->file = elf_file_open(descriptor, source, true, WHY);
    return fixture->file;
}

static struct elf_file *open_program(struct fixture *fixture)
{
    return open_from(fixture, &(struct file_source){.path = fixture->program});
}

static void reopen_program(struct fixture *fixture)
{
    assert_non_null(open_program(fixture));
}

static void open_made(struct fixture *fixture, struct made_elf *elf)
{
    unlink(fixture->program);
    made_elf_write(elf, fixture->program);
    reopen_program(fixture);
}

static bool read_modules(struct fixture *fixture)
{
    return modules_read(&fixture->modules, &fixture->files, &fixture->process, NULL, NULL, WHY);
}

static bool has_symbol(struct fixture *fixture, const char *name)
{
    return symbols_find(&fixture->file->symbols, name, false) != NULL;
}

static void assert_warned(const char *text)
{
    for (size_t i = 0; warning_given(i) != NULL; i++)
        if (strstr(warning_given(i), text) != NULL)
            return;
    fail_msg("no warning has \"%s\"; the first is \"%s\"", text, warning_given(0) != NULL ? warning_given(0) : "");
}

/* Separate debug information. */

static void write_stripped(struct fixture *fixture, const unsigned char *id, const char *link)
{
    struct made_elf *elf = made_elf_begin();

    if (id != NULL)
        made_elf_build_id(elf, id, N_ID);
    made_elf_debug_link(elf, link);
    made_elf_write(elf, fixture->program);
}

static void write_debug(const char *path, const unsigned char *id)
{
    struct made_elf *elf = made_elf_begin();

    if (id != NULL)
        made_elf_build_id(elf, id, N_ID);
    made_elf_symbol(elf, "from_debug_file", 64);
    made_elf_write(elf, path);
}

/* Writes both, and opens the library. Is its debug information used? */
static bool uses_debug(struct fixture *fixture, const unsigned char *id, const unsigned char *debug)
{
    unlink(fixture->program);
    unlink(fixture->debug);
    write_stripped(fixture, id, "libmpi.debug");
    write_debug(fixture->debug, debug);
    reopen_program(fixture);
    return has_symbol(fixture, "from_debug_file");
}

TEST(debug_file_with_the_same_build_id_is_used)
{
    assert_true(uses_debug(fixture, build_id, build_id));
    assert_false(uses_debug(fixture, build_id, other_id));
    assert_false(uses_debug(fixture, NULL, NULL));
    assert_warned("the file has no build-id");
}

/* Where a debug file is found, by its build-id or its name, below a root. Links are followed in one place only. */
TEST(places_of_debug_files)
{
    static const char by_id[] = "/usr/lib/debug/.build-id/6f/6e65206275696c64206f662074686973000000.debug";
    const struct {
        const char *path;
        bool is_found, is_link;
    } places[] = {
        {by_id, true, false}, {by_id, true, true}, {"/lib/libmpi.debug", true, false},
        {"/lib/libmpi.debug", false, true}, {"/lib/.debug/libmpi.debug", true, false},
        {"/usr/lib/debug/lib/libmpi.debug", true, false}, {"/usr/lib/debug/libmpi.debug", false, false},
        {"/lib/debug/libmpi.debug", false, false}, {"/libmpi.debug", false, false},
    };
    char *root = test_path("/root");
    struct file_source source = {.root = root, .path = (char[]){"/lib/libmpi.so"}};

    write_stripped(fixture, build_id, "libmpi.debug");
    write_debug(test_path("/real.debug"), build_id);
    for (size_t i = 0; i < N_OF(places); i++) {
        char *path = test_text("%s%s", root, places[i].path);

        test_file(path, "", 0);
        unlink(path);
        if (places[i].is_link)
            assert_int_equal(symlink("/real.debug", path), 0);
        path = places[i].is_link ? test_text("%s/real.debug", root) : path;
        assert_int_equal(link(test_path("/real.debug"), path), 0);
        assert_non_null(open_from(fixture, &source));
        assert_int_equal(has_symbol(fixture, "from_debug_file"), places[i].is_found);
        unlink(path);
        unlink(test_text("%s%s", root, places[i].path));
    }
    source.path = "libmpi.so";
    assert_non_null(open_from(fixture, &source));
}

/* Was a file opened since it is watched? */
static bool was_opened(int watch)
{
    char event[4096];

    return read(watch, event, sizeof event) > 0;
}

static int watch_file(const char *path)
{
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    assert_true(watch >= 0 && inotify_add_watch(watch, path, IN_OPEN) >= 0);
    return watch;
}

/* A file that a name or a link leads to would do, and is not even opened. It is used by a name of its own. */
TEST(what_stands_in_place_of_the_debug_file)
{
    enum { PIPE, LINK, NAME, DEVICE, OWN, N_KINDS };
    char *secret = test_path("/secret");
    int watch;

    write_debug(secret, build_id);
    watch = watch_file(secret);
    for (int kind = PIPE; kind < N_KINDS; kind++) {
        unlink(fixture->program);
        write_stripped(fixture, build_id, kind == NAME ? "../secret" : "libmpi.debug");
        assert_int_equal(kind == PIPE ? mkfifo(fixture->debug, 0600) : kind == OWN ? link(secret, fixture->debug)
                         : symlink(kind == DEVICE ? "/dev/zero" : secret, fixture->debug), 0);
        reopen_program(fixture);
        assert_int_equal(has_symbol(fixture, "from_debug_file"), kind == OWN);
        assert_int_equal(was_opened(watch), kind == OWN);
        assert_int_equal(unlink(fixture->debug), 0);
    }
    close(watch);
    if (truncate(secret, (off_t)1 << 41) != 0)
        skip_because("no file system for 2 TiB");
    assert_int_equal(link(secret, fixture->debug), 0);
    reopen_program(fixture);
    assert_false(has_symbol(fixture, "from_debug_file"));
    assert_warned("2199023255552 bytes: more than any program (16 GiB)");
}

/* Headers and sections. */

/* Where a made file has a value: in its header, or in that of a section. */
struct place {
    bool is_section;
    unsigned section;
    size_t at, n;
};
#define IN_HEADER(member) {false, 0, offsetof(Elf64_Ehdr, member), sizeof(((Elf64_Ehdr *)0)->member)}
#define IN_SECTION(number, member) {true, number, offsetof(Elf64_Shdr, member), sizeof(((Elf64_Shdr *)0)->member)}

/* Writes the value, and returns what was there. */
static uint64_t exchange_value(struct fixture *fixture, struct place place, uint64_t value)
{
    int file = open(fixture->program, O_RDWR | O_CLOEXEC);
    Elf64_Ehdr header;
    uint64_t at = place.at, before = 0;

    assert_true(pread(file, &header, sizeof header, 0) == sizeof header);
    at += place.is_section ? header.e_shoff + place.section * sizeof(Elf64_Shdr) : 0;
    assert_true(pread(file, &before, place.n, (off_t)at) == (ssize_t)place.n &&
                pwrite(file, &value, place.n, (off_t)at) == (ssize_t)place.n);
    close(file);
    return before;
}

/* What opening it says: "good", a reason, or "no program", of which no reason is told. */
static const char *opened_as(struct fixture *fixture)
{
    return open_program(fixture) != NULL ? "good" : why() != NULL ? why() : "no program";
}

/* Section 1 is .gnu_debuglink, section 2 the names. */
TEST(values_in_headers)
{
    static const struct {
        struct place place;
        uint64_t value;
        const char *answer;
    } cases[] = {
        {IN_HEADER(e_entry), 1, "good"}, {IN_HEADER(e_ident[0]), 1, "no program"},
        {IN_HEADER(e_ident[EI_CLASS]), 3, "no program"}, {IN_HEADER(e_ident[EI_CLASS]), 0, "no program"},
        {IN_HEADER(e_ident[EI_DATA]), 3, "no program"}, {IN_HEADER(e_ident[EI_DATA]), 0, "no program"},
        {IN_SECTION(1, sh_offset), (uint64_t)1 << 40, "its section .gnu_debuglink lies behind its end"},
        {IN_SECTION(1, sh_size), (uint64_t)3 << 30, "its section .gnu_debuglink lies behind its end"},
        {IN_SECTION(1, sh_size), (1 << 30) - 1023,
         "its section .gnu_debuglink makes 1073741825 bytes, more than the 1024 MiB that are read"},
        {IN_SECTION(1, sh_type), SHT_NOBITS, "good"}, {IN_SECTION(1, sh_name), 1 << 30, "good"},
        {IN_SECTION(2, sh_size), (1 << 30) + 1,
         "its section .shstrtab makes 1073741825 bytes, more than the 1024 MiB that are read"},
        {IN_SECTION(2, sh_type), SHT_PROGBITS, "good"},
    };

    write_stripped(fixture, NULL, "libmpi.debug");
    /* The file has room enough, without taking any. */
    assert_int_equal(truncate(fixture->program, (off_t)5 << 29), 0);
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint64_t before = exchange_value(fixture, cases[i].place, cases[i].value);

        assert_text(opened_as(fixture), cases[i].answer);
        exchange_value(fixture, cases[i].place, before);
    }
    assert_text(opened_as(fixture), "good");
    assert_int_equal(truncate(fixture->program, sizeof(Elf64_Ehdr) - 1), 0);
    assert_text(opened_as(fixture), "no program");
}

/* Counts that do not fit into the header are in the first section. */
TEST(counts_in_the_first_section)
{
    static const struct {
        uint64_t in_header, in_section;
        bool of_segments;
    } cases[] = {{0, 3, false}, {3, 1000001, false}, {PN_XNUM, 1, true}, {1, 65537, true}};
    const struct place in_header[] = {IN_HEADER(e_shnum), IN_HEADER(e_phnum)},
                       in_section[] = {IN_SECTION(0, sh_size), IN_SECTION(0, sh_info)};

    write_stripped(fixture, NULL, "libmpi.debug");
    for (size_t i = 0; i < N_OF(cases); i++) {
        bool k = cases[i].of_segments;
        uint64_t before = exchange_value(fixture, in_header[k], cases[i].in_header);

        exchange_value(fixture, in_section[k], cases[i].in_section);
        warnings_clear();
        reopen_program(fixture);
        assert_warned("the debug information");
        exchange_value(fixture, in_section[k], 0);
        exchange_value(fixture, in_header[k], before);
    }
}

/* A file whose sections were taken away has the segment of its notes, here far from all else that is read. */
TEST(build_id_without_sections)
{
    static const unsigned char zeros[300000];
    struct made_elf *elf = made_elf_begin();
    Elf64_Ehdr header;
    Elf64_Shdr section;
    /* The last one is zeros that are not in the file. */
    Elf64_Phdr segments[2] = {{.p_type = PT_NOTE, .p_align = 4}, {.p_type = PT_LOAD, .p_memsz = 4096}};
    int file;

    made_elf_section(elf, ".data", SHT_PROGBITS, SHF_ALLOC, zeros, sizeof zeros);
    made_elf_build_id(elf, build_id, N_ID);
    made_elf_section(elf, ".more", SHT_PROGBITS, SHF_ALLOC, zeros, sizeof zeros);
    made_elf_parts(elf, 3);
    made_elf_write(elf, fixture->program);
    file = open(fixture->program, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(file, &header, sizeof header, 0), sizeof header);
    assert_int_equal(pread(file, &section, sizeof section, (off_t)(header.e_shoff + 2 * sizeof section)),
                     sizeof section);
    segments[0].p_offset = section.sh_offset;
    segments[0].p_filesz = segments[0].p_memsz = section.sh_size;
    assert_int_equal(pwrite(file, segments, sizeof segments, (off_t)(header.e_phoff + sizeof *segments)),
                     sizeof segments);
    header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
    assert_int_equal(pwrite(file, &header, sizeof header, 0), sizeof header);
    close(file);
    assert_non_null(open_program(fixture));
    assert_true(elf_image_has_build_id(&fixture->file->image, build_id, N_ID));
    assert_int_equal(fixture->file->n_loads, 1);
}

/* elfutils is not to see sections that lead to other files, or that nobody needs, nor to unwind by debug information. */
TEST(sections_that_are_hidden)
{
    static const struct {
        const char *name;
        bool is_hidden;
    } sections[] = {
        {".debug_macro", true}, {".zdebug_macro", true}, {".gnu.debuglto_.debug_info", true},
        {".gnu_debugaltlink", true}, {".debug_line", true}, {".zdebug_str", true}, {".gnu_debuglink", false},
        {".text", false}, {".debug", false}, {".eh_frame", false},
    };
    struct made_elf *elf = made_elf_begin();
    Elf_Scn *section = NULL;
    Elf *seen;

    for (size_t i = 0; i < N_OF(sections); i++)
        made_elf_section(elf, sections[i].name, SHT_PROGBITS, 0, "alternate\0id", 12);
    open_made(fixture, elf);
    seen = fixture->file->image.elf;
    for (size_t i = 0; i < N_OF(sections); i++) {
        GElf_Shdr header;

        section = elf_nextscn(seen, section);
        assert_non_null(gelf_getshdr(section, &header));
        assert_int_equal(header.sh_type, sections[i].is_hidden ? SHT_NOBITS : SHT_PROGBITS);
    }
    assert_true(fixture->file->image.has_code);
}

/* Files with separate debug information have no code, whatever else they have. */
TEST(files_without_code)
{
    for (int has_code = 0; has_code <= 1; has_code++) {
        struct made_elf *elf = made_elf_begin();

        made_elf_section(elf, ".bss", SHT_NOBITS, SHF_ALLOC, "", 0);
        made_elf_section(elf, ".text", has_code ? SHT_PROGBITS : SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, "12345678", 8);
        open_made(fixture, elf);
        assert_int_equal(fixture->file->image.has_code, has_code);
        assert_true(fixture->file->is_64_bit && fixture->file->is_little_endian);
        assert_int_equal(fixture->file->machine, EM_X86_64);
    }
}

/* Debug information. */

static mqs_type *find_type(struct fixture *fixture, const char *name)
{
    const char *declared = NULL;

    return elf_file_find_type(fixture->file, name, false, &declared);
}

static void put(unsigned char *to, size_t *n, const void *bytes, size_t n_bytes)
{
    memcpy(to + *n, bytes, n_bytes);
    *n += n_bytes;
}

/* A structure "s" with n members, m000000 at 0 and so on. */
static void write_structure(const char *path, uint32_t n)
{
    static const unsigned char abbreviations[] = {
        1, 0x11, 1, 0, 0,                               /* unit, with children */
        2, 0x13, 1, 0x03, 0x08, 0x0b, 0x06, 0, 0,       /* structure: name, size */
        3, 0x0d, 0, 0x03, 0x08, 0x38, 0x06, 0, 0, 0};   /* member: name, place */
    static const unsigned char head[] = {0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 2, 's', 0};
    struct made_elf *elf = made_elf_begin();
    unsigned char *entries = malloc(sizeof head + 16 * (n + 1));
    size_t n_bytes = 0;

    assert_non_null(entries);
    put(entries, &n_bytes, head, sizeof head);
    put(entries, &n_bytes, &n, sizeof n);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];

        snprintf(name, sizeof name, "\3m%06u", (unsigned)i % 1000000);
        put(entries, &n_bytes, (unsigned char *)name, strlen(name) + 1);
        put(entries, &n_bytes, &i, sizeof i);
    }
    put(entries, &n_bytes, "\0\0", 2);
    made_elf_debug_info(elf, entries, n_bytes, abbreviations, sizeof abbreviations);
    made_elf_write(elf, path);
    free(entries);
}

/* Which source is of Fortran, and what its main program is called. */
TEST(main_programs_of_fortran)
{
    static const unsigned char abbreviations[] = {
        1, 0x11, 1, 0x13, 0x0b, 0x11, 0x01, 0x12, 0x06, 0, 0,   /* unit: language, start, size */
        2, 0x2e, 0, 0x03, 0x08, 0, 0,                           /* subprogram: name */
        3, 0x2e, 0, 0x03, 0x08, 0x6a, 0x0c, 0, 0,               /* name, whether it is the main program */
        4, 0x2e, 0, 0x03, 0x08, 0x36, 0x0b, 0, 0,               /* name, convention of calls */
        5, 0x34, 0, 0x03, 0x08, 0x6a, 0x0c, 0, 0, 0};           /* variable */
    unsigned char entries[] = {
        0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 5, 'v', 0, 1, 2, 'h', 0,
        3, 'm', 0, 0, 4, 'c', 0, 0, 0};
    enum { LANGUAGE = 12, IS_MAIN = 35, CONVENTION = sizeof entries - 2 };
    static const struct {
        unsigned char language, is_main, convention;
        bool is_fortran;
        const char *program, *said;
    } cases[] = {
        {0x0c, 1, 2, false, NULL, "MAIN__"}, {0x07, 1, 0, true, "m", "m"}, {0x08, 1, 2, true, "m", "m"},
        {0x0e, 0, 2, true, "c", "c"}, {0x22, 0, 1, true, NULL, "the main program"},
        {0x23, 0, 0, true, NULL, "the main program"},
    };
    struct place_cache places = {0};

    for (size_t i = 0; i < N_OF(cases); i++) {
        struct made_elf *elf = made_elf_begin();
        struct source_place source;
        struct known_place *known;

        entries[LANGUAGE] = cases[i].language;
        entries[IS_MAIN] = cases[i].is_main;
        entries[CONVENTION] = cases[i].convention;
        made_elf_debug_info(elf, entries, sizeof entries, abbreviations, sizeof abbreviations);
        made_elf_symbol(elf, "MAIN__", 0x180);
        open_made(fixture, elf);
        elf_file_find_source(fixture->file, 0x180, &source);
        assert_int_equal(source.is_fortran, cases[i].is_fortran);
        assert_text(source.program, cases[i].program);
        known = place_cache_find(&places, fixture->file, 0x180);
        known_place_read_source(known);
        assert_text(known->said, cases[i].said);
        place_cache_clear(&places);
        elf_file_find_source(fixture->file, 0x280, &source);
        assert_false(source.is_fortran);
    }
}

/* An address, or a size, of two bytes. */
#define AT(address) (address) & 0xff, (address) >> 8, 0, 0, 0, 0, 0, 0
#define FOR(size) (size) & 0xff, (size) >> 8, 0, 0

/* Which function of a source has an address, in which module, and which other functions stand in it. */
TEST(functions_of_a_source)
{
    static const unsigned char abbreviations[] = {
        1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0,                           /* unit: start, size */
        2, 0x1e, 1, 0x03, 0x08, 0, 0,                                       /* module: name */
        3, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0,               /* function: name, start, size */
        4, 0x1d, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0x59, 0x0b, 0, 0,   /* inlined: also the line */
        5, 0x0b, 1, 0x11, 0x01, 0x12, 0x06, 0, 0,                           /* block: start, size */
        6, 0x2e, 1, 0x03, 0x08, 0, 0,                                       /* function without code: name */
        7, 0x39, 1, 0x03, 0x08, 0, 0,                                       /* namespace: name */
        8, 0x2e, 0, 0x03, 0x08, 0x6e, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0,   /* function: name, symbol, start, size */
        9, 0x1d, 0, 0x6e, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0, 0};           /* inlined: symbol, start, size */
    unsigned char entries[] = {
        0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, AT(0x100), FOR(0x1000),
        2, 'm', 0, 3, 'e', 0, AT(0x200), FOR(0x100), 4, 'i', 0, AT(0x210), FOR(0x40), 7, 5, AT(0x220), FOR(0x10),
        4, 'j', 0, AT(0x228), FOR(4), 9, 0, 0, 0, 0, 0,
        7, 'n', 0, 3, 'r', 0, AT(0x400), FOR(0x10), 0, 0, 6, 'a', 0, 3, 'b', 0, AT(0x500), FOR(0x10), 0, 0,
        8, 'l', 0, 's', 0, AT(0x600), FOR(0x10), 8, 'u', 0, 'x', 0, AT(0x10ff), FOR(2),
        3, 'k', 0, AT(0x700), FOR(0x10), 9, 't', 0, AT(0x700), FOR(8), 0, 0};
    static const struct {
        uint64_t address;
        const char *text;
    } cases[] = {
        {0x1ff, "?"}, {0x200, "e of m"}, {0x20f, "e of m"}, {0x210, "e of m, i:7"}, {0x222, "e of m, i:7"},
        {0x229, "e of m, j:9, i:7"}, {0x22c, "e of m, i:7"}, {0x250, "e of m"}, {0x2ff, "e of m"}, {0x300, "?"},
        {0x405, "r"}, {0x505, "b"}, {0x605, "l"}, {0x703, "k, t:0"}, {0x709, "k"}, {0x900, "?"},
        {0x10ff, "u"}, {0x1100, "?"}, {0xff, "?"},
    };
    struct made_elf *elf = made_elf_begin();

    made_elf_debug_info(elf, entries, sizeof entries, abbreviations, sizeof abbreviations);
    open_made(fixture, elf);
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct source_place source;
        const char *text;

        elf_file_find_source(fixture->file, cases[i].address, &source);
        text = test_text("%s%s%s", source.function != NULL ? source.function : "?", source.module != NULL ? " of " : "",
                         source.module != NULL ? source.module : "");
        for (size_t k = 0; k < source.n_inlined; k++)
            text = test_text("%s, %s:%d", text, source.inlined[k].function, source.inlined[k].line);
        assert_text(text, cases[i].text);
    }
}

/* Old compilers write the place of a member as an expression, DW_OP_plus_uconst and a number in LEB128. */
TEST(places_that_are_expressions)
{
    static const unsigned char abbreviations[] = {
        1, 0x11, 1, 0, 0,                               /* unit, with children */
        2, 0x13, 1, 0x03, 0x08, 0x0b, 0x06, 0, 0,       /* structure: name, size */
        3, 0x0d, 0, 0x03, 0x08, 0x38, 0x0a, 0, 0,       /* member: name, place */
        4, 0x0d, 0, 0x03, 0x08, 0, 0,                   /* member: name */
        5, 0x0d, 0, 0x03, 0x08, 0x0d, 0x0b, 0, 0, 0};   /* member: name, size in bits */
    unsigned char entries[] = {
        0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 2, 's', 0, 0, 0, 0, 0,
        3, 'a', 0, 2, 0x23, 5, 3, 'b', 0, 3, 0x23, 0x81, 1, 3, 'c', 0, 6, 0x23, 0xff, 0xff, 0xff, 0xff, 7,
        3, 'd', 0, 6, 0x23, 0xff, 0xff, 0xff, 0xff, 0x0f, 3, 'e', 0, 2, 0x10, 5, 3, 'f', 0, 1, 0x23,
        3, 'g', 0, 3, 0x23, 1, 1, 3, 'h', 0, 2, 0x23, 0x81, 3, 'i', 0, 0, 4, 'j', 0, 5, 'k', 0, 3,
        3, 'l', 0, 7, 0x23, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0, 0};
    static const int places[] = {5, 129, 0x7fffffff, -1, -1, -1, -1, -1, -1, 0, -1, -1};
    struct made_elf *elf = made_elf_begin();
    mqs_type *type;

    made_elf_debug_info(elf, entries, sizeof entries, abbreviations, sizeof abbreviations);
    open_made(fixture, elf);
    type = find_type(fixture, "s");
    assert_non_null(type);
    for (int i = 0; i < (int)N_OF(places); i++)
        assert_int_equal(type_member_offset(type, test_text("%c", 'a' + i)), places[i]);
}

/* How often the next entry of debug information was read. This takes the place of the function of libdw. */
static size_t n_entries_read;

int dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result)
{
    static int (*of_libdw)(Dwarf_Die *, Dwarf_Die *);

    if (of_libdw == NULL)
        *(void **)&of_libdw = dlsym(RTLD_NEXT, "dwarf_siblingof");
    n_entries_read++;
    return of_libdw(die, result);
}

/* To ask for each member reads them once. */
TEST(members_are_read_once)
{
    enum { N = 2000 };
    mqs_type *type;

    write_structure(fixture->program, N);
    assert_non_null(open_program(fixture));
    type = find_type(fixture, "s");
    assert_non_null(type);
    n_entries_read = 0;
    for (uint32_t i = 0; i < N; i++) {
        char name[16];

        snprintf(name, sizeof name, "m%06u", (unsigned)i);
        assert_int_equal(type_member_offset(type, name), i);
    }
    assert_int_equal(type_member_offset(type, "missing"), -1);
    assert_int_equal(n_entries_read, N);
}

TEST(split_debug_information_is_not_opened)
{
    struct made_elf *elf = made_elf_begin();
    char *pipe = test_path("/types.dwo");

    assert_int_equal(mkfifo(pipe, 0600), 0);
    hostile_elf_split_unit(elf, pipe);
    open_made(fixture, elf);
    assert_null(find_type(fixture, "s"));
}

TEST(alternate_file_is_not_opened_by_its_path)
{
    struct made_elf *elf = made_elf_begin();
    char *pipe = test_path("/alternate");

    assert_int_equal(mkfifo(pipe, 0600), 0);
    hostile_elf_alternate_name(elf, pipe, N_ID);
    open_made(fixture, elf);
    assert_null(find_type(fixture, "s"));
}

/* Where the file is found that debug information has parts in, by the id or by the name that the link has. */
TEST(places_of_alternate_files)
{
    static const struct {
        const char *link, *path;
        bool is_found;
    } places[] = {
        {"/any/x", "/usr/lib/debug/.build-id/00/00000000000000000000000000000000000000.debug", true},
        {"/any/.dwz/x.debug", "/usr/lib/debug/.dwz/x.debug", true},
        {"../../.dwz/arch/x.debug", "/usr/lib/debug/.dwz/arch/x.debug", true},
        {"/any/.dwz/x.debug", "/any/.dwz/x.debug", false}, {"/any/x.debug", "/usr/lib/debug/.dwz/x.debug", false},
        {"/.dwz/a/b/x.debug", "/usr/lib/debug/.dwz/a/b/x.debug", false},
        {"/.dwz/../x.debug", "/usr/lib/debug/x.debug", false}, {"/.dwz/..", "/usr/lib/debug/x.debug", false},
    };
    static const unsigned char id[N_ID];
    static const unsigned char abbreviations[] = {1, 0x11, 0, 0, 0, 0};
    char *root = test_path("/root");
    const struct file_source source = {.root = root, .path = "/lib/libmpi.so"};
    char *program = test_file(test_text("%s%s", root, source.path), "", 0);

    for (size_t i = 0; i < N_OF(places); i++) {
        unsigned char unit[] = {0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1};
        char *path = test_text("%s%s", root, places[i].path);
        struct made_elf *elf = made_elf_begin();

        hostile_elf_alternate_name(elf, places[i].link, N_ID);
        unlink(fixture->program);
        made_elf_write(elf, fixture->program);
        unlink(program);
        assert_int_equal(link(fixture->program, program), 0);
        test_file(path, "", 0);
        unlink(path);
        elf = made_elf_begin();
        made_elf_build_id(elf, id, N_ID);
        made_elf_debug_info(elf, unit, sizeof unit, abbreviations, sizeof abbreviations);
        made_elf_section(elf, ".debug_str", SHT_PROGBITS, 0, "shared", 7);
        made_elf_write(elf, path);
        assert_non_null(open_from(fixture, &source));
        assert_int_equal(find_type(fixture, "shared") != NULL, places[i].is_found);
        unlink(path);
    }
}

/* What is allocated for a file is released with it. The first ones fill caches of the C library. */
TEST(nothing_is_left_of_a_file)
{
    size_t before = 0, after = 1;
    struct made_elf *elf = made_elf_begin();

    hostile_elf_own_structure(elf, "s");
    made_elf_build_id(elf, build_id, N_ID);
    made_elf_section(elf, ".gnu_debugaltlink", SHT_PROGBITS, 0, "/.dwz/x\0id", 11);
    made_elf_write(elf, fixture->debug);
    write_stripped(fixture, build_id, "libmpi.debug");
    for (int i = 0; i < 30 && after > before; i++) {
        open_program(fixture);
        elf_file_prepare(fixture->file);
        assert_int_equal(type_size(find_type(fixture, "s")), 64);
        assert_int_equal(type_member_offset(find_type(fixture, "s"), "last"), 40);
        assert_int_equal(type_member_offset(find_type(fixture, "s"), "missing"), -1);
        elf_file_close(fixture->file);
        fixture->file = NULL;
        before = after;
        after = mallinfo2().uordblks;
    }
    assert_true(after <= before);
}

/* elfutils, which unwinds by debug information too, must not see the section. */
static void assert_hidden(struct fixture *fixture, const char *name)
{
    Elf *elf = fixture->file->image.elf;
    size_t names, n_found = 0;

    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;

        assert_non_null(gelf_getshdr(section, &header));
        if (strcmp(elf_strptr(elf, names, header.sh_name), name) != 0)
            continue;
        assert_int_equal(header.sh_type, SHT_NOBITS);
        n_found++;
    }
    assert_int_equal(n_found, 1);
}

TEST(sections_that_inflate_to_gigabytes)
{
    static const struct {
        void (*add)(struct made_elf *elf);
        const char *section;
    } cases[] = {{hostile_elf_inflating_section, ".debug_info"}, {hostile_elf_old_inflating_section, ".zdebug_info"}};

    for (size_t i = 0; i < N_OF(cases); i++) {
        struct made_elf *elf = made_elf_begin();

        cases[i].add(elf);
        open_made(fixture, elf);
        assert_null(find_type(fixture, "s"));
        assert_warned(fixture->program);
        assert_warned(test_text("%s makes 8589934592 bytes", cases[i].section));
        assert_hidden(fixture, cases[i].section);
    }
}

/* Symbols. */

#if HAVE_LZMA
/* Some distributions keep those of a library so: a whole file, inside of a section. */
TEST(symbols_that_are_compressed)
{
    unsigned char packed[4096];
    size_t n_packed = 0, size;
    char *inner;

    write_debug(fixture->debug, build_id);
    assert_int_equal(truncate(fixture->debug, 300000), 0);
    inner = of_test(proc_read_block(SIZE_MAX, &size, "%s", fixture->debug));
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_NONE, NULL, (uint8_t *)inner, size, packed, &n_packed,
                                             sizeof packed), LZMA_OK);
    for (size_t n_missing = 0; n_missing < 2; n_missing++) {
        struct made_elf *elf = made_elf_begin();

        assert_null(warning_given(0));
        made_elf_section(elf, ".gnu_debugdata", SHT_PROGBITS, 0, packed, n_packed - n_missing);
        open_made(fixture, elf);
        assert_int_equal(has_symbol(fixture, "from_debug_file"), n_missing == 0);
    }
    assert_warned("its section .gnu_debugdata is broken");
}
#endif

/* How much was read to measure names with a bound. This takes the place of the function of the C library. */
static size_t n_names_measured, n_bytes_measured;

size_t strnlen(const char *text, size_t most)
{
    const char *end = memchr(text, '\0', most);
    size_t length = end != NULL ? (size_t)(end - text) : most;

    n_names_measured++;
    n_bytes_measured += length;
    return length;
}

/* Of each a few thousand bytes are read, though most have a hundred thousand. */
TEST(names_that_are_parts_of_one_string)
{
    enum { N = 3000, N_NAMES = 100000 };
    struct made_elf *elf = made_elf_begin();

    hostile_elf_suffix_symbols(elf, N, N_NAMES);
    made_elf_write(elf, fixture->program);
    n_names_measured = n_bytes_measured = 0;
    assert_non_null(open_program(fixture));
    assert_true(has_symbol(fixture, "short"));
    assert_true(n_names_measured >= N - 1);
    assert_true(n_bytes_measured <= n_names_measured * (MAX_INDEXED_NAME + 1));
}

/* Content that changes. */

TEST(file_that_becomes_shorter_is_no_end)
{
    char byte;

    write_debug(fixture->program, build_id);
    assert_int_equal(truncate(fixture->program, (1 << 20) + 1), 0);
    assert_non_null(open_program(fixture));
    assert_true(elf_file_read(fixture->file, 1 << 19, &byte, 1));
    /* The page that has the last byte is there. */
    assert_true(elf_file_read(fixture->file, (1 << 20) + 4095, &byte, 1));
    assert_false(elf_file_read(fixture->file, (1 << 20) + 4096, &byte, 1));
    assert_int_equal(truncate(fixture->program, 100), 0);
    assert_false(elf_file_read(fixture->file, 3 << 18, &byte, 1));
    assert_warned("it was changed or replaced");
    /* What was loaded before stays. */
    assert_true(has_symbol(fixture, "from_debug_file"));
}

/* Somebody shortens the file and restores it all the time. */
TEST(file_that_changes_all_the_time)
{
    int status;
    pid_t child;

    write_debug(fixture->program, build_id);
    assert_int_equal(truncate(fixture->program, 1 << 20), 0);
    child = fork();
    if (child == 0)
        for (;;)
            if (truncate(fixture->program, 5000) != 0 || truncate(fixture->program, 1 << 20) != 0)
                _exit(1);
    for (int i = getenv("MQD_TEST_SLOW") != NULL ? 1900 : 0; i < 2000; i++)
        open_program(fixture);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

TEST(sealed_file_is_not_opened)
{
    size_t n_refused = file_seal_n_refused();
    char byte;

    write_debug(fixture->program, build_id);
    assert_int_equal(truncate(fixture->program, 1 << 20), 0);
    assert_non_null(open_program(fixture));
    file_seal_set(true);
    assert_false(elf_file_read(fixture->file, 1 << 19, &byte, 1));
    assert_int_equal(file_seal_n_refused(), n_refused + 1);
    assert_int_equal(plain_file_open(NULL, fixture->program, WHY), -1);
    assert_int_equal(errno, EBUSY);
    assert_int_equal(plain_file_open_without_links(NULL, fixture->program, WHY), -1);
    assert_int_equal(errno, EBUSY);
    assert_int_equal(file_seal_n_refused(), n_refused + 3);
    assert_has(why(), "while processes are held");
    file_seal_set(false);
    assert_true(elf_file_read(fixture->file, 1 << 19, &byte, 1));
    assert_int_equal(file_seal_n_refused(), n_refused + 3);
}

/* What is not known because of the seal is known after it: the question is not answered for good. */
TEST(types_of_a_sealed_file)
{
    size_t n_refused = file_seal_n_refused();

    write_structure(fixture->program, 3);
    assert_non_null(open_program(fixture));
    file_seal_set(true);
    assert_null(find_type(fixture, "s"));
    assert_int_equal(file_seal_n_refused(), n_refused + 1);
    file_seal_set(false);
    elf_file_prepare(fixture->file);
    file_seal_set(true);
    assert_non_null(find_type(fixture, "s"));
    assert_null(find_type(fixture, "missing"));
    assert_int_equal(type_member_offset(find_type(fixture, "s"), "m000002"), 2);
    assert_int_equal(file_seal_n_refused(), n_refused + 1);
    file_seal_set(false);
}

/* Many files, and many parts. */

static void *map_program(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *memory;

    assert_true(file >= 0);
    memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    assert_true(memory != MAP_FAILED);
    close(file);
    return memory;
}

/* Files of their own. */
static void map_many(void **memory, int n)
{
    for (int i = 0; i < n; i++) {
        write_debug(test_path("/%d.so", i), build_id);
        memory[i] = map_program(test_path("/%d.so", i));
    }
}

static void unmap(void **memory, int first, int n)
{
    for (int i = first; i < n; i++)
        munmap(memory[i], 4096);
}

/* Modules are read twice, as before and after a process is held. No file is opened or read twice. */
TEST(more_files_than_descriptors)
{
    enum { N = 1100 };
    struct rlimit limit, few = {64, 64};
    static void *memory[N];
    uint64_t address;
    bool has_new;

    map_many(memory, N);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    few.rlim_max = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_true(read_modules(fixture));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    modules_prepare(&fixture->modules);
    assert_true(modules_read(&fixture->modules, &fixture->files, &fixture->process, NULL, &has_new, WHY));
    assert_true(fixture->modules.n > N);
    assert_null(fixture->modules.doubt);
    assert_false(modules_find_symbol(&fixture->modules, "missing", &address));
    for (int i = 0; i < N; i++) {
        const struct module *module = modules_find(&fixture->modules, (uint64_t)(uintptr_t)memory[i] + 100);

        assert_non_null(module);
        assert_int_equal(module->bias, (uint64_t)(uintptr_t)memory[i]);
        munmap(memory[i], 4096);
    }
}

/*
 * Two files that are mapped in turn, so that each place is one of its own. Everything that is asked of a file would be
 * asked of each place.
 */
TEST(files_that_are_mapped_in_turn)
{
    enum { N = 5000, MOST = 64 };
    char *other = test_path("/other.so");
    static void *memory[N];
    size_t n;

    assert_true(read_modules(fixture));
    n = fixture->modules.n;
    write_debug(fixture->program, build_id);
    write_debug(other, other_id);
    for (int i = 0; i < N; i++)
        memory[i] = map_program(i % 2 == 0 ? fixture->program : other);
    assert_true(read_modules(fixture));
    assert_int_equal(fixture->modules.n, n + 2 * MOST);
    assert_true(fixture->modules.incomplete);
    assert_has(fixture->modules.doubt, "at more places than any program has one");
    for (int i = 2 * MOST; i < N; i++)
        munmap(memory[i], 4096);
    assert_true(read_modules(fixture));
    assert_int_equal(fixture->modules.n, n + 2 * MOST);
    assert_false(fixture->modules.incomplete);
    unmap(memory, 0, 2 * MOST);
}

TEST(file_with_more_parts_than_any)
{
    struct made_elf *elf = made_elf_begin();
    void *memory;

    made_elf_parts(elf, 8000);
    made_elf_write(elf, fixture->program);
    assert_null(open_program(fixture));
    assert_has(why(), "more than 128 parts");
    /* It is told of each process that has it, and no such process is taken for understood. */
    memory = map_program(fixture->program);
    for (int i = 0; i < 2; i++) {
        assert_true(read_modules(fixture));
        assert_true(fixture->modules.incomplete);
        assert_has(fixture->modules.doubt, fixture->program);
    }
    munmap(memory, 4096);
    assert_true(read_modules(fixture));
    assert_false(fixture->modules.incomplete);
}

/* A held process has mapped a file that nobody knows. */
TEST(new_file_of_a_held_process_is_not_opened)
{
    bool has_new = true;
    void *memory;
    size_t n;
    int watch;

    assert_true(read_modules(fixture));
    n = fixture->modules.n;
    assert_true(modules_read(&fixture->modules, &fixture->files, &fixture->process, NULL, &has_new, WHY));
    assert_int_equal(fixture->modules.n, n);
    assert_false(has_new);
    write_debug(fixture->program, build_id);
    memory = map_program(fixture->program);
    watch = watch_file(fixture->program);
    assert_true(modules_read(&fixture->modules, &fixture->files, &fixture->process, NULL, &has_new, WHY));
    assert_int_equal(fixture->modules.n, n);
    assert_true(has_new);
    assert_false(was_opened(watch));
    assert_true(read_modules(fixture));
    assert_int_equal(fixture->modules.n, n + 1);
    assert_true(modules_read(&fixture->modules, &fixture->files, &fixture->process, NULL, &has_new, WHY));
    assert_int_equal(fixture->modules.n, n + 1);
    assert_false(has_new);
    munmap(memory, 4096);
    close(watch);
}
