/*
 * test_dump_core.c - core files that the test constructs: whole, cut off and falsified. Their program is this test,
 * which is linked with a build-id.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN teardown(fixture)
#define TEST_FIXTURE struct fixture
#include "unit_test.h"

#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/stack/thread_registers.h"
#include "tests/unit/made_core.h"

enum {
    PAGE = 4096,
    N_SEGMENTS = 4,
    PID = 4711,
    SIGNAL = 6,
    SENDER = 815,
    POINTER = 4711,
    N_REGISTERS = 27
};

/* Addresses in the memory of the process. */
#define stack UINT64_C(0x7ffff0000000)
static const uint64_t program = 0x400000, program_end = 0x403000, gone = 0x500000, heap = 0x600000;

struct fixture {
    char *path, *executable;
    struct made_core made;
    size_t siginfo, first_page;        /* where these start in it; the page is the last */
    struct core *core;
    struct files files;
};

static const uint64_t vector[] = {AT_SYSINFO_EHDR, 0x7fffe000, AT_PHDR, 0x400040, AT_EXECFN, stack + MADE_NAME,
                                  AT_NULL, 0};

static void put_status(struct made_core *made, int32_t thread, int16_t signal)
{
    uint64_t registers[N_REGISTERS];

    for (uint64_t i = 0; i < N_REGISTERS; i++)
        registers[i] = (uint64_t)thread * 100 + i;
    made_core_status(made, thread, signal, registers, sizeof registers);
}

/* Of a thread that is not the first, and a process that has the id of none. A signal from kill() has no code. */
static void put_notes(struct fixture *fixture)
{
    struct made_core *made = &fixture->made;
    const int32_t info[32] = {[0] = SIGNAL, [4] = SENDER};
    const struct made_mapping mappings[] = {
        {gone, gone + PAGE, 0, "/usr/lib/libmpi.so.40 (deleted)"},
        {gone + PAGE, gone + 2 * PAGE, 1, test_text("%s (deleted)", fixture->executable)},
        {program, program + PAGE, 0, fixture->executable}, {program + PAGE, program_end, 1, fixture->executable},
    };

    put_status(made, PID + 1, SIGNAL);
    fixture->siginfo = made_core_note(made, "CORE", NT_SIGINFO, info, sizeof info);
    made_core_note(made, "LINUX", NT_ARM_TLS, (uint64_t[]){POINTER, 1}, 16);
    put_status(made, PID, 0);
    made_core_note(made, "LINUX", NT_ARM_TLS, (uint64_t[]){POINTER}, 4);
    made_core_process(made, PID);
    made_core_note(made, "LINUX", NT_AUXV, (uint64_t[]){1}, 8);
    made_core_note(made, "CORE", NT_AUXV, vector, sizeof vector);
    made_core_files(made, PAGE, mappings, N_OF(mappings));
    made_core_end_notes(made);
}

static void make_core(struct fixture *fixture)
{
    unsigned char memory[MADE_STACK], page[PAGE];
    struct made_core *made = &fixture->made;
    int file = open(fixture->executable, O_RDONLY);

    assert_int_equal(pread(file, page, sizeof page, 0), sizeof page);
    close(file);
    made_stack(memory, stack, vector, sizeof vector);
    made_core_begin(made, EM_NONE, N_SEGMENTS - 1);
    put_notes(fixture);
    made_core_part(made, (Elf64_Phdr){.p_vaddr = stack, .p_memsz = MADE_STACK, .p_filesz = MADE_STACK, .p_flags = PF_R},
                   memory);
    made_core_part(made, (Elf64_Phdr){.p_vaddr = program + PAGE, .p_memsz = program_end - program - PAGE,
                                      .p_flags = PF_R | PF_X}, NULL);
    fixture->first_page = made_core_part(made, (Elf64_Phdr){.p_vaddr = program, .p_memsz = PAGE, .p_filesz = PAGE,
                                                            .p_flags = PF_R}, page);
}

static Elf64_Ehdr *header_of(struct fixture *fixture)
{
    return (Elf64_Ehdr *)(void *)fixture->made.bytes;
}

static Elf64_Phdr *headers_of(struct fixture *fixture)
{
    return made_core_headers(&fixture->made);
}

static void setup(struct fixture *fixture)
{
    fixture->path = test_path("/core");
    fixture->executable = of_test(proc_executable("/proc/self"));
    make_core(fixture);
}

static void teardown(struct fixture *fixture)
{
    core_close(fixture->core);
    files_close(&fixture->files);
    warnings_clear();
    free(fixture->made.bytes);
}

static void write_core(struct fixture *fixture)
{
    test_file(fixture->path, fixture->made.bytes, fixture->made.n);
}

static struct core *open_path(const char *path, char **why)
{
    struct core_source source;
    struct core *core;

    core_source_open(&source, path);
    core = core_open(&source, why);
    core_source_close(&source);
    return core;
}

static struct core *reopen(struct fixture *fixture)
{
    core_close(fixture->core);
    fixture->core = open_path(fixture->path, WHY);
    return fixture->core;
}

static struct core *open_core(struct fixture *fixture)
{
    write_core(fixture);
    if (reopen(fixture) == NULL)
        fail_msg("%s", why());
    return fixture->core;
}

