/*
 * test_dump_libraries.c - what the libraries of a process tell: whose they are, which MPI library is in use, and where
 * threads are in them. The libraries are files that the test makes, and so are the stacks.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define TEST_SETUP fixture->n_paths = 0
#define TEST_TEARDOWN teardown(fixture)
#define TEST_FIXTURE struct fixture
#include "unit_test.h"

#include "mqd/dump/collect/target/libraries.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "made_elf.h"

enum { MAX_FILES = 40, SPACE = 0x100000, PAGE = 4096, FUNCTION = 128, MAX_FUNCTIONS = 24, MAIN = 17, NOWHERE = 8,
       VDSO = 16 };

struct fixture {
    struct modules modules;
    struct module all[MAX_FILES];
    struct code_range code[MAX_FILES];
    size_t n_paths;
    uint64_t addresses[MAX_NAMED_FRAMES + 1];
    struct stack stack;
    struct calls calls;
    struct place_cache places;
};

static void forget_files(struct fixture *fixture)
{
    calls_clear(&fixture->calls);
    place_cache_clear(&fixture->places);
    for (size_t i = 0; i < fixture->modules.n; i++)
        elf_file_close(fixture->all[i].file);
    free(fixture->modules.doubt);
    fixture->modules = (struct modules){.modules = fixture->all, .code = fixture->code};
}

static void teardown(struct fixture *fixture)
{
    forget_files(fixture);
}

/* Of the file that is added next: its own name, and those of what it needs. */
static const char *const *needs;
static size_t n_needs;

/* Adds a file to the process, with one page of code that can be unwound unless it is "libbare". */
static void add_elf(struct fixture *fixture, const char *name, const struct made_symbol *symbols, size_t n,
                    uint64_t bias)
{
    static const unsigned char zeros[1024];
    const size_t i = fixture->modules.n++;
    struct made_elf *elf = made_elf_begin();
    char *path = test_path("/%zu/%s", ++fixture->n_paths, name);

    fixture->modules.modules = fixture->all;
    fixture->modules.code = fixture->code;
    test_file(path, "", 0);
    unlink(path);
    made_elf_section(elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, zeros, sizeof zeros);
    made_elf_symbols(elf, symbols, n);
    if (n_needs > 0)
        made_elf_needs(elf, needs, n_needs);
    if (strncmp(name, "libbare", 7) != 0)
        made_elf_unwind_rules(elf);
    made_elf_write(elf, path);
    fixture->all[i] = (struct module){.bias = bias};
    fixture->all[i].file = elf_file_open(open(path, O_RDONLY | O_CLOEXEC), &(struct file_source){.path = path}, false,
                                         WHY);
    assert_non_null(fixture->all[i].file);
    fixture->code[i] = (struct code_range){bias, bias + PAGE, i};
    fixture->modules.n_code = fixture->modules.n;
}

/* "libmpi.so.40: PMPI_Recv =MPI_Recv": a file and its functions, of which some lie where the one before does. */
static void add_file(struct fixture *fixture, const char *text)
{
    struct made_symbol symbols[MAX_FUNCTIONS];
    char *rest = test_text("%s", text), *name = strsep(&rest, ":"), *function;
    size_t n = 0, at = 0;

    while ((function = strsep(&rest, " ")) != NULL)
        if (*function != '\0') {
            at += *function == '=' ? 0 : FUNCTION;
            symbols[n++] = (struct made_symbol){function + (*function == '='), at, FUNCTION, MADE_GLOBAL};
        }
    add_elf(fixture, name, symbols, n, (fixture->modules.n + 1) * SPACE);
}

/* The address of "libmpi.so.40:PMPI_Recv", of "libmpi.so.40" for code without a name, "vdso" or "nowhere". */
static uint64_t address_of(const struct fixture *fixture, char *text)
{
    const char *name = strsep(&text, ":");
    const struct symbol *symbol = NULL;

    for (size_t i = 0; i < fixture->modules.n; i++) {
        const struct module *module = &fixture->all[i];

        if (strcmp(module->file->name, name) != 0)
            continue;
        if (text != NULL && (symbol = symbols_find(&module->file->symbols, text, false)) == NULL)
            fail_msg("%s has no %s", name, text);
        return module->bias + (symbol != NULL ? symbol->value : 0) + 4;
    }
    assert_true(strcmp(name, "nowhere") == 0 || strcmp(name, "vdso") == 0);
    return *name == 'v' ? VDSO : NOWHERE;
}

