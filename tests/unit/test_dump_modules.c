/*
 * test_dump_modules.c - symbols and types that mqdump finds in this program, compared with the compiler's and the
 * loader's. Compiled with -g.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/collect/target/mapped_file.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/owner.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/collect/target/types.h"

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

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    char *why = NULL, *executable = proc_executable(getpid());
    bool good;

    fixture->process = (struct process){.pid = getpid(), .reader = getpid(), .memory = -1};
    good = modules_read(&fixture->modules, &fixture->files, &fixture->process, executable, &why);
    if (!good)
        print_error("%s\n", why);
    free(executable);
    *state = fixture;
    return good ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    modules_clear(&fixture->modules);
    files_close(&fixture->files);
    process_close(&fixture->process);
    free(fixture);
    return 0;
}

static void check_symbol(void **state, const char *name, const volatile void *expected)
{
    const struct fixture *fixture = *state;
    uint64_t address = 0;

    if (!modules_find_symbol(&fixture->modules, name, &address))
        fail_msg("%s was not found", name);
    if (address != (uint64_t)(uintptr_t)expected)
        fail_msg("%s is at %p, not at %#llx", name, (const void *)(uintptr_t)expected, (unsigned long long)address);
}

static void symbols_of_the_program(void **state)
{
    check_symbol(state, "dump_object", &dump_object);
    check_symbol(state, "dump_tagless_object", &dump_tagless_object);
    check_symbol(state, "dump_local", &dump_local);
}

static void symbols_of_libraries(void **state)
{
    check_symbol(state, "strverscmp", dlsym(RTLD_DEFAULT, "strverscmp"));
    check_symbol(state, "cmocka_set_message_output", dlsym(RTLD_DEFAULT, "cmocka_set_message_output"));
}

static void local_symbol_does_not_hide_another(void **state)
{
    assert_int_equal(dump_shadow, 1);
    check_symbol(state, "daylight", dlsym(RTLD_DEFAULT, "daylight"));
}

static void unknown_symbol_leaves_the_result_alone(void **state)
{
    const struct fixture *fixture = *state;
    uint64_t address = 42;

    assert_false(modules_find_symbol(&fixture->modules, "dump_no_such_symbol", &address));
    assert_int_equal(address, 42);
}

static void each_file_is_opened_once(void **state)
{
    struct fixture *fixture = *state;
    size_t n_before = fixture->files.n, n_modules = fixture->modules.n;
    char *why = NULL;

    assert_true(modules_read(&fixture->modules, &fixture->files, &fixture->process, NULL, &why));
    assert_int_equal(fixture->files.n, n_before);
    assert_int_equal(fixture->modules.n, n_modules);
}

/* The number of the next file that is opened. */
static rlim_t next_descriptor(void)
{
    int file = open("/", O_RDONLY | O_CLOEXEC);

    assert_true(file >= 0);
    close(file);
    return (rlim_t)file;
}

static void file_that_could_not_be_opened_is_tried_again(void **state)
{
    struct fixture *fixture = *state;
    struct files files = {0};
    struct modules modules = {0};
    struct rlimit limit, one_more;
    char *why = NULL;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    one_more = limit;
    one_more.rlim_cur = next_descriptor() + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &one_more), 0);
    modules_read(&modules, &files, &fixture->process, NULL, &why);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(modules.n < fixture->modules.n);
    if (modules.doubt == NULL)
        assert_non_null(strstr(why, "Too many open files"));
    else
        assert_true(modules.incomplete && strstr(modules.doubt, "Too many open files") != NULL);
    free(why);
    why = NULL;
    assert_true(modules_read(&modules, &files, &fixture->process, NULL, &why));
    assert_int_equal(modules.n, fixture->modules.n);
    assert_false(modules.incomplete);
    modules_clear(&modules);
    files_close(&files);
}

static const struct module *module_of(const struct fixture *fixture, const void *function)
{
    return modules_find(&fixture->modules, (uint64_t)(uintptr_t)function);
}

static enum owner owner_of(const struct fixture *fixture, const struct owners *owners, const void *function)
{
    const struct module *module = module_of(fixture, function);

    assert_non_null(module);
    return owners->of[module - fixture->modules.modules];
}

/* Addresses that the dynamic linker has found: the program's own may be those of its jumps to them. */
static void libraries_of_the_system_are_helpers(void **state)
{
    const struct fixture *fixture = *state;
    struct owners owners;

    owners_find(&owners, &fixture->modules);
    assert_int_equal(owner_of(fixture, &owners, dlsym(RTLD_NEXT, "qsort")), OWNER_HELPER);
    assert_int_equal(owner_of(fixture, &owners, dlsym(RTLD_NEXT, "_cmocka_run_group_tests")), OWNER_PROGRAM);
    assert_int_equal(owner_of(fixture, &owners, (const void *)(uintptr_t)libraries_of_the_system_are_helpers),
                     OWNER_PROGRAM);
    assert_false(owners_have_function(&owners, &fixture->modules, "MPI_Recv"));
    owners_clear(&owners);
}

