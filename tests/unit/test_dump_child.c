/*
 * test_dump_child.c - processes of mqdump's own, and programs that it starts: what they get and write, how they end,
 * when they are left behind, and that nothing is left of them and of what they have started, however mqdump ends.
 *
 * A child is this program again, with the name of what it does as its argument. A program is a shell with a script.
 * What children_run does with signals concerns the whole process, so that callers that are ended are processes of their
 * own.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
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

#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/collect/target/proc.h"
#include "tests/unit/fake_clock.h"
#include "tests/unit/in_valgrind.h"

enum { N_LINES = 50000, CULPRIT = 4711 };

static const struct patience short_patience = {.to_run = 1.5, .after_expiry = 0.5};
static const struct patience patience = {.after_expiry = 1, .at_once = 3, .counted = "hosts"};

/* Returns when the caller has taken it. */
static void tell(const char *line)
{
    int n_unread = 1;

    puts(line);
    fflush(stdout);
    while (n_unread > 0 && ioctl(STDOUT_FILENO, FIONREAD, &n_unread) == 0)
        rest();
}

static _Noreturn void wait_for_ever(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    tell("ready");
    for (;;)
        pause();
}

/* What children do. They return their status. */

static int write_lines(void)
{
    for (int i = 0; i < N_LINES; i++)
        printf("%d\n", i);
    return 0;
}

static int refuse(void)
{
    fputs("mqdump: it \033[31mwill not\n", stderr);
    return CHILD_REFUSES;
}

static int lack_memory(void)
{
    return CHILD_WITHOUT_MEMORY;
}

static int fail_otherwise(void)
{
    return 77;
}

static int chatter(void)
{
    for (int i = 0; i < 100000; i++)
        fputs("no end of it ", stderr);
    return 0;
}

static int crash(void)
{
    watch_set_process(CULPRIT);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return 0;
}

/* What holds for a child ends with it, and takes a moment for that. */
static void end_late(int number)
{
    (void)number;
    for (int i = 0; i < 20; i++)
        rest();
    _exit(0);
}

static int crash_with_holder(void)
{
    pid_t holder;

    signal(SIGTERM, end_late);
    holder = fork();
    if (holder == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        for (;;)
            pause();
    }
    watch_own()->holder = holder;
    printf("%d", (int)holder);
    fflush(stdout);
    for (int i = 0; i < 20; i++)
        rest();
    return crash();
}

static int take_processor_time(void)
{
    signal(SIGXCPU, SIG_DFL);
    raise(SIGXCPU);
    return 0;
}

static int stay(void)
{
    watch_set_process(CULPRIT);
    signal(SIGTERM, SIG_IGN);
    wait_for_ever();
}

/* Until its child ends, a process that calls vfork waits uninterruptibly. */
static int wait_in_the_kernel(void)
{
    watch_set_process(CULPRIT);
    tell("ready");
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return 0;
}

static int read_too_long(void)
{
    watch_set_process(CULPRIT);
    watch_own()->expired = true;
    wait_for_ever();
}

/* The reader comes back within the time that it has. The caller has looked after it before it takes another line. */
static int read_rather_long(void)
{
    watch_own()->expired = true;
    tell("a while");
    tell("a while");
    watch_own()->expired = false;
    tell("a while");
    tell("a while");
    return 0;
}

/* What it has, one thing in a line. */
static int show_itself(void)
{
    char null[64] = "";

    printf("secret %s\n", getenv("SECRET") != NULL ? getenv("SECRET") : "none");
    printf("test %s\n", getenv("MQD_TEST_CHILD") != NULL ? getenv("MQD_TEST_CHILD") : "none");
    printf("input %s\n", readlink("/proc/self/fd/0", null, sizeof null - 1) > 0 ? null : "none");
    for (int i = CHILD_WATCH; i < 256; i++)
        if (fcntl(i, F_GETFD) >= 0)
            printf("open %d\n", i);
    return 0;
}

static const struct {
    const char *name;
    int (*work)(void);
} works[] = {
    {"lines", write_lines},   {"refuse", refuse},         {"memory", lack_memory}, {"otherwise", fail_otherwise},
    {"chatter", chatter},     {"crash", crash},           {"cpu", take_processor_time}, {"stay", stay},
    {"kernel", wait_in_the_kernel}, {"too long", read_too_long}, {"rather long", read_rather_long},
    {"show", show_itself},    {"holder", crash_with_holder},
};

static int do_work(const char *name)
{
    watch_use(watch_map(CHILD_WATCH));
    for (size_t i = 0; i < N_OF(works); i++)
        if (strcmp(name, works[i].name) == 0)
            return works[i].work();
    return 99;
}