/* A stack of such places, the innermost first. */
static void make_stack(struct fixture *fixture, const char *text)
{
    char *rest = test_text("%s", text), *place;

    fixture->stack = (struct stack){.thread = MAIN, .ended = true, .addresses = fixture->addresses};
    while ((place = strsep(&rest, " ")) != NULL && *place != '\0')
        fixture->addresses[fixture->stack.n++] = address_of(fixture, place);
}

static void name_stack(struct fixture *fixture, pid_t main_thread)
{
    struct stacks stacks = {.stacks = &fixture->stack, .n = 1, .complete = true, .vdso_start = VDSO,
                            .vdso_end = VDSO + 8};

    calls_name(&fixture->calls, &stacks, &fixture->modules, main_thread, &fixture->places, true);
}

/* Whose libraries are. */

TEST(libraries_have_owners)
{
    static const struct {
        const char *file;
        enum code_owner owner;
    } files[] = {
        {"solver: main PMPI_Recv", OWNER_PROGRAM}, {"libmpi.so.40: ompi_mpi_communicators PMPI_Send", OWNER_MPI},
        {"libmpi_mpifh.so: pmpi_recv_ ompi_recv_f", OWNER_MPI},
        {"libmpi_usempif08.so: pmpi_recv_f08_ ompi_errhandler_invoke", OWNER_MPI},
        {"libnew.so: pmpi_recv_f08ts_ ompi_request_functions", OWNER_MPI},
        {"libc.mpi.so: PMPI_Recv ompi_request_functions", OWNER_MPI},
        {"libwrap.so: PMPI_Recv PMPI_Wait", OWNER_PROGRAM}, {"libother.so: ompi_recv_f", OWNER_PROGRAM},
        {"libc.so.6: read", OWNER_HELPER}, {"mca_btl_tcp.so: run", OWNER_HELPER}, {"libhdf5.so: H5", OWNER_PROGRAM},
        {"libsockets-fi.so: run", OWNER_HELPER}, {"libhfi1verbs-rdmav34.so: run", OWNER_HELPER},
    };
    struct owners owners;

    for (size_t i = 0; i < N_OF(files); i++)
        add_file(fixture, files[i].file);
    owners_find(&owners, &fixture->modules);
    for (size_t i = 0; i < N_OF(files); i++)
        assert_int_equal(owners.of[i], files[i].owner);
    assert_true(owners_have_function(&owners, &fixture->modules, "MPI_Send"));
    assert_false(owners_have_function(&owners, &fixture->modules, "MPI_Wait"));
    owners_clear(&owners);
    /* One that is not in use is nobody's. */
    fixture->all[1].idle = true;
    owners_find(&owners, &fixture->modules);
    assert_int_equal(owners.of[1], OWNER_PROGRAM);
    owners_clear(&owners);
    /* The program may have any name, and Open MPI in it. */
    for (int has_mpi = 0; has_mpi <= 1; has_mpi++) {
        forget_files(fixture);
        add_file(fixture, has_mpi ? "solver: ompi_mpi_communicators PMPI_Send" : "libc.so.6: main PMPI_Send");
        owners_find(&owners, &fixture->modules);
        assert_int_equal(owners.of[0], has_mpi ? OWNER_MPI : OWNER_PROGRAM);
        assert_int_equal(owners_have_function(&owners, &fixture->modules, "MPI_Send"), has_mpi);
        owners_clear(&owners);
    }
}

/* What a helper needs is one too, and so on; the program, and what it alone needs, is none. */
TEST(needs_of_helpers)
{
    static const struct {
        const char *names[5];
        enum code_owner owner;
        size_t n_needed;
    } files[] = {
        {{"solver", "libmy.so.1", "libmpi.so.40"}, OWNER_PROGRAM, 2}, {{"libmy.so.1", "libc.so.6"}, OWNER_PROGRAM, 1},
        {{"libmpi.so.40", "libfirst.so.1"}, OWNER_HELPER, 1}, {{"libfirst.so.1", "libsecond.so.2"}, OWNER_HELPER, 1},
        {{"libsecond.so.2", "libfirst.so.1", "solver", "libabsent.so"}, OWNER_HELPER, 3},
        {{"libc.so.6"}, OWNER_HELPER, 0}, {{"libthird.so.3"}, OWNER_PROGRAM, 0},
    };
    struct owners owners;

    for (size_t i = 0; i < N_OF(files); i++) {
        static const struct made_symbol table = {"ompi_mpi_communicators", 8, 8, MADE_GLOBAL};
        size_t n = 0;

        while (files[i].names[n] != NULL)
            n++;
        needs = files[i].names;
        n_needs = n;
        /* But for two the file has another name than the one that it is needed by. */
        add_elf(fixture, i == 2 || i == 5 ? files[i].names[0] : test_text("file%zu", i), &table, i == 2, SPACE);
    }
    n_needs = 0;
    owners_find(&owners, &fixture->modules);
    for (size_t i = 0; i < N_OF(files); i++) {
        const struct elf_file *file = fixture->all[i].file;

        assert_int_equal(owners.of[i], i == 2 ? OWNER_MPI : files[i].owner);
        assert_string_equal(file->needed_as, files[i].names[0]);
        assert_int_equal(file->n_needed, files[i].n_needed);
        for (size_t k = 0; k < file->n_needed; k++)
            assert_string_equal(file->needed[k], files[i].names[k + 1]);
    }
    owners_clear(&owners);
}

