/*
 * test_dump_process.c - holding and reading a real process, a child with four threads that count; and what becomes of
 * held processes when the holder, the reader, or the kernel does not answer.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN teardown(fixture)
#define TEST_FIXTURE struct fixture
#include "unit_test.h"

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/hold/held.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/hold/holder.h"
#include "mqd/dump/collect/target/process.h"
#include "tests/unit/fake_clock.h"
#include "tests/unit/in_valgrind.h"

/* What takes so long will never come. */
enum { N_THREADS = 4, SECONDS = 600 };

/* In memory that the processes of the test share. */
struct shared {
    volatile unsigned counts[N_THREADS];
    volatile pid_t threads[N_THREADS];
    volatile sig_atomic_t n_signals;
    volatile bool raises;              /* the child's main thread is to send signals to itself */
    volatile bool main_ends;           /* it is to end */
    volatile bool vforks;              /* it is to wait for a child of vfork */
    volatile bool calls_exec;          /* the child's last thread is to call exec */
    volatile pid_t grandchild;         /* the child of vfork, which pauses */
    volatile unsigned n_raised, n_lost;
    volatile bool held, done;          /* by a reader that is a process of its own */
};
static struct shared *shared;
static struct watch *page;

/* What /proc says of a thread: its state, '?' if it has ended, and who traces it, 0 if nobody does. */
static char state_of(pid_t thread)
{
    struct proc_status status;

    return proc_read_status(thread, &status) ? status.state : '?';
}

static pid_t tracer_of(pid_t thread)
{
    struct proc_status status;

    return proc_read_status(thread, &status) ? status.tracer : 0;
}

/* In the child's own memory; the test's copy keeps its value. */
static volatile uint64_t private_word = 1;

/* A thread has handled the signal that it sends to itself before it goes on. */
static void raise_one(void)
{
    sig_atomic_t n_before = shared->n_signals;

    shared->n_raised++;
    raise(SIGUSR1);
    if (shared->n_signals != n_before + 1)
        shared->n_lost++;
}

/* Until its child ends, a thread that calls vfork can neither be stopped nor killed. */
static void wait_for_child_of_vfork(void)
{
    pid_t child = vfork();

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        shared->grandchild = getpid();
        for (;;)
            pause();
    }
    shared->vforks = false;
    waitpid(child, NULL, 0);
}

static void count_signal(int number)
{
    (void)number;
    shared->n_signals++;
}

static void *count(void *number)
{
    size_t n = (size_t)(uintptr_t)number;

    shared->threads[n] = gettid();
    for (;;) {
        shared->counts[n]++;
        if (n == 0 && shared->raises)
            raise_one();
        else if (n == 0 && shared->vforks)
            wait_for_child_of_vfork();
        else if (n == 0 && shared->main_ends)
            pthread_exit(NULL);
        else if (n == N_THREADS - 1 && shared->calls_exec)
            execlp("sleep", "sleep", "1000", (char *)NULL);
        else
            rest();
    }
    return NULL;
}

static _Noreturn void run_child(void)
{
    /* kernel.yama.ptrace_scope may let only ancestors trace a process that does not permit it to others. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGUSR1, count_signal);
    private_word = 0x1122334455667788;
    for (uintptr_t i = 1; i < N_THREADS; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, count, (void *)i) != 0)
            _exit(1);
    }
    count(NULL);
    _exit(0);
}

struct fixture {
    pid_t child;
    struct process process;
    struct hold hold;
    volatile bool answered, let_go;    /* by the holder */
};

static void await(const volatile bool *condition)
{
    while (!*condition)
        rest();
}

