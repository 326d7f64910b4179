/*
 * test_dump_core.c - core files that the test constructs: whole, cut off and falsified. Their program is this test,
 * which is linked with a build-id.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"

#include <cmocka.h>

#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/target/core_file.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/thread_registers.h"

enum {
    PAGE = 4096,
    STACK_SIZE = 1024,
    N_SEGMENTS = 4,
    PID = 4711,
    SIGNAL = 6,
    SENDER = 815,
    N_REGISTERS = 27
};

/* Addresses in the memory of the process. */
static const uint64_t program = 0x400000, program_end = 0x403000, gone = 0x500000, stack = 0x7ffff0000000,
                      environment = 0x7ffff0000200, heap = 0x600000;

struct fixture {
    char directory[32], *path, *executable;
    unsigned char *bytes;          /* of the core file */
    size_t n, notes, siginfo, first_page;  /* where these start in it; the page is the last */
    struct core *core;
    char *why;
    struct files files;
};

/* Making a core. */

static void put(struct fixture *fixture, const void *bytes, size_t n)
{
    fixture->bytes = realloc(fixture->bytes, fixture->n + n);
    assert_non_null(fixture->bytes);
    memcpy(fixture->bytes + fixture->n, bytes, n);
    fixture->n += n;
}

static void put_word(struct fixture *fixture, uint64_t word)
{
    put(fixture, &word, sizeof word);
}

static size_t start_note(struct fixture *fixture, const char *name, uint32_t type)
{
    Elf64_Nhdr header = {.n_namesz = (uint32_t)strlen(name) + 1, .n_type = type};
    char padded[8] = "";

    strcpy(padded, name);
    put(fixture, &header, sizeof header);
    put(fixture, padded, (strlen(name) + 1 + 3) / 4 * 4);
    return fixture->n;
}

static void end_note(struct fixture *fixture, const char *name, size_t start)
{
    uint32_t size = (uint32_t)(fixture->n - start);

    memcpy(fixture->bytes + start - (strlen(name) + 1 + 3) / 4 * 4 - 8, &size, sizeof size);
    while (fixture->n % 4 != 0)
        put(fixture, "", 1);
}

static void put_status(struct fixture *fixture, int32_t pid, int16_t signal)
{
    unsigned char status[336] = {0};
    size_t start = start_note(fixture, "CORE", NT_PRSTATUS);

    memcpy(status + 12, &signal, sizeof signal);
    memcpy(status + 32, &pid, sizeof pid);
    for (uint64_t i = 0; i < N_REGISTERS; i++)
        memcpy(status + 112 + 8 * i, &(uint64_t){(uint64_t)pid * 100 + i}, 8);
    put(fixture, status, sizeof status);
    end_note(fixture, "CORE", start);
}

/* A signal from kill() has no code of an error. */
static void put_siginfo(struct fixture *fixture)
{
    int32_t info[32] = {[0] = SIGNAL, [4] = SENDER};
    size_t start = start_note(fixture, "CORE", NT_SIGINFO);

    fixture->siginfo = fixture->n;
    put(fixture, info, sizeof info);
    end_note(fixture, "CORE", start);
}

/* Of a thread that is not the first, and a process that has the id of none. */
static void put_statuses(struct fixture *fixture)
{
    unsigned char info[136] = {0};
    int32_t pid = PID;
    size_t start;

    put_status(fixture, PID + 1, SIGNAL);
    put_siginfo(fixture);
    put_status(fixture, PID, 0);
    start = start_note(fixture, "CORE", NT_PRPSINFO);
    memcpy(info + 24, &pid, sizeof pid);
    put(fixture, info, sizeof info);
    end_note(fixture, "CORE", start);
}

static void put_mapping(struct fixture *fixture, uint64_t start, uint64_t end, uint64_t page)
{
    put_word(fixture, start);
    put_word(fixture, end);
    put_word(fixture, page);
}