static void heap_is_no_module(void **state)
{
    void *memory = malloc(1);

    assert_null(module_of(*state, memory));
    assert_null(module_of(*state, (const void *)&dump_local));
    free(memory);
}

static void file_names_what_it_needs(void **state)
{
    const struct fixture *fixture = *state;
    const struct module *libc = module_of(fixture, dlsym(RTLD_NEXT, "qsort"));
    const struct elf_file *program = fixture->modules.modules[0].file;
    bool found = false;
    size_t n;
    const char *const *needed = elf_file_needed(program, &n);

    for (size_t i = 0; i < n; i++)
        found |= strcmp(needed[i], elf_file_needed_as(libc->file)) == 0;
    assert_true(found);
    assert_string_equal(elf_file_needed_as(program), elf_file_name(program));
}

static void functions_that_can_be_unwound(void **state)
{
    const struct fixture *fixture = *state;
    uint64_t function = (uint64_t)(uintptr_t)functions_that_can_be_unwound;
    const struct module *program = &fixture->modules.modules[0];

    assert_true(elf_file_can_unwind(program->file, function - program->bias));
    assert_false(elf_file_can_unwind(program->file, 1));
}

/* Makes a file with the given content and a line of maps for it. Nothing is mapped at the addresses of the line. */
static struct mapped_file make_file(char *path, const char *text)
{
    int file = mkstemp(path);
    struct stat info;

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    assert_int_equal(fstat(file, &info), 0);
    close(file);
    return (struct mapped_file){.path = path, .device = info.st_dev, .inode = info.st_ino, .start = 1, .end = 2};
}

static void mapped_file_by_its_name(void **state)
{
    struct fixture *fixture = *state;
    char path[] = "/tmp/ompi-mqd-mapped-XXXXXX", text[8];
    struct mapped_file mapped = make_file(path, "content");
    bool other = true;
    int file = mapped_file_open(&mapped, &fixture->process, &other);

    assert_true(file >= 0);
    assert_false(other);
    assert_int_equal(read(file, text, sizeof text), 7);
    close(file);
    unlink(path);
}

static void mapped_file_that_was_replaced(void **state)
{
    struct fixture *fixture = *state;
    char path[] = "/tmp/ompi-mqd-mapped-XXXXXX";
    struct mapped_file mapped = make_file(path, "content");
    bool other = false;

    mapped.inode++;
    assert_int_equal(mapped_file_open(&mapped, &fixture->process, &other), -1);
    assert_true(other);
    unlink(path);
    assert_int_equal(mapped_file_open(&mapped, &fixture->process, &other), -1);
    assert_false(other);
}

/* Opening a pipe would wait for its other end. */
static void name_of_a_pipe_is_not_opened(void **state)
{
    struct fixture *fixture = *state;
    char path[] = "/tmp/ompi-mqd-mapped-XXXXXX";
    struct mapped_file mapped = make_file(path, "content");
    struct stat info;
    bool other = true;

    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(stat(path, &info), 0);
    mapped.inode = info.st_ino;
    assert_int_equal(mapped_file_open(&mapped, &fixture->process, &other), -1);
    assert_false(other);
    unlink(path);
}

static void idle_module_counts_for_nothing(void **state)
{
    struct fixture *fixture = *state;
    uint64_t address;

    fixture->modules.modules[0].idle = true;
    assert_false(modules_find_symbol(&fixture->modules, "dump_object", &address));
    assert_null(modules_find_type(&fixture->modules, "dump_thing"));
    fixture->modules.modules[0].idle = false;
    check_symbol(state, "dump_object", &dump_object);
}

static mqs_type *find_type(void **state, const char *name)
{
    const struct fixture *fixture = *state;
    mqs_type *type = modules_find_type(&fixture->modules, name);

    if (type == NULL)
        fail_msg("the type %s was not found", name);
    return type;
}

static void sizes_of_types(void **state)
{
    assert_int_equal(type_size(find_type(state, "dump_thing")), sizeof(struct dump_thing));
    assert_int_equal(type_size(find_type(state, "dump_alias")), sizeof(struct dump_thing));
    assert_int_equal(type_size(find_type(state, "dump_alias_of_alias")), sizeof(struct dump_thing));
    assert_int_equal(type_size(find_type(state, "dump_tagless")), sizeof(dump_tagless));
    assert_int_equal(type_size(find_type(state, "dump_union")), sizeof(union dump_union));
    assert_int_equal(type_size(find_type(state, "dump_pointer")), sizeof(dump_pointer));
    assert_int_equal(type_size(find_type(state, "int")), sizeof(int));
}