static void await_counts(void)
{
    unsigned before[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        before[i] = shared->counts[i];
    for (int i = 0; i < N_THREADS; i++)
        while (shared->counts[i] == before[i])
            rest();
}

static bool none_counts(void)
{
    struct shared before = *shared;

    for (int i = 0; i < 20; i++)
        rest();
    return memcmp(&before, shared, sizeof before) == 0;
}

static void start_child(struct fixture *fixture)
{
    fixture->child = fork();
    if (fixture->child == 0)
        run_child();
}

static void setup(struct fixture *fixture)
{
    clock_stop();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    /* Before there is a holder, which ends when nobody has the other end of its socket. */
    start_child(fixture);
    assert_true(hold_start(&fixture->hold, NULL, 0, WHY));
    await_counts();
    assert_true(process_open(&fixture->process, (struct process_id){.pid = fixture->child}, false, WHY));
}

/* Moves a process to the n-th processor that it may use; stays where it is if there are not so many. */
static void move_to_processor(pid_t pid, int n)
{
    cpu_set_t all, one;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &all) || n-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(i, &one);
        sched_setaffinity(pid, sizeof one, &one);
        return;
    }
}

static void teardown(struct fixture *fixture)
{
    if (fixture->child > 0)
        kill(fixture->child, SIGKILL);
    hold_end(&fixture->hold);
    process_close(&fixture->process);
    if (fixture->child > 0)
        waitpid(fixture->child, NULL, 0);
    munmap(shared, sizeof *shared);
}

static bool stop_child(struct fixture *fixture)
{
    hold_processes(&fixture->hold, &(struct hold_wish){&fixture->process, WHY}, 1);
    return why() == NULL;
}

static void reopen(struct fixture *fixture)
{
    process_close(&fixture->process);
    assert_true(process_open(&fixture->process, (struct process_id){.pid = fixture->child}, false, WHY));
}

static struct process *hold(struct fixture *fixture)
{
    if (!stop_child(fixture))
        fail_msg("%s", why());
    return &fixture->process;
}

static void let_go(struct fixture *fixture)
{
    if (!hold_let_go(&fixture->hold, WHY))
        fail_msg("%s", why());
}

TEST(held_process_stands_still_and_goes_on)
{
    struct process *process = hold(fixture);

    assert_int_equal(process->n_threads, N_THREADS);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_true(process->threads[i].stopped && process->threads[i].n_register_bytes > 0);
    assert_true(none_counts());
    let_go(fixture);
    await_counts();
    let_go(fixture);
}

TEST(held_process_can_be_read)
{
    struct process *process = hold(fixture);
    uint64_t word = 0;

    assert_int_equal(process_read(process, (uint64_t)(uintptr_t)&private_word, &word, sizeof word), READ_OK);
    assert_true(word == 0x1122334455667788);
    assert_true(private_word == 1);
    assert_int_equal(process_read(process, 8, &word, sizeof word), READ_BAD_ADDRESS);
    assert_false(process->dead);
}

TEST(read_that_ends_in_nothing_fails_as_a_whole)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct process *process;
    char *buffer = malloc(page);
    char *three = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    /* A child that is forked now has a hole between two pages. */
    munmap(three + page, page);
    kill(fixture->child, SIGKILL);
    waitpid(fixture->child, NULL, 0);
    start_child(fixture);
    await_counts();
    reopen(fixture);
    process = hold(fixture);
    assert_int_equal(process_read(process, (uint64_t)(uintptr_t)three, buffer, page), READ_OK);
    assert_int_equal(process_read(process, (uint64_t)(uintptr_t)three + 1, buffer, page), READ_BAD_ADDRESS);
    munmap(three, page);
    munmap(three + 2 * page, page);
    free(buffer);
}

TEST(signal_that_arrives_meanwhile_is_delivered)
{
    hold(fixture);
    kill(fixture->child, SIGUSR1);
    assert_true(none_counts());
    let_go(fixture);
    await_counts();
    assert_int_equal(shared->n_signals, 1);
}

/* A thread that does nothing but that often has one on its way when it is stopped, if there are two processors. */
TEST(signal_that_arrives_while_stopping_is_delivered)
{
    unsigned n_before;
    int n_met = 0;

    /* Away from the test, if that is possible: the two must run at the same time. */
    move_to_processor(fixture->child, 1);
    move_to_processor(fixture->hold.holder, 0);
    shared->raises = true;
    await_counts();
    n_before = shared->n_raised;
    for (int i = 0; i < 500 && n_met < 5; i++) {
        struct process *process = hold(fixture);

        n_met += process->threads[0].signal == SIGUSR1;
        let_go(fixture);
        rest();
    }
    assert_true(shared->n_raised > n_before);
    assert_int_equal(shared->n_lost, 0);
    if (n_met == 0)
        skip_because("no stop met a signal");
}