static void put_files(struct fixture *fixture)
{
    static const char other[] = "/usr/lib/libmpi.so.40 (deleted)";
    size_t start = start_note(fixture, "CORE", NT_FILE);

    put_word(fixture, 4);
    put_word(fixture, PAGE);
    put_mapping(fixture, gone, gone + PAGE, 0);
    put_mapping(fixture, gone + PAGE, gone + 2 * PAGE, 1);
    put_mapping(fixture, program, program + PAGE, 0);
    put_mapping(fixture, program + PAGE, program_end, 1);
    put(fixture, other, sizeof other);
    put(fixture, fixture->executable, strlen(fixture->executable));
    put(fixture, " (deleted)", sizeof " (deleted)");
    put(fixture, fixture->executable, strlen(fixture->executable) + 1);
    put(fixture, fixture->executable, strlen(fixture->executable) + 1);
    end_note(fixture, "CORE", start);
}

static const uint64_t vector[] = {AT_PHDR, 0x400040, AT_EXECFN, 0x7ffff00003f0, AT_NULL, 0};

static void put_vector(struct fixture *fixture)
{
    size_t start = start_note(fixture, "LINUX", NT_AUXV);

    put_word(fixture, 1);
    end_note(fixture, "LINUX", start);
    start = start_note(fixture, "CORE", NT_AUXV);
    put(fixture, vector, sizeof vector);
    end_note(fixture, "CORE", start);
}

/*
 * As the kernel makes it, but for two variables that have changed places and one that the program has changed. An
 * argument looks like a variable.
 */
static void put_stack(struct fixture *fixture)
{
    static const char strings[] = "PMIX_NAMESPACE=prterun-a-1@1\0PMIX_RANK=3\0OMPI_COMM_WORLD_SIZE=8";
    static const char argument[] = "PMIX_RANK=77", name[] = "./solver";
    unsigned char memory[STACK_SIZE] = {0};
    const uint64_t words[] = {1, stack + 0x1f0, 0, environment + 29, heap, environment, environment + 41, 0};

    memcpy(memory + 0x100, words, sizeof words);
    memcpy(memory + 0x100 + sizeof words, vector, sizeof vector);
    memcpy(memory + 0x1f0, argument, sizeof argument);
    memcpy(memory + 0x200, strings, sizeof strings);
    memcpy(memory + 0x3f0, name, sizeof name);
    put(fixture, memory, sizeof memory);
}

static void put_first_page(struct fixture *fixture)
{
    char page[PAGE];
    int file = open(fixture->executable, O_RDONLY);

    assert_int_equal(pread(file, page, sizeof page, 0), sizeof page);
    close(file);
    fixture->first_page = fixture->n;
    put(fixture, page, sizeof page);
}

static Elf64_Phdr *headers_of(struct fixture *fixture)
{
    return (Elf64_Phdr *)(void *)(fixture->bytes + sizeof(Elf64_Ehdr));
}

static void make_core(struct fixture *fixture)
{
    const int one = 1;
    const unsigned char encoding = *(const char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, encoding, EV_CURRENT}, .e_type = ET_CORE,
                         .e_phoff = sizeof header, .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = N_SEGMENTS};
    Elf64_Phdr headers[N_SEGMENTS] = {
        {.p_type = PT_NOTE},
        {.p_type = PT_LOAD, .p_vaddr = stack, .p_memsz = STACK_SIZE, .p_filesz = STACK_SIZE, .p_flags = PF_R | PF_W},
        {.p_type = PT_LOAD, .p_vaddr = program + PAGE, .p_memsz = program_end - program - PAGE, .p_flags = PF_R | PF_X},
        {.p_type = PT_LOAD, .p_vaddr = program, .p_memsz = PAGE, .p_filesz = PAGE, .p_flags = PF_R},
    };

    put(fixture, &header, sizeof header);
    put(fixture, headers, sizeof headers);
    fixture->notes = fixture->n;
    put_statuses(fixture);
    put_vector(fixture);
    put_files(fixture);
    headers_of(fixture)[0].p_offset = fixture->notes;
    headers_of(fixture)[0].p_filesz = fixture->n - fixture->notes;
    /* Memory starts at a page of the file, however long the names in the notes are. */
    while (fixture->n % PAGE != 0)
        put(fixture, "", 1);
    headers_of(fixture)[1].p_offset = fixture->n;
    put_stack(fixture);
    headers_of(fixture)[2].p_offset = headers_of(fixture)[3].p_offset = fixture->n;
    put_first_page(fixture);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    strcpy(fixture->directory, "/tmp/test_dump_core.XXXXXX");
    *state = fixture;
    if (mkdtemp(fixture->directory) == NULL)
        return -1;
    fixture->path = format_text("%s/core", fixture->directory);
    fixture->executable = proc_executable(getpid());
    make_core(fixture);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    core_close(fixture->core);
    files_close(&fixture->files);
    warnings_clear();
    unlink(fixture->path);
    rmdir(fixture->directory);
    free(fixture->why);
    free(fixture->path);
    free(fixture->executable);
    free(fixture->bytes);
    free(fixture);
    return 0;
}