/* Whose functions are in an executable with a static Open MPI. */
TEST(functions_of_a_static_mpi)
{
    static const struct made_symbol symbols[] = {
        {"PMPI_Recv", 0x100, 16, MADE_GLOBAL}, {"pmpi_send_", 0x180, 16, MADE_GLOBAL},
        {"PMPI_Wait", 0x200, 16, MADE_LOCAL}};
    static const struct {
        const char *symbol;
        uint64_t address;
        bool is_own;
    } functions[] = {
        {"PMPI_Send", 1, true}, {"pmpi_recv_", 1, true}, {"ompi_recv_f", 1, true}, {"MPI_Recv", 0x100, true},
        {"MPI_Recv", 0x108, false}, {"mpi_send_", 0x180, true}, {"mpi_send_", 0x100, false}, {"MPI_Wait", 0x200, false},
        {"MPI_Send", 0x180, false},
    };
    static const struct {
        const char *function, *caller;
        bool is_programs;
    } calls[] = {
        {"work", "ompi_attr_delete", true}, {"ompi_free", "ompi_attr_delete", false}, {"work", "main", false},
        {"add", "PMPI_Reduce_local", true}, {"NBC_Progress", "mca_coll_basic", false}, {"add", "NBC_Start", true},
        {"PMPI_Wait", "ompi_op_reduce", false},
    };

    add_elf(fixture, "solver", symbols, N_OF(symbols), SPACE);
    for (size_t i = 0; i < N_OF(functions); i++)
        assert_int_equal(is_static_mpi_function(fixture->all[0].file, functions[i].symbol, functions[i].address),
                         functions[i].is_own);
    for (size_t i = 0; i < N_OF(calls); i++)
        assert_int_equal(is_static_callback(calls[i].function, calls[i].caller), calls[i].is_programs);
}

/* In this process: the tables of four libraries, and their states. */
static char tables[4][2000];
static int states[4];

/*
 * Libraries with nothing of MPI ('-'), a table of communicators only ('t'), both before MPI_Init ('0'), between it and
 * MPI_Finalize ('1', '2'), or after that ('3'). What is idle then, and was any of the others initialised?
 */
TEST(library_in_use_is_chosen)
{
    static const char *const cases[][3] = {
        {"-", ".", "no"}, {"t1", "..", "yes"}, {"0", ".", "no"}, {"1", ".", "yes"}, {"-0", "..", "no"},
        {"01", "i.", "yes"}, {"10", ".i", "yes"}, {"31", "i.", "yes"}, {"13", ".i", "yes"}, {"03", "i.", "yes"},
        {"30", ".i", "yes"}, {"00", ".i", "no"}, {"0312", "ii.i", "two"}, {"21-", ".i.", "two"},
    };
    struct process process = {.pid = getpid(), .reader = getpid(), .memory = -1};

    for (size_t i = 0; i < N_OF(cases); i++) {
        const char *libraries = cases[i][0];
        char *idle = test_text("%s", libraries);

        forget_files(fixture);
        for (size_t k = 0; k < strlen(libraries); k++) {
            const struct made_symbol symbols[] = {
                {"ompi_mpi_communicators", (uint64_t)(uintptr_t)tables[k] - SPACE, sizeof tables[k],
                 MADE_GLOBAL},
                {"ompi_mpi_state", (uint64_t)(uintptr_t)&states[k] - SPACE, sizeof states[k], MADE_LOCAL}};

            /* Only the start of a table is looked at. */
            memset(tables[k], 0, sizeof tables[k]);
            tables[k][libraries[k] > '0' ? 1023 : 1024] = 1;
            states[k] = libraries[k] == 't' ? 1 : libraries[k] - '0';
            add_elf(fixture, test_text("lib%c.so", libraries[k]), symbols,
                    libraries[k] == '-' ? 0 : libraries[k] == 't' ? 1 : 2, SPACE);
        }
        active_library_choose(&fixture->modules, &process);
        for (size_t k = 0; k < fixture->modules.n; k++)
            idle[k] = fixture->all[k].idle ? 'i' : '.';
        assert_string_equal(idle, cases[i][1]);
        assert_int_equal(active_library_was_initialised(&fixture->modules, &process), strcmp(cases[i][2], "no") != 0);
        assert_int_equal(fixture->modules.doubt != NULL, strcmp(cases[i][2], "two") == 0);
    }
    assert_has(fixture->modules.doubt, "lib2.so and /");
    assert_has(fixture->modules.doubt, "lib1.so: only the first one is looked at");
    process_close(&process);
}

