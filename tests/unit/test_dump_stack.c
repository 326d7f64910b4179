/*
 * test_dump_stack.c - where threads are: a child of this program that calls functions with names of MPI's.
 *
 * The child is a new run of the program: under valgrind it would otherwise have valgrind's stack.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "mqd/dump/stack.h"

#define NOT_INLINED __attribute__((noinline, used))

/* Where the child writes a byte when a thread is where it is to be. */
enum { READY = 9 };

/* What comes after each call keeps it from being a jump. */
static volatile int after;

NOT_INLINED static void wait_for_ever(void)
{
    if (write(READY, "", 1) != 1)
        _exit(1);
    while (after >= 0)
        pause();
}

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
    struct process process;
    struct modules modules;
    struct files files;
    struct place_cache places;
    struct stacks stacks;
    struct calls calls;
    char *executable, *why;
};
static struct fixture fixture;

static const struct {
    const char *name;
    void (*run)(void);
} children[] = {
    {"exchange", exchange}, {"relax", relax}, {"join", join_a_thread_that_receives}, {"recurse", recurse_deeply},
    {"break", break_the_stack},
};

static int run_child(const char *name)
{
    for (size_t i = 0; i < sizeof children / sizeof *children; i++)
        if (strcmp(name, children[i].name) == 0)
            children[i].run();
    return 1;
}

static void look(const char *child)
{
    char *program = proc_executable(getpid()), byte;
    int ready[2];

    assert_int_equal(pipe(ready), 0);
    fixture = (struct fixture){.child = fork()};
    if (fixture.child == 0) {
        dup2(ready[1], READY);
        execl(program, "test_dump_stack", child, (char *)NULL);
        _exit(1);
    }
    free(program);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    /* It has said that it will wait, and does so a moment later. */
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_true(process_open(&fixture.process, fixture.child, &fixture.why));
    fixture.executable = proc_executable(fixture.child);
    assert_true(modules_read(&fixture.modules, &fixture.files, &fixture.process, fixture.executable, &fixture.why));
    assert_true(process_stop(&fixture.process, &fixture.why));
    assert_true(process_wait_stopped(&fixture.process, &fixture.why));
    stacks_take(&fixture.stacks, &fixture.process, &fixture.modules);
    assert_true(process_let_go(&fixture.process));
    calls_name(&fixture.calls, &fixture.stacks, &fixture.modules, fixture.child, &fixture.places);
}

static int end_look(void **state)
{
    (void)state;
    if (fixture.child > 0) {
        kill(fixture.child, SIGKILL);
        waitpid(fixture.child, NULL, 0);
    }
    calls_clear(&fixture.calls);
    stacks_clear(&fixture.stacks);
    place_cache_clear(&fixture.places);
    modules_clear(&fixture.modules);
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

static void call_is_the_outermost_of_mpi(void **state)
{
    (void)state;
    look("exchange");
    assert_true(fixture.calls.complete);
    assert_int_equal(fixture.calls.n, 1);
    assert_true(fixture.calls.calls[0].is_main);
    assert_int_equal(fixture.calls.calls[0].thread, fixture.child);
    assert_int_equal(fixture.calls.calls[0].state, CALL_MPI);
    assert_string_equal(fixture.calls.calls[0].function, "MPI_Recv");
    check_place(&fixture.calls.calls[0], "exchange+0x");
    assert_false(fixture.calls.calls[0].runs);
    assert_true(fixture.stacks.stacks[0].ended);
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

static void check_name(const char *symbol, const char *expected)
{
    char *name = mpi_function_name(symbol);

    if (expected == NULL)
        assert_null(name);
    else
        assert_string_equal(name, expected);
    free(name);
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
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, end_look)
    const struct CMUnitTest tests[] = {
        TEST(call_is_the_outermost_of_mpi),
        TEST(rank_outside_of_mpi_is_where_the_program_is),
        TEST(thread_that_waits_for_another_does_not_run),
        TEST(stacks_are_read_to_a_bound),
        TEST(broken_stack_is_read_as_far_as_it_goes),
        TEST(stack_that_says_nothing_is_unknown),
        TEST(process_that_is_gone_has_no_stacks),
        TEST(names_of_all_bindings),
    };

    if (argc == 2)
        return run_child(argv[1]);
    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
