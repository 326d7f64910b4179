/*
 * test_dump_modules.c - symbols and types that mqdump finds in this program, compared with the compiler's and the
 * loader's. Compiled with -g.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_FIXTURE struct fixture
#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN teardown(fixture)
#include "unit_test.h"

#include "mqd/dump/collect/target/elf/types.h"
#include "mqd/dump/collect/target/libraries.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/proc.h"

/* Types to be found; an object of each makes the compiler describe it. */
struct dump_thing {
    char first;
    struct {
        int inner;
        union {
            short small;
            double large;
        };
    };
    unsigned bits : 3;
    unsigned char array[5];
    struct {
        int nested;
    } named;
    long last;
};
typedef struct dump_thing dump_alias;
typedef const volatile dump_alias dump_alias_of_alias;
typedef struct {
    int only;
} dump_tagless;
union dump_union {
    char small;
    uint64_t large;
};
typedef struct dump_declared dump_declared_t;
typedef dump_tagless *dump_pointer;

extern dump_alias_of_alias dump_object;
extern dump_tagless dump_tagless_object;
extern union dump_union dump_union_object;
extern dump_declared_t *dump_declared_object;
extern dump_pointer dump_pointer_object;
dump_alias_of_alias dump_object = {.last = 1};
dump_tagless dump_tagless_object;
union dump_union dump_union_object;
dump_declared_t *dump_declared_object;
dump_pointer dump_pointer_object;

static volatile int dump_local = 7;

/* A local symbol with the name of one that the C library has for all. */
static volatile int dump_shadow __asm__("daylight") = 1;

struct fixture {
    struct process process;
    struct files files;
    struct modules modules;
};

static void setup(struct fixture *fixture)
{
    fixture->process = (struct process){.pid = getpid(), .reader = getpid(), .memory = -1};
    if (!modules_read(&fixture->modules, &fixture->files, &fixture->process, of_test(proc_executable("/proc/self")),
                      NULL, WHY))
        fail_msg("%s", why());
}

static void teardown(struct fixture *fixture)
{
    modules_clear(&fixture->modules);
    files_close(&fixture->files);
    process_close(&fixture->process);
}

static void check_symbol(const struct fixture *fixture, const char *name, const volatile void *expected)
{
    uint64_t address = 0;

    if (!modules_find_symbol(&fixture->modules, name, &address))
        fail_msg("%s was not found", name);
    if (address != (uint64_t)(uintptr_t)expected)
        fail_msg("%s is at %p, not at %#llx", name, (const void *)(uintptr_t)expected, (unsigned long long)address);
}

TEST(symbols_of_the_program_and_of_libraries)
{
    static const char *const of_libraries[] = {"strverscmp", "cmocka_set_message_output", "daylight"};
    uint64_t address = 42;

    check_symbol(fixture, "dump_object", &dump_object);
    check_symbol(fixture, "dump_tagless_object", &dump_tagless_object);
    check_symbol(fixture, "dump_local", &dump_local);
    for (size_t i = 0; i < N_OF(of_libraries); i++)
        check_symbol(fixture, of_libraries[i], dlsym(RTLD_DEFAULT, of_libraries[i]));
    assert_int_equal(dump_shadow, 1);
    assert_false(modules_find_symbol(&fixture->modules, "dump_no_such_symbol", &address));
    assert_int_equal(address, 42);
}

TEST(each_file_is_opened_once)
{
    size_t n_before = fixture->files.n, n_modules = fixture->modules.n;

    assert_true(modules_read(&fixture->modules, &fixture->files, &fixture->process, NULL, NULL, WHY));
    assert_int_equal(fixture->files.n, n_before);
    assert_int_equal(fixture->modules.n, n_modules);
}

static const struct module *module_of(const struct fixture *fixture, const void *function)
{
    return modules_find(&fixture->modules, (uint64_t)(uintptr_t)function);
}

/* The others stay in their order. */
TEST(executable_is_the_first_module)
{
    const size_t n = fixture->modules.n, position = n / 2;
    const struct elf_file *libc = module_of(fixture, dlsym(RTLD_NEXT, "qsort"))->file;
    const struct elf_file *before[64], *file = fixture->modules.modules[position].file;

    assert_true(n <= N_OF(before) && position > 1);
    for (size_t i = 0; i < n; i++)
        before[i] = fixture->modules.modules[i].file;
    assert_true(modules_read(&fixture->modules, &fixture->files, &fixture->process, file->path, NULL, WHY));
    assert_int_equal(fixture->modules.n, n);
    assert_ptr_equal(fixture->modules.modules[0].file, file);
    for (size_t i = 1; i < n; i++)
        assert_ptr_equal(fixture->modules.modules[i].file, before[i <= position ? i - 1 : i]);
    assert_ptr_equal(module_of(fixture, dlsym(RTLD_NEXT, "qsort"))->file, libc);
}

