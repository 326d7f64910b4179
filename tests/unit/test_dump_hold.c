/*
 * test_dump_hold.c - the holder, and what becomes of held processes when it, the reader, or the kernel does not answer.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN teardown(fixture)
#define TEST_FIXTURE struct fixture
#include "unit_test.h"

#include "can_trace.h"
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/hold/held.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/collect/hold/hold_message.h"
#include "mqd/dump/collect/hold/holder.h"
#include "tests/unit/fake_clock.h"
#include "tests/unit/in_valgrind.h"

/* What takes so long will never come. */
enum { N_THREADS = 4, SECONDS = 120 };

/* In memory that the processes of the test share. */
struct shared {
    volatile unsigned count;
    volatile bool calls_exec;          /* the child's last thread is to call exec */
    volatile pid_t threads[N_THREADS];
    volatile bool held, done;          /* by a reader that is a process of its own */
};
static struct shared *shared;
static struct watch *page;

struct fixture {
    pid_t child;
    struct process process;
    struct hold hold;
};

static void *run_thread(void *number)
{
    size_t n = (size_t)(uintptr_t)number;

    shared->threads[n] = (pid_t)syscall(SYS_gettid);
    for (;;) {
        if (n == 0)
            shared->count++;
        if (n == N_THREADS - 1 && shared->calls_exec)
            execlp("sleep", "sleep", "1000", (char *)NULL);
        rest();
    }
    return NULL;
}

static _Noreturn void run_child(void)
{
    /* kernel.yama.ptrace_scope may let only ancestors trace a process that does not permit it to others. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (uintptr_t i = 1; i < N_THREADS; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, run_thread, (void *)i) != 0)
            _exit(1);
    }
    run_thread(NULL);
    _exit(1);
}

static void await(const volatile bool *condition)
{
    while (!*condition)
        rest();
}

static void await_count(void)
{
    unsigned before = shared->count;

    while (shared->count == before)
        rest();
}

static bool stands_still(void)
{
    unsigned before = shared->count;

    for (int i = 0; i < 20; i++)
        rest();
    return shared->count == before;
}

static void setup(struct fixture *fixture)
{
    clock_stop();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    /* Before there is a holder, which ends when nobody has the other end of its socket. */
    fixture->child = fork();
    if (fixture->child == 0)
        run_child();
    assert_true(hold_start(&fixture->hold, NULL, 0, WHY));
    for (size_t i = 0; i < N_THREADS; i++)
        while (shared->threads[i] == 0)
            rest();
    assert_true(process_open(&fixture->process, (struct process_id){.pid = fixture->child}, WHY));
}

static void teardown(struct fixture *fixture)
{
    kill(fixture->child, SIGKILL);
    hold_end(&fixture->hold);
    process_close(&fixture->process);
    waitpid(fixture->child, NULL, 0);
    munmap(shared, sizeof *shared);
}

static bool hold(struct fixture *fixture)
{
    hold_processes(&fixture->hold, &(struct hold_wish){&fixture->process, WHY}, 1);
    return why() == NULL;
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
    assert_true(hold(fixture));
    let_pass(3.9, fixture->hold.holder);
    assert_true(stands_still());
    assert_false(watch_expired(page));
    let_pass(0.2, fixture->hold.holder);
    await_count();
    assert_true(watch_expired(page));
    assert_false(hold_let_go(&fixture->hold, WHY));
    assert_has(why(), "took too long");
    assert_false(watch_expired(page));

    /* The next time is a new one. */
    assert_true(hold(fixture));
    assert_true(stands_still());
    assert_true(hold_let_go(&fixture->hold, WHY));
    await_count();
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
    while (!watch_expired(page))
        rest();
    await_count();
    watch_set_expired(false);
    close(sockets[0]);
    waitpid(holder, NULL, 0);
}

/* Ends. */

TEST(process_goes_on_when_the_holder_is_killed)
{
    assert_true(hold(fixture));
    assert_true(stands_still());
    kill(fixture->hold.holder, SIGKILL);
    await_count();
    assert_false(hold_let_go(&fixture->hold, WHY));
    assert_has(why(), "has ended, or did not answer");
    assert_false(hold(fixture));
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

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hold_end(&fixture->hold);
        assert_true(hold_start(&fixture->hold, cases[i].only, cases[i].n, WHY));
        assert_int_equal(hold(fixture), cases[i].good);
        if (cases[i].good)
            assert_true(stands_still() && hold_let_go(&fixture->hold, WHY));
        else
            assert_has(why(), "has ended, or did not answer");
        await_count();
    }
}

TEST(process_goes_on_when_the_holder_does_not_answer)
{
    assert_true(hold(fixture));
    kill(fixture->hold.holder, SIGSTOP);
    assert_true(stands_still());
    clock_skip_waits("STt");
    assert_false(hold_let_go(&fixture->hold, WHY));
    assert_has(why(), "has ended, or did not answer");
    await_count();
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

    assert_true(stands_still());
    kill(reader, SIGKILL);
    await_count();
    waitpid(reader, NULL, 0);
}

TEST(process_goes_on_when_the_reader_ends)
{
    pid_t reader = start_reader(fixture);

    assert_true(stands_still());
    shared->done = true;
    await_count();
    waitpid(reader, NULL, 0);
}

/* Signals of the terminal are for who reads: his end ends the holder. */
TEST(holder_is_not_ended_by_a_terminal)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE};

    assert_true(hold(fixture));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        kill(fixture->hold.holder, numbers[i]);
    assert_true(stands_still());
    assert_true(hold_let_go(&fixture->hold, WHY));
    await_count();
}

TEST(holder_has_nothing_open)
{
    char path[64], target[64];
    int n_open = 0;

    assert_true(hold(fixture));
    for (int i = 0; i < 256; i++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)fixture->hold.holder, i);
        if (readlink(path, target, sizeof target) < 0)
            continue;
        n_open++;
        assert_memory_equal(target, "socket:", 7);
    }
    assert_int_equal(n_open, 1);
    assert_true(hold_let_go(&fixture->hold, WHY));
}

/* Exec. */

/* As if a thread called exec while the others are attached to, one after the other. */
static void attach_to_others(struct held *held)
{
    held->threads = calloc(N_THREADS, sizeof *held->threads);
    held->room = N_THREADS;
    for (size_t i = 0; i < N_THREADS - 1; i++) {
        assert_int_equal(ptrace(PTRACE_SEIZE, shared->threads[i], NULL, NULL), 0);
        held->threads[held->n++] = (struct held_thread){.id = shared->threads[i]};
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
    char *text, path[64];
    size_t size;
    long number;

    snprintf(path, sizeof path, "/proc/%d/syscall", (int)pid);
    text = of_test(proc_read_file(path, &size));
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

    assert_false(hold(fixture));
    assert_has(why(), "calling exec");
    assert_true(hold_let_go(&fixture->hold, WHY));
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
