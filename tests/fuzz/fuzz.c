/*
 * fuzz.c - runs a harness on many inputs.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * What one input may take: seconds of the processor, of which sanitizers and a slow machine take the most; seconds in
 * all; bytes of memory. Records have the highest limit of their own, of 64 million members of groups. With sanitizers
 * released memory counts for a while.
 */
enum { MAX_CPU_SECONDS = 10, MAX_SECONDS = 60, MAX_MEGABYTES = 2048 };

/* After so many failures the rest is not worth the time. Leaks are looked for after so many inputs. */
enum { MAX_FAILURES = 20, LEAK_PERIOD = 256, MAX_CHANGES = 6 };

/* Functions of the sanitizers, where the program has them. */
void __sanitizer_set_report_fd(void *descriptor) __attribute__((weak));
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=2048:allocator_may_return_null=1:quarantine_size_mb=16:detect_leaks=1";
}

/* What the child has to tell. */
struct progress {
    _Atomic uint64_t current;          /* the input that runs */
    _Atomic uint64_t n_done;
};

struct fuzz {
    const struct harness *harness;
    struct input *inputs;              /* files, and what the harness has added */
    const char **names;                /* of the files */
    size_t n, n_files;
    uint64_t seed, first, count;
    double seconds, end;
    struct progress *progress;
    unsigned n_failed;
};

static struct fuzz fuzz;
static char directory[64];
static int report_to = STDERR_FILENO;

const char *fuzz_directory(void)
{
    return directory;
}

uint64_t fuzz_seed(void)
{
    return fuzz.seed;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
    exit(2);
}

_Noreturn void fuzz_fail(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vdprintf(report_to, format, list);
    va_end(list);
    dprintf(report_to, "\n");
    abort();
}

void fuzz_add(const void *bytes, size_t n)
{
    fuzz.inputs = realloc(fuzz.inputs, (fuzz.n + 1) * sizeof *fuzz.inputs);
    if (fuzz.inputs == NULL)
        die("no memory");
    fuzz.inputs[fuzz.n++] = input_copy(bytes, n);
}

struct input fuzz_read(const char *path)
{
    static unsigned char bytes[MAX_INPUT + 1];
    FILE *from = fopen(path, "rbe");
    size_t n;

    if (from == NULL)
        die(path);
    n = fread(bytes, 1, sizeof bytes, from);
    fclose(from);
    if (n > MAX_INPUT) {
        errno = EFBIG;
        die(path);
    }
    return input_copy(bytes, n);
}

void fuzz_write(const char *path, const void *bytes, size_t n)
{
    FILE *to = fopen(path, "wbe");

    if (to == NULL || fwrite(bytes, 1, n, to) != n || fclose(to) != 0)
        fuzz_fail("%s cannot be written: %s", path, strerror(errno));
}

/* Inputs: first the files, then those that are made. */

static struct input make_input(uint64_t i)
{
    struct numbers numbers = numbers_of(fuzz.seed, i);
    size_t from = number_below(&numbers, fuzz.n), other = number_below(&numbers, fuzz.n);
    const struct input none = {(unsigned char *)"", 0};
    struct input input = fuzz.n > 0 ? input_copy(fuzz.inputs[from].bytes, fuzz.inputs[from].n) : input_copy(NULL, 0);

    if (fuzz.harness->make != NULL) {
        fuzz.harness->make(&input, fuzz.n > 0 ? &fuzz.inputs[other] : &none, i, &numbers);
        return input;
    }
    for (size_t n = 1 + number_below(&numbers, MAX_CHANGES); n > 0; n--)
        fuzz.harness->mutate(&input, fuzz.n > 0 ? &fuzz.inputs[other] : &none, &numbers);
    return input;
}

static struct input input_of(uint64_t i)
{
    if (i < fuzz.n_files)
        return input_copy(fuzz.inputs[i].bytes, fuzz.inputs[i].n);
    return make_input(fuzz.first + (i - fuzz.n_files));
}