TEST(process_that_dies_is_gone)
{
    struct process *process = hold(fixture);
    uint64_t word = 42;
    enum read_result result = READ_OK;

    kill(fixture->child, SIGKILL);
    while (result == READ_OK) {
        result = process_read(process, (uint64_t)(uintptr_t)&private_word, &word, sizeof word);
        rest();
    }
    assert_int_equal(result, READ_PROCESS_GONE);
    assert_true(process->dead);
}

/* The end of the main thread is only told when those of the others are known. */
TEST(process_that_dies_while_stopping_is_not_waited_for)
{
    struct held held = {.pid = fixture->child};
    double until = seconds_now() + 300;

    held_attach(&held, until);
    kill(fixture->child, SIGKILL);
    held_wait(&held, until);
    /* Where the tracer is the parent too nothing may be left of the process. */
    assert_true(held.state == HELD || held.state == HELD_ENDED);
    assert_true(held.dead);
    for (size_t i = 0; i < held.n; i++)
        assert_false(held.threads[i].stopped);
    while (!held_let_go(&held))
        rest();
    assert_int_equal(held.n, 0);
    assert_int_equal(kill(fixture->child, 0), -1);
    fixture->child = 0;
    held_clear(&held);
}

/* Its parent learns of its end at once, not only when it is let go. */
TEST(process_that_dies_while_it_is_held_is_laid_to_rest)
{
    struct process *process = hold(fixture);
    pid_t ended = 0;

    kill(fixture->child, SIGKILL);
    while (ended == 0) {
        ended = waitpid(fixture->child, NULL, WNOHANG);
        rest();
    }
    assert_int_equal(ended, fixture->child);
    assert_true(process_has_ended(process));
    let_go(fixture);
    fixture->child = 0;
}

/* Lets the child wait uninterruptibly, for the end of its own child. valgrind makes a fork of vfork. */
static void wait_in_the_kernel(struct fixture *fixture)
{
    if (is_in_valgrind())
        skip_because("not under valgrind");
    shared->vforks = true;
    while (shared->grandchild == 0 || state_of(fixture->child) != 'D')
        rest();
}

/* Has a tracer stopped all threads of a process but its main thread? */
static bool others_are_stopped(pid_t pid)
{
    char path[64];
    size_t n_stopped = 0;
    const struct dirent *entry;
    DIR *threads;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    threads = opendir(path);
    while (threads != NULL && (entry = readdir(threads)) != NULL)
        n_stopped += atoi(entry->d_name) > 0 && atoi(entry->d_name) != pid && state_of(atoi(entry->d_name)) == 't';
    if (threads != NULL)
        closedir(threads);
    return n_stopped == N_THREADS - 1;
}

/* Lets time pass while the holder waits for nothing but the main thread. */
static void *let_time_pass(void *context)
{
    const struct fixture *fixture = context;

    while (!fixture->let_go) {
        if (fixture->answered || others_are_stopped(fixture->child))
            clock_move(SECONDS_TO_STOP / 4);
        rest();
    }
    return NULL;
}

/* A thread that does not stop is named with what it does; it is let go as soon as it can be. */
TEST(thread_that_cannot_be_stopped_is_named_and_let_go_later)
{
    struct process *process = &fixture->process;
    double start = seconds_now();
    char expected[128];
    pthread_t thread;

    wait_in_the_kernel(fixture);
    fixture->hold.seconds = fixture->hold.seconds_to_answer = 1e9;
    assert_int_equal(pthread_create(&thread, NULL, let_time_pass, fixture), 0);
    assert_false(stop_child(fixture));
    fixture->answered = true;
    assert_true(seconds_now() - start > SECONDS_TO_STOP);
    snprintf(expected, sizeof expected, "its thread %d did not stop within 3 seconds (the thread's state is D;",
             (int)fixture->child);
    assert_has(why(), expected);
    assert_int_equal(process->n_threads, 0);

    let_go(fixture);
    fixture->let_go = true;
    pthread_join(thread, NULL);
    assert_int_not_equal(tracer_of(fixture->child), 0);
    kill(shared->grandchild, SIGKILL);
    while (tracer_of(fixture->child) != 0)
        rest();
    await_counts();
}