static void write_core(struct fixture *fixture)
{
    FILE *file = fopen(fixture->path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(fixture->bytes, 1, fixture->n, file), fixture->n);
    fclose(file);
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
    free(fixture->why);
    fixture->why = NULL;
    fixture->core = open_path(fixture->path, &fixture->why);
    return fixture->core;
}

static struct core *open_core(struct fixture *fixture)
{
    write_core(fixture);
    if (reopen(fixture) == NULL)
        fail_msg("%s", fixture->why);
    return fixture->core;
}

static void refuse_core(struct fixture *fixture, const char *part)
{
    write_core(fixture);
    assert_null(reopen(fixture));
    if (strstr(fixture->why, part) == NULL)
        fail_msg("no '%s' in '%s'", part, fixture->why);
}

/* What a core tells. */

static void process_of_a_core(void **state)
{
    struct fixture *fixture = *state;
    const struct core *core = open_core(fixture);

    assert_int_equal(core->pid, PID);
    assert_int_equal(core->signal, SIGNAL);
    assert_string_equal(core->executable, fixture->executable);
    assert_int_equal(core->launch.rank, 3);
    assert_int_equal(core->launch.size, 8);
    assert_string_equal(core->launch.job, "prterun-a-1@1");
}

static void mappings_are_sorted_and_numbered(void **state)
{
    const struct core *core = open_core(*state);

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

static void what_is_executable(void **state)
{
    const struct core *core = open_core(*state);

    assert_false(core_is_executable(core, program));
    assert_true(core_is_executable(core, program + PAGE));
    assert_false(core_is_executable(core, stack));
    /* Nothing says so; gcore leaves such ranges out. */
    assert_true(core_is_executable(core, gone));
}

static void environment_that_was_overwritten_tells_no_rank(void **state)
{
    struct fixture *fixture = *state;
    size_t at = fixture->first_page - STACK_SIZE + 0x100 + 8 * 8;

    fixture->bytes[at] ^= 1;
    assert_int_equal(open_core(fixture)->launch.rank, -1);
    fixture->bytes[at] ^= 1;
    memset(fixture->bytes + fixture->first_page - STACK_SIZE + 0x200, 'x', 0x1f0);
    assert_int_equal(open_core(fixture)->launch.rank, -1);
    /* Nothing says where the pointers begin. */
    memset(fixture->bytes + fixture->first_page - STACK_SIZE, 'x', 0x100 + 7 * 8);
    assert_int_equal(open_core(fixture)->launch.rank, -1);
    assert_int_equal(open_core(fixture)->launch.size, -1);
    assert_int_equal(open_core(fixture)->launch.local_size, -1);
    assert_string_equal(open_core(fixture)->launch.job, "");
}

static void threads_of_a_core(void **state)
{
    const struct core *core = open_core(*state);
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

static bool read_registers(struct fixture *fixture, struct thread_registers *registers)
{
    const struct core *core = open_core(fixture);

    return thread_registers_of_core(registers, core, &core->threads[0]);
}

static void registers_of_machines(void **state)
{
    struct fixture *fixture = *state;
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)fixture->bytes;
    const uint64_t first = (PID + 1) * 100;
    struct thread_registers registers;

    header->e_machine = EM_X86_64;
    assert_true(read_registers(fixture, &registers));
    assert_int_equal(registers.n, 17);
    assert_int_equal(registers.pc, first + 16);
    assert_int_equal(registers.values[16], first + 16);
    assert_int_equal(registers.values[7], first + 19);
    assert_int_equal(registers.values[6], first + 4);
    assert_int_equal(registers.link, -1);
    assert_false(registers.in_system);
    header->e_machine = EM_S390;
    assert_true(read_registers(fixture, &registers));
    assert_int_equal(registers.pc, first + 1);
    assert_int_equal(registers.values[15], first + 17);
    /* They have more of them than this core. */
    header->e_machine = EM_AARCH64;
    assert_false(read_registers(fixture, &registers));
    header->e_machine = EM_PPC64;
    assert_false(read_registers(fixture, &registers));
    header->e_machine = EM_68K;
    assert_false(read_registers(fixture, &registers));
}

/* Of the first thread: where its registers are in the core. */
static void set_register(struct fixture *fixture, size_t i, uint64_t value)
{
    memcpy(fixture->bytes + fixture->notes + 12 + 8 + 112 + 8 * i, &value, sizeof value);
}

static void thread_in_a_system_call(void **state)
{
    struct fixture *fixture = *state;
    unsigned char *code = fixture->bytes + fixture->first_page - STACK_SIZE;
    struct thread_registers registers;

    ((Elf64_Ehdr *)(void *)fixture->bytes)->e_machine = EM_X86_64;
    memcpy(code + 8, "\x0f\x05", 2);
    set_register(fixture, 16, stack + 10);
    set_register(fixture, 15, 202);
    set_register(fixture, 7, 0);
    assert_true(read_registers(fixture, &registers));
    assert_true(registers.in_futex && registers.in_system);
    /* It waits no longer than a time that lies there. */
    set_register(fixture, 7, stack);
    assert_true(read_registers(fixture, &registers));
    assert_true(!registers.in_futex && registers.in_system);
    set_register(fixture, 15, 7);
    assert_true(read_registers(fixture, &registers));
    assert_true(!registers.in_futex && registers.in_system);
    set_register(fixture, 15, 24);
    assert_true(read_registers(fixture, &registers));
    assert_false(registers.in_system);
    set_register(fixture, 15, UINT64_MAX);
    assert_true(read_registers(fixture, &registers));
    assert_false(registers.in_system);
    set_register(fixture, 15, 7);
    set_register(fixture, 16, stack + 11);
    assert_true(read_registers(fixture, &registers));
    assert_false(registers.in_system);
    set_register(fixture, 16, 1);
    assert_true(read_registers(fixture, &registers));
    assert_false(registers.in_system);
}

static void set_siginfo(struct fixture *fixture, int32_t number, int32_t code, int32_t sender)
{
    int32_t info[5] = {number, 0, code, 0, sender};

    memcpy(fixture->bytes + fixture->siginfo, info, sizeof info);
}

static void error_of_its_own_or_a_signal_of_others(void **state)
{
    struct fixture *fixture = *state;

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
    assert_string_equal(core_error_name(SIGNAL), "SIGABRT");
    assert_null(core_error_name(3));
}

/* Memory. */

static void memory_in_the_core(void **state)
{
    const struct core *core = open_core(*state);
    char text[16] = "";

    assert_true(core_read(core, stack + 0x3f0, text, 9));
    assert_string_equal(text, "./solver");
    assert_true(core_read(core, stack + STACK_SIZE - 1, text, 1));
    assert_false(core_read(core, stack + STACK_SIZE - 1, text, 2));
    assert_false(core_read(core, stack - 1, text, 2));
    assert_false(core_read(core, heap, text, 1));
    assert_false(core_read(core, UINT64_MAX - 1, text, 2));
    assert_false(core_read(core, UINT64_MAX, text, 16));
    assert_true(core_read(core, UINT64_MAX, text, 0));
}

static void memory_from_the_file(void **state)
{
    struct fixture *fixture = *state;
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
static void changed_page_after_an_unchanged_one(void **state)
{
    struct fixture *fixture = *state;
    unsigned char found[12];
    struct core *core;

    headers_of(fixture)[2].p_memsz = PAGE;
    headers_of(fixture)[3].p_vaddr = program + 2 * PAGE;
    memcpy(fixture->bytes + fixture->first_page, "changed", 7);
    core = open_core(fixture);
    core_use_file(core, program + PAGE, core_file_find(&fixture->files, core, program));
    assert_true(core_read(core, program + 2 * PAGE - 5, found, sizeof found));
    assert_memory_equal(found + 5, "changed", 7);
}

static void addresses_do_not_start_again(void **state)
{
    struct fixture *fixture = *state;
    char bytes[2];

    headers_of(fixture)[1].p_vaddr = -(uint64_t)STACK_SIZE;
    headers_of(fixture)[3].p_vaddr = 0;
    assert_true(core_read(open_core(fixture), UINT64_MAX - 1, bytes, 1));
    assert_true(core_read(fixture->core, 0, bytes, 1));
    assert_false(core_read(fixture->core, UINT64_MAX, bytes, 2));
}

static void file_ends_with_zeros(void **state)
{
    struct fixture *fixture = *state;
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

static void core_in_place_of_a_process(void **state)
{
    struct fixture *fixture = *state;
    struct hold hold = {.socket = -1};
    struct core_source source = {.path = fixture->path, .descriptor = -1};
    struct process process;
    char text[16] = "";

    core_source_refuse(&source, copy_string("it is kept secret"));
    assert_false(process_open_core(&process, &source, &fixture->why));
    core_source_close(&source);
    assert_string_equal(fixture->why, "it is kept secret");
    process_close(&process);
    free(fixture->why);
    fixture->why = NULL;
    write_core(fixture);
    core_source_open(&source, fixture->path);
    assert_true(process_open_core(&process, &source, &fixture->why));
    core_source_close(&source);
    assert_int_equal(process.pid, PID);
    /* There is nothing to hold, and nobody to do that. */
    hold_processes(&hold, &(struct hold_wish){&process, &fixture->why}, 1);
    assert_null(fixture->why);
    assert_int_equal(process_read(&process, stack + 0x3f0, text, 9), READ_OK);
    assert_string_equal(text, "./solver");
    assert_int_equal(process_read(&process, heap, text, 9), READ_BAD_ADDRESS);
    assert_false(process_has_ended(&process));
    assert_true(hold_let_go(&hold, &fixture->why));
    process_close(&process);
}

/* Files. */

static void expect_warning(size_t i, const char *part)
{
    assert_non_null(warning_given(i));
    if (strstr(warning_given(i), part) == NULL)
        fail_msg("no '%s' in '%s'", part, warning_given(i));
}

static void missing_file_is_warned_of_once(void **state)
{
    struct fixture *fixture = *state;

    fixture->files.sysroot = "/no/such/root";
    assert_null(core_file_find(&fixture->files, open_core(fixture), gone));
    assert_null(core_file_find(&fixture->files, fixture->core, gone));
    assert_null(core_file_find(&fixture->files, open_core(fixture), gone));
    assert_null(warning_given(1));
    expect_warning(0, "/no/such/root/usr/lib/libmpi.so.40");
    assert_null(core_file_find(&fixture->files, fixture->core, heap));
}

static void file_of_another_build_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct core_build_id id;
    unsigned char *at;

    assert_true(core_build_id_at(open_core(fixture), program, &id));
    at = memmem(fixture->bytes + fixture->first_page, PAGE, id.bytes, id.n);
    assert_non_null(at);
    at[0] ^= 1;
    assert_null(core_file_find(&fixture->files, open_core(fixture), program));
    expect_warning(0, "another build");
    expect_warning(0, fixture->executable);
}

/* The name in the core is that of a link in the sysroot, to a file of that name in it, and not to one outside. */
static void links_do_not_lead_out_of_the_sysroot(void **state)
{
    struct fixture *fixture = *state;
    char *path, *text;
    int file;

    path = format_text("%s/link", fixture->directory);
    assert_int_equal(symlink(fixture->executable, path), 0);
    file = plain_file_open(NULL, path, &fixture->why);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(plain_file_open(fixture->directory, "/link", &fixture->why), -1);
    unlink(path);
    free(path);
    text = format_text("../../../../../..%s", fixture->executable);
    assert_int_equal(plain_file_open(fixture->directory, text, &fixture->why), -1);
    free(text);
    write_core(fixture);
    file = plain_file_open(fixture->directory, "/core", &fixture->why);
    assert_true(file >= 0);
    close(file);
}

static void program_that_is_named_counts(void **state)
{
    struct fixture *fixture = *state;
    const char *own = fixture->executable, *executables[] = {"/no/such/program", own};

    fixture->files.sysroot = "/no/such/root";
    fixture->files.executables = executables;
    fixture->files.n_executables = 2;
    assert_non_null(core_file_find(&fixture->files, open_core(fixture), program));
    assert_null(warning_given(0));
    fixture->files.n_executables = 1;
    assert_null(core_file_find(&fixture->files, open_core(fixture), program));
    expect_warning(0, "/no/such/program");
    executables[0] = "/bin/sh";
    assert_null(core_file_find(&fixture->files, open_core(fixture), program));
    expect_warning(1, "another build");
    executables[0] = fixture->path;
    assert_null(core_file_find(&fixture->files, open_core(fixture), program));
    expect_warning(2, "no program");
    executables[0] = fixture->directory;
    assert_null(core_file_find(&fixture->files, open_core(fixture), program));
    expect_warning(3, "no regular file");
}

/* The program header of the notes with the build-id, in the first page. */
static Elf64_Phdr *find_notes(struct fixture *fixture, const unsigned char *id)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(void *)(fixture->bytes + fixture->first_page);
    uint64_t offset = (uint64_t)(id - (const unsigned char *)header);

    for (size_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr *segment = (Elf64_Phdr *)(void *)(fixture->bytes + fixture->first_page + header->e_phoff) + i;

        if (segment->p_type == PT_NOTE && segment->p_offset < offset && offset < segment->p_offset + segment->p_filesz)
            return segment;
    }
    fail_msg("no notes");
    return NULL;
}

static void build_id_that_cannot_be(void **state)
{
    struct fixture *fixture = *state;
    struct core_build_id id;
    Elf64_Phdr *notes;
    unsigned char *at;
    uint32_t size = sizeof id.bytes + 4;

    assert_true(core_build_id_at(open_core(fixture), program, &id));
    at = memmem(fixture->bytes + fixture->first_page, PAGE, id.bytes, id.n);
    notes = find_notes(fixture, at);
    notes->p_filesz = 1024;
    assert_true(core_build_id_at(open_core(fixture), program, &id));
    memcpy(at - 12, &size, sizeof size);
    assert_false(core_build_id_at(open_core(fixture), program, &id));
    /* The stack behind the page makes notes that have no room here. */
    headers_of(fixture)[1].p_vaddr = program + PAGE;
    headers_of(fixture)[2].p_type = PT_NULL;
    notes->p_offset = 0;
    notes->p_filesz = PAGE + STACK_SIZE;
    assert_false(core_build_id_at(open_core(fixture), program, &id));
}

/* Without build-ids the first pages have to agree, where the core has them. */
static void file_without_build_id_is_compared(void **state)
{
    struct fixture *fixture = *state;
    struct core_build_id id;
    unsigned char *name;

    assert_true(core_build_id_at(open_core(fixture), program, &id));
    name = memmem(fixture->bytes + fixture->first_page, PAGE, id.bytes, id.n);
    name[-2] = 'X';
    ((Elf64_Ehdr *)(void *)(fixture->bytes + fixture->first_page))->e_phnum = UINT16_MAX;
    assert_false(core_build_id_at(open_core(fixture), program, &id));
    assert_null(core_file_find(&fixture->files, fixture->core, program));
    expect_warning(0, "another file");
    headers_of(fixture)[3].p_filesz = 0;
    assert_non_null(core_file_find(&fixture->files, open_core(fixture), program));
}

/* Files that are no cores, and broken cores. */

static void cores_that_are_none(void **state)
{
    struct fixture *fixture = *state;
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)fixture->bytes;

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
    memcpy(header->e_ident, "\x28\xb5\x2f\xfd", 4);
    refuse_core(fixture, "zstd");
    memcpy(header->e_ident, "#!/b", 4);
    refuse_core(fixture, "no core file");
}