static void refuse_core(struct fixture *fixture, const char *part)
{
    write_core(fixture);
    assert_null(reopen(fixture));
    assert_has(why(), part);
}

/* What a core tells. */

TEST(process_of_a_core)
{
    const struct core *core = open_core(fixture);

    assert_int_equal(core->pid, PID);
    assert_int_equal(core->signal, SIGNAL);
    assert_string_equal(core->executable, fixture->executable);
    assert_int_equal(core->vdso, 0x7fffe000);
    assert_int_equal(core->launch.rank, 3);
    assert_int_equal(core->launch.size, 8);
    assert_string_equal(core->launch.job, "prterun-a-1@1");
}

TEST(mappings_are_sorted_and_numbered)
{
    const struct core *core = open_core(fixture);

    assert_int_equal(core->n_mappings, 4);
    assert_true(core->mappings[0].start == program && core->mappings[1].start == program + PAGE);
    assert_int_equal(core->mappings[1].offset, PAGE);
    assert_int_equal(core->mappings[0].number, core->mappings[1].number);
    assert_int_not_equal(core->mappings[0].number, core->mappings[2].number);
    assert_string_equal(core->mappings[2].path, "/usr/lib/libmpi.so.40");
    assert_true(core->mappings[2].deleted && core->mappings[3].deleted);
    /* Another file once had the program's name. */
    assert_string_equal(core->mappings[3].path, core->mappings[0].path);
    assert_int_not_equal(core->mappings[3].number, core->mappings[0].number);
    assert_false(core->mappings[0].deleted);
    assert_ptr_equal(core_find_mapping(core, program_end - 1), &core->mappings[1]);
    assert_null(core_find_mapping(core, program_end));
    assert_null(core_find_mapping(core, program - 1));
}

TEST(what_is_executable)
{
    const struct core *core = open_core(fixture);

    assert_false(core_is_executable(core, program));
    assert_true(core_is_executable(core, program + PAGE));
    assert_false(core_is_executable(core, stack));
    /* Nothing says so; gcore leaves such ranges out. */
    assert_true(core_is_executable(core, gone));
}

TEST(environment_that_was_overwritten_tells_no_rank)
{
    size_t at = fixture->first_page - MADE_STACK + 0x100 + 8 * 8;

    fixture->made.bytes[at] ^= 1;
    assert_int_equal(open_core(fixture)->launch.rank, -1);
    fixture->made.bytes[at] ^= 1;
    memset(fixture->made.bytes + fixture->first_page - MADE_STACK + 0x200, 'x', 0x1f0);
    assert_int_equal(open_core(fixture)->launch.rank, -1);
    /* Nothing says where the pointers begin. */
    memset(fixture->made.bytes + fixture->first_page - MADE_STACK, 'x', 0x100 + 7 * 8);
    assert_int_equal(open_core(fixture)->launch.rank, -1);
    assert_int_equal(open_core(fixture)->launch.size, -1);
    assert_int_equal(open_core(fixture)->launch.local_size, -1);
    assert_string_equal(open_core(fixture)->launch.job, "");
}

TEST(threads_of_a_core)
{
    const struct core *core = open_core(fixture);
    uint64_t words[N_REGISTERS + 1] = {0};

    assert_int_equal(core->n_threads, 2);
    assert_int_equal(core->threads[0].id, PID + 1);
    assert_int_equal(core->threads[1].id, PID);
    assert_true(core_read_registers(core, &core->threads[1], words, N_REGISTERS));
    assert_int_equal(words[0], PID * 100);
    assert_int_equal(words[N_REGISTERS - 1], PID * 100 + N_REGISTERS - 1);
    assert_int_equal(words[N_REGISTERS], 0);
    assert_true(core_read_registers(core, &core->threads[1], words, (336 - 112) / 8));
    assert_false(core_read_registers(core, &core->threads[1], words, (336 - 112) / 8 + 1));
}

/* What aarch64 writes there others do not; and it may be cut. */
TEST(thread_pointer_has_a_note)
{
    header_of(fixture)->e_machine = EM_AARCH64;
    assert_int_equal(open_core(fixture)->threads[0].pointer, POINTER);
    assert_int_equal(open_core(fixture)->threads[1].pointer, 0);
    header_of(fixture)->e_machine = EM_X86_64;
    assert_int_equal(open_core(fixture)->threads[0].pointer, 0);
}

static bool read_registers(struct fixture *fixture, struct thread_registers *registers)
{
    const struct core *core = open_core(fixture);

    return thread_registers_of_core(registers, core, &core->threads[0]);
}

TEST(registers_of_machines)
{
    const uint64_t first = (PID + 1) * 100;
    struct thread_registers registers;

    header_of(fixture)->e_machine = EM_X86_64;
    assert_true(read_registers(fixture, &registers));
    assert_int_equal(registers.n, 17);
    assert_int_equal(registers.pc, first + 16);
    assert_int_equal(registers.values[16], first + 16);
    assert_int_equal(registers.values[7], first + 19);
    assert_int_equal(registers.values[6], first + 4);
    assert_int_equal(registers.link, -1);
    header_of(fixture)->e_machine = EM_S390;
    assert_true(read_registers(fixture, &registers));
    assert_int_equal(registers.pc, first + 1);
    assert_int_equal(registers.values[15], first + 17);
    /* They have more of them than this core. */
    for (size_t i = 0; i < 3; i++) {
        header_of(fixture)->e_machine = (Elf64_Half[]){EM_AARCH64, EM_PPC64, EM_68K}[i];
        assert_false(read_registers(fixture, &registers));
    }
}

