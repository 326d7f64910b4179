/*
 * test_dump_stack.c - where threads are: a child of this program that calls functions with names of MPI's, alive and
 * from a core that this test writes while it is stopped.
 *
 * The child is a new run of the program: under valgrind it would otherwise have valgrind's stack.
 */
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEST_SETUP from_core = false
#define TEST_TEARDOWN end_look()
#define TEST_SECONDS 120
#include "unit_test.h"

#include "config.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "tests/unit/made_core.h"

/* Where the child writes a byte when a thread is where it is to be; of its core. */
enum { READY = 9, PAGE = 4096, MAX_PARTS = 256, LARGE = 64 * 1024 * 1024 };

/* Functions that call another one. What comes after each call keeps it from being a jump. */
static volatile int after;

#define NOT_INLINED __attribute__((noinline, used))
#define CALLER(name, callee)                                                                                           \
    NOT_INLINED static void name(void)                                                                                 \
    {                                                                                                                  \
        callee();                                                                                                      \
        after++;                                                                                                       \
    }
/* Of the library, which all can see. */
#define EXPORTED(type, name, callee, result)                                                                           \
    NOT_INLINED type name(void);                                                                                       \
    type name(void)                                                                                                    \
    {                                                                                                                  \
        callee();                                                                                                      \
        after++;                                                                                                       \
        return result;                                                                                                 \
    }
#define MPI_FUNCTION(name, callee) EXPORTED(int, name, callee, after)
#define LIBRARY_FUNCTION(name, callee) EXPORTED(void, name, callee, )

static void say_ready(void)
{
    if (write(READY, "", 1) != 1)
        _exit(1);
}

NOT_INLINED static void wait_for_ever(void)
{
    say_ready();
    while (after >= 0)
        pause();
}

/* An executable that has this is one with a static Open MPI. */
extern int ompi_mpi_communicators[];
int ompi_mpi_communicators[1];

MPI_FUNCTION(PMPI_Recv, wait_for_ever)
LIBRARY_FUNCTION(mpi_recv_, PMPI_Recv)
void pmpi_recv_(void) __attribute__((alias("mpi_recv_")));
CALLER(exchange, mpi_recv_)
CALLER(relax, wait_for_ever)

/* A message has come, and is counted, but the receive that takes it is still listed. */
LIBRARY_FUNCTION(mca_pml_ob1_recv_frag_callback_match, wait_for_ever)
MPI_FUNCTION(PMPI_Wait, mca_pml_ob1_recv_frag_callback_match)
CALLER(hand_on, PMPI_Wait)

/* Another thread may end the wait, or so may time. */
static void wait_for_a_thread(void)
{
    sem_t never;

    sem_init(&never, 0, 0);
    say_ready();
    sem_wait(&never);
}

static void wait_for_a_thread_or_an_hour(void)
{
    struct timespec end;
    sem_t never;

    sem_init(&never, 0, 0);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 3600;
    say_ready();
    sem_timedwait(&never, &end);
}

#if defined __x86_64__
/*
 * How to unwind it depends on the pc, as in the stubs by which a library calls another one. */
void spin_in_stub(void);
__asm__(".text\n"
        ".type spin_in_stub, @function\n"
        "spin_in_stub:\n"
        "    .cfi_startproc\n"
        "    .cfi_escape 0x0f, 8, 0x77, 8, 0x80, 0, 0x80, 0, 0x1c, 0x22\n"   /* rsp + 8 + (rip - rip) */
        "    mov $9, %edi\n"
        "    lea spin_in_stub(%rip), %rsi\n"
        "    mov $1, %edx\n"
        "    mov $1, %eax\n"
        "    syscall\n"
        "0:  pause\n"
        "    jmp 0b\n"
        "    .cfi_endproc\n"
        ".size spin_in_stub, . - spin_in_stub\n");
#else
#define spin_in_stub wait_for_ever
#endif
MPI_FUNCTION(PMPI_Probe, spin_in_stub)
CALLER(probe, PMPI_Probe)

/* The compiler puts these into one function. */
__attribute__((always_inline)) static inline void receive_innermost(void)
{
    PMPI_Recv();
    after++;
}

__attribute__((always_inline)) static inline void receive_between(void)
{
    after++;
    receive_innermost();
}
CALLER(receive_outside, receive_between)