/* Which function an address is in: 'i' is in 'o', 'w' and 'l' lie where others do, and 'z' and 'e' have no size. */
TEST(functions_of_addresses)
{
    static const struct made_symbol symbols[] = {
        {"w", 0x140, 0x20, MADE_WEAK}, {"o", 0x100, 0x100, MADE_GLOBAL}, {"i", 0x140, 0x20, MADE_GLOBAL},
        {"l", 0x180, 0x10, MADE_LOCAL}, {"alone", 0x240, 0x10, MADE_LOCAL}, {"big", 0x260, 0x20, MADE_GLOBAL},
        {"small", 0x260, 0x10, MADE_GLOBAL}, {"same", 0x260, 0x10, MADE_GLOBAL}, {"inside", 0x150, 0, MADE_GLOBAL},
        {"weak", 0x2a0, 0x10, MADE_WEAK}, {"hidden", 0x2a0, 0x10, MADE_LOCAL}, {"z", 0x300, 0, MADE_GLOBAL},
        {"y", 0x310, 0x30, MADE_GLOBAL}, {"in y", 0x320, 0, MADE_GLOBAL}, {"e", 0x3c0, 0, MADE_GLOBAL},
        {"", 0x3d0, 0x10, MADE_GLOBAL}, {"outer", 0x20, 0x40, MADE_LOCAL}, {"inner", 0x30, 0x10, MADE_LOCAL},
    };
    static const struct {
        uint64_t address;
        const char *function;
    } cases[] = {
        {0x34, "inner"}, {0x44, "outer"},
        {0xff, NULL}, {0x100, "o"}, {0x13f, "o"}, {0x140, "i"}, {0x15f, "i"}, {0x160, "o"}, {0x185, "o"}, {0x1ff, "o"},
        {0x200, NULL}, {0x23f, NULL}, {0x240, "alone"}, {0x250, NULL}, {0x260, "small"}, {0x26f, "small"},
        {0x270, "big"}, {0x280, NULL}, {0x2a4, "weak"}, {0x2b0, NULL}, {0x2ff, NULL}, {0x300, "z"}, {0x30f, "z"},
        {0x310, "y"}, {0x325, "y"}, {0x33f, "y"}, {0x340, NULL}, {0x3bf, NULL}, {0x3c0, "e"}, {0x3d4, "e"},
        {0x3ff, "e"}, {0x400, NULL}, {UINT64_MAX, NULL},
    };

    add_elf(fixture, "libfoo.so", symbols, N_OF(symbols), 0);
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint64_t offset;
        const char *function = elf_file_find_function(fixture->all[0].file, cases[i].address, &offset);

        assert_text(function, cases[i].function);
        for (size_t k = 0; function != NULL && k < N_OF(symbols); k++)
            assert_true(strcmp(symbols[k].name, function) != 0 || offset == cases[i].address - symbols[k].value);
    }
}

TEST(places_are_looked_up_once)
{
    enum { N = 1500 };
    const struct known_place *known;

    add_file(fixture, "a: f");
    add_file(fixture, "b: g");
    for (int again = 0; again < 2; again++)
        for (uint64_t i = 0; i < 2 * N; i++) {
            struct elf_file *file = fixture->all[i % 2].file;

            known = place_cache_find(&fixture->places, file, i / 2);
            assert_true(known->file == file && known->address == i / 2 && known->can_unwind && known->n_levels == 0);
            assert_text(known->function, i / 2 / FUNCTION != 1 ? NULL : i % 2 == 0 ? "f" : "g");
            assert_int_equal(fixture->places.n, again ? 2 * N : i + 1);
        }
}

