/*
 * test_dump_activity.c - what is read of processes that run, sleep, are stopped, or wait uninterruptibly in the kernel.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEST_TEARDOWN end_test()
#include "unit_test.h"

#include "mqd/dump/base/clock.h"
#include "mqd/dump/collect/target/activity.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/collect/target/system_call.h"

/* Seconds that a state of a process may take to come. */
enum { WATCHDOG = 120 };

static struct activity activity;
static struct process process;
static int ends[2];

static void wait_a_while(void)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    nanosleep(&pause, NULL);
}

static void run_for_ever(void)
{
    for (volatile long i = 0;; i = i + 1)
        continue;
}

static void sleep_for_ever(void)
{
    const struct timespec hour = {.tv_sec = 3600};

    nanosleep(&hour, NULL);
}

static void read_for_ever(void)
{
    char byte;

    if (read(ends[0], &byte, 1) != 0)
        _exit(1);
}

/* The parent of vfork waits uninterruptibly until the child has ended, which is killed with the group. */
static void wait_for_child(void)
{
    if (syscall(SYS_clone, SIGCHLD | 0x4000 /* CLONE_VFORK */, NULL, NULL, NULL, NULL) == 0)
        sleep_for_ever();
}

static void *wait_in_a_thread(void *unused)
{
    wait_for_child();
    return unused;
}

static void let_a_thread_wait(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, wait_in_a_thread, NULL);
    sleep_for_ever();
}

static void start(void (*run)(void))
{
    pid_t pid;

    activity = (struct activity){.thread = 0};
    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        run();
        _exit(0);
    }
    setpgid(pid, pid);
    process = (struct process){.pid = pid, .reader = pid, .memory = -1, .start = proc_read_start_time(pid)};
}

static void end_test(void)
{
    if (process.pid != 0) {
        kill(-process.pid, SIGKILL);
        waitpid(process.pid, NULL, 0);
    }
    process.pid = 0;
    close(ends[0]);
    close(ends[1]);
}

/* A busy machine takes its time until the process is there. */
static void await_state_of_any(char state)
{
    double end = seconds_now() + WATCHDOG;

    do {
        wait_a_while();
        activity_take(&activity, &process);
    } while (activity.state != state && seconds_now() < end);
    assert_int_equal(activity.state, state);
}

static void await_state(char state)
{
    await_state_of_any(state);
    assert_int_equal(activity.thread, process.pid);
}

static void await_call(char state, long call)
{
    double end = seconds_now() + WATCHDOG;

    do
        await_state(state);
    while (activity.call != call && seconds_now() < end);
    assert_int_equal(activity.call, call);
}

/* Takes the share of a while. The processor time is one between those that were read before and after it. */
static double take_share(void)
{
    struct activity started;
    double least, used;

    activity_start_share(&activity, &process);
    started = activity;
    wait_a_while();
    least = process_cpu_seconds(process.pid) - started.used;
    activity_take(&activity, &process);
    assert_true(activity.has_share);
    used = activity.share * (activity.at - started.free_at);
    assert_true(used >= least - 1e-9 && used <= process_cpu_seconds(process.pid) - started.used + 1e-9);
    return used;
}

TEST(share_of_a_process_that_runs)
{
    double end = seconds_now() + WATCHDOG;

    start(run_for_ever);
    await_state('R');
    assert_int_equal(activity.call, NO_SYSTEM_CALL);
    while (take_share() == 0)
        assert_true(seconds_now() < end);
    assert_true(activity.share > 0);
}

TEST(call_of_a_process_that_sleeps)
{
    start(sleep_for_ever);
    await_call('S', SYS_clock_nanosleep);
    assert_string_equal(system_call_name(activity.call), "clock_nanosleep");
    assert_int_equal(system_call_kind(activity.call), CALL_SLEEPS);
    assert_true(take_share() == 0 && activity.share == 0);
    assert_true(activity_stuck_seconds(&activity) == 0);
}