static void files_that_cannot_be_cores(void **state)
{
    struct fixture *fixture = *state;

    assert_null(reopen(fixture));
    assert_non_null(strstr(fixture->why, "No such file"));
    assert_int_equal(mkfifo(fixture->path, 0600), 0);
    assert_null(reopen(fixture));
    assert_non_null(strstr(fixture->why, "no regular file"));
    unlink(fixture->path);
    assert_null(open_path(fixture->directory, &fixture->why));
    assert_non_null(strstr(fixture->why, "no regular file"));
}

static void core_without_what_is_needed(void **state)
{
    struct fixture *fixture = *state;
    Elf64_Phdr *headers = headers_of(fixture);
    uint64_t size = headers[0].p_filesz;

    headers[0].p_type = PT_NULL;
    refuse_core(fixture, "no notes");
    headers[0].p_type = PT_NOTE;
    headers[0].p_filesz = 0;
    refuse_core(fixture, "NT_PRSTATUS");
    headers[0].p_filesz = 2 * (12 + 8 + 336) + 12 + 8 + 128;
    refuse_core(fixture, "NT_FILE");
    headers[0].p_filesz = size;
    for (int i = 1; i < N_SEGMENTS; i++)
        headers[i].p_type = PT_NULL;
    refuse_core(fixture, "no memory");
}