/* Code of Fortran without debug information, by the names of its functions and of those that it calls. */
TEST(functions_of_fortran)
{
    static const struct {
        const char *file;
        bool is_fortran;
    } cases[] = {
        {"a: exchange_ call_mpi_recv_", true}, {"b: exchange_ mpi_recv_", false}, {"c: exchange_ call", false},
        {"d: exchange call_mpi_recv_", false}, {"e: exchange_ x_gfortran_set_args", true},
        {"f: exchange_ xmpi_recv_f08ts_", true},
    };

    for (size_t i = 0; i < N_OF(cases); i++) {
        struct source_place source;

        add_file(fixture, cases[i].file);
        for (int twice = 0; twice < 2; twice++) {
            elf_file_find_source(fixture->all[i].file, FUNCTION, &source);
            assert_int_equal(source.is_fortran, cases[i].is_fortran);
            assert_true(source.program == NULL && source.path == NULL && source.line == 0);
        }
    }
}

/* Where threads are. */

static void add_process(struct fixture *fixture)
{
    static const char *const files[] = {
        "solver: main work", "libmpi.so.40: ompi_mpi_communicators PMPI_Recv ompi_wait PMPI_Wait PMPI_File_write",
        "libgomp.so.1: gomp_team_barrier_wait_end GOMP_critical_start gomp_thread_start GOMP_parallel",
        "libomp-14.so.5: __kmp_join", "libiomp5.so: __kmpc_set_lock",
        "libc.so.6: __clock_nanosleep wait abort start_thread",
        "ld-linux-x86-64.so.2: open", "libhdf5.so.103: H5Dwrite inner", "libffi.so.8: call", "libpthread-2.31.so: read",
        "python3.11: run", "site-packages/h5py/h5d.abi3.so: run", "site-packages/h5py/_proxy.abi3.so: call",
        "libwrap.so: MPI_Wait", "libcy.so: __pyx_call", "libbare.so: ompi_mpi_communicators PMPI_Recv",
        "libodd%d.so: odd%d",
    };

    for (size_t i = 0; i < N_OF(files); i++)
        add_file(fixture, files[i]);
}

/* Threads in OpenMP: of which of three kinds, and of which library. It does not count if no program has called it. */
TEST(threads_that_wait_in_openmp)
{
    static const char *const cases[][2] = {
        {"libc.so.6:wait libgomp.so.1:gomp_team_barrier_wait_end solver:work", "barrier in libgomp"},
        {"libgomp.so.1:gomp_team_barrier_wait_end libgomp.so.1:gomp_thread_start libc.so.6:start_thread", "none in "},
        {"libgomp.so.1:gomp_team_barrier_wait_end nowhere", "none in "},
        {"libgomp.so.1:gomp_team_barrier_wait_end", "none in "},
        {"libgomp.so.1:GOMP_critical_start solver:work", "lock in libgomp"},
        {"libgomp.so.1:GOMP_critical_start libgomp.so.1:GOMP_parallel solver:work", "lock in libgomp"},
        {"libgomp.so.1 libgomp.so.1:GOMP_parallel libhdf5.so.103:inner", "barrier in libgomp"},
        {"libomp-14.so.5:__kmp_join solver:main", "barrier in libomp"},
        {"libiomp5.so:__kmpc_set_lock solver:main", "lock in libiomp5"},
        {"libpthread-2.31.so ld-linux-x86-64.so.2 nowhere libgomp.so.1 solver:main", "none in "},
        {"asleep libgomp.so.1 solver:main", "either in libgomp"},
        {"solver:work libgomp.so.1:GOMP_parallel solver:main", "none in "}, {"libc.so.6:wait", "none in "},
        {"libgomp.so.1:gomp_thread_start solver:work", "none in "},
    };

    add_process(fixture);
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct library_calls *found = &fixture->calls.libraries;
        bool asleep = strncmp(cases[i][0], "asleep ", 7) == 0;

        make_stack(fixture, cases[i][0] + (asleep ? 7 : 0));
        fixture->stack.in_futex = asleep;
        name_stack(fixture, MAIN + 1);
        assert_string_equal(test_text("%s%s%s%s in %s", found->n_in_barrier ? "barrier" : "",
                                      found->n_at_lock ? "lock" : "", found->n_in_openmp ? "either" : "",
                                      found->openmp[0] == '\0' ? "none" : "", found->openmp), cases[i][1]);
        assert_int_equal(found->n_in_barrier + found->n_at_lock + found->n_in_openmp, found->openmp[0] != '\0');
        assert_string_equal(found->library, "");
    }
}