TEST(process_whose_main_thread_has_ended_is_read_through_another)
{
    uint64_t word = 0;
    struct process *process;

    shared->main_ends = true;
    while (!proc_has_ended(fixture->child))
        rest();
    reopen(fixture);
    assert_int_not_equal(fixture->process.reader, fixture->child);
    assert_false(process_has_ended(&fixture->process));
    process = hold(fixture);
    assert_int_not_equal(process->reader, fixture->child);
    assert_int_equal(process->n_threads, N_THREADS - 1);
    assert_int_equal(process_read(process, (uint64_t)(uintptr_t)&private_word, &word, sizeof word), READ_OK);
    assert_true(word == 0x1122334455667788);
    assert_true(none_counts());
    let_go(fixture);
    while (none_counts())
        continue;
}

TEST(process_that_is_stopped_stays_stopped)
{
    struct proc_status status;
    int ignored;

    kill(fixture->child, SIGSTOP);
    waitpid(fixture->child, &ignored, WUNTRACED);
    hold(fixture);
    let_go(fixture);
    assert_true(none_counts());
    assert_true(proc_read_status(fixture->child, &status));
    assert_int_equal(status.state, 'T');
    assert_int_equal(status.tracer, 0);
    kill(fixture->child, SIGCONT);
    await_counts();
}

static void check_open_fails(pid_t pid, const char *part)
{
    struct process process;

    assert_false(process_open(&process, (struct process_id){.pid = pid}, false, WHY));
    assert_has(why(), part);
    process_close(&process);
}

TEST(pids_that_cannot_be_opened)
{
    char owner[64];
    siginfo_t info;

    snprintf(owner, sizeof owner, "thread of process %d ", (int)fixture->child);
    check_open_fails(0x7fffffff, "no such process");
    check_open_fails(getpid(), "mqdump itself");
    check_open_fails(shared->threads[1], owner);
    kill(fixture->child, SIGKILL);
    waitid(P_PID, (id_t)fixture->child, &info, WEXITED | WNOWAIT);
    check_open_fails(fixture->child, "has ended");
}

/* Another debugger: its holds are none of this one's. */
static void look_elsewhere(struct process *process, struct fixture *fixture)
{
    struct hold none = {.socket = -1};

    assert_true(process_open(process, (struct process_id){.pid = fixture->child}, false, WHY));
    hold_processes(&none, &(struct hold_wish){process, WHY}, 1);
}

TEST(process_that_another_debugger_holds_is_read_where_it_stands)
{
    struct process process;
    uint64_t word = 0;

    hold(fixture);
    look_elsewhere(&process, fixture);
    assert_null(why());
    assert_int_equal(process.debugger, fixture->hold.holder);
    assert_int_equal(process.n_threads, N_THREADS);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_true(process.threads[i].stopped && process.threads[i].n_register_bytes == 0);
    assert_int_equal(process_read(&process, (uint64_t)(uintptr_t)&private_word, &word, sizeof word), READ_OK);
    assert_true(word == 0x1122334455667788);
    assert_true(hold_stood_still(&process, WHY));
    assert_int_equal(tracer_of(fixture->child), fixture->hold.holder);
    process_close(&process);
    assert_true(none_counts());
    let_go(fixture);
    await_counts();
}

TEST(process_that_its_debugger_lets_go_on_meanwhile_did_not_stand_still)
{
    struct process process;

    hold(fixture);
    look_elsewhere(&process, fixture);
    let_go(fixture);
    assert_false(hold_stood_still(&process, WHY));
    assert_has(why(), "which traces it, let it run while it was read");
    /* It has stopped it again. */
    *WHY = NULL;
    hold(fixture);
    assert_false(hold_stood_still(&process, WHY));
    process_close(&process);
}