/* At the end of this file, which says there that it is a header. */
NOT_INLINED static void receive_in_header(void);
CALLER(receive_by_header, receive_in_header)

NOT_INLINED static void recurse(int depth)
{
    if (depth == 0)
        wait_for_ever();
    else
        recurse(depth - 1);
    after++;
}

static void recurse_deeply(void)
{
    recurse(1000);
}

static void *receive(void *unused)
{
    PMPI_Recv();
    after++;
    return unused;
}

static void join_a_thread_that_receives(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, receive, NULL) != 0)
        _exit(1);
    pthread_join(thread, NULL);
}

/* Where its frame begins only a register tells that the kernel does not show. */
static void spin_in_a_frame_of_any_size(void)
{
    volatile char *room = __builtin_alloca((size_t)after + 64);

    say_ready();
    while (after >= 0)
        room[after] = 1;
}

/* As Open MPI does it: the handler of the error ends the process. */
static void handle(int signal)
{
    (void)signal;
    wait_for_ever();
}

NOT_INLINED static void stumble(void)
{
    *(volatile int *)(intptr_t)(after + 8) = 1;
    after++;
}

static void run_into_a_handler(void)
{
    signal(SIGSEGV, handle);
    stumble();
    after++;
}

static void run_into_abort(void)
{
    signal(SIGABRT, handle);
    abort();
}

/* Return addresses and frame pointers that lead nowhere. That is no accident, whatever a sanitizer says. */
NOT_INLINED __attribute__((no_sanitize("address", "undefined"))) static void break_the_stack(void)
{
    volatile uintptr_t *frame = __builtin_frame_address(0);

    for (int i = 0; i < 32; i++)
        frame[i] = 0x4141414141414141;
    wait_for_ever();
}

static struct {
    pid_t child;
    struct hold hold;
    struct process process;
    struct modules modules;
    struct files files;
    struct place_cache places;
    struct stacks stacks;
    struct calls calls;
    char *executable, *why;
    const char *core;              /* a path; NULL: the child itself is looked at */
} fixture;

/* Of the tests that follow: whether they look at cores, and by which signal these ended. */
static bool from_core;
static int16_t core_signal;

static bool pointers_only;         /* as if gdb held the child: of registers no more is known than the kernel shows */

static const struct {
    const char *name;
    void (*run)(void);
} children[] = {
#define CHILD(name) {#name, name}
    CHILD(exchange), CHILD(relax), CHILD(hand_on), CHILD(probe), CHILD(receive_outside), CHILD(receive_by_header),
    CHILD(join_a_thread_that_receives), CHILD(recurse_deeply), CHILD(wait_for_a_thread),
    CHILD(wait_for_a_thread_or_an_hour), CHILD(break_the_stack), CHILD(run_into_a_handler), CHILD(run_into_abort),
    CHILD(spin_in_a_frame_of_any_size),
};

/* A core as the kernel writes it: without what is in files, but for their first pages and what may be changed. */

/* What a debugger gets of a thread's registers is what the kernel writes. */
static void put_notes(struct made_core *core, const struct process *process, int16_t signal)
{
    size_t n;
    char *vector = of_test(proc_read_block(SIZE_MAX, &n, "/proc/%d/auxv", (int)process->reader));

    for (size_t i = 0; i < process->n_threads; i++)
        made_core_status(core, process->threads[i].id, signal, process->registers + process->threads[i].registers,
                         process->threads[i].n_register_bytes);
    made_core_process(core, process->pid);
    made_core_note(core, "CORE", NT_AUXV, vector, n);
}

static void put_part(struct made_core *core, struct process *process, const struct map_line *line)
{
    bool is_file = line->path[0] == '/', is_start = is_file && line->offset == 0;
    Elf64_Phdr part = {.p_vaddr = line->start, .p_memsz = line->end - line->start,
                       .p_flags = PF_R | (line->executable ? PF_X : 0)};
    size_t at;

    /* A sanitizer's memory is terabytes. */
    if (is_file ? is_start || !line->executable : part.p_memsz <= LARGE && strncmp(line->path, "[vvar", 5) != 0)
        part.p_filesz = is_start ? PAGE : part.p_memsz;
    at = made_core_part(core, part, NULL);
    /* What has no page is a hole, as are the guard pages that newer C libraries have in a thread's stack. */
    for (uint64_t k = 0; k < part.p_filesz; k += PAGE)
        if (process_read(process, part.p_vaddr + k, core->bytes + at + k, PAGE) != READ_OK)
            memset(core->bytes + at + k, 0, PAGE);
}