TEST(process_without_modules)
{
    struct process ended = {.pid = 0x7fffffff, .reader = 0x7fffffff, .memory = -1};

    assert_false(modules_read(&fixture->modules, &fixture->files, &ended, NULL, NULL, WHY));
    assert_string_equal(why(), "it has ended");
    assert_int_equal(fixture->modules.n, 0);
    assert_null(modules_find(&fixture->modules, (uint64_t)(uintptr_t)process_without_modules));
}

/* The number of the next file that is opened. */
static rlim_t next_descriptor(void)
{
    int file = open("/", O_RDONLY | O_CLOEXEC);

    assert_true(file >= 0);
    close(file);
    return (rlim_t)file;
}

TEST(file_that_could_not_be_opened_is_tried_again)
{
    struct files files = {0};
    struct modules modules = {0};
    struct rlimit limit, one_more;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    one_more = limit;
    one_more.rlim_cur = next_descriptor() + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &one_more), 0);
    modules_read(&modules, &files, &fixture->process, NULL, NULL, WHY);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(modules.n < fixture->modules.n);
    if (modules.doubt == NULL)
        assert_has(why(), "Too many open files");
    else
        assert_true(modules.incomplete && strstr(modules.doubt, "Too many open files") != NULL);
    assert_true(modules_read(&modules, &files, &fixture->process, NULL, NULL, WHY));
    assert_int_equal(modules.n, fixture->modules.n);
    assert_false(modules.incomplete);
    modules_clear(&modules);
    files_close(&files);
}

static enum code_owner owner_of(const struct fixture *fixture, const struct owners *owners, const void *function)
{
    const struct module *module = module_of(fixture, function);

    assert_non_null(module);
    return owners->of[module - fixture->modules.modules];
}

/* Addresses that the dynamic linker has found: the program's own may be those of its jumps to them. */
TEST(libraries_of_the_system_are_helpers)
{
    struct owners owners;

    owners_find(&owners, &fixture->modules);
    assert_int_equal(owner_of(fixture, &owners, dlsym(RTLD_NEXT, "qsort")), OWNER_HELPER);
    assert_int_equal(owner_of(fixture, &owners, dlsym(RTLD_NEXT, "_cmocka_run_group_tests")), OWNER_PROGRAM);
    assert_int_equal(owner_of(fixture, &owners, (const void *)(uintptr_t)libraries_of_the_system_are_helpers),
                     OWNER_PROGRAM);
    assert_false(owners_have_function(&owners, &fixture->modules, "MPI_Recv"));
    owners_clear(&owners);
}

TEST(heap_is_no_module)
{
    void *memory = calloc(1, 1);

    assert_null(module_of(fixture, memory));
    assert_null(module_of(fixture, (const void *)&dump_local));
    free(memory);
}

TEST(file_names_what_it_needs)
{
    const struct module *libc = module_of(fixture, dlsym(RTLD_NEXT, "qsort"));
    const struct elf_file *program = fixture->modules.modules[0].file;
    bool found = false;

    for (size_t i = 0; i < program->n_needed; i++)
        found |= strcmp(program->needed[i], libc->file->needed_as) == 0;
    assert_true(found);
    assert_string_equal(program->needed_as, program->name);
}

TEST(functions_that_can_be_unwound)
{
    uint64_t function = (uint64_t)(uintptr_t)functions_that_can_be_unwound;
    const struct module *program = &fixture->modules.modules[0];

    assert_true(elf_file_can_unwind(program->file, function - program->bias));
    assert_false(elf_file_can_unwind(program->file, 1));
}

/* A line of maps for a file. Nothing is mapped at the addresses of the line. */
static struct mapping range;

static struct mapped_file mapped_as(const char *path)
{
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    range = (struct mapping){.start = 1, .end = 2};
    return (struct mapped_file){.path = (char *)(uintptr_t)path, .device = info.st_dev, .inode = info.st_ino,
                                .mappings = &range, .n = 1};
}