TEST(descriptor_of_a_process_that_reads)
{
    start(read_for_ever);
    await_call('S', SYS_read);
    assert_memory_equal(activity.file, "pipe:[", 6);
}

TEST(process_that_job_control_has_stopped)
{
    struct activity before;

    start(sleep_for_ever);
    await_call('S', SYS_clock_nanosleep);
    assert_false(activity_is_stopped(&activity));
    before = activity;
    kill(process.pid, SIGSTOP);
    await_state('T');
    assert_true(activity_is_stopped(&activity));
    assert_false(activity_stayed_stopped(&before, &activity));
    before = activity;
    wait_a_while();
    activity_take(&activity, &process);
    assert_true(activity_stayed_stopped(&before, &activity));
}

/* One that another debugger holds; what mqdump holds itself is not stopped for others. */
TEST(process_that_a_debugger_holds)
{
    start(run_for_ever);
    /* Under valgrind the name is another one than the program's. */
    assert_int_equal(prctl(PR_SET_NAME, "holds"), 0);
    assert_int_equal(ptrace(PTRACE_SEIZE, process.pid, NULL, NULL), 0);
    assert_int_equal(ptrace(PTRACE_INTERRUPT, process.pid, NULL, NULL), 0);
    await_state('t');
    assert_int_equal(activity.tracer, getpid());
    assert_string_equal(activity.tracer_name, "holds");
    assert_true(activity_is_stopped(&activity));
    process.holder = getpid();
    activity_take(&activity, &process);
    assert_int_equal(activity.tracer, 0);
    assert_false(activity_is_stopped(&activity));
}

TEST(uninterruptible_wait_is_proved_by_samples)
{
    double first;

    start(wait_for_child);
    await_call('D', SYS_clone);
    first = activity.since;
    wait_a_while();
    activity_follow(&activity, &process);
    assert_true(activity_stuck_seconds(&activity) >= 0.01);
    wait_a_while();
    activity_take(&activity, &process);
    assert_true(activity.since <= first && activity_stuck_seconds(&activity) >= 0.02);
    /* Another number of switches: it has run in between. */
    activity.switches--;
    activity_take(&activity, &process);
    assert_true(activity_stuck_seconds(&activity) == 0);
    activity.switches--;
    wait_a_while();
    activity_follow(&activity, &process);
    assert_true(activity_stuck_seconds(&activity) == 0);
}

/* It keeps the whole process from being stopped. */
TEST(thread_that_waits_uninterruptibly_is_found)
{
    start(let_a_thread_wait);
    await_state_of_any('D');
    assert_int_not_equal(activity.thread, process.pid);
    assert_int_equal(activity.call, SYS_clone);
}

TEST(other_process_of_that_number_is_not_read)
{
    start(sleep_for_ever);
    process.start++;
    activity_take(&activity, &process);
    assert_int_equal(activity.thread, 0);
    assert_int_equal(activity.state, '\0');
}

PLAIN_TEST(number_without_a_name)
{
    char buffer[CALL_NAME_SIZE];

    activity = (struct activity){.call = 99999};
    assert_string_equal(activity_call_name(&activity, buffer), "system call 99999");
    activity.call = NO_SYSTEM_CALL;
    assert_null(activity_call_name(&activity, buffer));
    activity_name_restarted(&activity, "nanosleep");
    assert_int_equal(activity.call, NO_SYSTEM_CALL);
    activity.call = SYS_restart_syscall;
    activity_name_restarted(&activity, "no_call");
    assert_int_equal(activity.call, SYS_restart_syscall);
    activity_name_restarted(&activity, "nanosleep");
    assert_int_equal(activity.call, SYS_nanosleep);
    activity.call = SYS_restart_syscall;
    activity_name_restarted(&activity, "read");
    assert_int_equal(activity.call, SYS_read);
    assert_null(system_call_name(99999));
    assert_int_equal(system_call_kind(99999), CALL_OTHER);
}