/* The child. */

static void limit_time(bool on)
{
    const struct itimerval processor = {.it_value.tv_sec = on ? MAX_CPU_SECONDS : 0};
    const struct itimerval all = {.it_value.tv_sec = on ? MAX_SECONDS : 0};

    setitimer(ITIMER_PROF, &processor, NULL);
    setitimer(ITIMER_REAL, &all, NULL);
}

static void check_leaks(void)
{
    if (__lsan_do_recoverable_leak_check != NULL && __lsan_do_recoverable_leak_check() != 0)
        fuzz_fail("memory that nobody has any more: of this input, or of one of the %d before it", LEAK_PERIOD);
}

/* What mqdump writes on standard error and output is of no interest; what the sanitizers write is. */
static void redirect(void)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    report_to = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
    if (nowhere < 0 || report_to < 0)
        die("/dev/null");
    if (__sanitizer_set_report_fd != NULL)
        __sanitizer_set_report_fd((void *)(intptr_t)report_to);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

static bool may_go_on(uint64_t i)
{
    if (i < fuzz.n_files)
        return true;
    return i - fuzz.n_files < fuzz.count && (fuzz.seconds == 0 || seconds_now() < fuzz.end);
}

_Noreturn static void work(uint64_t first)
{
    uint64_t i = first;

    redirect();
    for (; may_go_on(i); i++) {
        struct input input = input_of(i);

        atomic_store(&fuzz.progress->current, i);
        limit_time(true);
        fuzz.harness->run(input.bytes, input.n);
        limit_time(false);
        free(input.bytes);
        atomic_fetch_add(&fuzz.progress->n_done, 1);
        if ((i + 1) % LEAK_PERIOD == 0 || i + 1 == fuzz.n_files)
            check_leaks();
    }
    check_leaks();
    _exit(0);
}

/* The parent. */

static void print_again(uint64_t i)
{
    if (i < fuzz.n_files) {
        fprintf(stderr, "    again: fuzz_%s %s\n", fuzz.harness->name, fuzz.names[i]);
        return;
    }
    fprintf(stderr, "    again: fuzz_%s --seed %" PRIu64 " --first %" PRIu64 " --count 1", fuzz.harness->name,
            fuzz.seed, fuzz.first + (i - fuzz.n_files));
    for (size_t k = 0; k < fuzz.n_files; k++)
        fprintf(stderr, " %s", fuzz.names[k]);
    fprintf(stderr, "\n");
}

/* Writes the input to a file, which then runs by itself. */
static void keep_input(uint64_t i)
{
    struct input input = input_of(i);
    char name[128];

    snprintf(name, sizeof name, "fuzz_%s-%" PRIu64 "-%" PRIu64, fuzz.harness->name, fuzz.seed,
             fuzz.first + (i - fuzz.n_files));
    fuzz_write(name, input.bytes, input.n);
    fprintf(stderr, "    or:    fuzz_%s %s\n", fuzz.harness->name, name);
    free(input.bytes);
}

static void report(uint64_t i, int status, bool too_large)
{
    const char *why = too_large                      ? "takes too much memory"
                      : !WIFSIGNALED(status)         ? "ends the program"
                      : WTERMSIG(status) == SIGALRM  ? "takes too long"
                      : WTERMSIG(status) == SIGPROF  ? "takes too much of the processor"
                      : WTERMSIG(status) == SIGABRT  ? "is not handled as it has to be"
                                                     : strsignal(WTERMSIG(status));

    fuzz.n_failed++;
    fprintf(stderr, "failed  fuzz_%s: an input %s (%s %d)\n", fuzz.harness->name, why,
            WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    print_again(i);
    if (i >= fuzz.n_files)
        keep_input(i);
}

static long resident_megabytes(pid_t child)
{
    char path[64];
    long size, resident = 0;
    FILE *from;

    snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
    from = fopen(path, "re");
    if (from == NULL || fscanf(from, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    if (from != NULL)
        fclose(from);
    return resident * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
}

/* Waits until the child has ended. An input that takes too much memory ends it too. */
static int wait_for(pid_t child, bool *too_large)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    int status;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!*too_large && resident_megabytes(child) > MAX_MEGABYTES) {
            *too_large = true;
            kill(child, SIGKILL);
        }
        nanosleep(&pause, NULL);
    }
    return status;
}