/* What the main thread does in the system, and for which library. */
TEST(system_calls_of_the_main_thread)
{
    static const char *const cases[][2] = {
        {"libc.so.6:__clock_nanosleep solver:work", "clock_nanosleep for  "},
        {"libc.so.6:wait libpthread-2.31.so:read libhdf5.so.103:H5Dwrite solver:main",
         "read for libhdf5.so.103 H5Dwrite"},
        {"libc.so.6:wait libhdf5.so.103 solver:main", " for libhdf5.so.103 "},
        {"libc.so.6:wait libc.so.6:start_thread", " for  "},
        {"libc.so.6 libgomp.so.1:GOMP_parallel solver:main", " for  "},
        {"libodd%d.so:odd%d solver:main", " for libodd%d.so odd%d"}, {"libodd%d.so solver:main", " for libodd%d.so "},
        {"libhdf5.so.103:H5Dwrite libc.so.6:__clock_nanosleep solver:main", " for libhdf5.so.103 H5Dwrite"},
    };

    add_process(fixture);
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct library_calls *found = &fixture->calls.libraries;

        make_stack(fixture, cases[i][0]);
        name_stack(fixture, MAIN);
        assert_string_equal(test_text("%s for %s %s", found->system, found->library, found->function), cases[i][1]);
    }
}

/* A call, where it is, and the places in libraries that it comes from; then the frames of the whole stack. */
static char *call_text(const struct fixture *fixture)
{
    static const char *const states[] = {"unknown", "outside"};
    const struct call *call = &fixture->calls.calls[0];
    const struct named_stack *named = &fixture->calls.stacks[0];
    char *text = call->state == CALL_MPI ? of_test(call_phrase(call)) : test_text("%s", states[call->state]);

    if (call->state == CALL_OUTSIDE)
        text = test_text("%s in %s", text, call->function);
    if (call->place != NULL)
        text = test_text("%s at %s", text, call->place);
    return test_text("%s%s%s%s%s; %s", text, call->n_chain > 0 ? " from " : "",
                     test_join((const char *const *)call->chain, call->n_chain, ", "), call->runs ? ", runs" : "",
                     call->called_back ? ", called back" : "",
                     test_join(named->frames, named->n, ", "));
}