/* Each machine's, from words that are 1000 and so on; its stack pointer is one of the numbered registers. */
PLAIN_TEST(registers_of_live_threads)
{
    static const struct {
        unsigned machine, word_size, n_words, n;
        int link, stack_number;
        uint64_t pc, link_value, first, stack_pointer, thread_pointer;
    } machines[] = {
        {EM_X86_64, 8, 22, 17, -1, 7, 1016, 0, 1010, 1019, 1021},
        {EM_AARCH64, 8, 33, 32, -1, 31, 1032, 0, 1000, 1031, 0},
        {EM_PPC64, 8, 37, 32, 65, 1, 1032, 1036, 1000, 1001, 1013},
        {EM_S390, 8, 19, 16, -1, 15, 1001, 0, 1002, 1017, 1018},
        {EM_RISCV, 8, 32, 32, -1, 2, 1000, 0, 0, 1002, 1004}, {EM_386, 4, 17, 9, -1, 4, 1012, 0, 1006, 1015, 0},
        {EM_ARM, 4, 18, 16, -1, 13, 1015, 0, 1000, 1013, 0}, {EM_PPC, 4, 37, 32, 65, 1, 1032, 1036, 1000, 1001, 0},
    };
    struct thread_registers registers;
    unsigned char bytes[40 * 8];

    for (size_t i = 0; i < N_OF(machines); i++) {
        const unsigned machine = machines[i].machine, size = machines[i].word_size;

        for (uint64_t k = 0; k < sizeof bytes / size; k++)
            memcpy(bytes + k * size, size == 8 ? (const void *)&(uint64_t){1000 + k}
                                               : (const void *)&(uint32_t){1000 + (uint32_t)k}, size);
        assert_false(thread_registers_of_live(&registers, machine, bytes, machines[i].n_words * size - 1));
        assert_true(thread_registers_of_live(&registers, machine, bytes, machines[i].n_words * size));
        assert_int_equal(registers.n, machines[i].n);
        assert_int_equal(registers.link, machines[i].link);
        assert_int_equal(registers.link_value, machines[i].link_value);
        assert_int_equal(registers.pc, machines[i].pc);
        assert_int_equal(registers.thread_pointer, machines[i].thread_pointer);
        assert_int_equal(registers.values[0], machines[i].first);
        assert_int_equal(stack_pointer_number(machine), machines[i].stack_number);
        assert_int_equal(registers.values[machines[i].stack_number], machines[i].stack_pointer);
        assert_false(registers.in_futex);
        assert_true(thread_registers_of_pointers(&registers, machine, 77, 88));
        assert_true(registers.pc == 88 && registers.values[machines[i].stack_number] == 77 && registers.link == -1);
        assert_int_equal(registers.known, 1u << machines[i].stack_number |
                                              (machine == EM_X86_64 ? 1u << 16 : machine == EM_386 ? 1u << 8 :
                                               machine == EM_ARM ? 1u << 15 : 0));
    }
    assert_false(thread_registers_of_live(&registers, EM_68K, bytes, sizeof bytes));
    assert_false(thread_registers_of_pointers(&registers, EM_68K, 1, 2));
    assert_int_equal(stack_pointer_number(EM_68K), -1);
}

/* Of the first thread: where its registers are in the core. */
static void set_register(struct fixture *fixture, size_t i, uint64_t value)
{
    memcpy(fixture->made.bytes + fixture->made.notes + 12 + 8 + 112 + 8 * i, &value, sizeof value);
}

/* Registers with the numbers of PC, CALL, OPERATION and TIMEOUT on x86_64, and what is concluded. A call is before the pc. */
TEST(thread_in_a_system_call)
{
    static const struct {
        uint64_t pc, call, operation, timeout;
        bool in_futex;
    } cases[] = {
        {10, 202, 0x80, 0, true}, {10, 202, 0x81, 0, false}, /* It wakes others. */
        {10, 202, 0x80, stack, false}, /* It waits no longer than a time that lies there. */
        {10, 7, 0x80, 0, false}, {10, 24, 0x80, 0, false}, {10, UINT64_MAX, 0x80, 0, false},
        {11, 202, 0x80, 0, false}, {1 - stack, 202, 0x80, 0, false},
    };
    struct thread_registers registers;

    header_of(fixture)->e_machine = EM_X86_64;
    memcpy(fixture->made.bytes + fixture->first_page - MADE_STACK + 8, "\x0f\x05", 2);
    for (size_t i = 0; i < N_OF(cases); i++) {
        set_register(fixture, 16, stack + cases[i].pc);
        set_register(fixture, 15, cases[i].call);
        set_register(fixture, 13, cases[i].operation);
        set_register(fixture, 7, cases[i].timeout);
        assert_true(read_registers(fixture, &registers));
        assert_int_equal(registers.in_futex, cases[i].in_futex);
    }
    /* This machine's registers do not tell, whatever is in them. */
    header_of(fixture)->e_machine = EM_S390;
    set_register(fixture, 0, 0);
    assert_true(read_registers(fixture, &registers));
    assert_false(registers.in_futex);
}