TEST(mapped_file_by_its_name_or_replaced)
{
    char text[8], *path = test_file(test_path("/mapped"), "content", 7);
    struct mapped_file mapped = mapped_as(path);
    bool other = true;
    int file = mapped_file_open(&mapped, &fixture->process, &other);

    assert_true(file >= 0);
    assert_false(other);
    assert_int_equal(read(file, text, sizeof text), 7);
    close(file);
    mapped.inode++;
    assert_int_equal(mapped_file_open(&mapped, &fixture->process, &other), -1);
    assert_true(other);
    unlink(path);
    assert_int_equal(mapped_file_open(&mapped, &fixture->process, &other), -1);
    assert_false(other);
}

/* Where file systems are combined a file may have other numbers: its first bytes in memory decide. */
TEST(mapped_file_by_its_content)
{
    static const char same[] = "content", other_content[] = "contend";
    const struct {
        const char *memory;
        uint64_t offset;
        bool is_found;
    } cases[] = {{same, 0, true}, {other_content, 0, false}, {same, 4096, false}, {(const char *)8, 0, false}};
    char *path = test_file(test_path("/mapped"), "content", 7);
    struct mapped_file mapped = mapped_as(path);
    struct file_source source = mapped_file_source(&mapped, &fixture->process);

    assert_string_equal(source.path, path);
    assert_string_equal(source.root, test_text("/proc/%d/root", (int)getpid()));
    assert_string_equal(source.direct, test_text("/proc/%d/map_files/1-2", (int)getpid()));
    file_source_clear(&source);
    mapped.device++;
    for (size_t i = 0; i < N_OF(cases); i++) {
        bool other = cases[i].is_found;
        int file;

        range.start = (uint64_t)(uintptr_t)cases[i].memory;
        range.offset = cases[i].offset;
        file = mapped_file_open(&mapped, &fixture->process, &other);
        assert_int_equal(file >= 0, cases[i].is_found);
        assert_int_equal(other, !cases[i].is_found);
        if (file >= 0)
            close(file);
        else
            assert_int_equal(errno, ENOENT);
    }
}

/* Maps show the paths of a process with a root of its own as others see them, or as it does; some lie outside. */
TEST(mapped_file_of_another_root)
{
    static const char *const files[] = {"/root/lib/x", "/rootx", "/lib/x"};
    const struct {
        const char *shown, *source;
        int file;              /* -1: there is none */
    } cases[] = {
        {test_path("/root/lib/x"), "/lib/x", 0}, {"/lib/x", "/lib/x", 0}, {test_path("/rootx"), test_path("/rootx"), 1},
        {test_path("/lib/x"), test_path("/lib/x"), 2}, {test_path("/root/lib/y"), "/lib/y", -1},
        {test_path("/root"), test_path("/root"), -1},
    };
    struct process process = {.memory = -1};

    if (geteuid() != 0)
        skip_because("only root can give a process a root of its own");
    for (size_t i = 0; i < N_OF(files); i++)
        test_file(test_path("%s", files[i]), files[i], 1);
    process.pid = process.reader = fork();
    if (process.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (chroot(test_path("/root")) == 0)
            for (;;)
                pause();
        _exit(1);
    }
    while (access(test_text("/proc/%d/root/lib/x", (int)process.pid), F_OK) != 0)
        rest();
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct stat info = {.st_dev = 0};
        struct mapped_file mapped;
        struct file_source source;
        bool other;
        int file;

        if (cases[i].file >= 0)
            assert_int_equal(stat(test_path("%s", files[cases[i].file]), &info), 0);
        range = (struct mapping){.start = 1, .end = 2};
        mapped = (struct mapped_file){.path = (char *)(uintptr_t)cases[i].shown, .device = info.st_dev,
                                      .inode = info.st_ino, .mappings = &range, .n = 1};
        source = mapped_file_source(&mapped, &process);
        assert_string_equal(source.path, cases[i].source);
        file_source_clear(&source);
        file = mapped_file_open(&mapped, &process, &other);
        assert_int_equal(file >= 0, cases[i].file >= 0);
        assert_false(other);
        close(file);
    }
    kill(process.pid, SIGKILL);
    waitpid(process.pid, NULL, 0);
    process_close(&process);
}