TEST(calls_through_libraries)
{
    static const char *const cases[][2] = {
        {"libmpi.so.40:ompi_wait libmpi.so.40:PMPI_Recv solver:work solver:main",
         "MPI_Recv at work+0x5; ompi_wait in libmpi.so.40, PMPI_Recv in libmpi.so.40, work+0x5, main+0x5"},
        {"libmpi.so.40:PMPI_Recv libhdf5.so.103:inner libhdf5.so.103:H5Dwrite solver:work",
         "MPI_Recv at inner+0x5 from H5Dwrite in libhdf5, work+0x5; PMPI_Recv in libmpi.so.40, "
         "inner in libhdf5.so.103, H5Dwrite in libhdf5.so.103, work+0x5"},
        {"libmpi.so.40:PMPI_Recv libhdf5.so.103 solver:work",
         "MPI_Recv at libhdf5.so.103 at 0x5 from libhdf5, work+0x5; PMPI_Recv in libmpi.so.40, "
         "0x5 in libhdf5.so.103, work+0x5"},
        {"libmpi.so.40:PMPI_Wait libmpi.so.40:PMPI_File_write libhdf5.so.103:H5Dwrite libffi.so.8:call solver:main",
         "MPI_Wait in MPI_File_write at H5Dwrite+0x5 from H5Dwrite in libhdf5, call in libffi, main+0x5; PMPI_Wait in "
         "libmpi.so.40, PMPI_File_write in libmpi.so.40, H5Dwrite in libhdf5.so.103, call in libffi.so.8, main+0x5"},
        /* What the interpreter does for its modules is not told, and one package is one place. */
        {"libmpi.so.40:PMPI_Recv _proxy.abi3.so:call h5d.abi3.so:run python3.11:run libhdf5.so.103:inner",
         "MPI_Recv at call+0x5 from h5py's h5d, Python; PMPI_Recv in libmpi.so.40, call in _proxy.abi3.so, run in "
         "h5d.abi3.so, run in python3.11, inner in libhdf5.so.103"},
        {"libmpi.so.40:PMPI_Recv libcy.so:__pyx_call solver:main",
         "MPI_Recv at __pyx_call+0x5 from libcy, main+0x5; PMPI_Recv in libmpi.so.40, __pyx_call in libcy.so, "
         "main+0x5"},
        {"libmpi.so.40:PMPI_Wait libwrap.so:MPI_Wait solver:work",
         "MPI_Wait through libwrap.so at work+0x5; PMPI_Wait in libmpi.so.40, MPI_Wait in libwrap.so, work+0x5"},
        {"libmpi.so.40:PMPI_Recv solver:work libhdf5.so.103:H5Dwrite solver:main",
         "MPI_Recv at work+0x5 from work+0x5, H5Dwrite in libhdf5, main+0x5; PMPI_Recv in libmpi.so.40, work+0x5, "
         "H5Dwrite in libhdf5.so.103, main+0x5"},
        {"libmpi.so.40:PMPI_Recv solver:work libffi.so.8:call libhdf5.so.103:inner libffi.so.8:call solver:main",
         "MPI_Recv at work+0x5 from work+0x5, call in libffi, inner in libhdf5, call in libffi; PMPI_Recv in "
         "libmpi.so.40, work+0x5, call in libffi.so.8, inner in libhdf5.so.103, call in libffi.so.8, main+0x5"},
        /* Behind code of no file nothing is certain. */
        {"libmpi.so.40:PMPI_Recv nowhere solver:main", "MPI_Recv; PMPI_Recv in libmpi.so.40, code of no file"},
        {"nowhere libmpi.so.40:PMPI_Recv", "unknown, runs; code of no file"}, {"", "unknown, runs; "},
        {"libbare.so:PMPI_Recv solver:work", "MPI_Recv; PMPI_Recv in libbare.so"},
        {"vdso libc.so.6:wait solver:work",
         "outside in work at work+0x5, runs; the kernel's [vdso], wait in libc.so.6, work+0x5"},
        {"libc.so.6:wait libhdf5.so.103:inner solver:work",
         "outside in work at work+0x5, runs; wait in libc.so.6, inner in libhdf5.so.103, work+0x5"},
        {"libwrap.so:MPI_Wait solver:work", "outside in MPI_Wait at work+0x5, runs; MPI_Wait in libwrap.so, work+0x5"},
        {"libc.so.6:wait libc.so.6:start_thread",
         "outside in wait at wait+0x4, runs; wait in libc.so.6, start_thread in libc.so.6"},
        {"libodd%d.so:odd%d", "outside in odd%d at odd%d+0x4, runs; odd%d in libodd%d.so"},
        {"cut libc.so.6:wait solver:work", "outside in work at work+0x5, runs; wait in libc.so.6, work+0x5"},
        {"cut libc.so.6:wait", "unknown, runs; wait in libc.so.6"},
        {"libbare.so libmpi.so.40:PMPI_Recv solver:work", "unknown, runs; 0x4 in libbare.so"},
    };

    add_process(fixture);
    for (size_t i = 0; i < N_OF(cases); i++) {
        bool is_cut = strncmp(cases[i][0], "cut ", 4) == 0;

        make_stack(fixture, cases[i][0] + (is_cut ? 4 : 0));
        fixture->stack.ended = !is_cut;
        name_stack(fixture, MAIN);
        assert_text(call_text(fixture), cases[i][1]);
    }
}

