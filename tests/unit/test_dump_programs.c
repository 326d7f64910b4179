/*
 * test_dump_programs.c - programs that mqdump starts: what they get, and that nothing is left of them and of what they
 * have started, however mqdump ends.
 *
 * What children_run does with signals concerns the whole process, so that callers that are ended are processes of their
 * own.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/collect/target/proc.h"
#include "tests/unit/in_valgrind.h"

static const struct patience patience = {.after_expiry = 1, .at_once = 3, .counted = "hosts"};

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* The caller. */

struct fixture {
    char script[4096];
    char *arguments[4];
    char output[4096], said[4096];
    size_t n_output, n_said;
    struct child child;
};

static bool take(void *context, const char *bytes, size_t n)
{
    struct fixture *fixture = context;

    for (size_t i = 0; i < n && fixture->n_output + 1 < sizeof fixture->output; i++)
        fixture->output[fixture->n_output++] = bytes[i];
    return true;
}

static void say(void *context, const char *line)
{
    struct fixture *fixture = context;
    int n = snprintf(fixture->said + fixture->n_said, sizeof fixture->said - fixture->n_said, "%s\n", line);

    fixture->n_said += (size_t)n;
}

static void prepare(struct fixture *fixture, const char *script)
{
    child_clear(&fixture->child);
    snprintf(fixture->script, sizeof fixture->script, "%s", script);
    memset(fixture->output, 0, sizeof fixture->output);
    memset(fixture->said, 0, sizeof fixture->said);
    fixture->n_output = fixture->n_said = 0;
    fixture->arguments[0] = (char *)(uintptr_t)"-c";
    fixture->arguments[1] = fixture->script;
    fixture->child = (struct child){.program = "sh", .arguments = fixture->arguments, .take = take, .say = say,
                                    .context = fixture};
}

static void run(struct fixture *fixture, const char *script, double seconds)
{
    prepare(fixture, script);
    fixture->child.seconds = seconds;
    children_run(&fixture->child, 1, &patience);
}

/* Who still has the other end of the pipe writes on, and is not of its group: nobody waits for that. */
static void one_that_leaves_writers_behind_has_ended(void **state)
{
    struct fixture *fixture = *state;
    double start = seconds_now();

    run(fixture, "for i in 1 2 3 4; do setsid yes & done; sleep 0.3; exit 3", 0);
    assert_int_equal(fixture->child.status, 3);
    assert_true(seconds_now() - start < 5);
}

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    child_clear(&fixture->child);
    free(fixture);
    return 0;
}

static bool ends_within(pid_t pid, double seconds)
{
    double start = seconds_now();

    while (!proc_has_ended(pid) && seconds_now() - start < seconds)
        rest();
    return proc_has_ended(pid);
}

/* What they get, and what is taken of them. */

static void output_messages_and_status_arrive(void **state)
{
    struct fixture *fixture = *state;

    run(fixture, "echo answer; echo one >&2; printf 'two\\r\\nthree' >&2; exit 7", 0);
    assert_string_equal(fixture->output, "answer\n");
    assert_string_equal(fixture->said, "one\ntwo\nthree\n");
    assert_int_equal(fixture->child.status, 7);
    assert_string_equal(fixture->child.problem, "has ended with status 7");
    run(fixture, "kill -9 $$", 0);
    assert_int_equal(fixture->child.status, -1);
    assert_non_null(strstr(fixture->child.problem, "signal 9"));
}

static void program_that_is_not_there_is_told(void **state)
{
    struct fixture *fixture = *state;

    prepare(fixture, "");
    fixture->child.program = "no-such-program";
    children_run(&fixture->child, 1, &patience);
    assert_true(fixture->child.refused);
    assert_string_equal(fixture->said, "mqdump: no-such-program cannot be started: No such file or directory\n");
}

