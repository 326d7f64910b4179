/*
 * test_dump_hostile_files.c - program files made to harm who looks at the process that has them.
 *
 * An alarm ends a test that waits for something.
 */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/base/memory.h"

#include <cmocka.h>

#if HAVE_LZMA
#include <lzma.h>
#endif

#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/elf_file.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/types.h"
#include "tests/unit/made_elf.h"

enum { SECONDS = 600, N_ID = 20 };

static const unsigned char build_id[N_ID] = "one build of this";
static const unsigned char other_id[N_ID] = "another build of it";

struct fixture {
    char directory[40];
    char *program, *debug;     /* paths: the library, and where its debug information is searched */
    char *why;
    struct elf_file *file;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    char *folder;

    strcpy(fixture->directory, "/tmp/test_dump_hostile.XXXXXX");
    *state = fixture;
    if (mkdtemp(fixture->directory) == NULL)
        return -1;
    folder = format_text("%s/.debug", fixture->directory);
    fixture->program = format_text("%s/libmpi.so", fixture->directory);
    fixture->debug = format_text("%s/libmpi.debug", folder);
    if (mkdir(folder, 0700) != 0)
        return -1;
    free(folder);
    alarm(SECONDS);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    char *command = format_text("rm -rf '%s'", fixture->directory);
    int status = system(command);

    alarm(0);
    elf_file_close(fixture->file);
    warnings_clear();
    free(command);
    free(fixture->program);
    free(fixture->debug);
    free(fixture->why);
    free(fixture);
    return status;
}

static struct elf_file *open_program(struct fixture *fixture)
{
    int descriptor = open(fixture->program, O_RDONLY | O_CLOEXEC);

    assert_true(descriptor >= 0);
    fixture->file = elf_file_open(descriptor, &(struct file_source){.path = fixture->program}, true, &fixture->why);
    return fixture->file;
}