static void set_siginfo(struct fixture *fixture, int32_t number, int32_t code, int32_t sender)
{
    int32_t info[5] = {number, 0, code, 0, sender};

    memcpy(fixture->made.bytes + fixture->siginfo, info, sizeof info);
}

TEST(error_of_its_own_or_a_signal_of_others)
{
    assert_int_equal(open_core(fixture)->sender, SENDER_OTHER);
    assert_int_equal(core_error_signal(fixture->core), 0);
    set_siginfo(fixture, SIGNAL, -6, PID);
    assert_int_equal(open_core(fixture)->sender, SENDER_ITSELF);
    assert_int_equal(core_error_signal(fixture->core), SIGNAL);
    set_siginfo(fixture, SIGNAL, 1, 0);
    assert_int_equal(core_error_signal(open_core(fixture)), SIGNAL);
    /* It tells of another signal. */
    set_siginfo(fixture, SIGNAL + 1, 0, SENDER);
    assert_int_equal(open_core(fixture)->sender, SENDER_UNKNOWN);
    assert_int_equal(core_error_signal(fixture->core), SIGNAL);
}

PLAIN_TEST(signals_that_are_errors)
{
    static const struct {
        int number;
        const char *name;
    } signals[] = {
        {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"},
        {SIGSYS, "SIGSYS"}, {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGQUIT, NULL},
        {SIGTERM, NULL}, {0, NULL}};

    for (size_t i = 0; i < N_OF(signals); i++)
        assert_text(core_error_name(signals[i].number), signals[i].name);
    /* gdb's gcore at a breakpoint looks so. */
    assert_int_equal(core_error_signal(&(struct core){.signal = SIGTRAP, .sender = SENDER_UNKNOWN}), 0);
    assert_int_equal(core_error_signal(&(struct core){.signal = SIGILL, .sender = SENDER_UNKNOWN}), SIGILL);
}

/* A note that comes again does not count; without one of the process the first thread tells its id. */
TEST(notes_that_come_again_or_are_missing)
{
    static const struct {
        uint32_t type;
        bool is_first;
        int pid;
    } cases[] = {{NT_PRPSINFO, false, PID}, {NT_PRPSINFO, true, 816}, {NT_AUXV, false, PID}, {NT_FILE, false, PID},
                 {NT_SIGINFO, false, PID}};
    const size_t end = fixture->made.n, n_notes = headers_of(fixture)[0].p_filesz;
    void *notes = of_test(allocate_array(n_notes, 1));

    memcpy(notes, fixture->made.bytes + fixture->made.notes, n_notes);
    for (size_t i = 0; i < N_OF(cases); i++) {
        const int32_t numbers[34] = {[6] = 816};

        fixture->made.n = end;
        headers_of(fixture)[0].p_offset = end;
        if (!cases[i].is_first)
            made_core_put(&fixture->made, notes, n_notes);
        made_core_note(&fixture->made, "CORE", cases[i].type, numbers, sizeof numbers);
        if (cases[i].is_first)
            made_core_put(&fixture->made, notes, n_notes);
        headers_of(fixture)[0].p_filesz = fixture->made.n - end;
        assert_int_equal(open_core(fixture)->pid, cases[i].pid);
        assert_int_equal(fixture->core->sender, SENDER_OTHER);
        assert_int_equal(fixture->core->n_mappings, 4);
        assert_string_equal(fixture->core->executable, fixture->executable);
    }
}

/* The id of the process in the notes: 0 or less is none. */
TEST(process_ids_that_are_none)
{
    static const int32_t ids[][2] = {{0, PID + 1}, {-7, 0}};

    for (size_t i = 0; i < N_OF(ids); i++) {
        unsigned char *notes = fixture->made.bytes + fixture->made.notes;
        unsigned char *at = notes + 2 * (12 + 8 + 336) + (12 + 8 + 128) + (12 + 8 + 16) + (12 + 8 + 4) + 12 + 8 + 24;

        memcpy(at, &ids[i][0], sizeof ids[i][0]);
        assert_int_equal(open_core(fixture)->pid, ids[i][1]);
    }
}

/* What is allocated is released. The first ones fill caches of the C library. */
TEST(nothing_is_left_of_a_core)
{
    size_t before = 0, after = 1;
    char *problem = NULL;

    write_core(fixture);
    for (int i = 0; i < 30 && after > before; i++) {
        fixture->core = open_path(fixture->path, &problem);
        core_use_file(fixture->core, program, core_file_find(&fixture->files, fixture->core, program));
        core_close(fixture->core);
        files_close(&fixture->files);
        before = after;
        after = mallinfo2().uordblks;
    }
    fixture->core = NULL;
    assert_true(after <= before);
}

/* Memory. */

TEST(memory_in_the_core)
{
    const struct core *core = open_core(fixture);
    char text[16] = "";

    assert_true(core_read(core, stack + 0x3f0, text, 9));
    assert_string_equal(text, "./solver");
    assert_true(core_read(core, stack + MADE_STACK - 1, text, 1));
    assert_false(core_read(core, stack + MADE_STACK - 1, text, 2));
    assert_false(core_read(core, stack - 1, text, 2));
    assert_false(core_read(core, heap, text, 1));
    assert_false(core_read(core, UINT64_MAX - 1, text, 2));
    assert_false(core_read(core, UINT64_MAX, text, 16));
    assert_true(core_read(core, UINT64_MAX, text, 0));
}

TEST(memory_from_the_file)
{
    struct core *core = open_core(fixture);
    struct elf_file *file = core_file_find(&fixture->files, core, program);
    unsigned char found[2 * PAGE], expected[2 * PAGE];
    int descriptor = open(fixture->executable, O_RDONLY);

    assert_int_equal(pread(descriptor, expected, sizeof expected, 0), sizeof expected);
    close(descriptor);
    assert_non_null(file);
    assert_null(warning_given(0));
    assert_false(core_read(core, program + PAGE, found, 1));
    core_use_file(core, program, file);
    core_use_file(core, program + PAGE, file);
    core_use_file(core, heap, file);
    assert_true(core_read(core, program, found, sizeof found));
    assert_memory_equal(found, expected, sizeof found);
    assert_true(core_read(core, program + PAGE - 3, found, 6));
    assert_memory_equal(found, expected + PAGE - 3, 6);
    assert_false(core_read_dumped(core, program + PAGE - 3, found, 6));
    assert_false(core_read(core, program_end - 1, found, 2));
    assert_false(core_read(core, gone, found, 1));
}

/* A page that the program has written to comes from the core, not from the file. */
TEST(changed_page_after_an_unchanged_one)
{
    unsigned char found[12];
    struct core *core;

    headers_of(fixture)[2].p_memsz = PAGE;
    headers_of(fixture)[3].p_vaddr = program + 2 * PAGE;
    memcpy(fixture->made.bytes + fixture->first_page, "changed", 7);
    core = open_core(fixture);
    core_use_file(core, program + PAGE, core_file_find(&fixture->files, core, program));
    assert_true(core_read(core, program + 2 * PAGE - 5, found, sizeof found));
    assert_memory_equal(found + 5, "changed", 7);
}

/* A part without content, and the mapping of a file that is gone. Elsewhere the process had no memory. */
TEST(memory_that_the_core_lacks)
{
    char byte;

    open_core(fixture);
    for (size_t i = 0; i < fixture->core->n_segments; i++) {
        const struct core_segment *segment = &fixture->core->segments[i];

        for (uint64_t at = segment->address; at < segment->address + segment->size; at += PAGE / 4)
            assert_int_equal(core_lacks(fixture->core, at), !core_read(fixture->core, at, &byte, 1));
    }
    assert_true(core_lacks(fixture->core, gone));
    assert_false(core_lacks(fixture->core, gone - 1));
    assert_false(core_lacks(fixture->core, heap));
    assert_false(core_lacks(fixture->core, 16));
}

TEST(core_that_becomes_shorter)
{
    char byte;

    open_core(fixture);
    assert_int_equal(truncate(fixture->path, 100), 0);
    assert_false(core_read(fixture->core, stack, &byte, 1));
    assert_has(warning_given(0), test_text("not all of core %s can be read: Input/output error", fixture->path));
}

TEST(addresses_do_not_start_again)
{
    char bytes[2];

    headers_of(fixture)[1].p_vaddr = -(uint64_t)MADE_STACK;
    headers_of(fixture)[3].p_vaddr = 0;
    assert_true(core_read(open_core(fixture), UINT64_MAX - 1, bytes, 1));
    assert_true(core_read(fixture->core, 0, bytes, 1));
    assert_false(core_read(fixture->core, UINT64_MAX, bytes, 2));
}

TEST(file_ends_with_zeros)
{
    const struct elf_file *file = core_file_find(&fixture->files, open_core(fixture), program);
    struct stat info;
    uint64_t size, end;
    char bytes[PAGE];

    assert_int_equal(stat(fixture->executable, &info), 0);
    size = (uint64_t)info.st_size;
    end = (size + PAGE - 1) / PAGE * PAGE;
    memset(bytes, 'x', sizeof bytes);
    assert_true(elf_file_read(file, size, bytes, (size_t)(end - size)));
    for (size_t i = 0; i < end - size; i++)
        assert_int_equal(bytes[i], 0);
    assert_false(elf_file_read(file, end, bytes, 1));
    assert_false(elf_file_read(file, end - 1, bytes, 2));
    assert_false(elf_file_read(file, UINT64_MAX, bytes, 2));
}

TEST(core_in_place_of_a_process)
{
    struct hold hold = {.socket = -1};
    struct core_source source = {.path = fixture->path, .descriptor = -1};
    struct modules modules = {0};
    struct process process;
    char text[16] = "";

    core_source_refuse(&source, copy_string("it is kept secret"));
    assert_false(process_open_core(&process, &source, WHY));
    core_source_close(&source);
    assert_string_equal(why(), "it is kept secret");
    process_close(&process);
    write_core(fixture);
    core_source_open(&source, fixture->path);
    assert_true(process_open_core(&process, &source, WHY));
    core_source_close(&source);
    assert_int_equal(process.pid, PID);
    /* There is nothing to hold, and nobody to do that. */
    hold_processes(&hold, &(struct hold_wish){&process, WHY}, 1);
    assert_null(why());
    assert_int_equal(process_read(&process, stack + 0x3f0, text, 9), READ_OK);
    assert_string_equal(text, "./solver");
    assert_int_equal(process_read(&process, heap, text, 9), READ_BAD_ADDRESS);
    assert_false(process_has_ended(&process));
    assert_true(hold_let_go(&hold, WHY));
    fixture->files.sysroot = "/no/such/root";
    assert_false(modules_read(&modules, &fixture->files, &process, NULL, NULL, WHY));
    assert_string_equal(why(), "none of its program files can be read");
    assert_true(modules.n == 0 && !modules.incomplete);
    modules_clear(&modules);
    process_close(&process);
}

/* Files. */

TEST(missing_file_is_warned_of_once)
{
    fixture->files.sysroot = "/no/such/root";
    assert_null(core_file_find(&fixture->files, open_core(fixture), gone));
    assert_null(core_file_find(&fixture->files, fixture->core, gone));
    assert_null(core_file_find(&fixture->files, open_core(fixture), gone));
    assert_null(warning_given(1));
    assert_has(warning_given(0), "/no/such/root/usr/lib/libmpi.so.40");
    assert_null(core_file_find(&fixture->files, fixture->core, heap));
}

TEST(file_of_another_build_is_refused)
{
    struct core_build_id id;
    unsigned char *at;

    assert_true(core_build_id_at(open_core(fixture), program, &id));
    at = memmem(fixture->made.bytes + fixture->first_page, PAGE, id.bytes, id.n);
    assert_non_null(at);
    at[0] ^= 1;
    assert_null(core_file_find(&fixture->files, open_core(fixture), program));
    assert_has(warning_given(0), "another build");
    assert_has(warning_given(0), fixture->executable);
}

/* The program and Open MPI's libraries are warned of one by one, all others once, and data never. */
TEST(missing_files_that_matter)
{
    static const struct {
        size_t mapping;
        const char *path, *warning;
    } cases[] = {
        {2, "/no/libopen-pal.so.40", "/no/libopen-pal.so.40 cannot be used: No such file or directory"},
        {2, "/no/data", NULL}, {3, "/no/data.so.1", NULL}, {0, "/no/other", "/no/other cannot be used: No such file or "
                                                            "directory (and perhaps others)"},
        {2, "/no/mca_pml_ob1.so", NULL},
        {2, "/no/libmpi.so", "/no/libmpi.so cannot be used: No such file or directory"},
    };
    const struct core *core = open_core(fixture);
    size_t n = 0;

    for (size_t i = 0; i < N_OF(cases); i++) {
        struct core_mapping *mapping = &fixture->core->mappings[cases[i].mapping];

        of_test(mapping->path);
        mapping->path = copy_string(cases[i].path);
        assert_null(core_file_find(&fixture->files, core, mapping->start));
        if (cases[i].warning != NULL)
            assert_string_equal(warning_given(n++), cases[i].warning);
        assert_null(warning_given(n));
    }
}

/* A file that says of no build is no such build. */
TEST(file_without_build_id_is_refused)
{
    const char *executables[] = {test_path("/program")};
    struct core_build_id id;
    unsigned char *content, *at;
    size_t size;

    assert_true(core_build_id_at(open_core(fixture), program, &id));
    content = of_test(proc_read_block(SIZE_MAX, &size, "%s", fixture->executable));
    at = memmem(content, size, id.bytes, id.n);
    assert_non_null(at);
    at[-2] = 'X';
    test_file(executables[0], content, size);
    fixture->files.executables = executables;
    fixture->files.n_executables = 1;
    assert_null(core_file_find(&fixture->files, fixture->core, program));
    assert_has(warning_given(0), "another build than the process had: its build-id is none, needed is ");
}

TEST(program_that_is_named_counts)
{
    const char *own = fixture->executable, *executables[] = {"/no/such/program", own};
    const char *const others[][2] = {{"/no/such/program", "/no/such/program"}, {"/bin/sh", "another build"},
                                     {fixture->path, "no program"}, {test_directory(), "no regular file"}};

    fixture->files.sysroot = "/no/such/root";
    fixture->files.executables = executables;
    fixture->files.n_executables = 2;
    assert_non_null(core_file_find(&fixture->files, open_core(fixture), program));
    assert_null(warning_given(0));
    fixture->files.n_executables = 1;
    for (size_t i = 0; i < N_OF(others); i++) {
        executables[0] = others[i][0];
        assert_null(core_file_find(&fixture->files, open_core(fixture), program));
        assert_has(warning_given(i), others[i][1]);
    }
}

/* The program header of the notes with the build-id, in the first page. */
static Elf64_Phdr *find_notes(struct fixture *fixture, const unsigned char *id)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(void *)(fixture->made.bytes + fixture->first_page);
    uint64_t offset = (uint64_t)(id - (const unsigned char *)header);

    for (size_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr *segment = (Elf64_Phdr *)(void *)(fixture->made.bytes + fixture->first_page + header->e_phoff) + i;

        if (segment->p_type == PT_NOTE && segment->p_offset < offset && offset < segment->p_offset + segment->p_filesz)
            return segment;
    }
    fail_msg("no notes");
    return NULL;
}