static void offsets_of_members(void **state)
{
    mqs_type *type = find_type(state, "dump_alias_of_alias");

    assert_int_equal(type_member_offset(type, "first"), offsetof(struct dump_thing, first));
    assert_int_equal(type_member_offset(type, "array"), offsetof(struct dump_thing, array));
    assert_int_equal(type_member_offset(type, "named"), offsetof(struct dump_thing, named));
    assert_int_equal(type_member_offset(type, "last"), offsetof(struct dump_thing, last));
    assert_int_equal(type_member_offset(find_type(state, "dump_union"), "large"), 0);
}

static void offsets_through_unnamed_members(void **state)
{
    mqs_type *type = find_type(state, "dump_thing");

    assert_int_equal(type_member_offset(type, "inner"), offsetof(struct dump_thing, inner));
    assert_int_equal(type_member_offset(type, "small"), offsetof(struct dump_thing, small));
    assert_int_equal(type_member_offset(type, "large"), offsetof(struct dump_thing, large));
}

static void what_has_no_offset(void **state)
{
    mqs_type *type = find_type(state, "dump_thing");

    assert_int_equal(type_member_offset(type, "bits"), -1);
    assert_int_equal(type_member_offset(type, "nested"), -1);
    assert_int_equal(type_member_offset(type, "missing"), -1);
    assert_int_equal(type_member_offset(find_type(state, "int"), "first"), -1);
    assert_int_equal(type_member_offset(find_type(state, "dump_pointer"), "only"), -1);
}

static void types_that_are_only_declared(void **state)
{
    const struct fixture *fixture = *state;

    assert_null(modules_find_type(&fixture->modules, "dump_declared"));
    assert_null(modules_find_type(&fixture->modules, "dump_declared_t"));
    assert_null(modules_find_type(&fixture->modules, "dump_no_such_type"));
}

/* Two loaded parts; the second one lies a page higher in memory than in the file. */
static const struct elf_load loads[] = {
    {.offset = 0, .address = 0, .executable = true}, {.offset = 0x1800, .address = 0x2800}};

static void bias_of_a_loaded_file(void **state)
{
    const struct mapping good[] = {{0x70000, 0x72000, 0, true}, {0x72000, 0x73000, 0x1000, false}};
    uint64_t bias = 0;

    (void)state;
    assert_true(module_bias(loads, 2, good, 2, &bias));
    assert_int_equal(bias, 0x70000);
}

static void bias_of_a_part_that_is_split(void **state)
{
    const struct mapping split[] = {
        {0x70000, 0x71000, 0, true}, {0x71000, 0x72000, 0x1000, true}, {0x72000, 0x73000, 0x1000, false}};
    uint64_t bias = 0;

    (void)state;
    assert_true(module_bias(loads, 2, split, 3, &bias));
    assert_int_equal(bias, 0x70000);
}

static void no_bias_for_a_file_that_is_only_read(void **state)
{
    const struct mapping whole[] = {{0x70000, 0x72000, 0, true}}, part[] = {{0x72000, 0x73000, 0x1000, true}};
    const struct mapping data[] = {{0x70000, 0x72000, 0, false}, {0x72000, 0x73000, 0x1000, false}};
    uint64_t bias = 42;

    (void)state;
    assert_false(module_bias(loads, 2, whole, 1, &bias));
    assert_false(module_bias(loads, 2, part, 1, &bias));
    assert_false(module_bias(loads, 2, data, 2, &bias));
    assert_int_equal(bias, 42);
}

/* A simple version of module_bias: the first bias with which the first range that has the address holds each part. */
static bool plain_module_bias(const struct elf_load *parts, size_t n_parts, const struct mapping *mappings, size_t n,
                              uint64_t *bias)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t candidate = mappings[i].start - mappings[i].offset + parts[0].offset - parts[0].address;
        bool fits = true;

        for (size_t k = 0; k < n_parts && fits; k++) {
            uint64_t address = parts[k].address + candidate;
            size_t at = 0;

            while (at < n && !(address >= mappings[at].start && address < mappings[at].end))
                at++;
            fits = at < n && parts[k].offset - mappings[at].offset == address - mappings[at].start &&
                   (mappings[at].executable || !parts[k].executable);
        }
        if (fits) {
            *bias = candidate;
            return true;
        }
    }
    return false;
}

/* A number below n, always the same ones. */
static uint64_t choose(uint64_t n)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