static void offsets_do_not_start_again(void **state)
{
    struct fixture *fixture = *state;

    headers_of(fixture)[3].p_offset = UINT64_MAX - 9;
    refuse_core(fixture, "cut off");
}

/* A note whose name does not end with a NUL is not a note. */
static void name_that_does_not_end(void **state)
{
    struct fixture *fixture = *state;
    const Elf64_Nhdr note = {.n_namesz = 4, .n_type = NT_FILE};

    headers_of(fixture)[0].p_offset = fixture->n;
    headers_of(fixture)[0].p_filesz = sizeof note + 4;
    put(fixture, &note, sizeof note);
    put(fixture, "CORE", 4);
    refuse_core(fixture, "NT_PRSTATUS");
}

static void number_of_segments_that_does_not_fit(void **state)
{
    struct fixture *fixture = *state;
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)fixture->bytes;
    Elf64_Shdr section = {.sh_info = N_SEGMENTS};

    header->e_phnum = PN_XNUM;
    header->e_shoff = fixture->n;
    refuse_core(fixture, "cut off");
    put(fixture, &section, sizeof section);
    assert_int_equal(open_core(fixture)->pid, PID);
    section.sh_info = UINT32_MAX;
    memcpy(fixture->bytes + fixture->n - sizeof section, &section, sizeof section);
    refuse_core(fixture, "4294967295 segments");
}