static void run_all(void)
{
    uint64_t next = 0;

    while (may_go_on(next) && fuzz.n_failed < MAX_FAILURES) {
        bool too_large = false;
        pid_t child;
        int status;

        atomic_store(&fuzz.progress->current, next);
        fflush(NULL);
        child = fork();
        if (child < 0)
            die("fork");
        if (child == 0)
            work(next);
        status = wait_for(child, &too_large);
        if (status == 0)
            break;
        report(atomic_load(&fuzz.progress->current), status, too_large);
        next = atomic_load(&fuzz.progress->current) + 1;
    }
}

/* The command line. */

_Noreturn static void usage(void)
{
    fprintf(stderr, "Usage: fuzz_%s [--seed N] [--seconds S] [--count N] [--first N] [FILE...]\n", fuzz.harness->name);
    exit(2);
}

static uint64_t argument(char **argv, int *i)
{
    char *end;
    uint64_t value;

    if (argv[*i + 1] == NULL)
        usage();
    value = strtoull(argv[++*i], &end, 10);
    if (*end != '\0' || end == argv[*i])
        usage();
    return value;
}

static void parse(int argc, char **argv)
{
    bool limited = false;
    struct input input;

    fuzz.names = calloc((size_t)argc, sizeof *fuzz.names);
    fuzz.seed = (uint64_t)time(NULL);
    fuzz.count = UINT64_MAX;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seed") == 0) {
            fuzz.seed = argument(argv, &i);
        } else if (strcmp(argv[i], "--first") == 0) {
            fuzz.first = argument(argv, &i);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            fuzz.seconds = (double)argument(argv, &i);
            limited = true;
        } else if (strcmp(argv[i], "--count") == 0) {
            fuzz.count = argument(argv, &i);
            limited = true;
        } else if (argv[i][0] == '-') {
            usage();
        } else {
            input = fuzz_read(argv[i]);
            fuzz_add(input.bytes, input.n);
            free(input.bytes);
            fuzz.names[fuzz.n_files++] = argv[i];
        }
    }
    if (!limited)
        fuzz.count = 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

int fuzz_main(const struct harness *harness, int argc, char **argv)
{
    double start = seconds_now(), taken;
    const char *below = getenv("TMPDIR");
    unsigned long n_done;

    fuzz.harness = harness;
    parse(argc, argv);
    snprintf(directory, sizeof directory, "%.40s/fuzz.XXXXXX", below != NULL ? below : "/tmp");
    if (mkdtemp(directory) == NULL)
        die(directory);
    fuzz.progress = mmap(NULL, sizeof *fuzz.progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fuzz.progress == MAP_FAILED)
        die("mmap");
    if (harness->begin != NULL)
        harness->begin();
    fuzz.end = start + fuzz.seconds;
    run_all();
    taken = seconds_now() - start;
    n_done = (unsigned long)atomic_load(&fuzz.progress->n_done);
    /* All inputs together are one test: their number depends on the machine. */
    printf("fuzz_%s: seed %" PRIu64 ", %lu inputs in %.0f s, %.0f per second\n%d passed, %u failed, 0 skipped\n",
           harness->name, fuzz.seed, n_done, taken, (double)n_done / (taken > 0 ? taken : 1),
           n_done > 0 && fuzz.n_failed == 0, fuzz.n_failed);
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < fuzz.n; i++)
        free(fuzz.inputs[i].bytes);
    free(fuzz.inputs);
    free(fuzz.names);
    return fuzz.n_failed > 0;
}