TEST(build_id_that_cannot_be)
{
    static const size_t headers[] = {0, offsetof(Elf64_Ehdr, e_phentsize)};
    struct core_build_id id;
    Elf64_Phdr *notes;
    unsigned char *at;
    uint32_t size = sizeof id.bytes + 4;

    assert_true(core_build_id_at(open_core(fixture), program, &id));
    at = memmem(fixture->made.bytes + fixture->first_page, PAGE, id.bytes, id.n);
    notes = find_notes(fixture, at);
    notes->p_filesz = 1024;
    assert_true(core_build_id_at(open_core(fixture), program, &id));
    memcpy(at - 12, &size, sizeof size);
    assert_false(core_build_id_at(open_core(fixture), program, &id));
    size = (uint32_t)id.n;
    memcpy(at - 12, &size, sizeof size);
    for (size_t i = 0; i < N_OF(headers); i++) {
        fixture->made.bytes[fixture->first_page + headers[i]] ^= 1;
        assert_false(core_build_id_at(open_core(fixture), program, &id));
        fixture->made.bytes[fixture->first_page + headers[i]] ^= 1;
    }
    assert_true(core_build_id_at(open_core(fixture), program, &id));
    /* The stack behind the page makes notes that have no room here. */
    headers_of(fixture)[1].p_vaddr = program + PAGE;
    headers_of(fixture)[2].p_type = PT_NULL;
    notes->p_offset = 0;
    notes->p_filesz = PAGE + MADE_STACK;
    assert_false(core_build_id_at(open_core(fixture), program, &id));
}