/* Fields 5, 6 and 7 of /proc/PID/stat: group, session and terminal. */
static void it_has_no_terminal_and_no_input(void **state)
{
    struct fixture *fixture = *state;
    int group, session, terminal, pid;

    run(fixture, "echo $$; sed 's/.*) //' /proc/$$/stat | cut -d' ' -f3,4,5; readlink /proc/$$/fd/0; "
                 "ls /proc/$$/fd | wc -l; (: </dev/tty) 2>/dev/null || echo none; echo $SSH_ASKPASS_REQUIRE", 0);
    assert_int_equal(sscanf(fixture->output, "%d %d %d %d", &pid, &group, &session, &terminal), 4);
    assert_int_equal(group, pid);
    assert_int_equal(session, pid);
    assert_int_equal(terminal, 0);
    if (strstr(fixture->output, "/dev/null\n3\nnone\nnever\n") == NULL)
        fail_msg("%s", fixture->output);
}

static bool keeps(const char *variable)
{
    return strncmp(variable, "SECRET=", 7) != 0;
}

static void environment_can_be_chosen(void **state)
{
    struct fixture *fixture = *state;

    setenv("SECRET", "told", 1);
    setenv("OTHER", "known", 1);
    setenv("SSH_ASKPASS_REQUIRE", "force", 1);
    run(fixture, "echo $SECRET $OTHER $SSH_ASKPASS_REQUIRE", 0);
    assert_string_equal(fixture->output, "told known never\n");
    prepare(fixture, "echo $SECRET $OTHER $SSH_ASKPASS_REQUIRE");
    fixture->child.keeps = keeps;
    children_run(&fixture->child, 1, &patience);
    assert_string_equal(fixture->output, "known never\n");
    unsetenv("SSH_ASKPASS_REQUIRE");
}

static void not_too_many_run_at_once(void **state)
{
    enum { N = 7 };
    struct fixture *fixtures = calloc(N, sizeof *fixtures);
    struct child children[N];
    double start = seconds_now();

    (void)state;
    for (int i = 0; i < N; i++) {
        prepare(&fixtures[i], "sleep 0.3; echo x");
        children[i] = fixtures[i].child;
    }
    children_run(children, N, &patience);
    /* Three of them, three, and one. */
    assert_true(seconds_now() - start >= 0.9);
    for (int i = 0; i < N; i++) {
        assert_null(children[i].problem);
        assert_string_equal(fixtures[i].output, "x\n");
        child_clear(&children[i]);
    }
    free(fixtures);
}

/* How they end. */

static void nothing_is_left_of_one_that_has_ended(void **state)
{
    struct fixture *fixture = *state;

    run(fixture, "sleep 1000 & echo $!", 0);
    assert_null(fixture->child.problem);
    assert_true(ends_within(atoi(fixture->output), 5));
}

static void one_that_takes_too_long_is_ended_with_all(void **state)
{
    struct fixture *fixture = *state;
    double start = seconds_now();

    run(fixture, "sleep 1000 & echo $!; wait", 0.5);
    assert_string_equal(fixture->child.problem, "took longer than 0 seconds (--limit time=SECONDS)");
    assert_int_equal(fixture->child.status, -1);
    assert_true(ends_within(atoi(fixture->output), 5));
    assert_true(seconds_now() - start < 10);
}

static void it_is_asked_to_end_before(void **state)
{
    struct fixture *fixture = *state;

    run(fixture, "trap 'echo asked >&2; exit 0' TERM; while :; do sleep 0.05; done", 0.5);
    /* The shell may tell that its own child was ended. */
    assert_non_null(strstr(fixture->said, "asked\n"));
}

static void one_that_does_not_obey_is_killed(void **state)
{
    struct fixture *fixture = *state;
    double start = seconds_now();

    run(fixture, "trap '' TERM; sleep 1000 & echo $!; while :; do sleep 0.05; done", 0.3);
    assert_non_null(fixture->child.problem);
    assert_null(strstr(fixture->child.problem, "left behind"));
    assert_true(ends_within(atoi(fixture->output), 5));
    assert_true(seconds_now() - start < 15);
}