static bool has_symbol(struct fixture *fixture, const char *name)
{
    struct elf_symbol symbol;

    return elf_file_find_symbol(fixture->file, name, false, &symbol);
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

static void debug_file_with_the_same_build_id_is_used(void **state)
{
    struct fixture *fixture = *state;

    write_stripped(fixture, build_id, "libmpi.debug");
    write_debug(fixture->debug, build_id);
    assert_non_null(open_program(fixture));
    assert_true(has_symbol(fixture, "from_debug_file"));
}

static void debug_file_with_another_build_id_is_not_used(void **state)
{
    struct fixture *fixture = *state;

    write_stripped(fixture, build_id, "libmpi.debug");
    write_debug(fixture->debug, other_id);
    assert_non_null(open_program(fixture));
    assert_false(has_symbol(fixture, "from_debug_file"));
}

static void debug_link_without_build_id_is_not_followed(void **state)
{
    struct fixture *fixture = *state;

    write_stripped(fixture, NULL, "libmpi.debug");
    write_debug(fixture->debug, NULL);
    assert_non_null(open_program(fixture));
    assert_false(has_symbol(fixture, "from_debug_file"));
    assert_warned("the file has no build-id");
}

static void pipe_in_place_of_the_debug_file(void **state)
{
    struct fixture *fixture = *state;

    write_stripped(fixture, build_id, "libmpi.debug");
    assert_int_equal(mkfifo(fixture->debug, 0600), 0);
    assert_non_null(open_program(fixture));
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

/* The file that a link leads to would do, and is not even opened. */
static void link_in_place_of_the_debug_file(void **state)
{
    struct fixture *fixture = *state;
    char *secret = format_text("%s/secret", fixture->directory);
    int watch;

    write_debug(secret, build_id);
    watch = watch_file(secret);
    write_stripped(fixture, build_id, "libmpi.debug");
    assert_int_equal(symlink(secret, fixture->debug), 0);
    assert_non_null(open_program(fixture));
    assert_false(has_symbol(fixture, "from_debug_file"));
    assert_false(was_opened(watch));
    assert_int_equal(unlink(fixture->debug), 0);
    assert_int_equal(link(secret, fixture->debug), 0);
    elf_file_close(fixture->file);
    assert_non_null(open_program(fixture));
    assert_true(has_symbol(fixture, "from_debug_file"));
    assert_true(was_opened(watch));
    close(watch);
    free(secret);
}

static void debug_link_that_leads_elsewhere(void **state)
{
    struct fixture *fixture = *state;
    char *secret = format_text("%s/secret", fixture->directory);
    int watch;

    write_debug(secret, build_id);
    watch = watch_file(secret);
    write_stripped(fixture, build_id, "../secret");
    assert_non_null(open_program(fixture));
    assert_false(has_symbol(fixture, "from_debug_file"));
    assert_false(was_opened(watch));
    close(watch);
    free(secret);
}

static void debug_link_to_devices_and_giants(void **state)
{
    struct fixture *fixture = *state;
    int giant;

    write_stripped(fixture, build_id, "libmpi.debug");
    assert_int_equal(symlink("/dev/zero", fixture->debug), 0);
    assert_non_null(open_program(fixture));
    assert_int_equal(unlink(fixture->debug), 0);
    write_debug(fixture->debug, build_id);
    giant = open(fixture->debug, O_WRONLY | O_CLOEXEC);
    assert_true(giant >= 0);
    if (ftruncate(giant, (off_t)1 << 41) != 0)
        skip();
    close(giant);
    elf_file_close(fixture->file);
    assert_non_null(open_program(fixture));
    assert_false(has_symbol(fixture, "from_debug_file"));
    assert_warned("more than any program");
}

/* Debug information. */

/* DWARF 4, as bytes: the abbreviations and the entries of one unit. */
struct unit {
    unsigned char abbreviations[128], entries[512];
    size_t n_abbreviations, n_entries;
};

static void put(unsigned char *to, size_t *n, const void *bytes, size_t n_bytes)
{
    memcpy(to + *n, bytes, n_bytes);
    *n += n_bytes;
}
#define ABBREVIATION(unit, ...)                                                                                        \
    put((unit)->abbreviations, &(unit)->n_abbreviations, (const unsigned char[]){__VA_ARGS__},                         \
        sizeof((const unsigned char[]){__VA_ARGS__}))
#define ENTRY(unit, ...)                                                                                               \
    put((unit)->entries, &(unit)->n_entries, (const unsigned char[]){__VA_ARGS__},                                     \
        sizeof((const unsigned char[]){__VA_ARGS__}))

/* The entries start with the unit's header. */
static void begin_unit(struct unit *unit)
{
    *unit = (struct unit){.n_entries = 0};
    ENTRY(unit, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8);
}

static void add_unit(struct made_elf *elf, struct unit *unit)
{
    uint32_t length;

    ENTRY(unit, 0, 0);
    ABBREVIATION(unit, 0);
    length = (uint32_t)unit->n_entries - 4;
    memcpy(unit->entries, &length, sizeof length);
    made_elf_section(elf, ".debug_info", SHT_PROGBITS, 0, unit->entries, unit->n_entries);
    made_elf_section(elf, ".debug_abbrev", SHT_PROGBITS, 0, unit->abbreviations, unit->n_abbreviations);
}

static mqs_type *find_type(struct fixture *fixture, const char *name)
{
    const char *declared = NULL;

    return elf_file_find_type(fixture->file, name, false, &declared);
}

/* A structure "s" with four members of its own type and no name, and then "last". */
static void structure_inside_of_itself(void **state)
{
    struct fixture *fixture = *state;
    struct made_elf *elf = made_elf_begin();
    struct unit unit;
    mqs_type *type;

    begin_unit(&unit);
    ABBREVIATION(&unit, 1, 0x11, 1, 0, 0);                              /* unit, with children */
    ABBREVIATION(&unit, 2, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0);      /* structure: name, size */
    ABBREVIATION(&unit, 3, 0x0d, 0, 0x49, 0x13, 0x38, 0x0b, 0, 0);      /* member: type, place */
    ABBREVIATION(&unit, 4, 0x0d, 0, 0x03, 0x08, 0x38, 0x0b, 0, 0);      /* member: name, place */
    ENTRY(&unit, 1, 2, 's', 0, 64);
    for (unsigned char i = 0; i < 4; i++)
        ENTRY(&unit, 3, 12, 0, 0, 0, i);
    ENTRY(&unit, 4, 'l', 'a', 's', 't', 0, 40, 0);
    add_unit(elf, &unit);
    made_elf_write(elf, fixture->program);
    assert_non_null(open_program(fixture));
    type = find_type(fixture, "s");
    assert_non_null(type);
    assert_int_equal(type_size(type), 64);
    assert_int_equal(type_member_offset(type, "missing"), -1);
}

/* A unit whose types are in the file that it names. */
static void split_debug_information_is_not_opened(void **state)
{
    struct fixture *fixture = *state;
    struct made_elf *elf = made_elf_begin();
    char *pipe = format_text("%s/types.dwo", fixture->directory);
    struct unit unit;

    assert_int_equal(mkfifo(pipe, 0600), 0);
    begin_unit(&unit);
    ABBREVIATION(&unit, 1, 0x11, 0, 0xb0, 0x42, 0x08, 0xb1, 0x42, 0x07, 0, 0); /* DW_AT_GNU_dwo_name, _id */
    ENTRY(&unit, 1);
    put(unit.entries, &unit.n_entries, pipe, strlen(pipe) + 1);
    ENTRY(&unit, 1, 2, 3, 4, 5, 6, 7, 8);
    add_unit(elf, &unit);
    made_elf_write(elf, fixture->program);
    assert_non_null(open_program(fixture));
    assert_null(find_type(fixture, "s"));
    free(pipe);
}

/* A name that is said to be in another file, which is a pipe. */
static void alternate_file_is_not_opened_by_its_path(void **state)
{
    struct fixture *fixture = *state;
    struct made_elf *elf = made_elf_begin();
    char *pipe = format_text("%s/alternate", fixture->directory), content[128] = "";
    struct unit unit;

    assert_int_equal(mkfifo(pipe, 0600), 0);
    strcpy(content, pipe);
    begin_unit(&unit);
    ABBREVIATION(&unit, 1, 0x11, 1, 0, 0);
    ABBREVIATION(&unit, 2, 0x24, 0, 0x03, 0xa1, 0x3e, 0x0b, 0x0b, 0, 0); /* base type: name in the alternate, size */
    ENTRY(&unit, 1, 2, 0, 0, 0, 0, 4);
    add_unit(elf, &unit);
    made_elf_section(elf, ".gnu_debugaltlink", SHT_PROGBITS, 0, content, strlen(content) + 1 + N_ID);
    made_elf_write(elf, fixture->program);
    assert_non_null(open_program(fixture));
    assert_null(find_type(fixture, "s"));
    free(pipe);
}

static void section_that_inflates_to_gigabytes(void **state)
{
    struct fixture *fixture = *state;
    struct made_elf *elf = made_elf_begin();
    const Elf64_Chdr compression = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = (uint64_t)8 << 30, .ch_addralign = 1};
    unsigned char content[256] = {0};

    memcpy(content, &compression, sizeof compression);
    made_elf_section(elf, ".debug_info", SHT_PROGBITS, SHF_COMPRESSED, content, sizeof content);
    made_elf_write(elf, fixture->program);
    assert_non_null(open_program(fixture));
    assert_null(find_type(fixture, "s"));
    assert_warned(fixture->program);
    assert_warned(".debug_info makes 8589934592 bytes");
}

static void old_section_that_inflates_to_gigabytes(void **state)
{
    struct fixture *fixture = *state;
    struct made_elf *elf = made_elf_begin();
    unsigned char content[256] = {'Z', 'L', 'I', 'B', 0, 0, 0, 2};

    made_elf_section(elf, ".zdebug_info", SHT_PROGBITS, 0, content, sizeof content);
    made_elf_write(elf, fixture->program);
    assert_non_null(open_program(fixture));
    assert_null(find_type(fixture, "s"));
    assert_warned(".zdebug_info makes 8589934592 bytes");
}

/* Symbols. */

static long resident_kilobytes(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static void symbols_that_inflate_without_end(void **state)
{
#if HAVE_LZMA
    enum { PIECE = 1024 * 1024, ROOM = 1024 * 1024 };
    const int n = getenv("MQD_TEST_SLOW") != NULL ? 65 : 512;
    struct fixture *fixture = *state;
    struct made_elf *elf = made_elf_begin();
    unsigned char *zeros = calloc(1, PIECE), *packed = calloc(1, ROOM);
    lzma_stream stream = LZMA_STREAM_INIT;
    long before;

    assert_int_equal(lzma_easy_encoder(&stream, 0, LZMA_CHECK_NONE), LZMA_OK);
    stream.next_out = packed;
    stream.avail_out = ROOM;
    for (int i = 0; i < n; i++) {
        stream.next_in = zeros;
        stream.avail_in = PIECE;
        assert_int_equal(lzma_code(&stream, LZMA_RUN), LZMA_OK);
    }
    assert_int_equal(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
    made_elf_section(elf, ".gnu_debugdata", SHT_PROGBITS, 0, packed, ROOM - stream.avail_out);
    lzma_end(&stream);
    made_elf_write(elf, fixture->program);
    before = resident_kilobytes();
    assert_non_null(open_program(fixture));
    assert_true(resident_kilobytes() - before < 256 * 1024);
    assert_warned("inflates to more than 64 MiB");
    free(zeros);
    free(packed);
#else
    (void)state;
    skip();
#endif
}

/* Each name is the rest of the one before. */
static void names_that_are_parts_of_one_string(void **state)
{
    enum { N_NAMES = 1500000 };
    const uint32_t n = getenv("MQD_TEST_SLOW") != NULL ? 3000 : 300000;
    struct fixture *fixture = *state;
    struct made_elf *elf = made_elf_begin();
    Elf64_Sym *symbols = calloc(n, sizeof *symbols);
    char *names = malloc(N_NAMES);
    uint32_t section;
    clock_t start;

    for (uint32_t i = 1; i < n; i++)
        symbols[i] = (Elf64_Sym){.st_name = i, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1};
    memset(names, 'x', N_NAMES);
    names[0] = names[N_NAMES - 1] = '\0';
    memcpy(names + N_NAMES - 6, "short", 6);
    symbols[n - 1].st_name = N_NAMES - 6;
    section = made_elf_section(elf, ".strtab", SHT_STRTAB, 0, names, N_NAMES);
    made_elf_linked(elf, ".symtab", SHT_SYMTAB, section, symbols, n * sizeof *symbols);
    made_elf_write(elf, fixture->program);
    start = clock();
    assert_non_null(open_program(fixture));
    assert_true(has_symbol(fixture, "short"));
    assert_true((double)(clock() - start) < 5.0 * CLOCKS_PER_SEC);
    free(symbols);
    free(names);
}

/* Content that changes. */

static void file_that_becomes_shorter_is_no_end(void **state)
{
    struct fixture *fixture = *state;
    char byte;

    write_debug(fixture->program, build_id);
    assert_int_equal(truncate(fixture->program, 1 << 20), 0);
    assert_non_null(open_program(fixture));
    assert_true(elf_file_read(fixture->file, 1 << 19, &byte, 1));
    assert_int_equal(truncate(fixture->program, 100), 0);
    assert_false(elf_file_read(fixture->file, (1 << 20) - 1, &byte, 1));
    assert_warned("it was changed or replaced");
    /* What was read before stays. */
    assert_true(elf_file_read(fixture->file, 1 << 19, &byte, 1));
    assert_true(has_symbol(fixture, "from_debug_file"));
}

/* Somebody shortens the file and restores it all the time. */
static void file_that_changes_all_the_time(void **state)
{
    struct fixture *fixture = *state;
    int status;
    pid_t child;

    write_debug(fixture->program, build_id);
    assert_int_equal(truncate(fixture->program, 1 << 20), 0);
    child = fork();
    if (child == 0)
        for (;;)
            if (truncate(fixture->program, 5000) != 0 || truncate(fixture->program, 1 << 20) != 0)
                _exit(1);
    for (int i = getenv("MQD_TEST_SLOW") != NULL ? 1900 : 0; i < 2000; i++) {
        open_program(fixture);
        free(fixture->why);
        fixture->why = NULL;
        elf_file_close(fixture->file);
        fixture->file = NULL;
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void sealed_file_is_not_opened_again(void **state)
{
    struct fixture *fixture = *state;
    char byte;

    write_debug(fixture->program, build_id);
    assert_int_equal(truncate(fixture->program, 1 << 20), 0);
    assert_non_null(open_program(fixture));
    file_images_seal(true);
    assert_false(elf_file_read(fixture->file, 1 << 19, &byte, 1));
    file_images_seal(false);
    assert_true(elf_file_read(fixture->file, 1 << 19, &byte, 1));
}

/* Many files, and many parts. */

static void *map_program(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *memory;

    assert_true(file >= 0);
    memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    close(file);
    return memory;
}

static void more_files_than_descriptors(void **state)
{
    enum { N = 1100 };
    struct fixture *fixture = *state;
    struct process process = {.pid = getpid(), .reader = getpid(), .memory = -1};
    struct modules modules = {0};
    struct files files = {0};
    struct rlimit limit, few = {64, 64};
    static void *memory[N];

    for (int i = 0; i < N; i++) {
        char *path = format_text("%s/%d.so", fixture->directory, i);

        write_debug(path, build_id);
        memory[i] = map_program(path);
        assert_true(memory[i] != MAP_FAILED);
        free(path);
    }
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    few.rlim_max = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_true(modules_read(&modules, &files, &process, NULL, &fixture->why));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(modules.n > N);
    assert_null(modules.doubt);
    for (int i = 0; i < N; i++) {
        const struct module *module = modules_find(&modules, (uint64_t)(uintptr_t)memory[i] + 100);

        assert_non_null(module);
        assert_int_equal(module->bias, (uint64_t)(uintptr_t)memory[i]);
        munmap(memory[i], 4096);
    }
    modules_clear(&modules);
    files_close(&files);
}

static void file_with_more_parts_than_any(void **state)
{
    struct fixture *fixture = *state;
    struct process process = {.pid = getpid(), .reader = getpid(), .memory = -1};
    struct made_elf *elf = made_elf_begin();
    struct modules modules = {0};
    struct files files = {0};
    void *memory;

    made_elf_parts(elf, 8000);
    made_elf_write(elf, fixture->program);
    assert_null(open_program(fixture));
    assert_non_null(strstr(fixture->why, "more than 128 parts"));
    /* It is told of each process that has it, and no such process is taken for understood. */
    memory = map_program(fixture->program);
    for (int i = 0; i < 2; i++) {
        assert_true(modules_read(&modules, &files, &process, NULL, &fixture->why));
        assert_true(modules.incomplete);
        assert_non_null(strstr(modules.doubt, fixture->program));
    }
    munmap(memory, 4096);
    assert_true(modules_read(&modules, &files, &process, NULL, &fixture->why));
    assert_false(modules.incomplete);
    modules_clear(&modules);
    files_close(&files);
}

/* A held process has mapped a file that nobody knows. */
static void new_file_of_a_held_process_is_not_opened(void **state)
{
    struct fixture *fixture = *state;
    struct process process = {.pid = getpid(), .reader = getpid(), .memory = -1};
    struct modules modules = {0};
    struct files files = {0};
    bool has_new = true;
    void *memory;
    size_t n;
    int watch;

    assert_true(modules_read(&modules, &files, &process, NULL, &fixture->why));
    n = modules.n;
    assert_true(modules_follow(&modules, &files, &process, NULL, &has_new, &fixture->why));
    assert_int_equal(modules.n, n);
    assert_false(has_new);
    write_debug(fixture->program, build_id);
    memory = map_program(fixture->program);
    watch = watch_file(fixture->program);
    assert_true(modules_follow(&modules, &files, &process, NULL, &has_new, &fixture->why));
    assert_int_equal(modules.n, n);
    assert_true(has_new);
    assert_false(was_opened(watch));
    assert_true(modules_read(&modules, &files, &process, NULL, &fixture->why));
    assert_int_equal(modules.n, n + 1);
    assert_true(modules_follow(&modules, &files, &process, NULL, &has_new, &fixture->why));
    assert_int_equal(modules.n, n + 1);
    assert_false(has_new);
    munmap(memory, 4096);
    close(watch);
    modules_clear(&modules);
    files_close(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(debug_file_with_the_same_build_id_is_used, setup, teardown),
        cmocka_unit_test_setup_teardown(debug_file_with_another_build_id_is_not_used, setup, teardown),
        cmocka_unit_test_setup_teardown(debug_link_without_build_id_is_not_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(pipe_in_place_of_the_debug_file, setup, teardown),
        cmocka_unit_test_setup_teardown(link_in_place_of_the_debug_file, setup, teardown),
        cmocka_unit_test_setup_teardown(debug_link_that_leads_elsewhere, setup, teardown),
        cmocka_unit_test_setup_teardown(debug_link_to_devices_and_giants, setup, teardown),
        cmocka_unit_test_setup_teardown(structure_inside_of_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(split_debug_information_is_not_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(alternate_file_is_not_opened_by_its_path, setup, teardown),
        cmocka_unit_test_setup_teardown(section_that_inflates_to_gigabytes, setup, teardown),
        cmocka_unit_test_setup_teardown(old_section_that_inflates_to_gigabytes, setup, teardown),
        cmocka_unit_test_setup_teardown(symbols_that_inflate_without_end, setup, teardown),
        cmocka_unit_test_setup_teardown(names_that_are_parts_of_one_string, setup, teardown),
        cmocka_unit_test_setup_teardown(file_that_becomes_shorter_is_no_end, setup, teardown),
        cmocka_unit_test_setup_teardown(file_that_changes_all_the_time, setup, teardown),
        cmocka_unit_test_setup_teardown(sealed_file_is_not_opened_again, setup, teardown),
        cmocka_unit_test_setup_teardown(more_files_than_descriptors, setup, teardown),
        cmocka_unit_test_setup_teardown(file_with_more_parts_than_any, setup, teardown),
        cmocka_unit_test_setup_teardown(new_file_of_a_held_process_is_not_opened, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