/* The caller. */

/* Callers that are processes of their own share it. */
struct fixture {
    char *arguments[4];
    char text[1 << 20], said[4096];
    size_t n, n_said;          /* bytes of the text; of what was said */
    bool is_late;              /* time passes when the script, which has told something, does nothing any more */
    struct child child;
};

static bool take(void *context, const char *bytes, size_t n)
{
    struct fixture *fixture = context;

    if (n >= sizeof fixture->text - fixture->n)
        return false;
    memcpy(fixture->text + fixture->n, bytes, n);
    fixture->n += n;
    return true;
}

/* From now on time passes when the child does nothing. */
static bool take_and_skip_waits(void *context, const char *bytes, size_t n)
{
    clock_skip_waits("SDZ");
    return take(context, bytes, n);
}

static bool take_and_wait_a_while(void *context, const char *bytes, size_t n)
{
    clock_move(0.2);
    return take(context, bytes, n);
}

static bool take_nothing(void *context, const char *bytes, size_t n)
{
    (void)context;
    (void)bytes;
    (void)n;
    return false;
}

static void run(struct fixture *fixture, const char *work)
{
    fixture->arguments[0] = (char *)(uintptr_t)work;
    fixture->child.arguments = fixture->arguments;
    if (fixture->child.take == NULL)
        fixture->child.take = take;
    fixture->child.context = fixture;
    fixture->n = 0;
    children_run(&fixture->child, 1, &short_patience);
    fixture->text[fixture->n] = '\0';
}

static void check_problem(struct fixture *fixture, const char *work, const char *part)
{
    child_clear(&fixture->child);
    fixture->child = (struct child){.keeps = fixture->child.keeps, .seconds = fixture->child.seconds,
                                    .take = fixture->child.take};
    run(fixture, work);
    if (part == NULL ? fixture->child.problem != NULL
                     : fixture->child.problem == NULL || strstr(fixture->child.problem, part) == NULL)
        fail_msg("its problem is '%s'", fixture->child.problem != NULL ? fixture->child.problem : "none");
}

TEST(all_that_a_child_writes_arrives)
{
    const char *at = fixture->text;

    check_problem(fixture, "lines", NULL);
    for (int i = 0; i < N_LINES; i++) {
        char *end;

        assert_int_equal(strtol(at, &end, 10), i);
        assert_int_equal(*end, '\n');
        at = end + 1;
    }
    assert_int_equal(*at, '\0');
}

TEST(several_children_answer)
{
    enum { N = 40 };
    static struct fixture fixtures[N];
    char *arguments[] = {"show", NULL};
    struct child children[N] = {0};

    for (int i = 0; i < N; i++)
        children[i] = (struct child){.arguments = arguments, .take = take, .context = &fixtures[i]};
    children_run(children, N, &short_patience);
    for (int i = 0; i < N; i++) {
        assert_null(children[i].problem);
        assert_true(fixtures[i].n > 0);
        child_clear(&children[i]);
    }
}

TEST(reason_of_each_end_is_told)
{
    check_problem(fixture, "crash", "was ended by signal 11");
    assert_int_equal(fixture->child.culprit, CULPRIT);
    check_problem(fixture, "cpu", "more processor time");
    check_problem(fixture, "memory", "more memory");
    check_problem(fixture, "otherwise", "status 77");
    assert_false(fixture->child.refused);
    check_problem(fixture, "refuse", "has said why");
    assert_true(fixture->child.refused);
}

TEST(holder_has_ended_too)
{
    check_problem(fixture, "holder", "was ended by signal 11");
    assert_true(atoi(fixture->text) > 1 && proc_has_ended(atoi(fixture->text)));
}

TEST(child_that_takes_too_long_is_ended)
{
    fixture->child.seconds = 0.5;
    fixture->child.take = take_and_skip_waits;
    check_problem(fixture, "stay", "longer than");
    assert_int_equal(fixture->child.culprit, CULPRIT);
}

TEST(child_that_reads_too_long_is_ended)
{
    fixture->child.take = take_and_skip_waits;
    check_problem(fixture, "too long", "was let go before");
    assert_int_equal(fixture->child.culprit, CULPRIT);
    clock_stop();
    fixture->child.take = take_and_wait_a_while;
    check_problem(fixture, "rather long", NULL);
}