static void every_prefix_is_refused(void **state)
{
    struct fixture *fixture = *state;

    write_core(fixture);
    assert_non_null(reopen(fixture));
    for (size_t n = fixture->n; n-- > 0;) {
        assert_int_equal(truncate(fixture->path, (off_t)n), 0);
        assert_null(reopen(fixture));
        if (strstr(fixture->why, n == 0 ? "empty" : n < SELFMAG ? "no core file" : "cut off") == NULL)
            fail_msg("%zu of %zu bytes: %s", n, fixture->n, fixture->why);
    }
}

/* The functions return with any content. A core that is accepted can be used. */
static void use(struct fixture *fixture)
{
    struct core_build_id id;
    unsigned char bytes[64];
    struct core *core = reopen(fixture);

    if (core == NULL) {
        assert_non_null(fixture->why);
        return;
    }
    (void)core_read(core, program, bytes, sizeof bytes);
    (void)core_read(core, program + PAGE, bytes, sizeof bytes);
    (void)core_read(core, stack, bytes, sizeof bytes);
    (void)core_build_id_at(core, program, &id);
    for (size_t i = 0; i < core->n_mappings; i++)
        (void)core_build_id_at(core, core->mappings[i].start, &id);
}

static void check_falsified(struct fixture *fixture, size_t at, unsigned char value)
{
    unsigned char before = fixture->bytes[at];
    int file = open(fixture->path, O_WRONLY);

    assert_int_equal(pwrite(file, &value, 1, (off_t)at), 1);
    use(fixture);
    assert_int_equal(pwrite(file, &before, 1, (off_t)at), 1);
    close(file);
}