/* Without build-ids the first pages have to agree, where the core has them. */
TEST(file_without_build_id_is_compared)
{
    struct core_build_id id;
    unsigned char *name;

    assert_true(core_build_id_at(open_core(fixture), program, &id));
    name = memmem(fixture->made.bytes + fixture->first_page, PAGE, id.bytes, id.n);
    name[-2] = 'X';
    ((Elf64_Ehdr *)(void *)(fixture->made.bytes + fixture->first_page))->e_phnum = UINT16_MAX;
    assert_false(core_build_id_at(open_core(fixture), program, &id));
    assert_null(core_file_find(&fixture->files, fixture->core, program));
    assert_has(warning_given(0), "another file");
    headers_of(fixture)[3].p_filesz = 0;
    assert_non_null(core_file_find(&fixture->files, open_core(fixture), program));
}

/* Files that are no cores, and broken cores. */

TEST(cores_that_are_none)
{
    Elf64_Ehdr *header = header_of(fixture);

    header->e_type = ET_EXEC;
    refuse_core(fixture, "no core file");
    header->e_type = ET_CORE;
    header->e_ident[EI_CLASS] = ELFCLASS32;
    refuse_core(fixture, "32-bit");
    header->e_ident[EI_CLASS] = ELFCLASS64;
    header->e_ident[EI_DATA] ^= 3;
    refuse_core(fixture, "byte order");
    header->e_ident[EI_DATA] ^= 3;
    header->e_phentsize = 32;
    refuse_core(fixture, "32 bytes");
    header->e_phentsize = sizeof(Elf64_Phdr);
    header->e_phnum = 0;
    refuse_core(fixture, "0 segments");
    header->e_phnum = 1;
    refuse_core(fixture, "no memory");
    memcpy(header->e_ident, "\x28\xb5\x2f\xfd", 4);
    refuse_core(fixture, "zstd -d, or with coredumpctl");
    memcpy(header->e_ident, "\x04\x22\x4d\x18", 4);
    refuse_core(fixture, "lz4 -d, or with coredumpctl");
    memcpy(header->e_ident, "\xfd""7zX", 4);
    refuse_core(fixture, "xz -d, or with coredumpctl");
    memcpy(header->e_ident, "\x1f\x8b\x08\x00", 4);
    refuse_core(fixture, "gzip -d");
    memcpy(header->e_ident, "#!/b", 4);
    refuse_core(fixture, "no core file");
}

