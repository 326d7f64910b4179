#include "unit_test.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TESTS = 600 };

static struct CMUnitTest tests[MAX_TESTS];
static size_t n_tests;

static void **owned;
static size_t n_owned;
static char *reason, directory[] = "/tmp/ompi-mqd-test-XXXXXX";
static bool has_directory;

FILE *test_to;
static char *output;

void unit_test_add(struct CMUnitTest test)
{
    if (n_tests == MAX_TESTS)
        abort();
    tests[n_tests++] = test;
}

int unit_tests_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    if (n_tests == 0)
        return 1;
    return _cmocka_run_group_tests("tests", tests, n_tests, setup, teardown) != 0;
}

int skip_all(const char *reason)
{
    printf("skipped because: %s\n", reason);
    return 77;
}

void *unit_test_begin(size_t fixture_size, bool shared, unsigned seconds)
{
    void *fixture = NULL;

    alarm(seconds);
    if (fixture_size > 0 && shared)
        fixture = mmap(NULL, fixture_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    else if (fixture_size > 0)
        fixture = calloc(1, fixture_size);
    assert_true(fixture != MAP_FAILED);
    return fixture;
}

int unit_test_end(void *fixture, size_t fixture_size, bool shared)
{
    int status = 0;

    alarm(0);
    if (has_directory) {
        status = system(test_text("rm -rf '%s'", directory));
        memset(directory + strlen(directory) - 6, 'X', 6);
        has_directory = false;
    }
    of_test(reason);
    reason = NULL;
    while (n_owned > 0)
        free(owned[--n_owned]);
    if (fixture != NULL && shared)
        status |= munmap(fixture, fixture_size);
    else
        free(fixture);
    return status;
}

void *of_test(void *memory)
{
    owned = realloc(owned, (n_owned + 1) * sizeof *owned);
    assert_non_null(owned);
    return owned[n_owned++] = memory;
}

static char *print(const char *start, const char *format, va_list list)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    assert_non_null(to);
    fputs(start, to);
    vfprintf(to, format, list);
    assert_int_equal(fclose(to), 0);
    return of_test(text);
}

char *test_text(const char *format, ...)
{
    va_list list;
    char *text;

    va_start(list, format);
    text = print("", format, list);
    va_end(list);
    return text;
}

char *test_join(const char *const *texts, size_t n, const char *between)
{
    char *all = test_text("%s", n > 0 ? texts[0] : "");

    for (size_t i = 1; i < n; i++)
        all = test_text("%s%s%s", all, between, texts[i]);
    return all;
}

char *test_path(const char *format, ...)
{
    va_list list;
    char *path;

    if (!has_directory)
        assert_non_null(mkdtemp(directory));
    has_directory = true;
    va_start(list, format);
    path = print(directory, format, list);
    va_end(list);
    return path;
}

char *test_file(const char *path, const void *content, size_t n)
{
    FILE *to;

    for (const char *end = path + 1; (end = strchr(end, '/')) != NULL; end++)
        mkdir(test_text("%.*s", (int)(end - path), path), 0700);
    to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(content, 1, n, to), n);
    assert_int_equal(fclose(to), 0);
    return (char *)(uintptr_t)path;
}

char **test_new_why(void)
{
    of_test(reason);
    reason = NULL;
    return &reason;
}

const char *why(void)
{
    return reason;
}

void test_begin_output(void)
{
    static size_t size;

    test_to = open_memstream(&output, &size);
    assert_non_null(test_to);
}

char *test_end_output(void)
{
    assert_int_equal(fclose(test_to), 0);
    return of_test(output);
}

void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

void restore_signals(void)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE};

    for (size_t i = 0; i < N_OF(numbers); i++)
        signal(numbers[i], SIG_DFL);
}

size_t count_of(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        n++;
    return n;
}

void test_check_text(const char *text, const char *part, size_t least, size_t most, const char *file, int line)
{
    size_t n = text != NULL ? count_of(text, part) : 0;

    if (n >= least && n <= most)
        return;
    print_error("'%s' is there %zu times:\n%s\n", part, n, text != NULL ? text : "(no text)");
    _fail(file, line);
}

void test_check_same(const char *text, const char *expected, const char *file, int line)
{
    if (text == NULL ? expected == NULL : expected != NULL && strcmp(text, expected) == 0)
        return;
    print_error("expected:\n%s\nbut it is:\n%s\n", expected != NULL ? expected : "(none)",
                text != NULL ? text : "(none)");
    _fail(file, line);
}
