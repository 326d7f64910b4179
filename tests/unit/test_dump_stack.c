/*
 * test_dump_stack.c - where threads are: a child of this program that calls functions with names of MPI's, alive and
 * from a core that this test writes while it is stopped.
 *
 * The child is a new run of the program: under valgrind it would otherwise have valgrind's stack.
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/target/mpi_name.h"
#include "mqd/dump/collect/target/stack.h"

#define NOT_INLINED __attribute__((noinline, used))

/* Where the child writes a byte when a thread is where it is to be; of its core. */
/* What takes so long will never come: an alarm ends the test. */
enum { READY = 9, PAGE = 4096, MAX_SEGMENTS = 256, LARGE = 64 * 1024 * 1024, SECONDS = 120 };

/* What comes after each call keeps it from being a jump. */
static volatile int after;

NOT_INLINED static void wait_for_ever(void)
{
    if (write(READY, "", 1) != 1)
        _exit(1);
    while (after >= 0)
        pause();
}

/* An executable that has this is one with a static Open MPI. */
extern int ompi_mpi_communicators[];
int ompi_mpi_communicators[1];

NOT_INLINED int PMPI_Recv(void);
int PMPI_Recv(void)
{
    wait_for_ever();
    return ++after;
}

NOT_INLINED void mpi_recv_(void);
void mpi_recv_(void)
{
    PMPI_Recv();
    after++;
}

void pmpi_recv_(void) __attribute__((alias("mpi_recv_")));

/* A wrapper, which stands for one function and calls another. */
NOT_INLINED int PMPI_Send(void);
int PMPI_Send(void)
{
    return ++after;
}

NOT_INLINED int PMPI_Ssend(void);
int PMPI_Ssend(void)
{
    wait_for_ever();
    return ++after;
}

NOT_INLINED int MPI_Send(void);
int MPI_Send(void)
{
    PMPI_Ssend();
    return ++after;
}

NOT_INLINED static void send_unsafely(void)
{
    MPI_Send();
    after++;
}

/* A wrapper that has something else to do. */
NOT_INLINED int PMPI_Wait(void);
int PMPI_Wait(void)
{
    return ++after;
}

NOT_INLINED int MPI_Wait(void);
int MPI_Wait(void)
{
    wait_for_ever();
    return PMPI_Wait() + ++after;
}

NOT_INLINED static void complete_slowly(void)
{
    MPI_Wait();
    after++;
}

/* No function of MPI, whatever its name is. */
NOT_INLINED void mpi_exchange_(void);
void mpi_exchange_(void)
{
    PMPI_Recv();
    after++;
}

NOT_INLINED static void exchange_by_name(void)
{
    mpi_exchange_();
    after++;
}

NOT_INLINED int PMPI_Barrier(void);
int PMPI_Barrier(void)
{
    wait_for_ever();
    return ++after;
}

/* As if an attribute of MPI_COMM_SELF were deleted. */
NOT_INLINED int PMPI_Finalize(void);
int PMPI_Finalize(void)
{
    PMPI_Barrier();
    return ++after;
}

NOT_INLINED static void end_together(void)
{
    PMPI_Finalize();
    after++;
}

/* The program's function inside of Open MPI's. */
NOT_INLINED int PMPI_Comm_free(void);
NOT_INLINED void ompi_attr_delete_all(void);

NOT_INLINED static void delete_slowly(void)
{
    wait_for_ever();
    after++;
}

void ompi_attr_delete_all(void)
{
    delete_slowly();
    after++;
}

int PMPI_Comm_free(void)
{
    ompi_attr_delete_all();
    return ++after;
}

NOT_INLINED static void free_slowly(void)
{
    PMPI_Comm_free();
    after++;
}

/* The program's function inside of Open MPI's calls MPI. */
NOT_INLINED int PMPI_Win_free(void);
NOT_INLINED void ompi_attr_delete_one(void);

NOT_INLINED static void delete_together(void)
{
    PMPI_Barrier();
    after++;
}

void ompi_attr_delete_one(void)
{
    delete_together();
    after++;
}

int PMPI_Win_free(void)
{
    ompi_attr_delete_one();
    return ++after;
}

NOT_INLINED static void free_together(void)
{
    PMPI_Win_free();
    after++;
}

/* Another thread may end the wait, or so may time. */
static void wait_for_a_thread(void)
{
    sem_t never;

    sem_init(&never, 0, 0);
    if (write(READY, "", 1) != 1)
        _exit(1);
    sem_wait(&never);
}