static void every_byte_may_be_wrong(void **state)
{
    struct fixture *fixture = *state;
    const unsigned char masks[] = {0xff, 0x80, 0x01};

    write_core(fixture);
    for (size_t at = 0; at < fixture->first_page + 0x400; at++)
        for (size_t i = 0; i < sizeof masks; i++)
            check_falsified(fixture, at, fixture->bytes[at] ^ masks[i]);
    assert_non_null(reopen(fixture));
}

static void every_word_may_be_extreme(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {0, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT32_MAX};
    unsigned char *good = malloc(fixture->n);

    assert_non_null(good);
    memcpy(good, fixture->bytes, fixture->n);
    for (size_t at = 0; at + 8 <= fixture->first_page + 0x400; at += 4) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            memcpy(fixture->bytes + at, &words[i], sizeof words[i]);
            write_core(fixture);
            use(fixture);
        }
        memcpy(fixture->bytes + at, good + at, 8);
    }
    free(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(process_of_a_core, setup, teardown),
        cmocka_unit_test_setup_teardown(mappings_are_sorted_and_numbered, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_executable, setup, teardown),
        cmocka_unit_test_setup_teardown(environment_that_was_overwritten_tells_no_rank, setup, teardown),
        cmocka_unit_test_setup_teardown(threads_of_a_core, setup, teardown),
        cmocka_unit_test_setup_teardown(registers_of_machines, setup, teardown),
        cmocka_unit_test_setup_teardown(thread_in_a_system_call, setup, teardown),
        cmocka_unit_test_setup_teardown(error_of_its_own_or_a_signal_of_others, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_in_the_core, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_from_the_file, setup, teardown),
        cmocka_unit_test_setup_teardown(changed_page_after_an_unchanged_one, setup, teardown),
        cmocka_unit_test_setup_teardown(addresses_do_not_start_again, setup, teardown),
        cmocka_unit_test_setup_teardown(file_ends_with_zeros, setup, teardown),
        cmocka_unit_test_setup_teardown(core_in_place_of_a_process, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_file_is_warned_of_once, setup, teardown),
        cmocka_unit_test_setup_teardown(file_of_another_build_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(links_do_not_lead_out_of_the_sysroot, setup, teardown),
        cmocka_unit_test_setup_teardown(program_that_is_named_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(build_id_that_cannot_be, setup, teardown),
        cmocka_unit_test_setup_teardown(file_without_build_id_is_compared, setup, teardown),
        cmocka_unit_test_setup_teardown(cores_that_are_none, setup, teardown),
        cmocka_unit_test_setup_teardown(files_that_cannot_be_cores, setup, teardown),
        cmocka_unit_test_setup_teardown(core_without_what_is_needed, setup, teardown),
        cmocka_unit_test_setup_teardown(offsets_do_not_start_again, setup, teardown),
        cmocka_unit_test_setup_teardown(name_that_does_not_end, setup, teardown),
        cmocka_unit_test_setup_teardown(number_of_segments_that_does_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(every_byte_may_be_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(every_word_may_be_extreme, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