TEST(calls_in_an_executable_with_a_static_mpi)
{
    static const char *const cases[][2] = {
        {"a:PMPI_Recv a:mpi_recv_ a:work", "MPI_Recv at work+0x5"},
        /* The innermost function is what a wrapper calls; a wrapper alone is outside of MPI. */
        {"a:PMPI_Ssend a:MPI_Send a:work", "MPI_Ssend through a at work+0x5"},
        {"a:MPI_Wait a:work", "outside in MPI_Wait at work+0x5, runs"},
        /* A name like those of MPI does not make a wrapper. */
        {"a:PMPI_Recv a:mpi_exchange_ a:work", "MPI_Recv at mpi_exchange_+0x5"},
        {"a:PMPI_Barrier a:PMPI_Finalize a:work", "MPI_Barrier in MPI_Finalize at work+0x5"},
        /* The program's function inside of Open MPI's, as if an attribute were deleted; and it calls MPI. */
        {"a:clean a:ompi_attr_delete_all a:PMPI_Comm_free a:work", "MPI_Comm_free at work+0x5, runs"},
        {"a:PMPI_Barrier a:clean a:ompi_attr_delete_all a:PMPI_Comm_free a:work",
         "MPI_Barrier in MPI_Comm_free at work+0x5, called back"},
        /* Which function it is does not depend on the count's type; Fortran chooses the count by itself. */
        {"a:PMPI_Recv a:PMPI_Recv_c a:work", "MPI_Recv_c at work+0x5"},
        {"a:PMPI_Recv a:PMPI_Recv_c a:mpi_recv_c_f08_ a:work", "MPI_Recv at work+0x5"},
    };

    add_file(fixture, "a: ompi_mpi_communicators PMPI_Recv =MPI_Recv mpi_recv_ =pmpi_recv_ PMPI_Ssend PMPI_Send "
                      "MPI_Send PMPI_Wait MPI_Wait mpi_exchange_ PMPI_Barrier PMPI_Finalize clean ompi_attr_delete_all "
                      "PMPI_Comm_free PMPI_Recv_c mpi_recv_c_f08_ work");
    for (size_t i = 0; i < N_OF(cases); i++) {
        const char *text;

        make_stack(fixture, cases[i][0]);
        name_stack(fixture, MAIN);
        text = call_text(fixture);
        assert_text(test_text("%.*s", (int)strcspn(text, ";"), text), cases[i][1]);
    }
}

TEST(frames_are_named_to_a_bound)
{
    const struct named_stack *named;

    add_process(fixture);
    make_stack(fixture, "solver:main solver:work");
    for (size_t n = MAX_NAMED_FRAMES; n <= MAX_NAMED_FRAMES + 1; n++) {
        for (size_t i = 2; i < n; i++)
            fixture->addresses[i] = fixture->addresses[1];
        fixture->stack.n = n;
        name_stack(fixture, MAIN);
        named = &fixture->calls.stacks[0];
        assert_int_equal(named->n, MAX_NAMED_FRAMES);
        assert_string_equal(named->frames[MAX_NAMED_FRAMES - 1], "work+0x5");
        assert_int_equal(named->ended, n == MAX_NAMED_FRAMES);
    }
}

/* Threads of a pool do not count unless they may call MPI by themselves. */
TEST(other_threads_that_count)
{
    static const struct {
        const char *stack;
        size_t n;
        bool in_futex, is_cut;
    } cases[] = {
        {"libc.so.6:wait libc.so.6:start_thread", 0, false, false},
        {"libmpi.so.40:PMPI_Recv solver:work", 1, true, false},
        {"libc.so.6:wait libc.so.6:start_thread", 1, false, true}, {"libc.so.6:wait solver:work", 1, false, false},
        {"libc.so.6:wait solver:work", 0, true, false}, {"libc.so.6:wait libhdf5.so.103:inner", 1, false, false},
    };

    add_process(fixture);
    for (size_t i = 0; i < N_OF(cases); i++) {
        make_stack(fixture, cases[i].stack);
        fixture->stack.in_futex = cases[i].in_futex;
        fixture->stack.ended = !cases[i].is_cut;
        name_stack(fixture, MAIN + 1);
        assert_int_equal(fixture->calls.n, cases[i].n);
    }
}

/* Where a signal hit the thread, or that abort was called. Other threads than the main one count then too. */
TEST(functions_that_crash)
{
    static const struct {
        const char *stack;
        int number;
        size_t interrupted;
        const char *fault;
    } cases[] = {
        {"libc.so.6:wait solver:work solver:main", SIGSEGV, 0, "wait"},
        {"libc.so.6:wait solver:work solver:main", SIGSEGV, 1, "work"},
        {"libc.so.6:abort solver:work", SIGABRT, 0, "abort"},
        {"libc.so.6:wait libc.so.6:start_thread", SIGABRT, 0, NULL},
        {"nowhere solver:work", SIGSEGV, 0, NULL}, {"libhdf5.so.103 solver:work", SIGBUS, 0, NULL},
        {"", SIGSEGV, 0, NULL},
    };

    add_process(fixture);
    for (size_t i = 0; i < N_OF(cases); i++) {
        make_stack(fixture, cases[i].stack);
        fixture->stack.error_signal = cases[i].number;
        fixture->stack.interrupted = cases[i].interrupted;
        name_stack(fixture, MAIN + 1);
        assert_int_equal(fixture->calls.n, cases[i].number == SIGABRT && cases[i].fault == NULL ? 0 : 1);
        if (fixture->calls.n > 0) {
            assert_true(fixture->calls.calls[0].crashed);
            assert_text(fixture->calls.calls[0].fault, cases[i].fault);
        }
    }
}
