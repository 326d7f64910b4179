/*
 * test_dump_programs.c - programs that mqdump starts: what they get, and that nothing is left of them and of what they
 * have started, however mqdump ends.
 *
 * What children_run does with signals concerns the whole process, so that callers that are ended are processes of their
 * own.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEST_SETUP clock_stop()
#define TEST_TEARDOWN child_clear(&fixture->child)
#define TEST_SECONDS 120
#define TEST_FIXTURE struct fixture
#define TEST_SHARED true
#include "unit_test.h"

#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/collect/target/proc.h"
#include "tests/unit/fake_clock.h"
#include "tests/unit/in_valgrind.h"

static const struct patience patience = {.after_expiry = 1, .at_once = 3, .counted = "hosts"};

static void await_end(pid_t pid)
{
    assert_true(pid > 1);
    while (!proc_has_ended(pid))
        rest();
}

/* The caller. */

/* Callers that are processes of their own share it. */
struct fixture {
    char script[4096];
    char *arguments[4];
    char output[4096], said[4096];
    size_t n_output, n_said;
    bool is_late;              /* time passes when the script, which has told something, does nothing any more */
    struct child child;
};

static bool take(void *context, const char *bytes, size_t n)
{
    struct fixture *fixture = context;

    for (size_t i = 0; i < n && fixture->n_output + 1 < sizeof fixture->output; i++)
        fixture->output[fixture->n_output++] = bytes[i];
    if (fixture->is_late)
        clock_skip_waits("SZ");
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

static void run(struct fixture *fixture, const char *script)
{
    prepare(fixture, script);
    children_run(&fixture->child, 1, &patience);
}

static void run_too_long(struct fixture *fixture, const char *script)
{
    prepare(fixture, script);
    fixture->child.seconds = 5;
    fixture->is_late = true;
    children_run(&fixture->child, 1, &patience);
    assert_string_equal(fixture->child.problem, "took longer than 5 seconds (--limit time=SECONDS)");
    assert_int_equal(fixture->child.status, -1);
    assert_true(fixture->child.ended_at - fixture->child.start < 6);
}

static struct fixture *share_fixtures(size_t n)
{
    void *memory = mmap(NULL, n * sizeof(struct fixture), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    return memory;
}

/* What they get, and what is taken of them. */

TEST(output_messages_and_status_arrive)
{
    run(fixture, "echo answer; echo one >&2; printf 'two\\r\\nthree' >&2; exit 7");
    assert_string_equal(fixture->output, "answer\n");
    assert_string_equal(fixture->said, "one\ntwo\nthree\n");
    assert_int_equal(fixture->child.status, 7);
    assert_string_equal(fixture->child.problem, "has ended with status 7");
    /* If it was killed, others get some time to end. */
    clock_skip_waits("SZ");
    run(fixture, "kill -9 $$");
    assert_int_equal(fixture->child.status, -1);
    assert_has(fixture->child.problem, "signal 9");
}

/* Who still has the other end of the pipe writes on, and is not of its group: nobody waits for that. */
TEST(one_that_leaves_writers_behind_has_ended)
{
    run(fixture, "for i in 1 2 3 4; do setsid yes & done; "
                 "until read name </proc/$!/comm && [ \"$name\" = yes ]; do :; done; exit 3");
    assert_int_equal(fixture->child.status, 3);
}

TEST(program_that_is_not_there_is_told)
{
    prepare(fixture, "");
    fixture->child.program = "no-such-program";
    children_run(&fixture->child, 1, &patience);
    assert_true(fixture->child.refused);
    assert_string_equal(fixture->said, "mqdump: no-such-program cannot be started: No such file or directory\n");
}

/* Fields 5, 6 and 7 of /proc/PID/stat: group, session and terminal. */
TEST(it_has_no_terminal_and_no_input)
{
    int group, session, terminal, pid;

    run(fixture, "echo $$; sed 's/.*) //' /proc/$$/stat | cut -d' ' -f3,4,5; readlink /proc/$$/fd/0; "
                 "ls /proc/$$/fd; (: </dev/tty) 2>/dev/null || echo none; echo $SSH_ASKPASS_REQUIRE");
    assert_int_equal(sscanf(fixture->output, "%d %d %d %d", &pid, &group, &session, &terminal), 4);
    assert_int_equal(group, pid);
    assert_int_equal(session, pid);
    assert_int_equal(terminal, 0);
    assert_has(fixture->output, "/dev/null\n0\n1\n2\nnone\nnever\n");
}

static bool keeps(const char *variable)
{
    return strncmp(variable, "SECRET=", 7) != 0;
}

TEST(environment_can_be_chosen)
{
    setenv("SECRET", "told", 1);
    setenv("OTHER", "known", 1);
    setenv("SSH_ASKPASS_REQUIRE", "force", 1);
    run(fixture, "echo $SECRET $OTHER $SSH_ASKPASS_REQUIRE");
    assert_string_equal(fixture->output, "told known never\n");
    prepare(fixture, "echo $SECRET $OTHER $SSH_ASKPASS_REQUIRE");
    fixture->child.keeps = keeps;
    children_run(&fixture->child, 1, &patience);
    assert_string_equal(fixture->output, "known never\n");
    unsetenv("SSH_ASKPASS_REQUIRE");
}

static struct child several[7];
static size_t most_at_once;

/* Those that run have been started, and have not been collected. */
static bool count_running(void *context, const char *bytes, size_t n)
{
    size_t n_running = 0;

    for (size_t i = 0; i < sizeof several / sizeof *several; i++)
        n_running += several[i].pid > 0;
    if (most_at_once < n_running)
        most_at_once = n_running;
    return take(context, bytes, n);
}

TEST(not_too_many_run_at_once)
{
    enum { N = sizeof several / sizeof *several };
    struct fixture *fixtures = calloc(N, sizeof *fixtures);

    for (int i = 0; i < N; i++) {
        prepare(&fixtures[i], "echo x");
        several[i] = fixtures[i].child;
        several[i].take = count_running;
    }
    children_run(several, N, &patience);
    assert_int_equal(most_at_once, patience.at_once);
    for (int i = 0; i < N; i++) {
        assert_null(several[i].problem);
        assert_string_equal(fixtures[i].output, "x\n");
        child_clear(&several[i]);
    }
    free(fixtures);
}

/* How they end. */

TEST(nothing_is_left_of_one_that_has_ended)
{
    run(fixture, "sleep 1000 & echo $!");
    assert_null(fixture->child.problem);
    await_end(atoi(fixture->output));
}

TEST(one_that_takes_too_long_is_ended_with_all)
{
    run_too_long(fixture, "sleep 1000 & echo $!; wait");
    await_end(atoi(fixture->output));
}

TEST(it_is_asked_to_end_before)
{
    run_too_long(fixture, "trap 'echo asked >&2; exit 0' TERM; sleep 1000 & echo; wait");
    /* The shell may tell that its own child was ended. */
    assert_has(fixture->said, "asked\n");
}

TEST(one_that_does_not_obey_is_killed)
{
    run_too_long(fixture, "trap '' TERM; sleep 1000 & echo $!; wait");
    await_end(atoi(fixture->output));
}

/*
 * If the first of its processes is killed, another one, which is asked to end once more, has time to do what has to be
 * done.
 */
TEST(those_that_it_has_started_have_time)
{
    /* Time does not pass either while one runs whose parent has ended. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    run_too_long(fixture, "trap '' TERM; "
                          "(sleep 1000 & trap - TERM; trap 'trap \"echo told >&2; exit\" TERM' TERM; echo; "
                          "while :; do wait; done) & wait");
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    assert_has(fixture->said, "told\n");
}

/* Callers that end. */

/*
 * Starts a caller, which has the second end of these pipes if there are any, and waits until it has taken the number of
 * the process that the script has started.
 */
static pid_t start_caller(struct fixture *fixture, const char *script, const int *pipes)
{
    pid_t caller = fork();

    if (caller == 0) {
        if (pipes != NULL) {
            close(pipes[0]);
            children_end_with_reader(pipes[1]);
        }
        run(fixture, script);
        _exit(0);
    }
    while (strchr(fixture->output, '\n') == NULL)
        rest();
    return caller;
}

static void check_ended_by(pid_t caller, int number)
{
    int status;

    assert_int_equal(waitpid(caller, &status, 0), caller);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

/* The callers end at the same time: what they have started gets a second or two to end. */
TEST(nothing_is_left_of_a_caller_that_is_ended)
{
    static const int numbers[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGKILL};
    static const char *const scripts[] = {
        "sleep 1000 & echo $!; wait",
        "trap '' TERM INT HUP; sleep 1000 & echo $!; wait",
    };
    enum { N_SCRIPTS = sizeof scripts / sizeof *scripts, N = N_SCRIPTS * sizeof numbers / sizeof *numbers };
    struct fixture *fixtures = share_fixtures(N);
    pid_t callers[N];

    for (size_t i = 0; i < N; i++)
        callers[i] = start_caller(&fixtures[i], scripts[i % N_SCRIPTS], NULL);
    for (size_t i = 0; i < N; i++)
        kill(callers[i], numbers[i / N_SCRIPTS]);
    for (size_t i = 0; i < N; i++) {
        check_ended_by(callers[i], numbers[i / N_SCRIPTS]);
        await_end(atoi(fixtures[i].output));
    }
    munmap(fixtures, N * sizeof *fixtures);
}

/* What it has taken shows that it has not ended for nothing. */
TEST(caller_ends_with_its_reader)
{
    int pipes[2];
    pid_t caller;

    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    caller = start_caller(fixture, "sleep 1000 & echo $!; wait", pipes);
    close(pipes[1]);
    assert_int_equal(waitpid(caller, NULL, WNOHANG), 0);
    close(pipes[0]);
    check_ended_by(caller, SIGPIPE);
    await_end(atoi(fixture->output));
    /* What it points to was in the memory of the caller. */
    fixture->child = (struct child){0};
}

/* A reader that has gone before is noticed at once. */
TEST(caller_without_reader_ends_at_once)
{
    pid_t caller = fork();
    int pipes[2];

    if (caller == 0) {
        if (pipe(pipes) != 0)
            _exit(1);
        children_end_with_reader(pipes[1]);
        close(pipes[0]);
        children_end_with_reader(pipes[1]);
        _exit(2);
    }
    check_ended_by(caller, SIGPIPE);
}

int main(void)
{
    restore_signals();
    if (is_in_valgrind())
        return skip_all("not under valgrind");
    return unit_tests_run(NULL, NULL);
}