TEST(files_that_cannot_be_cores)
{
    assert_null(reopen(fixture));
    assert_has(why(), "No such file");
    assert_int_equal(mkfifo(fixture->path, 0600), 0);
    assert_null(reopen(fixture));
    assert_has(why(), "no regular file");
    unlink(fixture->path);
    assert_null(open_path(test_directory(), WHY));
    assert_has(why(), "no regular file");
}

TEST(core_without_what_is_needed)
{
    Elf64_Phdr *headers = headers_of(fixture);
    uint64_t size = headers[0].p_filesz;

    headers[0].p_type = PT_NULL;
    refuse_core(fixture, "no notes");
    headers[0].p_type = PT_NOTE;
    headers[0].p_filesz = 0;
    refuse_core(fixture, "NT_PRSTATUS");
    headers[0].p_filesz = 2 * (12 + 8 + 336) + (12 + 8 + 128) + (12 + 8 + 16) + (12 + 8 + 4);
    refuse_core(fixture, "NT_FILE");
    headers[0].p_filesz = size;
    for (int i = 1; i < N_SEGMENTS; i++)
        headers[i].p_type = PT_NULL;
    refuse_core(fixture, "no memory");
}

TEST(offsets_do_not_start_again)
{
    headers_of(fixture)[3].p_offset = UINT64_MAX - 9;
    refuse_core(fixture, "cut off");
}