TEST(child_that_does_not_run_is_ended)
{
    fixture->child.take = take_and_skip_waits;
    check_problem(fixture, "stay", "has not run for");
    assert_lacks(fixture->child.problem, "left behind");
    assert_true(fixture->child.ended_at - fixture->child.waits_since > short_patience.to_run);
}

TEST(child_that_waits_in_the_kernel_is_ended)
{
    fixture->child.take = take_and_skip_waits;
    check_problem(fixture, "kernel", "has not run for");
    assert_int_equal(fixture->child.culprit, CULPRIT);
}

TEST(child_that_writes_too_much_is_ended)
{
    fixture->child.max_bytes = 1000;
    run(fixture, "lines");
    assert_has(fixture->child.problem, "more than 1000 bytes");
}

TEST(child_whose_answer_is_of_no_use_is_ended)
{
    fixture->child.take = take_nothing;
    run(fixture, "stay");
    assert_has(fixture->child.problem, "nobody can read");
}

TEST(child_has_nothing_of_the_caller)
{
    int secret = open("/dev/null", O_RDONLY);

    setenv("SECRET", "told", 1);
    setenv("MQD_TEST_CHILD", "known", 1);
    check_problem(fixture, "show", NULL);
    assert_string_equal(fixture->text, "secret told\ntest known\ninput /dev/null\n");
    fixture->child.keeps = variable_is_harmless;
    check_problem(fixture, "show", NULL);
    assert_string_equal(fixture->text, "secret none\ntest known\ninput /dev/null\n");
    close(secret);
}

static void await_end(pid_t pid)
{
    assert_true(pid > 1);
    while (!proc_has_ended(pid))
        rest();
}

static void check_ended_by(pid_t caller, int number)
{
    int status;

    assert_int_equal(waitpid(caller, &status, 0), caller);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

/* The child was a caller's: what it points to is not in the memory of the test. */
static void forget_child(struct fixture *fixture)
{
    fixture->child = (struct child){0};
}

/* Standard error of a caller. */
static char *messages_of(struct fixture *fixture, const char *work)
{
    char *text = calloc(1, 1 << 20);
    size_t n = 0;
    ssize_t got;
    int pipes[2];
    pid_t caller;

    assert_int_equal(pipe(pipes), 0);
    caller = fork();
    if (caller == 0) {
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        run(fixture, work);
        _exit(0);
    }
    close(pipes[1]);
    while ((got = read(pipes[0], text + n, (1 << 20) - 1 - n)) > 0)
        n += (size_t)got;
    close(pipes[0]);
    waitpid(caller, NULL, 0);
    forget_child(fixture);
    return text;
}

TEST(messages_are_safe_and_not_endless)
{
    char *text = of_test(messages_of(fixture, "refuse"));

    assert_has(text, "mqdump: it ");
    assert_has(text, "will not\n");
    assert_null(strchr(text, '\033'));
    text = of_test(messages_of(fixture, "chatter"));
    assert_true(strlen(text) > 60000 && strlen(text) < 70000);
}

TEST(signal_to_the_caller_ends_both)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < N_OF(numbers); i++) {
        pid_t caller, child;

        fixture->n = 0;
        caller = fork();
        if (caller == 0) {
            run(fixture, "stay");
            _exit(0);
        }
        /* It ignores SIGTERM when it has told something. */
        while (fixture->n == 0)
            rest();
        child = fixture->child.pid;
        kill(caller, numbers[i]);
        check_ended_by(caller, numbers[i]);
        assert_true(child > 1 && proc_has_ended(child));
        forget_child(fixture);
    }
}

/* Programs. */

static void say(void *context, const char *line)
{
    struct fixture *fixture = context;
    int n = snprintf(fixture->said + fixture->n_said, sizeof fixture->said - fixture->n_said, "%s\n", line);

    fixture->n_said += (size_t)n;
}

static bool take_or_leave(void *context, const char *bytes, size_t n)
{
    const struct fixture *fixture = context;

    take(context, bytes, n);
    if (fixture->is_late)
        clock_skip_waits("SZ");
    return true;
}

static void prepare(struct fixture *fixture, const char *script)
{
    child_clear(&fixture->child);
    memset(fixture->text, 0, sizeof fixture->text);
    memset(fixture->said, 0, sizeof fixture->said);
    fixture->n = fixture->n_said = 0;
    fixture->arguments[0] = (char *)(uintptr_t)"-c";
    fixture->arguments[1] = (char *)(uintptr_t)script;
    fixture->child = (struct child){.program = "sh", .arguments = fixture->arguments, .take = take_or_leave,
                                    .say = say, .context = fixture};
}

