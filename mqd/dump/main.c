/*
 * main.c - mqdump: the message queues of running MPI processes.
 *
 * The processes are stopped only while their memory is read: what takes time and needs no memory (symbols, types, the
 * question whether there is an MPI at all) comes before, printing comes after.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "mqd/dump/common.h"
#include "mqd/dump/dll.h"
#include "mqd/dump/host.h"
#include "mqd/dump/listing.h"
#include "mqd/dump/modules.h"
#include "mqd/dump/present.h"
#include "mqd/dump/printable.h"
#include "mqd/dump/process.h"
#include "mqd/dump/stack.h"
#include "mqd/dump/verdict.h"

enum { EXIT_ALL_SHOWN = 0, EXIT_NOT_ALL_SHOWN = 1, EXIT_USAGE = 2 };

struct options {
    bool json, internal, statistics, why, queues;
    const char *dll;
    pid_t *pids;                   /* each once */
    size_t n_pids;
};

/* All about one process of the command line. It takes part in further steps as long as listing.error is NULL. */
struct rank {
    struct process process;
    mqs_image image;
    mqs_process host;
    struct listing listing;        /* of the last look */
    struct stacks stacks;
    struct calls calls;
    char *job;                     /* NULL: not known */
    bool moved;                    /* it did something between looks, or could not be looked at again */
    bool stopped;                  /* by job control, before mqdump came */
    double cpu_seconds;            /* that it had used when it was let go */
};

/*
 * What is read and how: one look is for the queues alone. The first pause lets messages arrive that were on their way;
 * what only a slow rank keeps from going on gets the second one.
 */
static const double first_pause = 0.1, longest_first_pause = 1, second_pause = 1;

/* A rank that has had the processor so long since it was let go has looked for messages many times. */
static const double seconds_to_progress = 0.001;

/* With more ranks than this one screen says what is wrong, and the tables are printed on request. */
enum { MAX_TABLES = 8 };

static const char usage_text[] =
    "Usage: mqdump [OPTION]... PID...\n"
    "Show the MPI message queues of running processes: for each communicator the sends\n"
    "and receives that were started and not yet waited for, and the messages that have\n"
    "arrived and match no receive. The processes are stopped for as long as it takes to\n"
    "read them and go on afterwards.\n"
    "\n"
    "  --json       print one JSON document instead of tables\n"
    "  --dll FILE   use this MPI debugging library instead of ompi-mqd's own\n"
    "  --no-why     only read the queues, once: not where the ranks are and why they wait\n"
    "  --queues     print the queues of all ranks, however many there are\n"
    "  --internal   show the MPI library's own operations and communicators too\n"
    "  --stats      say on standard error how much was read and how long it took\n"
    "  --help       print this text\n"
    "  --version    print the version\n"
    "\n"
    "Exit status: 0 if all was shown, 1 if something could not be shown, 2 if the\n"
    "command line is wrong.\n";

/* Has all that was printed been written? */
static bool flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    fprintf(stderr, "mqdump: cannot write: %s\n", strerror(errno));
    return false;
}

/* The command line. */

static _Noreturn void usage_error(void)
{
    fputs("Try 'mqdump --help' for more information.\n", stderr);
    exit(EXIT_USAGE);
}

static pid_t parse_pid(const char *text)
{
    char *end;
    long value;

    errno = 0;
    value = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
    if (value <= 0 || value > INT_MAX || errno != 0 || *end != '\0') {
        char *name = printable(text, 0);

        fprintf(stderr, "mqdump: '%s' is no pid: pids are numbers, as ps and pgrep show them\n", name);
        free(name);
        usage_error();
    }
    return (pid_t)value;
}

static void add_pid(struct options *options, pid_t pid)
{
    for (size_t i = 0; i < options->n_pids; i++)
        if (options->pids[i] == pid)
            return;
    options->pids[options->n_pids++] = pid;
}