/* No unit, an entry less than is said, and one without a path. A list may have no entry, and a path be short. */
TEST(lists_of_files_that_are_broken)
{
    static const struct {
        uint64_t n;
        size_t size;
        bool is_broken;
    } lists[] = {{1, 8, true}, {1, 16, true}, {1, 40, true}, {2, 44, true}, {0, 16, false}, {1, 44, false}};
    const size_t end = fixture->made.n;

    for (size_t i = 0; i < N_OF(lists); i++) {
        uint64_t words[6] = {lists[i].n, PAGE};

        fixture->made.n = end;
        put_status(&fixture->made, PID, SIGNAL);
        memcpy(&words[5], "/ox", 4);
        made_core_note(&fixture->made, "CORE", NT_FILE, words, lists[i].size);
        headers_of(fixture)[0].p_offset = end;
        headers_of(fixture)[0].p_filesz = fixture->made.n - end;
        if (lists[i].is_broken)
            refuse_core(fixture, "its list of mapped files (NT_FILE) is broken");
        else
            assert_int_equal(open_core(fixture)->n_mappings, lists[i].n);
    }
}

/* A note whose name does not end with a NUL is not a note. */
TEST(name_that_does_not_end)
{
    const Elf64_Nhdr note = {.n_namesz = 4, .n_type = NT_FILE};

    headers_of(fixture)[0].p_offset = fixture->made.n;
    headers_of(fixture)[0].p_filesz = sizeof note + 4;
    made_core_put(&fixture->made, &note, sizeof note);
    made_core_put(&fixture->made, "CORE", 4);
    refuse_core(fixture, "NT_PRSTATUS");
}

TEST(number_of_segments_that_does_not_fit)
{
    Elf64_Ehdr *header = header_of(fixture);
    Elf64_Shdr section = {.sh_info = N_SEGMENTS};

    header->e_phnum = PN_XNUM;
    header->e_shoff = fixture->made.n;
    refuse_core(fixture, "cut off");
    made_core_put(&fixture->made, &section, sizeof section);
    assert_int_equal(open_core(fixture)->pid, PID);
    section.sh_info = UINT32_MAX;
    memcpy(fixture->made.bytes + fixture->made.n - sizeof section, &section, sizeof section);
    refuse_core(fixture, "the list of its segments");
}

TEST(every_prefix_is_refused)
{
    write_core(fixture);
    assert_non_null(reopen(fixture));
    for (size_t n = fixture->made.n; n-- > 0;) {
        assert_int_equal(truncate(fixture->path, (off_t)n), 0);
        assert_null(reopen(fixture));
        assert_has(why(), n == 0 ? "empty" : n < SELFMAG ? "no core file"
                          : test_text("it is cut off: it has %zu bytes, and %s lies behind them", n,
                                      n < sizeof(Elf64_Ehdr) ? "the end of its header"
                                      : n < fixture->made.notes ? "the list of its segments" : "a part of the memory"));
    }
}

/* The functions return with any content. A core that is accepted can be used. */
static void use(struct fixture *fixture)
{
    struct core_build_id id;
    unsigned char bytes[64];
    struct core *core = reopen(fixture);

    if (core == NULL) {
        assert_non_null(why());
        return;
    }
    (void)core_read(core, program, bytes, sizeof bytes);
    (void)core_read(core, program + PAGE, bytes, sizeof bytes);
    (void)core_read(core, stack, bytes, sizeof bytes);
    (void)core_build_id_at(core, program, &id);
    for (size_t i = 0; i < core->n_mappings; i++)
        (void)core_build_id_at(core, core->mappings[i].start, &id);
}

/* Each byte, and each word that may begin there. */
TEST(every_byte_may_be_wrong)
{
    static const unsigned char masks[] = {0xff, 0x80, 0x01};
    static const uint64_t words[] = {0, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT32_MAX};
    int file;

    write_core(fixture);
    file = open(fixture->path, O_WRONLY);
    for (size_t at = 0; at < fixture->first_page + 0x400; at++) {
        const unsigned char *good = fixture->made.bytes + at;

        for (size_t i = 0; i < N_OF(masks) + (at % 4 == 0 ? N_OF(words) : 0); i++) {
            const unsigned char byte = *good ^ masks[i % N_OF(masks)];
            bool is_byte = i < N_OF(masks);

            assert_true(pwrite(file, is_byte ? (const void *)&byte : &words[i - N_OF(masks)], is_byte ? 1 : 8,
                               (off_t)at) > 0);
            use(fixture);
            assert_true(pwrite(file, good, 8, (off_t)at) == 8);
        }
    }
    close(file);
    assert_non_null(reopen(fixture));
}