TEST(each_thread_and_the_time_of_all_show_that_it_did_not_stand_still)
{
    struct process process;

    hold(fixture);
    look_elsewhere(&process, fixture);
    process.threads[N_THREADS - 1].switches++;
    assert_false(hold_stood_still(&process, WHY));
    process.threads[N_THREADS - 1].switches--;
    process.used -= 1e-6;
    assert_false(hold_stood_still(&process, WHY));
    process.used += 1e-6;
    process.n_threads--;
    assert_false(hold_stood_still(&process, WHY));
    process.n_threads++;
    assert_true(hold_stood_still(&process, WHY));
    process_close(&process);
}

/* Whoever may not trace a process may not read it either, though another one has stopped it. */
TEST(process_of_another_user_is_not_read_where_a_debugger_holds_it)
{
    int status = -1;
    pid_t reader;

    if (geteuid() != 0)
        skip_because("only root can be another user");
    hold(fixture);
    assert_true(process_may_read(fixture->child, WHY));
    reader = fork();
    if (reader == 0) {
        bool refused = setuid(65534) == 0 && !process_may_read(fixture->child, WHY) &&
                       strstr(why(), "it belongs to the user root: run mqdump as that user or as root") != NULL;

        _exit(refused ? 0 : 1);
    }
    waitpid(reader, &status, 0);
    assert_int_equal(status, 0);
    let_go(fixture);
}

/* As gdb's mode "non-stop" lets the other threads run. */
TEST(process_of_which_a_debugger_lets_a_thread_run_is_not_read)
{
    struct process process;
    char expected[64];

    assert_int_equal(ptrace(PTRACE_SEIZE, fixture->child, NULL, NULL), 0);
    ptrace(PTRACE_INTERRUPT, fixture->child, NULL, NULL);
    while (state_of(fixture->child) != 't')
        rest();
    look_elsewhere(&process, fixture);
    snprintf(expected, sizeof expected, "and its thread %d runs: stop all its threads", (int)shared->threads[1]);
    assert_has(why(), expected);
    assert_int_equal(process.n_threads, 0);
    assert_int_equal(process.debugger, 0);
    process_close(&process);
}

/*
 * Ends the child and gives its number to another one, a little later: start times are told in hundredths of a second.
 * False where the system does not let the test choose a number.
 */
static bool replace_child(struct fixture *fixture)
{
    pid_t number = fixture->child;
    struct clone_args arguments = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&number, .set_tid_size = 1};
    long child;

    kill(fixture->child, SIGKILL);
    waitpid(fixture->child, NULL, 0);
    fixture->child = 0;
    for (int i = 0; i < 20; i++)
        rest();
    child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0)
        run_child();
    if (child != number) {
        print_message("skipped: the system does not let a test choose the number of a process\n");
        return false;
    }
    fixture->child = number;
    await_counts();
    return true;
}

static void check_other_is_left_alone(struct fixture *fixture)
{
    struct proc_status status;

    assert_non_null(why());
    assert_has(why(), "it has ended: its process id was given to another process (test_dump_proce");
    assert_true(proc_read_status(fixture->child, &status));
    assert_int_equal(status.tracer, 0);
    await_counts();
}

/* Between the list of jobs, or what a user has looked up, and the first look. */
TEST(process_with_the_number_of_another_is_not_taken_up)
{
    struct process_id id = {fixture->child, proc_read_start_time(fixture->child)};

    assert_true(id.start > 0);
    if (!replace_child(fixture))
        skip_because("only root can choose numbers of processes");
    assert_false(process_open(&fixture->process, id, false, WHY));
    check_other_is_left_alone(fixture);
    assert_false(process_open(&fixture->process, id, true, WHY));
    check_other_is_left_alone(fixture);
}

TEST(process_with_the_number_of_another_is_not_stopped)
{
    if (!replace_child(fixture))
        skip_because("only root can choose numbers of processes");
    assert_false(stop_child(fixture));
    assert_int_equal(fixture->process.n_threads, 0);
    check_other_is_left_alone(fixture);
}

/* Between two looks. */
TEST(process_with_the_number_of_another_is_not_stopped_again)
{
    struct process *process = hold(fixture);

    let_go(fixture);
    if (!replace_child(fixture))
        skip_because("only root can choose numbers of processes");
    assert_false(stop_child(fixture));
    assert_int_equal(process->n_threads, 0);
    check_other_is_left_alone(fixture);
}