static void parse_options(struct options *options, int argc, char **argv)
{
    enum { JSON = 256, DLL, INTERNAL, STATS, NO_WHY, QUEUES, HELP, VERSION };
    static const struct option long_options[] = {
        {"json", no_argument, NULL, JSON},         {"dll", required_argument, NULL, DLL},
        {"internal", no_argument, NULL, INTERNAL}, {"stats", no_argument, NULL, STATS},
        {"no-why", no_argument, NULL, NO_WHY},     {"queues", no_argument, NULL, QUEUES},
        {"help", no_argument, NULL, HELP},         {"version", no_argument, NULL, VERSION},
        {0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        switch (option) {
        case JSON:
            options->json = true;
            break;
        case DLL:
            options->dll = optarg;
            break;
        case INTERNAL:
            options->internal = true;
            break;
        case STATS:
            options->statistics = true;
            break;
        case NO_WHY:
            options->why = false;
            break;
        case QUEUES:
            options->queues = true;
            break;
        case HELP:
            fputs(usage_text, stdout);
            exit(flush_output() ? EXIT_ALL_SHOWN : EXIT_NOT_ALL_SHOWN);
        case VERSION:
            puts("mqdump (ompi-mqd) " PACKAGE_VERSION);
            exit(flush_output() ? EXIT_ALL_SHOWN : EXIT_NOT_ALL_SHOWN);
        default:
            usage_error();
        }
    }
    if (optind == argc) {
        fputs("mqdump: no pid given\n", stderr);
        usage_error();
    }
    options->pids = allocate((size_t)(argc - optind), sizeof *options->pids);
    for (int i = optind; i < argc; i++)
        add_pid(options, parse_pid(argv[i]));
}

/* The debugging library. */

static bool open_dll(struct dll *dll, const struct options *options)
{
    char *why = NULL, *text;

    if (dll_open(dll, options->dll, &why) &&
        (!options->internal || dll->show_internal != NULL ||
         fail(&why, "%s cannot show what is internal to MPI: --internal needs the debugging library of ompi-mqd",
              options->dll)))
        return true;
    text = printable(why, 0);
    fprintf(stderr, "mqdump: %s\n", text);
    free(text);
    free(why);
    dll_close(dll);
    return false;
}

/* The processes. */

static void describe_target(struct rank *rank)
{
    const struct elf_file *executable = rank->image.modules.modules[0].file;
    const int one = 1;
    bool is_host_little_endian = *(const char *)&one == 1;

    rank->host = (mqs_process){.process = &rank->process, .image = &rank->image, .rank = (int)rank->listing.rank};
    rank->host.is_64_bit = elf_file_is_64_bit(executable);
    rank->host.is_swapped = elf_file_is_little_endian(executable) != is_host_little_endian;
}

/* What else is said of a process that has ended meanwhile is not the reason. Parts of the kernel have no executable. */
static void note_end(struct rank *rank, const char *text)
{
    struct listing *listing = &rank->listing;

    if (listing->error == NULL || listing->executable == NULL || !process_has_ended(&rank->process))
        return;
    free(listing->error);
    listing->error = copy_string(text);
}

/* Everything that can be done while the process runs. */
static void prepare(struct rank *rank, pid_t pid, struct files *files, const struct dll *dll)
{
    struct listing *listing = &rank->listing;

    *listing = (struct listing){.pid = pid, .rank = -1};
    if (!process_open(&rank->process, pid, &listing->error))
        return;
    rank->job = proc_launcher_job(rank->process.reader);
    listing->executable = proc_executable(rank->process.reader);
    listing->rank = proc_launcher_rank(rank->process.reader);
    if (modules_read(&rank->image.modules, files, &rank->process, listing->executable, &listing->error)) {
        describe_target(rank);
        listing_examine_image(listing, dll, &rank->image);
    }
    note_end(rank, "it has ended");
}

static bool is_stopped(const struct rank *rank)
{
    struct proc_status status;

    return proc_read_status(rank->process.reader, &status) && status.state == 'T';
}

static void stop_all(struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ranks[i].stopped = ranks[i].listing.error == NULL && is_stopped(&ranks[i]);
    for (size_t i = 0; i < n; i++)
        if (ranks[i].listing.error == NULL)
            process_stop(&ranks[i].process, &ranks[i].listing.error);
    for (size_t i = 0; i < n; i++)
        if (ranks[i].listing.error == NULL)
            process_wait_stopped(&ranks[i].process, &ranks[i].listing.error);
}

/* A process loads more files while it runs, plugins during MPI_Init above all. */
static void read_all(struct rank *ranks, size_t n, struct files *files, const struct dll *dll,
                     const struct options *options)
{
    for (size_t i = 0; i < n; i++) {
        struct rank *rank = &ranks[i];

        if (rank->listing.error != NULL)
            continue;
        if (modules_read(&rank->image.modules, files, &rank->process, rank->listing.executable, &rank->listing.error)) {
            listing_take(&rank->listing, dll, &rank->host, options->internal || options->why);
            if (options->why)
                stacks_take(&rank->stacks, &rank->process, &rank->image.modules);
        }
        note_end(rank, "it died while it was read: what is missing cannot be had any more");
    }
}

/* None has to wait for another; those that just die are given a second for it. */
static void let_all_go(struct rank *ranks, size_t n)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    double end = seconds_now() + 1;
    bool all;

    for (;;) {
        all = true;
        for (size_t i = 0; i < n; i++)
            all &= process_let_go(&ranks[i].process);
        if (all || seconds_now() > end)
            return;
        nanosleep(&pause, NULL);
    }
}