/* Small numbers, so that ranges touch, overlap and fit by chance. They are in the order of their starts. */
static void bias_is_the_first_that_fits(void **state)
{
    enum { N_TRIALS = 200000, MAX = 6, SPACE = 12 };
    size_t n_found = 0, n_missed = 0, n_overlaps = 0;

    (void)state;
    for (int trial = 0; trial < N_TRIALS; trial++) {
        struct elf_load parts[3];
        struct mapping mappings[MAX];
        size_t n_parts = 1 + choose(3), n = choose(MAX + 1);
        uint64_t start = 0, bias = 42, expected = 42;
        bool fits;

        for (size_t i = 0; i < n_parts; i++)
            parts[i] = (struct elf_load){.offset = choose(4), .address = choose(6), .executable = choose(3) == 0};
        for (size_t i = 0; i < n; i++) {
            start += choose(SPACE / 3);
            mappings[i] = (struct mapping){start, start + choose(SPACE / 2), choose(4), choose(2) == 0};
            n_overlaps += i > 0 && mappings[i - 1].end > start;
        }
        fits = plain_module_bias(parts, n_parts, mappings, n, &expected);
        assert_int_equal(module_bias(parts, n_parts, mappings, n, &bias), fits);
        assert_int_equal(bias, expected);
        n_found += fits;
        n_missed += !fits;
    }
    assert_true(n_found > N_TRIALS / 50 && n_missed > N_TRIALS / 50 && n_overlaps > N_TRIALS / 50);
}

/* Comparing each range with each other would take minutes of a processor. */
static void file_that_is_mapped_often_takes_no_time(void **state)
{
    enum { N = 200000 };
    struct mapping *mappings = calloc(N, sizeof *mappings);
    clock_t start = clock();
    uint64_t bias = 42;

    (void)state;
    assert_non_null(mappings);
    for (uint64_t i = 0; i < N; i++)
        mappings[i] = (struct mapping){0x70000 + i * 0x2000, 0x71000 + i * 0x2000, 0, true};
    assert_false(module_bias(loads, 2, mappings, N, &bias));
    assert_int_equal(bias, 42);
    mappings[N - 1].offset = 0x1000;
    assert_true(module_bias(loads, 2, mappings, N, &bias));
    assert_int_equal(bias, mappings[N - 2].start);
    free(mappings);
    assert_true((double)(clock() - start) < 10.0 * CLOCKS_PER_SEC);
}

static void files_that_deserve_a_search_for_debug_information(void **state)
{
    (void)state;
    assert_true(file_deserves_debug_file("/usr/lib/libmpi.so.40.30.4"));
    assert_true(file_deserves_debug_file("/usr/lib/openmpi3/mca_pml_ob1.so"));
    assert_true(file_deserves_debug_file("libopen-pal.so.40"));
    assert_false(file_deserves_debug_file("/opt/libmpi/lib/libc.so.6"));
}

static void index_keeps_the_first_of_a_name(void **state)
{
    enum { N = 5000 };
    static char names[N][8];
    struct name_index index = {0};
    uint32_t position = 42;

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_of_the_program),
        cmocka_unit_test(symbols_of_libraries),
        cmocka_unit_test(local_symbol_does_not_hide_another),
        cmocka_unit_test(unknown_symbol_leaves_the_result_alone),
        cmocka_unit_test(each_file_is_opened_once),
        cmocka_unit_test(file_that_could_not_be_opened_is_tried_again),
        cmocka_unit_test(libraries_of_the_system_are_helpers),
        cmocka_unit_test(heap_is_no_module),
        cmocka_unit_test(file_names_what_it_needs),
        cmocka_unit_test(functions_that_can_be_unwound),
        cmocka_unit_test(mapped_file_by_its_name),
        cmocka_unit_test(mapped_file_that_was_replaced),
        cmocka_unit_test(name_of_a_pipe_is_not_opened),
        cmocka_unit_test(idle_module_counts_for_nothing),
        cmocka_unit_test(sizes_of_types),
        cmocka_unit_test(offsets_of_members),
        cmocka_unit_test(offsets_through_unnamed_members),
        cmocka_unit_test(what_has_no_offset),
        cmocka_unit_test(types_that_are_only_declared),
        cmocka_unit_test(bias_of_a_loaded_file),
        cmocka_unit_test(bias_of_a_part_that_is_split),
        cmocka_unit_test(no_bias_for_a_file_that_is_only_read),
        cmocka_unit_test(bias_is_the_first_that_fits),
        cmocka_unit_test(file_that_is_mapped_often_takes_no_time),
        cmocka_unit_test(files_that_deserve_a_search_for_debug_information),
        cmocka_unit_test(index_keeps_the_first_of_a_name),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