/* Opening a pipe would wait for its other end. */
TEST(name_of_a_pipe_is_not_opened)
{
    char *path = test_path("/pipe");
    struct mapped_file mapped;
    bool other = true;

    assert_int_equal(mkfifo(path, 0600), 0);
    mapped = mapped_as(path);
    assert_int_equal(mapped_file_open(&mapped, &fixture->process, &other), -1);
    assert_false(other);
}

/* Names that a file uses too, by their ends. */
TEST(names_in_files)
{
    const struct elf_file *program = fixture->modules.modules[0].file;

    assert_true(elf_file_has_name(program, "dump_object") && elf_file_has_name(program, "getrlimit"));
    assert_true(elf_file_has_name(program, "mp_object"));
    assert_false(elf_file_has_name(program, "dump_objec"));
    assert_false(elf_file_has_name(program, "just loading"));
}

/* This program is one with no symbols of Open MPI, and has the name of its class all the same. */
TEST(missing_mpi_has_its_reasons)
{
    const struct module *program = &fixture->modules.modules[0];
    uint64_t entry = program->file->image.debug_entry + program->bias;
    struct r_debug *known = *(struct r_debug **)(uintptr_t)entry;

    assert_ptr_equal(known->r_map->l_ld, _DYNAMIC);
    assert_has(of_test(missing_mpi_reason(&fixture->modules, &fixture->process)), "holds a statically linked Open MPI");
    known->r_state = RT_ADD;
    assert_has(of_test(missing_mpi_reason(&fixture->modules, &fixture->process)), "it is just loading its libraries");
    known->r_state = RT_CONSISTENT;
    fixture->modules.modules[0] = *module_of(fixture, dlsym(RTLD_NEXT, "qsort"));
    assert_int_equal(fixture->modules.modules[0].file->image.debug_entry, 0);
    assert_null(missing_mpi_reason(&fixture->modules, &fixture->process));
}

TEST(idle_module_counts_for_nothing)
{
    uint64_t address;

    fixture->modules.modules[0].idle = true;
    assert_false(modules_find_symbol(&fixture->modules, "dump_object", &address));
    assert_null(modules_find_type(&fixture->modules, "dump_thing"));
    fixture->modules.modules[0].idle = false;
    check_symbol(fixture, "dump_object", &dump_object);
}

static mqs_type *find_type(const struct fixture *fixture, const char *name)
{
    mqs_type *type = modules_find_type(&fixture->modules, name);

    if (type == NULL)
        fail_msg("the type %s was not found", name);
    return type;
}

TEST(sizes_of_types)
{
    static const struct {
        const char *type;
        size_t size;
    } sizes[] = {
        {"dump_thing", sizeof(struct dump_thing)}, {"dump_alias", sizeof(struct dump_thing)},
        {"dump_alias_of_alias", sizeof(struct dump_thing)}, {"dump_tagless", sizeof(dump_tagless)},
        {"dump_union", sizeof(union dump_union)}, {"dump_pointer", sizeof(dump_pointer)}, {"int", sizeof(int)},
    };

    for (size_t i = 0; i < N_OF(sizes); i++)
        assert_int_equal(type_size(find_type(fixture, sizes[i].type)), sizes[i].size);
}

TEST(offsets_of_members)
{
#define OFFSET(type, member) {#type, #member, offsetof(struct dump_thing, member)}
    static const struct {
        const char *type, *member;
        int offset;
    } offsets[] = {
        OFFSET(dump_alias_of_alias, first), OFFSET(dump_alias_of_alias, array), OFFSET(dump_alias_of_alias, named),
        OFFSET(dump_alias_of_alias, last), {"dump_union", "large", 0},
        /* Through members without a name. */
        OFFSET(dump_thing, inner), OFFSET(dump_thing, small), OFFSET(dump_thing, large),
        {"dump_thing", "bits", -1}, {"dump_thing", "nested", -1}, {"dump_thing", "missing", -1}, {"int", "first", -1},
        {"dump_pointer", "only", -1},
    };

    for (size_t i = 0; i < N_OF(offsets); i++)
        assert_int_equal(type_member_offset(find_type(fixture, offsets[i].type), offsets[i].member),
                         offsets[i].offset);
}

TEST(types_that_are_only_declared)
{
    assert_null(modules_find_type(&fixture->modules, "dump_declared"));
    assert_null(modules_find_type(&fixture->modules, "dump_declared_t"));
    assert_null(modules_find_type(&fixture->modules, "dump_no_such_type"));
}