/* Ctrl-Z would leave the processes stopped together with mqdump: it waits until they go on. */
static void read_stopped(struct rank *ranks, size_t n, struct files *files, const struct dll *dll,
                         const struct options *options)
{
    sigset_t job_control, before;

    sigemptyset(&job_control);
    sigaddset(&job_control, SIGTSTP);
    sigaddset(&job_control, SIGTTIN);
    sigaddset(&job_control, SIGTTOU);
    sigprocmask(SIG_BLOCK, &job_control, &before);
    stop_all(ranks, n);
    read_all(ranks, n, files, dll, options);
    for (size_t i = 0; i < n; i++)
        ranks[i].cpu_seconds = process_cpu_seconds(ranks[i].process.pid);
    let_all_go(ranks, n);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Why they wait. */

static void name_calls(struct rank *ranks, size_t n, struct place_cache *places)
{
    for (size_t i = 0; i < n; i++) {
        struct rank *rank = &ranks[i];

        if (rank->stacks.n > 0 || rank->stacks.complete)
            calls_name(&rank->calls, &rank->stacks, &rank->image.modules, rank->process.pid, places);
        stacks_clear(&rank->stacks);
        rank->listing.calls = rank->calls.n > 0 ? &rank->calls : NULL;
    }
}

static struct witness witness_of(const struct rank *rank)
{
    return (struct witness){.listing = &rank->listing, .calls = rank->listing.calls, .job = rank->job,
                            .ended = rank->listing.error != NULL && process_is_gone(rank->listing.pid),
                            .stopped = rank->stopped, .moved = rank->moved};
}

static void conclude(struct verdict *verdict, const struct rank *ranks, size_t n)
{
    struct witness *witnesses = allocate(n, sizeof *witnesses);

    for (size_t i = 0; i < n; i++)
        witnesses[i] = witness_of(&ranks[i]);
    verdict_reach(verdict, witnesses, n);
    free(witnesses);
}

static void pause_for(double seconds)
{
    struct timespec rest = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

    nanosleep(&rest, NULL);
}

/* Has the process had time to look for messages since it was let go? One that sleeps in the kernel waits for them. */
static bool has_progressed(const struct rank *rank)
{
    struct proc_status status;

    return rank->listing.error != NULL ||
           process_cpu_seconds(rank->process.pid) - rank->cpu_seconds > seconds_to_progress ||
           !proc_read_status(rank->process.reader, &status) || status.state != 'R';
}

/* Where many share a processor, it takes a while until each has had it. Nothing is concluded of those that have not. */
static void pause_until_progressed(struct rank *ranks, size_t n)
{
    double end = seconds_now() + longest_first_pause;

    pause_for(first_pause);
    for (size_t i = 0; i < n; i++) {
        while (!has_progressed(&ranks[i]) && seconds_now() < end)
            pause_for(first_pause / 10);
        ranks[i].moved |= !has_progressed(&ranks[i]);
    }
}

/* What the look before saw. */
struct look {
    struct listing listing;
    struct calls calls;
};

static void start_look(struct rank *rank, struct look *before)
{
    *before = (struct look){rank->listing, rank->calls};
    rank->calls = (struct calls){0};
    rank->listing = (struct listing){.pid = before->listing.pid, .rank = before->listing.rank,
                                     .dll_seconds = before->listing.dll_seconds};
    if (before->listing.executable != NULL)
        rank->listing.executable = copy_string(before->listing.executable);
}

/* Compares the looks. What could not be read again is shown as it was, and is no witness of anything any more. */
static void end_look(struct rank *rank, struct look *before)
{
    struct witness after = witness_of(rank), then = {.listing = &before->listing, .calls = before->listing.calls};
    struct look after_look = {rank->listing, rank->calls};

    rank->moved |= rank->listing.error != NULL || witness_has_moved(&then, &after);
    if (rank->listing.error != NULL) {
        rank->listing = before->listing;
        rank->calls = before->calls;
        *before = after_look;
    }
    calls_clear(&before->calls);
    listing_free(&before->listing);
    rank->listing.calls = rank->calls.n > 0 ? &rank->calls : NULL;
}

/* A process that could not be read wholly stays as it was. */
static void look_again(struct rank *ranks, size_t n, struct files *files, const struct dll *dll,
                       const struct options *options, struct place_cache *places)
{
    struct look *before = allocate(n, sizeof *before);
    bool *looked = allocate(n, sizeof *looked);

    for (size_t i = 0; i < n; i++) {
        looked[i] = ranks[i].listing.error == NULL;
        ranks[i].moved |= !looked[i];
        if (looked[i])
            start_look(&ranks[i], &before[i]);
    }
    read_stopped(ranks, n, files, dll, options);
    name_calls(ranks, n, places);
    for (size_t i = 0; i < n; i++)
        if (looked[i])
            end_look(&ranks[i], &before[i]);
    free(before);
    free(looked);
}

static bool rests_on_time(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->n; i++)
        if (finding_rests_on_time(&verdict->findings[i]))
            return true;
    return false;
}