/* If the first of its processes is killed, another one has time to do what has to be done. */
static void those_that_it_has_started_have_time(void **state)
{
    struct fixture *fixture = *state;

    run(fixture, "trap '' TERM; (trap - TERM; trap 'sleep 0.1; echo told >&2; exit' TERM; while :; do sleep 0.02; done) & "
                 "while :; do sleep 0.05; done", 0.3);
    assert_non_null(strstr(fixture->said, "told\n"));
}

/* Callers that end. */

/* Starts a caller, and waits until the script has written the process id of what it has started into a file. */
static pid_t start_caller(struct fixture *fixture, const char *script, int reader, pid_t *started)
{
    char path[] = "/tmp/mqd_programs.XXXXXX", *text, *whole;
    int descriptor = mkstemp(path);
    pid_t caller;
    size_t size;

    assert_true(descriptor >= 0);
    close(descriptor);
    whole = format_text("exec 9>%s; %s", path, script);
    caller = fork();
    if (caller == 0) {
        if (reader >= 0)
            children_end_with_reader(reader);
        run(fixture, whole, 0);
        _exit(0);
    }
    *started = 0;
    for (int i = 0; i < 5000 && *started == 0; i++) {
        rest();
        text = proc_read_file(path, &size);
        *started = text != NULL ? atoi(text) : 0;
        free(text);
    }
    unlink(path);
    free(whole);
    assert_true(*started > 0);
    return caller;
}

static void nothing_is_left_of_a_caller_that_is_ended(void **state)
{
    static const int numbers[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGKILL};
    static const char *const scripts[] = {
        "sleep 1000 & echo $! >&9; wait",
        "trap '' TERM INT HUP; sleep 1000 & echo $! >&9; while :; do sleep 0.05; done",
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
            pid_t started, caller = start_caller(*state, scripts[k], -1, &started);
            int status;

            kill(caller, numbers[i]);
            assert_int_equal(waitpid(caller, &status, 0), caller);
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
            assert_true(ends_within(started, 10));
        }
    }
}

static void caller_ends_with_its_reader(void **state)
{
    pid_t started, caller;
    int pipes[2], status;

    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    caller = fork();
    if (caller == 0) {
        close(pipes[0]);
        caller = start_caller(*state, "sleep 1000 & echo $! >&9; wait", pipes[1], &started);
        close(pipes[1]);
        assert_int_equal(waitpid(caller, &status, 0), caller);
        _exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && ends_within(started, 10) ? 0 : 1);
    }
    close(pipes[1]);
    for (int i = 0; i < 500; i++)
        rest();
    assert_int_equal(waitpid(caller, &status, WNOHANG), 0);
    close(pipes[0]);
    assert_int_equal(waitpid(caller, &status, 0), caller);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A reader that has gone before is noticed at once. */
static void caller_without_reader_ends_at_once(void **state)
{
    pid_t caller = fork();
    int pipes[2], status;

    (void)state;
    if (caller == 0) {
        if (pipe(pipes) != 0)
            _exit(1);
        children_end_with_reader(pipes[1]);
        close(pipes[0]);
        children_end_with_reader(pipes[1]);
        _exit(2);
    }
    assert_int_equal(waitpid(caller, &status, 0), caller);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
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
        TEST(output_messages_and_status_arrive),
        TEST(one_that_leaves_writers_behind_has_ended),
        TEST(program_that_is_not_there_is_told),
        TEST(it_has_no_terminal_and_no_input),
        TEST(environment_can_be_chosen),
        TEST(not_too_many_run_at_once),
        TEST(nothing_is_left_of_one_that_has_ended),
        TEST(one_that_takes_too_long_is_ended_with_all),
        TEST(it_is_asked_to_end_before),
        TEST(one_that_does_not_obey_is_killed),
        TEST(those_that_it_has_started_have_time),
        TEST(nothing_is_left_of_a_caller_that_is_ended),
        TEST(caller_ends_with_its_reader),
        TEST(caller_without_reader_ends_at_once),
    };

    restore_signals();
    if (is_in_valgrind())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