static void write_core(const char *path, struct process *process, int16_t signal)
{
    static struct map_line lines[MAX_PARTS];
    static struct made_mapping files[MAX_PARTS];
    size_t n = 0, n_files = 0;
    char *rest = of_test(proc_read("/proc/%d/maps", (int)process->reader)), *line;
    struct made_core core;

    while ((line = strsep(&rest, "\n")) != NULL && n < MAX_PARTS)
        n += proc_parse_map_line(line, &lines[n]) && strncmp(lines[n].path, "[vsyscall", 9) != 0;
    for (size_t i = 0; i < n; i++)
        if (lines[i].path[0] == '/')
            files[n_files++] = (struct made_mapping){lines[i].start, lines[i].end, lines[i].offset, lines[i].path};
    made_core_begin(&core, (uint16_t)fixture.modules.modules[0].file->machine, MAX_PARTS);
    put_notes(&core, process, signal);
    made_core_files(&core, 1, files, n_files);
    made_core_end_notes(&core);
    for (size_t i = 0; i < n; i++)
        put_part(&core, process, &lines[i]);
    test_file(path, core.bytes, core.n);
    free(core.bytes);
}

static int run_child(const char *name)
{
    /* kernel.yama.ptrace_scope may let only ancestors trace a process that does not permit it to others. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    for (size_t i = 0; i < N_OF(children); i++)
        if (strcmp(name, children[i].name) == 0)
            children[i].run();
    return 1;
}

static bool open_core(void)
{
    struct core_source source;
    bool good;

    core_source_open(&source, fixture.core);
    good = process_open_core(&fixture.process, &source, &fixture.why);
    core_source_close(&source);
    return good;
}

/* From here on nothing is read of the child, which is gone. */
static void turn_into_core(void)
{
    fixture.core = test_path("/core");
    write_core(fixture.core, &fixture.process, core_signal);
    process_close(&fixture.process);
    kill(fixture.child, SIGKILL);
    waitpid(fixture.child, NULL, 0);
    modules_clear(&fixture.modules);
    if (!open_core() ||
        !modules_read(&fixture.modules, &fixture.files, &fixture.process, fixture.executable, NULL, &fixture.why))
        fail_msg("%s", fixture.why);
}

static bool all_threads_sleep(pid_t pid)
{
    struct proc_status status;
    const struct dirent *entry;
    bool all = true;
    char path[64];
    DIR *threads;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    threads = opendir(path);
    assert_non_null(threads);
    while ((entry = readdir(threads)) != NULL)
        all &= entry->d_name[0] == '.' || (proc_read_status(atoi(entry->d_name), &status) && status.state == 'S');
    closedir(threads);
    return all;
}

/* It has said that it will wait, and does so a moment later; or it spins already. */
/* One that spins has said before that it is ready, and is done with that when it has used some time. */
static void await_sleep(pid_t pid, const char *child)
{
    bool spins = strncmp(child, "spin", 4) == 0;
    double used = process_cpu_seconds(pid) + 0.01;

    while (strcmp(child, "probe") != 0 && (spins ? process_cpu_seconds(pid) < used : !all_threads_sleep(pid)))
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void forget_registers(struct process *process)
{
    process->debugger = getpid();
    for (size_t i = 0; i < process->n_threads; i++)
        process->threads[i].n_register_bytes = 0;
}

static void look(const char *child)
{
    char *program = proc_executable("/proc/self"), directory[64], byte;
    int ready[2];

    assert_int_equal(pipe(ready), 0);
    fixture.child = fork();
    if (fixture.child == 0) {
        dup2(ready[1], READY);
        execl(program, "test_dump_stack", child, (char *)NULL);
        _exit(1);
    }
    free(program);
    close(ready[1]);
    assert_true(hold_start(&fixture.hold, NULL, 0, &fixture.why));
    fixture.hold.seconds = fixture.hold.seconds_to_answer = 1e9;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    await_sleep(fixture.child, child);
    assert_true(process_open(&fixture.process, (struct process_id){.pid = fixture.child}, false, &fixture.why));
    snprintf(directory, sizeof directory, "/proc/%d", (int)fixture.child);
    fixture.executable = proc_executable(directory);
    assert_true(
        modules_read(&fixture.modules, &fixture.files, &fixture.process, fixture.executable, NULL, &fixture.why));
    hold_processes(&fixture.hold, &(struct hold_wish){&fixture.process, &fixture.why}, 1);
    assert_null(fixture.why);
    if (from_core)
        turn_into_core();
    if (pointers_only)
        forget_registers(&fixture.process);
    stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
    assert_true(hold_let_go(&fixture.hold, &fixture.why));
    calls_name(&fixture.calls, &fixture.stacks, &fixture.modules, fixture.child, &fixture.places, true);
}

static void end_look(void)
{
    if (fixture.child > 0 && fixture.core == NULL) {
        kill(fixture.child, SIGKILL);
        waitpid(fixture.child, NULL, 0);
    }
    calls_clear(&fixture.calls);
    stacks_clear(&fixture.stacks);
    place_cache_clear(&fixture.places);
    modules_clear(&fixture.modules);
    hold_end(&fixture.hold);
    process_close(&fixture.process);
    files_close(&fixture.files);
    free(fixture.executable);
    free(fixture.why);
    memset(&fixture, 0, sizeof fixture);
}

/* A test of a process, and the same of its core. */
#define TEST_OF_BOTH(name)                                                                                             \
    static void look_##name(void);                                                                                     \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        look_##name();                                                                                                 \
    }                                                                                                                  \
    TEST_BETWEEN(name##_of_a_core, from_core = true, end_look())                                                       \
    {                                                                                                                  \
        look_##name();                                                                                                 \
    }                                                                                                                  \
    static void look_##name(void)
#define TEST_OF_A_CORE(name) TEST_BETWEEN(name, from_core = true, end_look())

/* "test_dump_stack.c:57" where the test has debug information, "exchange+0x9" where it has none. */
static void check_place(const struct call *call, const char *function)
{
    assert_non_null(call->place);
    if (call->has_source)
        assert_memory_equal(call->place, "test_dump_stack.c:", strlen("test_dump_stack.c:"));
    else if (strncmp(call->place, function, strlen(function)) != 0 || call->place[strlen(function)] != '+')
        fail_msg("it is called from %s", call->place);
}

/* What is known of children with one thread: its function, and where that is called. */
static const struct row {
    const char *child;
    enum call_state state;
    const char *function;
    bool runs;
    const char *place;
} rows[] = {
    {"exchange", CALL_MPI, "MPI_Recv", false, "exchange"},
    {"hand_on", CALL_MPI, "MPI_Wait", true, "hand_on"},
    /* A wait with an end gets on by itself. */
    {"wait_for_a_thread", CALL_OUTSIDE, NULL, false, NULL},
    {"wait_for_a_thread_or_an_hour", CALL_OUTSIDE, NULL, true, NULL},
    {"relax", CALL_OUTSIDE, "wait_for_ever", true, "wait_for_ever"},
    /* With the pc in a stub, whatever it calls: the stack does not end there. */
    {"probe", CALL_MPI, "MPI_Probe", false, NULL},
};

static void check_row(const struct row *row)
{
    const struct call *call;

    print_message("%s\n", row->child);
    look(row->child);
    assert_true(fixture.calls.complete);
    assert_int_equal(fixture.calls.n, 1);
    call = &fixture.calls.calls[0];
    assert_true(call->is_main && fixture.stacks.stacks[0].ended && fixture.stacks.stacks[0].n > 3);
    assert_int_equal(call->thread, fixture.child);
    /* valgrind's programs have none. */
    if (getauxval(AT_SYSINFO_EHDR) != 0)
        assert_true(fixture.stacks.vdso_start > PAGE && fixture.stacks.vdso_end - fixture.stacks.vdso_start >= PAGE &&
                    (fixture.stacks.vdso_end - fixture.stacks.vdso_start) % PAGE == 0);
    assert_int_equal(call->state, row->state);
    if (row->function != NULL)
        assert_string_equal(call->function, row->function);
    assert_true(call->outer == NULL && call->wrapper == NULL && !call->called_back);
    assert_int_equal(call->runs, row->runs);
    if (row->place != NULL)
        check_place(call, row->place);
}

TEST_OF_BOTH(calls_are_named)
{
    for (size_t i = 0; i < N_OF(rows); i++) {
        check_row(&rows[i]);
        end_look();
    }
}

/* Numbers are those of linux/futex.h; 128 is added for memory that one process has. */
TEST(threads_that_wake_others_do_not_wait)
{
    static const uint64_t waits[] = {0, 128, 6 + 128, 9, 9 + 128, 256 + 9 + 128, 11, 13};
    static const uint64_t others[] = {1, 1 + 128, 5, 7, 10};

    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        assert_true(is_futex_wait(waits[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(is_futex_wait(others[i]));
}

TEST(stack_is_known_from_two_registers)
{
    pointers_only = true;
    look("exchange");
    pointers_only = false;
    assert_true(fixture.stacks.stacks[0].ended && fixture.stacks.stacks[0].n > 3);
    assert_int_equal(fixture.calls.calls[0].state, CALL_MPI);
    assert_string_equal(fixture.calls.calls[0].function, "MPI_Recv");
    check_place(&fixture.calls.calls[0], "exchange");
}

/* As far as these go; what is missing is no end. */
TEST(stack_does_not_end_where_a_register_is_missing)
{
    look("spin_in_a_frame_of_any_size");
    assert_true(fixture.stacks.stacks[0].ended && fixture.stacks.stacks[0].n > 3);
    end_look();
    pointers_only = true;
    look("spin_in_a_frame_of_any_size");
    pointers_only = false;
    assert_false(fixture.stacks.stacks[0].ended);
    assert_int_equal(fixture.stacks.stacks[0].n, 1);
}

/* The frames of the test itself have source lines, or offsets; of libraries the files are named. */
TEST(whole_stack_is_named)
{
    const struct named_stack *stack;
    bool has_exchange = false;

    look("exchange");
    assert_true(fixture.calls.has_stacks);
    assert_int_equal(fixture.calls.n_stacks, 1);
    stack = &fixture.calls.stacks[0];
    assert_true(stack->is_main && stack->ended);
    assert_int_equal(stack->thread, fixture.child);
    assert_true(stack->n >= fixture.stacks.stacks[0].n);
    for (size_t i = 0; i < stack->n; i++)
        has_exchange |= strncmp(stack->frames[i], "exchange", 8) == 0 && strstr(stack->frames[i], " in ") == NULL;
    assert_true(has_exchange);
    assert_has(stack->frames[0], " in libc.");
    assert_memory_equal(stack->frames[stack->n - 1], "_start", strlen("_start"));
    assert_int_equal(fixture.calls.calls[0].n_chain, 0);
}

/* The position of the frame that begins with a text. */
static size_t find_frame(const struct named_stack *stack, const char *start)
{
    for (size_t i = 0; i < stack->n; i++)
        if (strncmp(stack->frames[i], start, strlen(start)) == 0)
            return i;
    fail_msg("there is no frame %s", start);
    return 0;
}

static int line_of(const struct named_stack *stack, size_t frame)
{
    return atoi(strrchr(stack->frames[frame], ':') + 1);
}

/* With debug information the functions that people have written are named, each with its line, and not only one. */
TEST(functions_inside_of_others_are_named)
{
    const struct named_stack *stack;
    size_t first;

    look("receive_outside");
    stack = &fixture.calls.stacks[0];
    if (!fixture.calls.calls[0].has_source) {
        find_frame(stack, "receive_outside+0x");
        return;
    }
    first = find_frame(stack, "receive_innermost test_dump_stack.c:");
    assert_int_equal(find_frame(stack, "receive_between test_dump_stack.c:"), first + 1);
    assert_int_equal(find_frame(stack, "receive_outside test_dump_stack.c:"), first + 2);
    /* They stand in this order here. */
    assert_true(0 < line_of(stack, first) && line_of(stack, first) < line_of(stack, first + 1) &&
                line_of(stack, first + 1) < line_of(stack, first + 2));
}

TEST(caller_of_a_header_is_told)
{
    const struct call *call;

    look("receive_by_header");
    call = &fixture.calls.calls[0];
    assert_int_equal(call->n_chain, call->has_source ? 2 : 0);
    if (!call->has_source)
        return;
    assert_string_equal(call->chain[0], "receive_in_header away.h:3");
    assert_memory_equal(call->chain[1], "receive_by_header test_dump_stack.c:", 36);
}

TEST_OF_BOTH(thread_that_waits_for_another_does_not_run)
{
    const struct call *other;

    look("join_a_thread_that_receives");
    assert_int_equal(fixture.calls.n, 2);
    assert_true(fixture.calls.calls[0].is_main);
    assert_int_equal(fixture.calls.calls[0].state, CALL_OUTSIDE);
    assert_false(fixture.calls.calls[0].runs);
    other = &fixture.calls.calls[1];
#if HAVE_DWFL_FRAME_REG
    /* Each is on a stack of its own. */
    assert_true(other->stack_low > 0 && other->stack_low < other->stack_high);
    assert_true(other->stack_high < fixture.calls.calls[0].stack_low ||
                fixture.calls.calls[0].stack_high < other->stack_low);
#endif
    assert_false(other->is_main);
    assert_string_equal(other->function, "MPI_Recv");
    check_place(other, "receive");
}

TEST_OF_BOTH(stacks_are_read_to_a_bound)
{
    look("recurse_deeply");
    assert_int_equal(fixture.stacks.stacks[0].n, 256);
    assert_false(fixture.stacks.stacks[0].ended);
    assert_int_equal(fixture.calls.calls[0].state, CALL_OUTSIDE);
}

TEST_OF_BOTH(broken_stack_is_read_as_far_as_it_goes)
{
    look("break_the_stack");
    assert_true(fixture.stacks.stacks[0].n <= 256);
    assert_int_not_equal(fixture.calls.calls[0].state, CALL_MPI);
}

TEST(process_that_is_gone_has_no_stacks)
{
    look("relax");
    kill(fixture.child, SIGKILL);
    waitpid(fixture.child, NULL, 0);
    fixture.child = 0;
    stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
    assert_int_equal(fixture.stacks.n, 0);
    assert_false(fixture.stacks.complete);
}

/* What is allocated for a look is released after it. The first ones fill caches of the C library. */
TEST(nothing_is_left_of_a_look)
{
    size_t before = 0, after = 1;

    for (int i = 0; i < 30 && after > before; i++) {
        look("receive_outside");
        modules_prepare(&fixture.modules);
        end_look();
        before = after;
        after = mallinfo2().uordblks;
    }
    assert_true(after <= before);
}

/* From cores alone. */

static void check_crash(int16_t signal_number, const char *child, const char *fault)
{
    core_signal = signal_number;
    look(child);
    core_signal = 0;
    assert_true(fixture.calls.complete);
    assert_int_equal(fixture.calls.n, 1);
    assert_int_equal(fixture.calls.calls[0].crashed, fault != NULL);
    assert_text(fixture.calls.calls[0].fault, fault);
    assert_int_equal(fixture.calls.calls[0].state, CALL_OUTSIDE);
    end_look();
}

TEST_OF_A_CORE(crash_is_where_the_signal_hit)
{
    check_crash(SIGSEGV, "run_into_a_handler", "stumble");
    /* That of abort is a crash if abort was called. */
    check_crash(SIGABRT, "relax", NULL);
    check_crash(SIGABRT, "run_into_abort", "abort");
}

/* Whatever a register says. */
TEST_OF_A_CORE(registers_may_be_wrong)
{
    static const uint64_t words[] = {0, 1, UINT64_MAX, INT64_MAX, 0x7fff00000000};
    struct core_thread *thread;
    int core;

    look("exchange");
    thread = &fixture.process.core->threads[0];
    core = open(fixture.core, O_WRONLY);
    for (uint64_t at = 0; at < thread->n_bytes / 8 * 8; at += 8) {
        const struct core_thread part = {.registers = thread->registers + at, .n_bytes = 8};
        uint64_t before;

        assert_true(core_read_registers(fixture.process.core, &part, &before, 1));
        for (size_t i = 0; i < N_OF(words); i++) {
            assert_int_equal(pwrite(core, &words[i], 8, (off_t)(thread->registers + at)), 8);
            stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
            calls_name(&fixture.calls, &fixture.stacks, &fixture.modules, fixture.child, &fixture.places, false);
            assert_true(fixture.stacks.stacks[0].n <= 256);
            assert_int_equal(fixture.calls.n, 1);
            assert_false(fixture.calls.has_stacks);
        }
        assert_int_equal(pwrite(core, &before, 8, (off_t)(thread->registers + at)), 8);
    }
    /* None at all. */
    thread->n_bytes = 8;
    stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
    assert_int_equal(fixture.stacks.stacks[0].n, 0);
    assert_true(fixture.stacks.complete);
    close(core);
}

/* Names of all bindings, and of functions for large counts: what is written, if it is something else. */
TEST(names_of_functions)
{
    static const char *const names[][3] = {
        {"MPI_Recv", "MPI_Recv"}, {"PMPI_Recv", "MPI_Recv"}, {"mpi_recv_", "MPI_Recv"}, {"pmpi_recv_", "MPI_Recv"},
        {"mpi_comm_dup__", "MPI_Comm_dup"}, {"mpi_recv_f08_", "MPI_Recv"}, {"ompi_mpi_finalize", "MPI_Finalize"},
        {"ompi_recv_f", "MPI_Recv"}, {"ompi_comm_dup_f", "MPI_Comm_dup"}, {"ompi_recv_"}, {"ompi_request_free"},
        {"ompi__f"}, {"mpi_recv"}, {"MPI_"}, {"MPI_recv"}, {"foo_bar_"}, {"mpi__f_"}, {"MPI_COMM_WORLD"}, {"mpi_"},
        {"mpi__"}, {"_f08_"}, {"mpi_f08_"}, {""},
        {"P"}, {"my_MPI_Recv"}, {"mpi_my_Solver_"}, {"mpi_recv_f08ts_", "MPI_Recv"}, {"mpi_recv_fts_", "MPI_Recv"},
        {"MPI_Comm_f2c", "MPI_Comm_f2c"}, {"mpi_c_", "MPI_C"}, {"MPI_c"},
        {"MPI_Recv_c", "MPI_Recv", "MPI_Recv_c"}, {"PMPI_Recv_c", "MPI_Recv", "MPI_Recv_c"},
        {"PMPI_Neighbor_alltoallw_c", "MPI_Neighbor_alltoallw", "MPI_Neighbor_alltoallw_c"},
        {"mpi_recv_c_", "MPI_Recv"}, {"mpi_recv_c_f08_", "MPI_Recv"}, {"mpi_recv_c_f08ts_", "MPI_Recv"},
        {"pmpi_recv_c__", "MPI_Recv"}, {"ompi_recv_c_f", "MPI_Recv"},
        {"MPIX_Comm_agree", "MPIX_Comm_agree"}, {"PMPIX_Comm_agree", "MPIX_Comm_agree"}, {"MPIX_"}, {"MPIX_agree"},
        {"mpix_comm_agree_", "MPIX_Comm_agree"}, {"pmpix_comm_agree__", "MPIX_Comm_agree"}, {"mpix_"}, {"mpix__"},
        {"ompix_comm_agree_f", "MPIX_Comm_agree"}, {"mpix_barrier_init_f08_", "MPIX_Barrier_init"}, {"mpiy_agree_"},
        {"MPIX_C"}, {"MPIX_c_"}, {"mpix_comm_agree"}, {"mpi_X_recv_"}, {"ompix_f"},
    };

    for (size_t i = 0; i < N_OF(names); i++) {
        const char *written = names[i][2] != NULL ? names[i][2] : names[i][1];

        assert_text(of_test(mpi_function_name(names[i][0])), names[i][1]);
        assert_text(of_test(mpi_written_name(names[i][0])), written);
    }
}

int main(int argc, char **argv)
{
    return argc == 2 ? run_child(argv[1]) : unit_tests_run(NULL, NULL);
}

/* As a library has it that consists of headers. */
#line 1 "/usr/include/away.h"
static void receive_in_header(void)
{
    PMPI_Recv();
    after++;
}