/* At one moment messages may be on their way, and anybody may be slow: what is reported holds in each of the looks. */
static void find_out_why(struct verdict *verdict, struct rank *ranks, size_t n, struct files *files,
                         const struct dll *dll, const struct options *options)
{
    struct place_cache places = {0};

    name_calls(ranks, n, &places);
    conclude(verdict, ranks, n);
    if (verdict->n > 0) {
        pause_until_progressed(ranks, n);
        look_again(ranks, n, files, dll, options, &places);
        conclude(verdict, ranks, n);
    }
    if (rests_on_time(verdict)) {
        pause_for(second_pause);
        look_again(ranks, n, files, dll, options, &places);
        conclude(verdict, ranks, n);
    }
    place_cache_clear(&places);
}

/* The results. */

/* Tables have the errors of processes that are shown in their place. */
static void report_errors(const struct rank *ranks, size_t n, bool json)
{
    bool in_tables = false;

    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = &ranks[i].listing;

        if (listing->error != NULL && (json || !listing->has_communicators)) {
            char *text = printable(listing->error, 0);

            fprintf(stderr, "mqdump: process %d: %s\n", (int)listing->pid, text);
            free(text);
        } else if (!listing_is_complete(listing)) {
            in_tables = true;
        }
    }
    if (in_tables)
        fprintf(stderr, "mqdump: not everything could be shown: see \"%s\" in the output\n",
                json ? "errors" : "error:");
}

/* People look for ranks, not for process ids; a process whose rank is not known comes first. */
static int compare_ranks(const void *a, const void *b)
{
    const struct listing *x = *(const struct listing *const *)a, *y = *(const struct listing *const *)b;

    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->pid > y->pid) - (x->pid < y->pid);
}

