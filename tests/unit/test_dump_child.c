/*
 * test_dump_child.c - processes of mqdump's own: what they write, how they end, and when they are left behind.
 *
 * A child is this program again, with the name of what it does as its argument. What children_run does with signals
 * concerns the whole process, so that each case is a caller of its own.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
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
    watch_set_expired(true);
    wait_for_ever();
}

/* The reader comes back within the time that it has. The caller has looked after it before it takes another line. */
static int read_rather_long(void)
{
    watch_set_expired(true);
    tell("a while");
    tell("a while");
    watch_set_expired(false);
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
    {"show", show_itself},
};

static int do_work(const char *name)
{
    watch_use(watch_map(CHILD_WATCH));
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(name, works[i].name) == 0)
            return works[i].work();
    return 99;
}

/* The caller. */

struct text {
    char bytes[1 << 20];
    size_t n;
};

static bool take(void *context, const char *bytes, size_t n)
{
    struct text *text = context;

    if (n >= sizeof text->bytes - text->n)
        return false;
    memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
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

/* Callers that are processes of their own share it. */
struct fixture {
    char *arguments[2];
    struct text text;
    struct child child;
};

static void run(struct fixture *fixture, const char *work)
{
    fixture->arguments[0] = (char *)(uintptr_t)work;
    fixture->child.arguments = fixture->arguments;
    if (fixture->child.take == NULL)
        fixture->child.take = take;
    fixture->child.context = &fixture->text;
    fixture->text.n = 0;
    children_run(&fixture->child, 1, &short_patience);
    fixture->text.bytes[fixture->text.n] = '\0';
}

static void check_problem(struct fixture *fixture, const char *work, const char *part)
{
    child_clear(&fixture->child);
    fixture->child = (struct child){.is_other = fixture->child.is_other, .seconds = fixture->child.seconds,
                                    .take = fixture->child.take};
    run(fixture, work);
    if (part == NULL ? fixture->child.problem != NULL
                     : fixture->child.problem == NULL || strstr(fixture->child.problem, part) == NULL)
        fail_msg("its problem is '%s'", fixture->child.problem != NULL ? fixture->child.problem : "none");
}

TEST(all_that_a_child_writes_arrives)
{
    const char *at = fixture->text.bytes;

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
    static struct text texts[N];
    char *arguments[] = {"show", NULL};
    struct child children[N] = {0};

    for (int i = 0; i < N; i++)
        children[i] = (struct child){.arguments = arguments, .take = take, .context = &texts[i]};
    children_run(children, N, &short_patience);
    for (int i = 0; i < N; i++) {
        assert_null(children[i].problem);
        assert_true(texts[i].n > 0);
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
    assert_string_equal(fixture->text.bytes, "secret told\ntest known\ninput /dev/null\n");
    fixture->child.is_other = true;
    check_problem(fixture, "show", NULL);
    assert_string_equal(fixture->text.bytes, "secret none\ntest known\ninput /dev/null\n");
    close(secret);
}

/* The child was a caller's: what it points to is not in the memory of the test. */
static void forget_child(struct fixture *fixture)
{
    fixture->child = (struct child){0};
}

/* Standard error of what a caller does. */
static char *messages_of(void (*call)(struct fixture *), struct fixture *fixture)
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
        call(fixture);
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

static void run_refuse(struct fixture *fixture)
{
    run(fixture, "refuse");
}

static void run_chatter(struct fixture *fixture)
{
    run(fixture, "chatter");
}

TEST(messages_are_safe_and_not_endless)
{
    char *text = of_test(messages_of(run_refuse, fixture));

    assert_has(text, "mqdump: it ");
    assert_has(text, "will not\n");
    assert_null(strchr(text, '\033'));
    text = of_test(messages_of(run_chatter, fixture));
    assert_true(strlen(text) > 60000 && strlen(text) < 70000);
}

TEST(signal_to_the_caller_ends_both)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        pid_t caller;
        int status;

        fixture->text.n = 0;
        caller = fork();
        if (caller == 0) {
            run(fixture, "stay");
            _exit(0);
        }
        /* It ignores SIGTERM when it has told something. */
        while (fixture->text.n == 0)
            rest();
        kill(caller, numbers[i]);
        assert_int_equal(waitpid(caller, &status, 0), caller);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
        while (!proc_has_ended(fixture->child.pid))
            rest();
        forget_child(fixture);
    }
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