/* Two loaded parts; the second one lies a page higher in memory than in the file. */
static const struct elf_load loads[] = {
    {.offset = 0, .address = 0, .executable = true}, {.offset = 0x1800, .address = 0x2800}};

static const struct {
    struct mapping mappings[3];
    size_t n;
    uint64_t bias;                 /* 42: there is none */
} biases[] = {
    {{{0x70000, 0x72000, 0, true}, {0x72000, 0x73000, 0x1000, false}}, 2, 0x70000},
    /* A part that is split. */
    {{{0x70000, 0x71000, 0, true}, {0x71000, 0x72000, 0x1000, true}, {0x72000, 0x73000, 0x1000, false}}, 3, 0x70000},
    /* A file that is only read, as a whole or in part, or as data. */
    {{{0x70000, 0x72000, 0, true}}, 1, 42},
    {{{0x72000, 0x73000, 0x1000, true}}, 1, 42},
    {{{0x70000, 0x72000, 0, false}, {0x72000, 0x73000, 0x1000, false}}, 2, 42},
    /* Other places come before it, or overlap: the last that has an address counts. */
    {{{0x60000, 0x61000, 0x5000, true}, {0x70000, 0x72000, 0, true}, {0x72000, 0x73000, 0x1000, false}}, 3, 0x70000},
    {{{0x70000, 0x71000, 0, true}, {0x70800, 0x70900, 0x9000, true}, {0x72000, 0x73000, 0x1000, true}}, 3, 0x70000},
    {{{0x70000, 0x74000, 0, true}, {0x72000, 0x73000, 0x1000, false}}, 2, 0x70000},
    {{{0x70000, 0x74000, 0, true}, {0x72000, 0x73000, 0x1001, false}}, 2, 42},
    /* Up to, and just behind, the address of a part; or the whole is nowhere. */
    {{{0x70000, 0x72800, 0, true}, {0x72800, 0x73000, 0x1800, false}}, 2, 0x70000},
    {{{0x70000, 0x72000, 0, true}, {0x72801, 0x73000, 0x1801, false}}, 2, 42},
    {{{0x70000, 0x72000, 0, true}, {0x72000, 0x72800, 0x1000, false}}, 2, 42},
    {{{0, 0, 0, false}}, 0, 42},
};

TEST(bias_of_a_file)
{
    for (size_t i = 0; i < N_OF(biases); i++) {
        uint64_t bias = 42;

        assert_int_equal(module_bias(loads, 2, biases[i].mappings, biases[i].n, &bias), biases[i].bias != 42);
        assert_int_equal(bias, biases[i].bias);
    }
}

TEST(files_that_deserve_a_search_for_debug_information)
{
    assert_true(file_deserves_debug_file("/usr/lib/libmpi.so.40.30.4"));
    assert_true(file_deserves_debug_file("/usr/lib/openmpi3/mca_pml_ob1.so"));
    assert_true(file_deserves_debug_file("libopen-pal.so.40"));
    assert_false(file_deserves_debug_file("/opt/libmpi/lib/libc.so.6"));
}

PLAIN_TEST(file_that_is_taken_twice_is_opened_once)
{
    const struct file_source source = {.path = "/proc/self/exe"};
    struct files files = {0};
    struct elf_file *file = files_take(&files, open(source.path, O_RDONLY | O_CLOEXEC), &source, WHY);

    assert_non_null(file);
    assert_ptr_equal(files_take(&files, open(source.path, O_RDONLY | O_CLOEXEC), &source, WHY), file);
    assert_int_equal(files.n, 1);
    assert_null(files_take(&files, open("/dev/null", O_RDONLY | O_CLOEXEC), &source, WHY));
    assert_null(files_take(&files, -1, &source, WHY));
    files_close(&files);
}

PLAIN_TEST(index_keeps_the_first_of_a_name)
{
    enum { N = 5000 };
    static char names[N][8];
    struct name_index index = {0};
    uint32_t position = 42;

    assert_false(name_index_find(&index, "n0", &position));
    for (uint32_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "n%u", i);
        assert_true(name_index_add(&index, names[i], i));
    }
    assert_false(name_index_add(&index, "n17", 3));
    for (uint32_t i = 0; i < N; i++) {
        assert_true(name_index_find(&index, names[i], &position));
        assert_int_equal(position, i);
    }
    assert_false(name_index_find(&index, "n5000", &position));
    name_index_clear(&index);
    assert_int_equal(index.n_slots, 0);
}