/* With many ranks, those tables that have errors. Returns how many there are left. */
static size_t choose_tables(const struct listing **listings, size_t n)
{
    size_t n_left = 0;

    if (n <= MAX_TABLES)
        return n;
    for (size_t i = 0; i < n; i++)
        if (listings[i]->has_communicators && !listing_is_complete(listings[i]))
            listings[n_left++] = listings[i];
    return n_left;
}

static void print_text(const struct listing **listings, size_t n, const struct verdict *verdict,
                       const struct options *options)
{
    size_t n_tables = n;

    qsort(listings, n, sizeof *listings, compare_ranks);
    if (verdict != NULL) {
        report_print(stdout, verdict, listings, n);
        n_tables = options->queues ? n : choose_tables(listings, n);
        putchar('\n');
    }
    text_print(stdout, listings, n_tables);
    if (n_tables < n)
        printf("%sThe queues of %zu %sranks are not printed: --queues prints all.\n", n_tables > 0 ? "\n" : "",
               n - n_tables, n_tables > 0 ? "other " : "");
}

/* `verdict` is NULL where there is none. */
static bool print_all(const struct rank *ranks, size_t n, const struct verdict *verdict, const struct options *options)
{
    const struct listing **listings = allocate(n, sizeof *listings);

    for (size_t i = 0; i < n; i++)
        listings[i] = &ranks[i].listing;
    if (options->json)
        json_print_with_verdict(stdout, listings, n, verdict);
    else
        print_text(listings, n, verdict, options);
    free(listings);
    return flush_output();
}

static void print_statistics(const struct rank *ranks, size_t n, double seconds)
{
    uint64_t n_reads = 0, n_bytes = 0;
    double dll_seconds = 0;

    for (size_t i = 0; i < n; i++) {
        n_reads += ranks[i].host.n_reads;
        n_bytes += ranks[i].host.n_bytes;
        dll_seconds += ranks[i].listing.dll_seconds;
    }
    fprintf(stderr, "mqdump: stats: {\"target_reads\":%" PRIu64 ",\"target_bytes\":%" PRIu64 ",\"dll_seconds\":%.6f,"
            "\"seconds\":%.6f}\n", n_reads, n_bytes, dll_seconds, seconds);
}

static bool all_complete(const struct rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!listing_is_complete(&ranks[i].listing))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.dll = MQD_DLL_PATH, .why = true};
    struct verdict verdict = {0};
    double start = seconds_now();
    struct files files = {0};
    struct dll dll = {0};
    struct rank *ranks;
    bool complete;

    setlocale(LC_CTYPE, "");
    parse_options(&options, argc, argv);
    if (!open_dll(&dll, &options))
        return EXIT_NOT_ALL_SHOWN;
    /* Another library than ours tells too little of a message to conclude anything from it. */
    options.why = options.why && dll.show_internal != NULL && dll.describe_communicator != NULL;
    ranks = allocate(options.n_pids, sizeof *ranks);
    for (size_t i = 0; i < options.n_pids; i++)
        prepare(&ranks[i], options.pids[i], &files, &dll);
    read_stopped(ranks, options.n_pids, &files, &dll, &options);
    if (options.why)
        find_out_why(&verdict, ranks, options.n_pids, &files, &dll, &options);
    for (size_t i = 0; i < options.n_pids && options.why && !options.internal; i++)
        listing_hide_internal(&ranks[i].listing);

    complete = print_all(ranks, options.n_pids, options.why ? &verdict : NULL, &options) &&
               all_complete(ranks, options.n_pids);
    report_errors(ranks, options.n_pids, options.json);
    if (options.statistics)
        print_statistics(ranks, options.n_pids, seconds_now() - start);

    for (size_t i = 0; i < options.n_pids; i++) {
        listing_release(&dll, &ranks[i].image, &ranks[i].host);
        listing_free(&ranks[i].listing);
        calls_clear(&ranks[i].calls);
        free(ranks[i].job);
        modules_clear(&ranks[i].image.modules);
        process_close(&ranks[i].process);
    }
    verdict_clear(&verdict);
    files_close(&files);
    dll_close(&dll);
    free(ranks);
    free(options.pids);
    return complete ? EXIT_ALL_SHOWN : EXIT_NOT_ALL_SHOWN;
}