/* While the process is being stopped: tells who it was to be, and lets it be stopped. */
static void *reveal(void *context)
{
    struct process *process = context;

    while (tracer_of(process->pid) == 0)
        rest();
    process->start--;
    kill(shared->grandchild, SIGKILL);
    return NULL;
}

/* The pid may belong to another process at the last moment. That process is released and not read. */
TEST(process_that_was_stopped_in_place_of_another_is_let_go)
{
    pthread_t thread;

    wait_in_the_kernel(fixture);
    assert_int_equal(pthread_create(&thread, NULL, reveal, &fixture->process), 0);
    assert_false(stop_child(fixture));
    pthread_join(thread, NULL);
    assert_int_equal(fixture->process.n_threads, 0);
    assert_true(hold_let_go(&fixture->hold, &(char *){NULL}));
    check_other_is_left_alone(fixture);
}

/* The time. */

/* The holder looks at its clock when a signal wakes it up. */
static void let_pass(double seconds, pid_t holder)
{
    clock_move(seconds);
    kill(holder, SIGCHLD);
}

TEST(process_is_let_go_when_the_time_is_over)
{
    fixture->hold.seconds = 3;
    fixture->hold.seconds_per_process = 1;
    hold(fixture);
    let_pass(3.9, fixture->hold.holder);
    assert_true(none_counts());
    assert_false(page->expired);
    let_pass(0.2, fixture->hold.holder);
    await_counts();
    assert_true(page->expired);
    assert_false(hold_let_go(&fixture->hold, WHY));
    assert_has(why(), "took too long");
    assert_false(page->expired);

    /* The next time is a new one. */
    hold(fixture);
    assert_true(none_counts());
    let_go(fixture);
    await_counts();
}

/* A reader that does not even take the answer. */
TEST(time_is_over_also_while_the_holder_answers)
{
    enum { N_TIMES = 200 };            /* the answer fits into no buffer */
    const struct hold_request request = {.what = HOLD_PROCESSES, .n = N_TIMES, .seconds = 1};
    int sockets[2], small = 4096;
    pid_t holder;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    setsockopt(sockets[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    holder = fork();
    if (holder == 0) {
        close(sockets[0]);
        holder_serve(sockets[1], NULL, 0);
        _exit(0);
    }
    close(sockets[1]);
    assert_int_equal(send(sockets[0], &request, sizeof request, 0), sizeof request);
    for (int i = 0; i < N_TIMES; i++)
        assert_int_equal(send(sockets[0], &(int32_t){fixture->child}, sizeof(int32_t), 0), sizeof(int32_t));
    /* It has set a time before it attaches. */
    while (tracer_of(fixture->child) != holder)
        rest();
    let_pass(1.1, holder);
    while (!page->expired)
        rest();
    await_counts();
    watch_own()->expired = false;
    close(sockets[0]);
    waitpid(holder, NULL, 0);
}

/* Ends. */

TEST(process_goes_on_when_the_holder_is_killed)
{
    hold(fixture);
    assert_true(none_counts());
    kill(fixture->hold.holder, SIGKILL);
    await_counts();
    assert_false(hold_let_go(&fixture->hold, WHY));
    assert_has(why(), "has ended, or did not answer");
    assert_false(stop_child(fixture));
    assert_has(why(), "has ended, or did not answer");
    assert_int_equal(fixture->process.n_threads, 0);
}

TEST(only_processes_that_were_named_are_held)
{
    const struct process_id named[] = {{.pid = fixture->child}, {.pid = 1}}, another[] = {{.pid = 1}};
    const struct {
        const struct process_id *only;
        size_t n;
        bool good;
    } cases[] = {{named, 2, true}, {another, 1, false}, {named, 0, false}};

    for (size_t i = 0; i < N_OF(cases); i++) {
        hold_end(&fixture->hold);
        assert_true(hold_start(&fixture->hold, cases[i].only, cases[i].n, WHY));
        assert_int_equal(stop_child(fixture), cases[i].good);
        if (cases[i].good)
            assert_true(none_counts() && hold_let_go(&fixture->hold, WHY));
        else
            assert_has(why(), "has ended, or did not answer");
        await_counts();
    }
}

TEST(process_goes_on_when_the_holder_does_not_answer)
{
    hold(fixture);
    kill(fixture->hold.holder, SIGSTOP);
    assert_true(none_counts());
    clock_skip_waits("STt");
    assert_false(hold_let_go(&fixture->hold, WHY));
    assert_has(why(), "has ended, or did not answer");
    await_counts();
}

/* A reader in a process of its own, which has a holder of its own, holds the child and waits. */
static pid_t start_reader(struct fixture *fixture)
{
    pid_t reader = fork();

    if (reader == 0) {
        struct hold own;

        if (hold_start(&own, NULL, 0, WHY)) {
            hold_processes(&own, &(struct hold_wish){&fixture->process, WHY}, 1);
            shared->held = why() == NULL;
        }
        await(&shared->done);
        _exit(0);
    }
    await(&shared->held);
    return reader;
}

TEST(process_goes_on_when_the_reader_is_killed)
{
    pid_t reader = start_reader(fixture);

    assert_true(none_counts());
    kill(reader, SIGKILL);
    await_counts();
    waitpid(reader, NULL, 0);
}

TEST(process_goes_on_when_the_reader_ends)
{
    pid_t reader = start_reader(fixture);

    assert_true(none_counts());
    shared->done = true;
    await_counts();
    waitpid(reader, NULL, 0);
}

/* Signals of the terminal are for who reads: his end ends the holder. */
TEST(holder_is_not_ended_by_a_terminal)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE};

    hold(fixture);
    for (size_t i = 0; i < N_OF(numbers); i++)
        kill(fixture->hold.holder, numbers[i]);
    assert_true(none_counts());
    let_go(fixture);
    await_counts();
}