static void run_script(struct fixture *fixture, const char *script)
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
    run_script(fixture, "echo answer; echo one >&2; printf 'two\\r\\nthree' >&2; exit 7");
    assert_string_equal(fixture->text, "answer\n");
    assert_string_equal(fixture->said, "one\ntwo\nthree\n");
    assert_int_equal(fixture->child.status, 7);
    assert_string_equal(fixture->child.problem, "has ended with status 7");
    /* If it was killed, others get some time to end. */
    clock_skip_waits("SZ");
    run_script(fixture, "kill -9 $$");
    assert_int_equal(fixture->child.status, -1);
    assert_has(fixture->child.problem, "signal 9");
}

/* Who still has the other end of the pipe writes on, and is not of its group: nobody waits for that. */
TEST(one_that_leaves_writers_behind_has_ended)
{
    run_script(fixture, "for i in 1 2 3 4; do setsid yes & done; "
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

    run_script(fixture, "echo $$; sed 's/.*) //' /proc/$$/stat | cut -d' ' -f3,4,5; readlink /proc/$$/fd/0; "
                 "ls /proc/$$/fd; (: </dev/tty) 2>/dev/null || echo none; echo $SSH_ASKPASS_REQUIRE");
    assert_int_equal(sscanf(fixture->text, "%d %d %d %d", &pid, &group, &session, &terminal), 4);
    assert_int_equal(group, pid);
    assert_int_equal(session, pid);
    assert_int_equal(terminal, 0);
    assert_has(fixture->text, "/dev/null\n0\n1\n2\nnone\nnever\n");
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
    run_script(fixture, "echo $SECRET $OTHER $SSH_ASKPASS_REQUIRE");
    assert_string_equal(fixture->text, "told known never\n");
    prepare(fixture, "echo $SECRET $OTHER $SSH_ASKPASS_REQUIRE");
    fixture->child.keeps = keeps;
    children_run(&fixture->child, 1, &patience);
    assert_string_equal(fixture->text, "known never\n");
    unsetenv("SSH_ASKPASS_REQUIRE");
}

static struct child several[7];
static size_t most_at_once;

/* Those that run have been started, and have not been collected. */
static bool count_running(void *context, const char *bytes, size_t n)
{
    size_t n_running = 0;

    for (size_t i = 0; i < N_OF(several); i++)
        n_running += several[i].pid > 0;
    if (most_at_once < n_running)
        most_at_once = n_running;
    return take(context, bytes, n);
}

TEST(not_too_many_run_at_once)
{
    enum { N = N_OF(several) };
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
        assert_string_equal(fixtures[i].text, "x\n");
        child_clear(&several[i]);
    }
    free(fixtures);
}

/* How they end. */

TEST(nothing_is_left_of_one_that_has_ended)
{
    run_script(fixture, "sleep 1000 & echo $!");
    assert_null(fixture->child.problem);
    await_end(atoi(fixture->text));
}

TEST(one_that_takes_too_long_is_ended_with_all)
{
    run_too_long(fixture, "sleep 1000 & echo $!; wait");
    await_end(atoi(fixture->text));
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
    await_end(atoi(fixture->text));
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
        run_script(fixture, script);
        _exit(0);
    }
    while (strchr(fixture->text, '\n') == NULL)
        rest();
    return caller;
}

/* The callers end at the same time: what they have started gets a second or two to end. */
TEST(nothing_is_left_of_a_caller_that_is_ended)
{
    static const int numbers[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGKILL};
    static const char *const scripts[] = {
        "sleep 1000 & echo $!; wait",
        "trap '' TERM INT HUP; sleep 1000 & echo $!; wait",
    };
    enum { N_SCRIPTS = N_OF(scripts), N = N_SCRIPTS * N_OF(numbers) };
    struct fixture *fixtures = share_fixtures(N);
    pid_t callers[N];

    for (size_t i = 0; i < N; i++)
        callers[i] = start_caller(&fixtures[i], scripts[i % N_SCRIPTS], NULL);
    for (size_t i = 0; i < N; i++)
        kill(callers[i], numbers[i / N_SCRIPTS]);
    for (size_t i = 0; i < N; i++) {
        check_ended_by(callers[i], numbers[i / N_SCRIPTS]);
        await_end(atoi(fixtures[i].text));
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
    await_end(atoi(fixture->text));
    forget_child(fixture);
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

int main(int argc, char **argv)
{
    if (argc > 1)
        return do_work(argv[1]);
    restore_signals();
    if (is_in_valgrind())
        return skip_all("not under valgrind");
    return unit_tests_run(NULL, NULL);
}
