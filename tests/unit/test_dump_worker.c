/*
 * test_dump_worker.c - work in a process of its own: its end in all ways, and when it is left behind.
 *
 * What worker_run does with signals concerns the whole process, so that each case is one of its own.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/child/worker.h"
#include "mqd/dump/collect/target/proc.h"

enum { STATUS = 7, FAILURE = 42 };

static const struct patience short_patience = {.in_kernel = 0.5, .after_expiry = 0.5, .after_signal = 0.5};

/* In memory that the processes of the test share. */
static struct shared {
    volatile pid_t worker, grandchild;
} *shared;

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static _Noreturn void wait_for_ever(void)
{
    for (;;)
        pause();
}

/* Works. */

static int give_status(void *context)
{
    return *(int *)context;
}

static int crash(void *context)
{
    (void)context;
    watch_set_process(4711);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return 0;
}

static int end_by_signal(void *context)
{
    raise(*(int *)context);
    return 0;
}

static int stay(void *context)
{
    (void)context;
    shared->worker = getpid();
    wait_for_ever();
}

static int stay_in_spite_of_signals(void *context)
{
    signal(SIGTERM, SIG_IGN);
    return stay(context);
}

/* Until its child ends, a process that calls vfork waits uninterruptibly. */
static int wait_in_the_kernel(void *context)
{
    (void)context;
    shared->worker = getpid();
    watch_set_process(4711);
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        shared->grandchild = getpid();
        wait_for_ever();
    }
    return 0;
}

static int read_too_long(void *context)
{
    watch_set_process(4711);
    watch_set_expired(true);
    return stay(context);
}

/* The reader comes back within the time that it has. */
static int read_rather_long(void *context)
{
    (void)context;
    watch_set_expired(true);
    for (int i = 0; i < 50; i++)
        rest();
    watch_set_expired(false);
    for (int i = 0; i < 300; i++)
        rest();
    return STATUS;
}

/* The caller. */

struct caller {
    pid_t pid;
    int messages;              /* where its standard error can be read */
};

static struct caller start(worker_function *work, int *context)
{
    struct caller caller;
    int pipes[2];

    assert_int_equal(pipe(pipes), 0);
    shared->worker = shared->grandchild = 0;
    caller.pid = fork();
    if (caller.pid == 0) {
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        watch_open();
        _exit(worker_run(work, context, &short_patience, FAILURE));
    }
    close(pipes[1]);
    caller.messages = pipes[0];
    return caller;
}

/* Returns the status of the caller, as waitpid does. What it has said must have this part; NULL: nothing. */
static int finish(struct caller *caller, const char *part)
{
    char text[1024];
    int status;
    ssize_t n;

    assert_int_equal(waitpid(caller->pid, &status, 0), caller->pid);
    if (shared->grandchild > 0)
        kill(shared->grandchild, SIGKILL);
    n = read(caller->messages, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(caller->messages);
    if (part == NULL ? n != 0 : strstr(text, part) == NULL)
        fail_msg("said '%s'", text);
    return status;
}

static void check_exit(worker_function *work, int *context, int expected, const char *part)
{
    struct caller caller = start(work, context);
    int status = finish(&caller, part);

    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

static bool has_worker_ended(void)
{
    for (int i = 0; i < 1000 && !proc_has_ended(shared->worker); i++)
        rest();
    return proc_has_ended(shared->worker);
}

static void await_worker(void)
{
    for (int i = 0; i < 1000 && shared->worker == 0; i++)
        rest();
    assert_int_not_equal(shared->worker, 0);
}

static int setup(void **state)
{
    (void)state;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared != MAP_FAILED ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return munmap((void *)shared, sizeof *shared);
}

static void status_of_a_worker_is_passed_on(void **state)
{
    (void)state;
    check_exit(give_status, &(int){0}, 0, NULL);
    check_exit(give_status, &(int){STATUS}, STATUS, NULL);
}

static void worker_that_crashes_is_reported(void **state)
{
    (void)state;
    check_exit(crash, NULL, FAILURE, "was ended by signal 11");
    check_exit(crash, NULL, FAILURE, "while it read process 4711");
}

static void signal_that_ends_a_worker_ends_the_caller(void **state)
{
    static int numbers[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct caller caller = start(end_by_signal, &numbers[i]);
        int status = finish(&caller, NULL);

        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
    }
}

static void signal_to_the_caller_ends_both(void **state)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGKILL};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct caller caller = start(stay, NULL);
        int status;

        await_worker();
        kill(caller.pid, numbers[i]);
        status = finish(&caller, NULL);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
        assert_true(has_worker_ended());
    }
}

static void worker_that_a_signal_does_not_end_is_left_behind(void **state)
{
    struct caller caller = start(stay_in_spite_of_signals, NULL);
    double start = seconds_now();
    int status;

    (void)state;
    await_worker();
    kill(caller.pid, SIGTERM);
    status = finish(&caller, NULL);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_true(seconds_now() - start > 0.5 && seconds_now() - start < 5);
    assert_true(has_worker_ended());
}

static void worker_that_waits_in_the_kernel_is_left_behind(void **state)
{
    struct caller caller = start(wait_in_the_kernel, NULL);
    struct proc_status status = {.state = '?'};

    (void)state;
    await_worker();
    for (int i = 0; i < 100 && status.state != 'D' && proc_read_status(shared->worker, &status); i++)
        rest();
    /* valgrind makes a fork of vfork. */
    if (status.state != 'D') {
        finish(&caller, NULL);
        skip();
    }
    assert_int_equal(WEXITSTATUS(finish(&caller, "process 4711: reading it waits in the kernel")), FAILURE);
}

static void worker_that_reads_too_long_is_left_behind(void **state)
{
    (void)state;
    check_exit(read_too_long, NULL, FAILURE, "process 4711: reading it took too long");
    assert_true(has_worker_ended());
    check_exit(read_rather_long, NULL, STATUS, NULL);
}

/* Whoever starts this program may ignore signals, as nohup does, and a shell for what runs in the background. */
static void restore_signals(void)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], SIG_DFL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(status_of_a_worker_is_passed_on),
        TEST(worker_that_crashes_is_reported),
        TEST(signal_that_ends_a_worker_ends_the_caller),
        TEST(signal_to_the_caller_ends_both),
        TEST(worker_that_a_signal_does_not_end_is_left_behind),
        TEST(worker_that_waits_in_the_kernel_is_left_behind),
        TEST(worker_that_reads_too_long_is_left_behind),
    };

    restore_signals();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