TEST(holder_has_nothing_open)
{
    char path[64], target[64];
    int n_open = 0;

    hold(fixture);
    for (int i = 0; i < 256; i++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)fixture->hold.holder, i);
        if (readlink(path, target, sizeof target) < 0)
            continue;
        n_open++;
        assert_memory_equal(target, "socket:", 7);
    }
    assert_int_equal(n_open, 1);
    let_go(fixture);
}

/* Exec. */

/* As if a thread called exec while the others are attached to, one after the other. */
static void attach_to_others(struct held *held)
{
    held->threads = calloc(N_THREADS, sizeof *held->threads);
    held->room = N_THREADS;
    for (size_t i = 0; i < N_THREADS - 1; i++) {
        assert_int_equal(ptrace(PTRACE_SEIZE, shared->threads[i], NULL, NULL), 0);
        held->threads[held->n++] = (struct thread){.id = shared->threads[i]};
    }
}

/* The child's last thread calls exec and waits for those that are held. */
static void call_exec(void)
{
    shared->calls_exec = true;
    while (state_of(shared->threads[N_THREADS - 1]) != 'D')
        rest();
}

/*
 * The kernel attaches to nothing before exec is over, and exec waits for those that have ended to be laid to rest.
 * Under valgrind it ends the others first, by itself, and waits for ever if they are held.
 */
TEST(thread_that_calls_exec_is_attached_to)
{
    struct held held = {.pid = fixture->child};
    struct proc_status status;
    double until = seconds_now() + 300;

    if (is_in_valgrind())
        skip_because("not under valgrind");
    attach_to_others(&held);
    call_exec();

    held_prepare();
    held_attach(&held, until);
    held_wait(&held, until);
    held_finish();
    assert_int_equal(held.state, HELD);
    assert_true(held.threads[0].id == fixture->child && held.threads[0].stopped);
    for (size_t i = 1; i < held.n; i++)
        assert_true(held.threads[i].gone);
    assert_true(proc_read_status(fixture->child, &status));
    assert_string_equal(status.name, "sleep");
    assert_int_equal(status.state, 't');
    assert_true(held_let_go(&held));
    held_clear(&held);
    assert_true(proc_read_status(fixture->child, &status));
    assert_int_equal(status.tracer, 0);
}