static void wait_for_a_thread_or_an_hour(void)
{
    struct timespec end;
    sem_t never;

    sem_init(&never, 0, 0);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 3600;
    if (write(READY, "", 1) != 1)
        _exit(1);
    sem_timedwait(&never, &end);
}

NOT_INLINED int PMPI_Recv_c(void);
int PMPI_Recv_c(void)
{
    PMPI_Recv();
    return ++after;
}

NOT_INLINED void mpi_recv_c_f08_(void);
void mpi_recv_c_f08_(void)
{
    PMPI_Recv_c();
    after++;
}

NOT_INLINED static void exchange_much(void)
{
    PMPI_Recv_c();
    after++;
}

NOT_INLINED static void exchange_much_in_fortran(void)
{
    mpi_recv_c_f08_();
    after++;
}

NOT_INLINED static void exchange(void)
{
    mpi_recv_();
    after++;
}

NOT_INLINED static void relax(void)
{
    wait_for_ever();
    after++;
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
static void spin_in_stub(void)
{
    wait_for_ever();
}
#endif

NOT_INLINED int PMPI_Probe(void);
int PMPI_Probe(void)
{
    spin_in_stub();
    return ++after;
}

NOT_INLINED static void probe(void)
{
    PMPI_Probe();
    after++;
}

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

NOT_INLINED static void receive_outside(void)
{
    receive_between();
    after++;
}

/* At the end of this file, which says there that it is a header. */
NOT_INLINED static void receive_in_header(void);

NOT_INLINED static void receive_by_header(void)
{
    receive_in_header();
    after++;
}

NOT_INLINED static void recurse(int depth)
{
    if (depth == 0)
        wait_for_ever();
    else
        recurse(depth - 1);
    after++;
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

static void recurse_deeply(void)
{
    recurse(1000);
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

struct fixture {
    pid_t child;
    struct hold hold;
    struct process process;
    struct modules modules;
    struct files files;
    struct place_cache places;
    struct stacks stacks;
    struct calls calls;
    char *executable, *why;
    char core[40];                 /* a path; "": the child itself is looked at */
};
static struct fixture fixture;

/* Of the tests that follow: whether they look at cores, and by which signal these ended. */
static bool from_core;
static int16_t core_signal;

static const struct {
    const char *name;
    void (*run)(void);
} children[] = {
    {"exchange", exchange}, {"relax", relax}, {"probe", probe}, {"outside", receive_outside},
    {"header", receive_by_header},
    {"join", join_a_thread_that_receives}, {"recurse", recurse_deeply},
    {"exchange_much", exchange_much}, {"exchange_much_in_fortran", exchange_much_in_fortran},
    {"send_unsafely", send_unsafely}, {"complete_slowly", complete_slowly}, {"exchange_by_name", exchange_by_name},
    {"end_together", end_together}, {"free_slowly", free_slowly}, {"free_together", free_together},
    {"wait_for_a_thread", wait_for_a_thread},
    {"wait_for_a_thread_or_an_hour", wait_for_a_thread_or_an_hour}, {"break", break_the_stack},
    {"handler", run_into_a_handler}, {"abort", run_into_abort},
};

/* A core as the kernel writes it: without what is in files, but for their first pages. */

struct core_file {
    FILE *to;
    Elf64_Phdr headers[MAX_SEGMENTS];
    uint16_t n;
    char *notes;
    size_t n_notes;
};

static void put_note(FILE *to, uint32_t type, const void *content, size_t n)
{
    const Elf64_Nhdr header = {.n_namesz = 5, .n_descsz = (uint32_t)n, .n_type = type};

    fwrite(&header, sizeof header, 1, to);
    fwrite("CORE\0\0\0", 8, 1, to);
    fwrite(content, 1, n, to);
    fwrite("\0\0\0", 1, (4 - n % 4) % 4, to);
}

/* What a debugger gets of a thread's registers is what the kernel writes. */
static void put_thread(FILE *to, const struct process *process, const struct thread *thread, int16_t signal)
{
    enum { REGISTERS = 112 };
    unsigned char status[1024] = {0};

    memcpy(status + 12, &signal, sizeof signal);
    memcpy(status + 32, &(int32_t){thread->id}, 4);
    assert_true(thread->n_register_bytes > 0 && thread->n_register_bytes < sizeof status - REGISTERS - 8);
    memcpy(status + REGISTERS, process->registers + thread->registers, thread->n_register_bytes);
    put_note(to, NT_PRSTATUS, status, REGISTERS + thread->n_register_bytes + 8);
}

static void put_notes(FILE *to, const struct process *process, int16_t signal)
{
    unsigned char info[136] = {0};
    size_t n;
    char *vector = proc_read(process->reader, "auxv", &n);

    assert_non_null(vector);
    for (size_t i = 0; i < process->n_threads; i++)
        put_thread(to, process, &process->threads[i], signal);
    memcpy(info + 24, &(int32_t){process->pid}, 4);
    put_note(to, NT_PRPSINFO, info, sizeof info);
    put_note(to, NT_AUXV, vector, n);
    free(vector);
}

/* NT_FILE: count and unit; start, end and offset of each; paths. */
struct file_note {
    uint64_t words[3 * MAX_SEGMENTS + 2];
    char paths[MAX_SEGMENTS * 128];
    size_t n, n_paths;
};

static void add_mapping(struct core_file *core, struct file_note *files, const struct map_line *line)
{
    bool is_file = line->path[0] == '/', is_start = is_file && line->offset == 0;
    bool is_private = !is_file && strncmp(line->path, "[vvar", 5) != 0 && line->path[0] != '(';
    Elf64_Phdr *header = &core->headers[core->n];

    if (strncmp(line->path, "[vsyscall", 9) == 0 || core->n + 1 == MAX_SEGMENTS)
        return;
    core->n++;
    *header = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = line->start, .p_memsz = line->end - line->start,
                           .p_flags = PF_R | (line->executable ? PF_X : 0)};
    /* A sanitizer's memory is terabytes. */
    if (!is_file && header->p_memsz > LARGE)
        return;
    header->p_filesz = is_start ? PAGE : is_private || (is_file && !line->executable) ? header->p_memsz : 0;
    if (!is_file || files->n_paths + strlen(line->path) + 1 > sizeof files->paths)
        return;
    memcpy(&files->words[2 + 3 * files->n], (uint64_t[]){line->start, line->end, line->offset}, 24);
    files->n++;
    strcpy(files->paths + files->n_paths, line->path);
    files->n_paths += strlen(line->path) + 1;
}

static void put_mappings(struct core_file *core, FILE *notes, const struct process *process)
{
    struct file_note *files = calloc(1, sizeof *files);
    size_t size, n_words;
    char *maps = proc_read(process->reader, "maps", &size), *rest = maps, *line;
    char *content;

    while ((line = strsep(&rest, "\n")) != NULL) {
        struct map_line map;

        if (proc_parse_map_line(line, &map))
            add_mapping(core, files, &map);
    }
    files->words[0] = files->n;
    files->words[1] = 1;
    n_words = 8 * (2 + 3 * files->n);
    content = malloc(n_words + files->n_paths);
    memcpy(content, files->words, n_words);
    memcpy(content + n_words, files->paths, files->n_paths);
    put_note(notes, NT_FILE, content, n_words + files->n_paths);
    free(content);
    free(maps);
    free(files);
}

static void put_memory(FILE *to, struct process *process, Elf64_Phdr *header)
{
    char page[PAGE];

    header->p_offset = (uint64_t)ftell(to);
    for (uint64_t at = 0; at < header->p_filesz; at += PAGE) {
        /* What has no page is a hole, as are the guard pages that newer C libraries have in a thread's stack. */
        if (process_read(process, header->p_vaddr + at, page, PAGE) != READ_OK)
            memset(page, 0, sizeof page);
        fwrite(page, PAGE, 1, to);
    }
}

static void write_core(const char *path, struct process *process, int16_t signal)
{
    Elf64_Ehdr header = {.e_type = ET_CORE, .e_phoff = sizeof header, .e_phentsize = sizeof(Elf64_Phdr)}, own;
    struct core_file *core = calloc(1, sizeof *core);
    FILE *notes = open_memstream(&core->notes, &core->n_notes), *to = fopen(path, "w"), *self;

    self = fopen("/proc/self/exe", "r");
    assert_int_equal(fread(&own, sizeof own, 1, self), 1);
    fclose(self);
    memcpy(header.e_ident, own.e_ident, sizeof header.e_ident);
    header.e_machine = own.e_machine;
    core->n = 1;
    put_notes(notes, process, signal);
    put_mappings(core, notes, process);
    fclose(notes);
    header.e_phnum = core->n;
    fseek(to, (long)(sizeof header + core->n * sizeof *core->headers), SEEK_SET);
    core->headers[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = (uint64_t)ftell(to), .p_filesz = core->n_notes};
    fwrite(core->notes, core->n_notes, 1, to);
    for (size_t i = 1; i < core->n; i++)
        put_memory(to, process, &core->headers[i]);
    rewind(to);
    fwrite(&header, sizeof header, 1, to);
    fwrite(core->headers, sizeof *core->headers, core->n, to);
    assert_int_equal(fclose(to), 0);
    free(core->notes);
    free(core);
}

static int run_child(const char *name)
{
    /* kernel.yama.ptrace_scope may let only ancestors trace a process that does not permit it to others. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    for (size_t i = 0; i < sizeof children / sizeof *children; i++)
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
    strcpy(fixture.core, "/tmp/test_dump_stack.XXXXXX");
    close(mkstemp(fixture.core));
    write_core(fixture.core, &fixture.process, core_signal);
    process_close(&fixture.process);
    kill(fixture.child, SIGKILL);
    waitpid(fixture.child, NULL, 0);
    modules_clear(&fixture.modules);
    if (!open_core() ||
        !modules_read(&fixture.modules, &fixture.files, &fixture.process, fixture.executable, &fixture.why))
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
static void await_sleep(pid_t pid, const char *child)
{
    while (strcmp(child, "probe") != 0 && !all_threads_sleep(pid))
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void look(const char *child)
{
    char *program = proc_executable(getpid()), byte;
    int ready[2];

    alarm(SECONDS);
    assert_int_equal(pipe(ready), 0);
    fixture = (struct fixture){.child = fork()};
    if (fixture.child == 0) {
        dup2(ready[1], READY);
        execl(program, "test_dump_stack", child, (char *)NULL);
        _exit(1);
    }
    free(program);
    close(ready[1]);
    assert_true(hold_start(&fixture.hold, NULL, 0, &fixture.why));
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    await_sleep(fixture.child, child);
    assert_true(process_open(&fixture.process, (struct process_id){.pid = fixture.child}, &fixture.why));
    fixture.executable = proc_executable(fixture.child);
    assert_true(modules_read(&fixture.modules, &fixture.files, &fixture.process, fixture.executable, &fixture.why));
    hold_processes(&fixture.hold, &(struct hold_wish){&fixture.process, &fixture.why}, 1);
    assert_null(fixture.why);
    if (from_core)
        turn_into_core();
    stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
    assert_true(hold_let_go(&fixture.hold, &fixture.why));
    calls_name(&fixture.calls, &fixture.stacks, &fixture.modules, fixture.child, &fixture.places);
}

static int end_look(void **state)
{
    (void)state;
    alarm(0);
    if (fixture.core[0] != '\0')
        unlink(fixture.core);
    if (fixture.child > 0 && fixture.core[0] == '\0') {
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
    fixture = (struct fixture){0};
    return 0;
}

/* "test_dump_stack.c:57" where the test has debug information, "exchange+0x9" where it has none. */
static void check_place(const struct call *call, const char *function)
{
    assert_non_null(call->place);
    if (call->has_source)
        assert_memory_equal(call->place, "test_dump_stack.c:", strlen("test_dump_stack.c:"));
    else
        assert_memory_equal(call->place, function, strlen(function));
}

static void call_of_one_function_has_no_outer_one(void **state)
{
    (void)state;
    look("exchange");
    assert_true(fixture.calls.complete);
    assert_int_equal(fixture.calls.n, 1);
    assert_true(fixture.calls.calls[0].is_main);
    assert_int_equal(fixture.calls.calls[0].thread, fixture.child);
    assert_int_equal(fixture.calls.calls[0].state, CALL_MPI);
    assert_string_equal(fixture.calls.calls[0].function, "MPI_Recv");
    assert_null(fixture.calls.calls[0].outer);
    assert_null(fixture.calls.calls[0].through);
    check_place(&fixture.calls.calls[0], "exchange+0x");
    assert_false(fixture.calls.calls[0].runs);
    assert_true(fixture.stacks.stacks[0].ended);
}

/* The frames of the test itself have source lines, or offsets; of libraries the files are named. */
static void whole_stack_is_named(void **state)
{
    const struct named_stack *stack;
    bool has_exchange = false;

    (void)state;
    look("exchange");
    assert_false(fixture.calls.has_stacks);
    calls_name_stacks(&fixture.calls, &fixture.stacks, &fixture.modules, fixture.child, &fixture.places);
    assert_true(fixture.calls.has_stacks);
    assert_int_equal(fixture.calls.n_stacks, 1);
    stack = &fixture.calls.stacks[0];
    assert_true(stack->is_main && stack->ended);
    assert_int_equal(stack->thread, fixture.child);
    assert_true(stack->n >= fixture.stacks.stacks[0].n);
    for (size_t i = 0; i < stack->n; i++)
        has_exchange |= strncmp(stack->frames[i], "exchange", 8) == 0 && strstr(stack->frames[i], " in ") == NULL;
    assert_true(has_exchange);
    assert_non_null(strstr(stack->frames[0], " in libc."));
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

/* With debug information the functions that people have written are named, each with its line, and not only one. */
static void functions_inside_of_others_are_named(void **state)
{
    const struct named_stack *stack;
    size_t first;

    (void)state;
    look("outside");
    calls_name_stacks(&fixture.calls, &fixture.stacks, &fixture.modules, fixture.child, &fixture.places);
    stack = &fixture.calls.stacks[0];
    if (!fixture.calls.calls[0].has_source) {
        find_frame(stack, "receive_outside+0x");
        return;
    }
    first = find_frame(stack, "receive_innermost test_dump_stack.c:");
    assert_int_equal(find_frame(stack, "receive_between test_dump_stack.c:"), first + 1);
    assert_int_equal(find_frame(stack, "receive_outside test_dump_stack.c:"), first + 2);
}

static void caller_of_a_header_is_told(void **state)
{
    const struct call *call;

    (void)state;
    look("header");
    call = &fixture.calls.calls[0];
    if (!call->has_source) {
        assert_int_equal(call->n_chain, 0);
        return;
    }
    assert_int_equal(call->n_chain, 2);
    assert_string_equal(call->chain[0], "receive_in_header away.h:3");
    assert_memory_equal(call->chain[1], "receive_by_header test_dump_stack.c:", 36);
}

static void innermost_function_is_what_a_wrapper_calls(void **state)
{
    const struct call *call;

    (void)state;
    look("send_unsafely");
    assert_int_equal(fixture.calls.n, 1);
    call = &fixture.calls.calls[0];
    assert_int_equal(call->state, CALL_MPI);
    assert_string_equal(call->function, "MPI_Ssend");
    assert_string_equal(call_shown(call), "MPI_Ssend");
    assert_null(call->outer);
    assert_string_equal(call->through, strrchr(fixture.executable, '/') + 1);
    assert_false(call->runs);
    check_place(call, "send_unsafely+0x");
}

static void wrapper_alone_is_outside_of_mpi(void **state)
{
    const struct call *call;

    (void)state;
    look("complete_slowly");
    assert_int_equal(fixture.calls.n, 1);
    call = &fixture.calls.calls[0];
    assert_int_equal(call->state, CALL_OUTSIDE);
    assert_string_equal(call->function, "MPI_Wait");
    assert_string_equal(call->through, strrchr(fixture.executable, '/') + 1);
    assert_true(call->runs);
    check_place(call, "complete_slowly+0x");
}

static void name_like_those_of_mpi_does_not_make_a_wrapper(void **state)
{
    (void)state;
    look("exchange_by_name");
    assert_string_equal(fixture.calls.calls[0].function, "MPI_Recv");
    assert_null(fixture.calls.calls[0].through);
    check_place(&fixture.calls.calls[0], "mpi_exchange_+0x");
}

static void function_called_by_a_function_of_mpi_is_what_waits(void **state)
{
    const struct call *call;

    (void)state;
    look("end_together");
    assert_int_equal(fixture.calls.n, 1);
    call = &fixture.calls.calls[0];
    assert_int_equal(call->state, CALL_MPI);
    assert_string_equal(call->function, "MPI_Barrier");
    assert_string_equal(call->outer, "MPI_Finalize");
    assert_false(call->called_back);
    assert_null(call->through);
    check_place(call, "end_together+0x");
}

static void function_of_the_program_inside_of_mpi_calls_mpi(void **state)
{
    const struct call *call;

    (void)state;
    look("free_together");
    assert_int_equal(fixture.calls.n, 1);
    call = &fixture.calls.calls[0];
    assert_string_equal(call->function, "MPI_Barrier");
    assert_string_equal(call->outer, "MPI_Win_free");
    assert_true(call->called_back);
    assert_false(call->runs);
}

static void function_of_the_program_runs_inside_of_mpi(void **state)
{
    (void)state;
    look("free_slowly");
    assert_int_equal(fixture.calls.n, 1);
    assert_int_equal(fixture.calls.calls[0].state, CALL_MPI);
    assert_string_equal(fixture.calls.calls[0].function, "MPI_Comm_free");
    assert_true(fixture.calls.calls[0].runs);
    check_place(&fixture.calls.calls[0], "free_slowly+0x");
}

static void wait_with_an_end_gets_on_by_itself(void **state)
{
    look("wait_for_a_thread");
    assert_false(fixture.calls.calls[0].runs);
    end_look(state);
    look("wait_for_a_thread_or_an_hour");
    assert_true(fixture.calls.calls[0].runs);
}

/* Which function it is does not depend on the count's type; what the program has written is shown. */
static void call_with_a_large_count_is_the_same_function(void **state)
{
    (void)state;
    look("exchange_much");
    assert_int_equal(fixture.calls.n, 1);
    assert_int_equal(fixture.calls.calls[0].state, CALL_MPI);
    assert_string_equal(fixture.calls.calls[0].function, "MPI_Recv");
    assert_string_equal(call_shown(&fixture.calls.calls[0]), "MPI_Recv_c");
    check_place(&fixture.calls.calls[0], "exchange_much+0x");
}

static void fortran_chooses_the_count_by_itself(void **state)
{
    (void)state;
    look("exchange_much_in_fortran");
    assert_int_equal(fixture.calls.n, 1);
    assert_string_equal(fixture.calls.calls[0].function, "MPI_Recv");
    assert_string_equal(call_shown(&fixture.calls.calls[0]), "MPI_Recv");
    check_place(&fixture.calls.calls[0], "exchange_much_in_fortran+0x");
}

static void rank_outside_of_mpi_is_where_the_program_is(void **state)
{
    (void)state;
    look("relax");
    assert_int_equal(fixture.calls.n, 1);
    assert_int_equal(fixture.calls.calls[0].state, CALL_OUTSIDE);
    assert_string_equal(fixture.calls.calls[0].function, "wait_for_ever");
    check_place(&fixture.calls.calls[0], "wait_for_ever+0x");
    assert_true(fixture.calls.calls[0].runs);
}

/* With the pc in it, whatever it calls: the stack does not end there. */
static void stack_is_followed_through_a_stub(void **state)
{
    (void)state;
    look("probe");
    assert_true(fixture.stacks.stacks[0].n > 3);
    assert_int_equal(fixture.calls.calls[0].state, CALL_MPI);
    assert_string_equal(fixture.calls.calls[0].function, "MPI_Probe");
    check_place(&fixture.calls.calls[0], "probe+0x");
}

static void thread_that_waits_for_another_does_not_run(void **state)
{
    const struct call *other;

    (void)state;
    look("join");
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
    check_place(other, "receive+0x");
}

static void stacks_are_read_to_a_bound(void **state)
{
    (void)state;
    look("recurse");
    assert_int_equal(fixture.stacks.stacks[0].n, 256);
    assert_false(fixture.stacks.stacks[0].ended);
    assert_int_equal(fixture.calls.calls[0].state, CALL_OUTSIDE);
}

static void broken_stack_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    look("break");
    assert_true(fixture.stacks.stacks[0].n <= 256);
    assert_int_not_equal(fixture.calls.calls[0].state, CALL_MPI);
}

static void stack_that_says_nothing_is_unknown(void **state)
{
    uint64_t nowhere[] = {0x10, 0x20};
    struct stack stack = {.thread = 7, .addresses = nowhere, .n = 2};
    struct stacks stacks = {.stacks = &stack, .n = 1, .complete = true};
    struct calls calls = {0};

    (void)state;
    look("relax");
    calls_name(&calls, &stacks, &fixture.modules, 7, &fixture.places);
    assert_int_equal(calls.n, 1);
    assert_int_equal(calls.calls[0].state, CALL_UNKNOWN);
    assert_true(calls.calls[0].runs);
    stack.n = 0;
    calls_name(&calls, &stacks, &fixture.modules, 7, &fixture.places);
    assert_int_equal(calls.calls[0].state, CALL_UNKNOWN);
    calls_clear(&calls);
}

static void process_that_is_gone_has_no_stacks(void **state)
{
    (void)state;
    look("relax");
    kill(fixture.child, SIGKILL);
    waitpid(fixture.child, NULL, 0);
    fixture.child = 0;
    stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
    assert_int_equal(fixture.stacks.n, 0);
    assert_false(fixture.stacks.complete);
}

/* From cores alone. */

static int start_core_tests(void **state)
{
    (void)state;
    from_core = true;
    return 0;
}

static int start_crash_tests(void **state)
{
    (void)state;
    core_signal = SIGSEGV;
    return start_core_tests(state);
}

static void crash_is_where_the_signal_hit(void **state)
{
    (void)state;
    look("handler");
    assert_true(fixture.calls.complete);
    assert_int_equal(fixture.calls.n, 1);
    assert_true(fixture.calls.calls[0].crashed);
    assert_string_equal(fixture.calls.calls[0].fault, "stumble");
    assert_int_equal(fixture.calls.calls[0].state, CALL_OUTSIDE);
}

static void abort_is_a_crash_if_it_was_called(void **state)
{
    (void)state;
    core_signal = SIGABRT;
    look("relax");
    assert_false(fixture.calls.calls[0].crashed);
    assert_null(fixture.calls.calls[0].fault);
    end_look(state);
    look("abort");
    assert_true(fixture.calls.calls[0].crashed);
    assert_string_equal(fixture.calls.calls[0].fault, "abort");
    core_signal = SIGSEGV;
}

/* Whatever a register says. */
static void registers_may_be_wrong(void **state)
{
    static const uint64_t words[] = {0, 1, UINT64_MAX, INT64_MAX, 0x7fff00000000};
    struct core_thread *thread;
    int core;

    (void)state;
    look("exchange");
    thread = &fixture.process.core->threads[0];
    core = open(fixture.core, O_WRONLY);
    for (uint64_t at = 0; at < thread->n_bytes / 8 * 8; at += 8) {
        uint64_t before;

        assert_true(core_read_registers(fixture.process.core, &(struct core_thread){0, thread->registers + at, 8},
                                        &before, 1));
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            assert_int_equal(pwrite(core, &words[i], 8, (off_t)(thread->registers + at)), 8);
            stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
            calls_name(&fixture.calls, &fixture.stacks, &fixture.modules, fixture.child, &fixture.places);
            assert_true(fixture.stacks.stacks[0].n <= 256);
            assert_int_equal(fixture.calls.n, 1);
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

/* A core may say of any file that it lies anywhere. */
static void modules_may_overlap(void **state)
{
    (void)state;
    look("exchange");
    for (size_t i = 0; i < fixture.modules.n; i++) {
        for (size_t k = 0; k < fixture.modules.n; k++) {
            uint64_t bias = fixture.modules.modules[i].bias;

            fixture.modules.modules[i].bias = fixture.modules.modules[k].bias + (k == i ? 0x1800 : 0);
            stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
            assert_true(fixture.stacks.n == 1 && fixture.stacks.stacks[0].n <= 256);
            fixture.modules.modules[i].bias = bias;
        }
        fixture.modules.modules[i].bias += UINT64_MAX / 2;
    }
    stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
}

static void check_text(char *text, const char *expected)
{
    if (expected == NULL)
        assert_null(text);
    else
        assert_string_equal(text, expected);
    free(text);
}

static void check_name(const char *symbol, const char *expected)
{
    check_text(mpi_function_name(symbol), expected);
    check_text(mpi_written_name(symbol), expected);
}

/* A function for large counts. */
static void check_large_count(const char *symbol, const char *expected, const char *written)
{
    check_text(mpi_function_name(symbol), expected);
    check_text(mpi_written_name(symbol), written);
}

static void names_of_all_bindings(void **state)
{
    (void)state;
    check_name("MPI_Recv", "MPI_Recv");
    check_name("PMPI_Recv", "MPI_Recv");
    check_name("mpi_recv_", "MPI_Recv");
    check_name("pmpi_recv_", "MPI_Recv");
    check_name("mpi_comm_dup__", "MPI_Comm_dup");
    check_name("mpi_recv_f08_", "MPI_Recv");
    check_name("ompi_mpi_finalize", "MPI_Finalize");
    check_name("ompi_recv_f", "MPI_Recv");
    check_name("ompi_comm_dup_f", "MPI_Comm_dup");
    check_name("ompi_recv_", NULL);
    check_name("ompi_request_free", NULL);
    check_name("ompi__f", NULL);
    check_name("mpi_recv", NULL);
    check_name("MPI_", NULL);
    check_name("MPI_COMM_WORLD", NULL);
    check_name("mpi_", NULL);
    check_name("mpi__", NULL);
    check_name("_f08_", NULL);
    check_name("mpi_f08_", NULL);
    check_name("", NULL);
    check_name("P", NULL);
    check_name("my_MPI_Recv", NULL);
    check_name("mpi_my_Solver_", NULL);
    check_name("mpi_recv_f08ts_", "MPI_Recv");
    check_name("mpi_recv_fts_", "MPI_Recv");
    check_name("MPI_Comm_f2c", "MPI_Comm_f2c");
    check_name("mpi_c_", "MPI_C");
    check_name("MPI_c", NULL);
}

static void names_of_functions_for_large_counts(void **state)
{
    (void)state;
    check_large_count("MPI_Recv_c", "MPI_Recv", "MPI_Recv_c");
    check_large_count("PMPI_Recv_c", "MPI_Recv", "MPI_Recv_c");
    check_large_count("PMPI_Neighbor_alltoallw_c", "MPI_Neighbor_alltoallw", "MPI_Neighbor_alltoallw_c");
    check_large_count("mpi_recv_c_", "MPI_Recv", "MPI_Recv");
    check_large_count("mpi_recv_c_f08_", "MPI_Recv", "MPI_Recv");
    check_large_count("mpi_recv_c_f08ts_", "MPI_Recv", "MPI_Recv");
    check_large_count("pmpi_recv_c__", "MPI_Recv", "MPI_Recv");
    check_large_count("ompi_recv_c_f", "MPI_Recv", "MPI_Recv");
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, end_look)
    const struct CMUnitTest tests[] = {
        TEST(call_of_one_function_has_no_outer_one),
        TEST(whole_stack_is_named),
        TEST(functions_inside_of_others_are_named),
        TEST(caller_of_a_header_is_told),
        TEST(innermost_function_is_what_a_wrapper_calls),
        TEST(wrapper_alone_is_outside_of_mpi),
        TEST(name_like_those_of_mpi_does_not_make_a_wrapper),
        TEST(function_called_by_a_function_of_mpi_is_what_waits),
        TEST(function_of_the_program_inside_of_mpi_calls_mpi),
        TEST(function_of_the_program_runs_inside_of_mpi),
        TEST(wait_with_an_end_gets_on_by_itself),
        TEST(call_with_a_large_count_is_the_same_function),
        TEST(fortran_chooses_the_count_by_itself),
        TEST(rank_outside_of_mpi_is_where_the_program_is),
        TEST(stack_is_followed_through_a_stub),
        TEST(thread_that_waits_for_another_does_not_run),
        TEST(stacks_are_read_to_a_bound),
        TEST(broken_stack_is_read_as_far_as_it_goes),
        TEST(stack_that_says_nothing_is_unknown),
        TEST(process_that_is_gone_has_no_stacks),
        TEST(names_of_all_bindings),
        TEST(names_of_functions_for_large_counts),
    };

    const struct CMUnitTest core_tests[] = {
        TEST(call_of_one_function_has_no_outer_one),
        TEST(innermost_function_is_what_a_wrapper_calls),
        TEST(wrapper_alone_is_outside_of_mpi),
        TEST(name_like_those_of_mpi_does_not_make_a_wrapper),
        TEST(function_called_by_a_function_of_mpi_is_what_waits),
        TEST(function_of_the_program_inside_of_mpi_calls_mpi),
        TEST(function_of_the_program_runs_inside_of_mpi),
        TEST(wait_with_an_end_gets_on_by_itself),
        TEST(call_with_a_large_count_is_the_same_function),
        TEST(fortran_chooses_the_count_by_itself),
        TEST(rank_outside_of_mpi_is_where_the_program_is),
        TEST(stack_is_followed_through_a_stub),
        TEST(thread_that_waits_for_another_does_not_run),
        TEST(stacks_are_read_to_a_bound),
        TEST(broken_stack_is_read_as_far_as_it_goes),
        TEST(registers_may_be_wrong),
        TEST(modules_may_overlap),
    };
    const struct CMUnitTest crash_tests[] = {
        TEST(crash_is_where_the_signal_hit),
        TEST(abort_is_a_crash_if_it_was_called),
    };
    int failed;

    if (argc == 2)
        return run_child(argv[1]);
    failed = cmocka_run_group_tests_name("stack", tests, NULL, NULL);
    failed += cmocka_run_group_tests_name("stack of a core", core_tests, start_core_tests, NULL);
    return failed + cmocka_run_group_tests_name("crash", crash_tests, start_crash_tests, NULL);
}

/* As a library has it that consists of headers. */
#line 1 "/usr/include/away.h"
static void receive_in_header(void)
{
    PMPI_Recv();
    after++;
}