/* The number of the system call that a process waits in; -1: in none. */
static long call_of(pid_t pid)
{
    char *text = of_test(proc_read("/proc/%d/syscall", (int)pid));
    long number;

    if (text == NULL || sscanf(text, "%ld", &number) != 1)
        number = -1;
    return number;
}

/* Traces a thread and does not lay it to rest. Then lets time pass when the holder waits for that. */
static _Noreturn void trace_another(pid_t holder)
{
    shared->held = ptrace(PTRACE_SEIZE, shared->threads[1], NULL, NULL) == 0;
    while (call_of(holder) != SYS_ptrace)
        rest();
    clock_move(SECONDS_TO_STOP + 1);
    await(&shared->done);
    _exit(0);
}

/* Exec never ends if another tracer does not lay a thread to rest: that costs the process, not the others. */
TEST(attaching_is_given_up)
{
    struct held held = {.pid = fixture->child};
    pid_t other;

    if (is_in_valgrind())
        skip_because("not under valgrind");
    other = fork();
    if (other == 0)
        trace_another(fixture->hold.holder);
    await(&shared->held);
    call_exec();

    held_prepare();
    held_attach(&held, seconds_now() - 1);
    held_finish();
    assert_int_equal(held.state, HELD_NOT_ATTACHED);
    held_let_go(&held);
    held_clear(&held);

    assert_false(stop_child(fixture));
    assert_has(why(), "calling exec");
    let_go(fixture);
    shared->done = true;
    waitpid(other, NULL, 0);
}

/* Ends a test that waits for ever. An alarm cannot: held_prepare has it. */
static void start_watchdog(void)
{
    pid_t test = getpid();

    if (fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sleep(SECONDS);
    kill(test, SIGKILL);
    _exit(1);
}

/* Containers and security settings may forbid to trace a process at all. Says so on stderr. */
static bool can_trace(void)
{
    int status = -1;
    pid_t child;

    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    child = fork();
    if (child == 0)
        _exit(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0 ? 0 : 77);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    fprintf(stderr, "skipped because: a process cannot be held\n");
    return false;
}

/* As the holder of another mqdump does. When this one waits for it, it lets go, or time passes. */
static _Noreturn void hold_as_another(const struct fixture *fixture, bool lets_go)
{
    prctl(PR_SET_NAME, "mqdump");
    shared->held = ptrace(PTRACE_SEIZE, fixture->child, NULL, NULL) == 0;
    while (call_of(fixture->hold.holder) != SYS_clock_nanosleep)
        rest();
    if (!lets_go) {
        clock_move(SECONDS_FOR_ANOTHER + 1);
        await(&shared->done);
    }
    _exit(0);
}

static pid_t start_another(const struct fixture *fixture, bool lets_go)
{
    pid_t other = fork();

    if (other == 0)
        hold_as_another(fixture, lets_go);
    await(&shared->held);
    assert_true(process_is_with_another(fixture->child, fixture->hold.holder));
    assert_false(process_is_with_another(fixture->child, other));
    return other;
}

TEST(another_mqdump_is_waited_for)
{
    pid_t other = start_another(fixture, true);

    assert_true(stop_child(fixture));
    assert_int_equal(tracer_of(fixture->child), fixture->hold.holder);
    let_go(fixture);
    waitpid(other, NULL, 0);
}

/* The time that it was waited for before counts: no clock has to be moved. */
TEST(another_mqdump_is_waited_for_once)
{
    pid_t other = start_another(fixture, false);

    fixture->hold.for_another = seconds_now();
    assert_false(stop_child(fixture));
    assert_has(why(), "(mqdump), which has not let go of it in the time that mqdump waits");
    let_go(fixture);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
}

TEST(another_mqdump_that_does_not_let_go_is_not_waited_for_for_ever)
{
    pid_t other = start_another(fixture, false);

    assert_false(stop_child(fixture));
    assert_has(why(), "it is being traced by process");
    let_go(fixture);
    shared->done = true;
    waitpid(other, NULL, 0);
}

int main(void)
{
    int descriptor;

    if (!can_trace())
        return 77;
    start_watchdog();
    page = watch_new(&descriptor);
    watch_use(page);
    return unit_tests_run(NULL, NULL);
}
