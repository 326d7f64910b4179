/*
 * main.c - mqdump: the message queues of running MPI processes.
 *
 * The processes are stopped only while their memory is read. Work that takes time and needs no memory (symbols, types,
 * the test for an MPI library) is done before, printing afterwards.
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
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/progress.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/collect/child/worker.h"
#include "mqd/dump/collect/client/dll.h"
#include "mqd/dump/collect/hold/hold.h"
#include "mqd/dump/observe.h"
#include "mqd/dump/select_job.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/layout_text.h"
#include "mqd/dump/show/listing_text.h"
#include "mqd/dump/show/paragraph.h"
#include "mqd/dump/show/picture.h"
#include "mqd/dump/show/picture_dot.h"
#include "mqd/dump/show/picture_svg.h"
#include "mqd/dump/show/verdict_text.h"

enum { EXIT_ALL_SHOWN = 0, EXIT_NOT_ALL_SHOWN = 1, EXIT_USAGE = 2 };

struct options {
    bool json, internal, layout, statistics, list, no_stop, why, queues;
    const char *dll;
    const char *job;               /* NULL: not asked for */
    struct process_id *processes;  /* each once */
    size_t n_processes;
    struct selection selection;    /* what --job, or no argument, has selected: processes and missing ranks */
    const char **cores;            /* core files, in place of processes */
    size_t n_cores;
    const char **executables;      /* of the cores */
    size_t n_executables;
    const char *sysroot;           /* NULL: files are where the cores say */
    enum colour_wish colour;
    const char *dot, *svg;         /* files for pictures, "-": standard output; NULL: not asked for */
};

/* With more ranks than this the tables are printed on request only: the conclusions fit one screen. */
enum { MAX_TABLES = 8 };

static const char usage_text[] =
    "Usage: mqdump [OPTION]...                the only MPI job on this machine, or all\n"
    "                                         that one launcher has started\n"
    "  or:  mqdump [OPTION]... --job JOB      one of several\n"
    "  or:  mqdump [OPTION]... PID...         some ranks\n"
    "  or:  mqdump [OPTION]... --core FILE... ranks of which there are core files\n"
    "  or:  mqdump [--json] --list            which jobs there are\n"
    "Show the MPI message queues of running processes: for each communicator the\n"
    "sends and receives that were started and not yet waited for, and the messages\n"
    "that have arrived and match no receive. The processes are stopped for as long as\n"
    "it takes to read them and go on afterwards.\n"
    "\n"
    "  --job JOB    the ranks, on this machine, of one job: give the pid of its\n"
    "               mpirun or other launcher (and get all jobs that it has started),\n"
    "               the pid of a rank, or its namespace\n"
    "  --core FILE  read core files: this one, and all arguments that are no options\n"
    "  --exe FILE   the program of the cores, if it is not where it was; may be given\n"
    "               several times\n"
    "  --sysroot DIR  find the files that the cores name below this directory\n"
    "  --list       list the jobs that you have on this machine; root sees all users'\n"
    "  --json       print one JSON document instead of tables\n"
    "  --layout     print what the queues would be read by, instead of them: the types\n"
    "               and fields, where each is known from, what speaks for it, and what\n"
    "               is switched off and why; with --json both\n"
    "  --dll FILE   use this MPI debugging library instead of ompi-mqd's own\n"
    "  --no-why     only read the queues, once: not where the ranks are and why they\n"
    "               wait\n"
    "  --queues     print the queues of all ranks, however many there are\n"
    "  --internal   show the MPI library's own operations and communicators too\n"
    "  --no-stop    read the processes while they run: what is shown may contradict\n"
    "               itself\n"
    "  --dot FILE   write who waits for whom as a graph for Graphviz; \"-\" is standard\n"
    "               output, where it takes the place of the rest\n"
    "  --svg FILE   the same as a picture\n"
    "  --color[=WHEN]  use colours: auto (the default: on a terminal, unless NO_COLOR\n"
    "               is set), always or never\n"
    "  --stats      say on standard error how much was read and how long it took\n"
    "  --help       print this text\n"
    "  --version    print the version\n"
    "\n"
    "Exit status: 0 if all was shown, 1 if something could not be shown, or there is\n"
    "no job or more than one to choose from, 2 if the command line is wrong.\n";

/* Writes all buffered output. False, with a message, if that fails. */
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

static enum colour_wish parse_colour(const char *when)
{
    static const char *const names[] = {[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};
    char *name;

    if (when == NULL)
        return COLOUR_ALWAYS;
    for (enum colour_wish wish = COLOUR_AUTO; wish <= COLOUR_NEVER; wish++)
        if (strcmp(when, names[wish]) == 0)
            return wish;
    name = printable(when, 0);
    fprintf(stderr, "mqdump: --color is auto, always or never, not '%s'\n", name);
    free(name);
    usage_error();
}

static void add_pid(struct options *options, pid_t pid)
{
    for (size_t i = 0; i < options->n_processes; i++)
        if (options->processes[i].pid == pid)
            return;
    options->processes[options->n_processes++] = (struct process_id){.pid = pid};
}

static bool is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Why a picture cannot be made; NULL: it can, or none was asked for. */
static const char *picture_problem(const struct options *options)
{
    bool to_output = is_standard_output(options->dot) || is_standard_output(options->svg);

    if (options->dot == NULL && options->svg == NULL)
        return NULL;
    if (options->list || options->no_stop || !options->why || (options->layout && !options->json))
        return "--dot and --svg show why ranks wait, which is not found out with --list, --no-stop, --no-why and "
               "--layout";
    if (to_output && (options->json || (is_standard_output(options->dot) && is_standard_output(options->svg))))
        return "only one thing can be written to standard output: give a file for --dot and --svg";
    return NULL;
}

/* Refuses options that exclude each other. */
static void check_options(const struct options *options)
{
    const char *problem = NULL;

    if (options->list && (options->job != NULL || options->n_processes > 0 || options->n_cores > 0))
        problem = "--list shows all jobs: leave the rest away";
    else if (options->n_cores > 0 && options->job != NULL)
        problem = "give either --job or core files";
    else if (options->n_cores == 0 && (options->n_executables > 0 || options->sysroot != NULL))
        problem = "--exe and --sysroot are for core files: give them with --core";
    else if (options->job != NULL && options->n_processes > 0)
        problem = "give either --job or the pids of ranks";
    if (problem == NULL)
        problem = picture_problem(options);
    if (problem == NULL)
        return;
    fprintf(stderr, "mqdump: %s\n", problem);
    usage_error();
}

/* Takes the arguments that are no options: core files if there is a --core, else pids. */
static void take_arguments(struct options *options, char **arguments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (options->n_cores > 0)
            options->cores[options->n_cores++] = arguments[i];
        else
            add_pid(options, parse_pid(arguments[i]));
    }
}

static void parse_options(struct options *options, int argc, char **argv)
{
    enum {
        JSON = 256, COLOR, CORE, DLL, DOT, EXE, INTERNAL, JOB, LAYOUT, LIST, NO_STOP, NO_WHY, QUEUES, STATS, SVG,
        SYSROOT, HELP, VERSION
    };
    static const struct option long_options[] = {
        {"json", no_argument, NULL, JSON},         {"dll", required_argument, NULL, DLL},
        {"core", required_argument, NULL, CORE},   {"exe", required_argument, NULL, EXE},
        {"sysroot", required_argument, NULL, SYSROOT},
        {"job", required_argument, NULL, JOB},     {"list", no_argument, NULL, LIST},
        {"layout", no_argument, NULL, LAYOUT},     {"no-stop", no_argument, NULL, NO_STOP},
        {"internal", no_argument, NULL, INTERNAL}, {"stats", no_argument, NULL, STATS},
        {"color", optional_argument, NULL, COLOR},
        {"dot", required_argument, NULL, DOT},     {"svg", required_argument, NULL, SVG},
        {"no-why", no_argument, NULL, NO_WHY},     {"queues", no_argument, NULL, QUEUES},
        {"help", no_argument, NULL, HELP},         {"version", no_argument, NULL, VERSION},
        {0},
    };
    int option;

    options->processes = allocate_array((size_t)argc, sizeof *options->processes);
    options->cores = allocate_array((size_t)argc, sizeof *options->cores);
    options->executables = allocate_array((size_t)argc, sizeof *options->executables);
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        switch (option) {
        case JSON:
            options->json = true;
            break;
        case CORE:
            options->cores[options->n_cores++] = optarg;
            break;
        case COLOR:
            options->colour = parse_colour(optarg);
            break;
        case DOT:
            options->dot = optarg;
            break;
        case SVG:
            options->svg = optarg;
            break;
        case EXE:
            options->executables[options->n_executables++] = optarg;
            break;
        case SYSROOT:
            options->sysroot = optarg;
            break;
        case DLL:
            options->dll = optarg;
            break;
        case INTERNAL:
            options->internal = true;
            break;
        case JOB:
            options->job = optarg;
            break;
        case LAYOUT:
            options->layout = true;
            break;
        case LIST:
            options->list = true;
            break;
        case NO_STOP:
            options->no_stop = true;
            break;
        case NO_WHY:
            options->why = false;
            break;
        case QUEUES:
            options->queues = true;
            break;
        case STATS:
            options->statistics = true;
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
    take_arguments(options, argv + optind, (size_t)(argc - optind));
    check_options(options);
}

/* If no pids were given, puts the processes of the job's ranks into the options. */
static bool find_ranks(struct options *options, struct files *files)
{
    if (options->n_processes > 0 || options->n_cores > 0)
        return true;
    if (!select_job(&options->selection, options->job, files))
        return false;
    free(options->processes);
    options->processes = options->selection.processes;
    options->n_processes = options->selection.n;
    options->selection.processes = NULL;
    return true;
}

static void options_clear(struct options *options)
{
    free(options->processes);
    free(options->cores);
    free(options->executables);
}

/* The debugging library. */

/* Open MPI's own debug DLL, and any other than ours, offers MQD 1.0 only. */
static bool has_what_is_needed(const struct dll *dll, const struct options *options, char **why)
{
    if (dll->extension != NULL)
        return true;
    if (options->internal)
        return set_reason(why,
                          "%s cannot show what is internal to MPI: --internal needs the debugging library of ompi-mqd",
                          options->dll);
    if (options->dot != NULL || options->svg != NULL)
        return set_reason(why, "%s cannot tell why ranks wait: --dot and --svg need the debugging library of ompi-mqd",
                          options->dll);
    if (options->layout)
        return set_reason(why, "%s cannot tell what it rests on: --layout needs the debugging library of ompi-mqd",
                          options->dll);
    return true;
}

static bool open_dll(struct dll *dll, const struct options *options)
{
    char *why = NULL, *text;

    if (dll_open(dll, options->dll, &why) && has_what_is_needed(dll, options, &why))
        return true;
    text = printable(why, 0);
    fprintf(stderr, "mqdump: %s\n", text);
    free(text);
    free(why);
    dll_close(dll);
    return false;
}

/* The results. */

static void print_error(const struct listing *listing)
{
    char *name = listing->core != NULL ? format_text("core %s", listing->core)
                                       : format_text("process %d", (int)listing->pid);
    char *printable_name = printable(name, 0), *text = printable(listing->error, 0);

    fprintf(stderr, "mqdump: %s: %s\n", printable_name, text);
    free(text);
    free(printable_name);
    free(name);
}

/*
 * Errors of processes whose tables are printed are in the tables. Missing ranks were reported when they were selected.
 */
static void report_errors(const struct rank *ranks, size_t n, bool json)
{
    bool in_tables = false;

    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = &ranks[i].listing;

        if (ranks[i].missing != NULL)
            continue;
        if (listing->error != NULL && (json || !listing->has_communicators)) {
            print_error(listing);
        } else if (!listing_is_complete(listing)) {
            in_tables = true;
        }
    }
    if (in_tables)
        fprintf(stderr, "mqdump: not everything could be shown: see \"%s\" in the output\n",
                json ? "errors" : "error:");
}

/* People look for ranks, not for process ids; a process whose job or rank is not known comes first. */
static int compare_ranks(const void *a, const void *b)
{
    const struct listing *x = *(const struct listing *const *)a, *y = *(const struct listing *const *)b;
    int order = strcmp(x->job != NULL ? x->job : "", y->job != NULL ? y->job : "");

    if (order != 0)
        return order;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->pid > y->pid) - (x->pid < y->pid);
}

/* How many ranks have queues that were read. */
static size_t count_queues(const struct listing *const *listings, size_t n)
{
    size_t n_read = 0;

    for (size_t i = 0; i < n; i++)
        n_read += listings[i]->has_communicators;
    return n_read;
}

/* With many ranks keeps only the listings that have errors. Returns how many are left. */
static size_t choose_tables(const struct listing **listings, size_t n)
{
    size_t n_left = 0;

    if (count_queues(listings, n) <= MAX_TABLES)
        return n;
    for (size_t i = 0; i < n; i++)
        if (listings[i]->has_communicators && !listing_is_complete(listings[i]))
            listings[n_left++] = listings[i];
    return n_left;
}

static void print_left_out(size_t n, bool others)
{
    char *text =
        format_text("The queues of %zu %sranks are not printed: --queues prints all.", n, others ? "other " : "");

    fputs(others ? "\n" : "", stdout);
    print_paragraph(stdout, 0, 0, text);
    free(text);
}

static void print_text(const struct listing **listings, size_t n, const struct verdict *verdict,
                       const struct options *options)
{
    size_t n_tables = n, n_queues = count_queues(listings, n);

    qsort(listings, n, sizeof *listings, compare_ranks);
    if (verdict != NULL) {
        verdict_print(stdout, verdict, listings, n);
        n_tables = options->queues ? n : choose_tables(listings, n);
        putchar('\n');
    }
    text_print(stdout, listings, n_tables);
    if (n_tables < n_queues)
        print_left_out(n_queues - n_tables, n_tables > 0);
}

/* `verdict` is NULL if there is none. */
static bool print_all(const struct rank *ranks, size_t n, const struct verdict *verdict, const struct options *options)
{
    const struct listing **listings = allocate_array(n, sizeof *listings);

    for (size_t i = 0; i < n; i++)
        listings[i] = &ranks[i].listing;
    if (options->json) {
        json_print_with_verdict(stdout, listings, n, verdict);
    } else if (options->layout) {
        qsort(listings, n, sizeof *listings, compare_ranks);
        layout_print(stdout, listings, n);
    } else if (!is_standard_output(options->dot) && !is_standard_output(options->svg)) {
        print_text(listings, n, verdict, options);
    }
    free(listings);
    return flush_output();
}

typedef void picture_printer(FILE *to, const struct picture *picture);

static bool write_picture(const char *path, picture_printer *print, const struct picture *picture)
{
    struct whole_file file;
    char *why = NULL, *text;

    if (path == NULL)
        return true;
    if (is_standard_output(path)) {
        print(stdout, picture);
        return flush_output();
    }
    if (whole_file_open(&file, path, &why)) {
        print(file.to, picture);
        if (whole_file_close(&file, &why))
            return true;
    }
    text = printable(why, 0);
    fprintf(stderr, "mqdump: %s\n", text);
    free(text);
    free(why);
    return false;
}

static bool write_pictures(const struct options *options, const struct picture *picture)
{
    bool good = write_picture(options->dot, picture_print_dot, picture);

    return write_picture(options->svg, picture_print_svg, picture) && good;
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

/*
 * Conclusions need more of each message than another debug DLL than ours reports. They also need ranks that are stopped
 * at the same time.
 */
static bool can_tell_why(const struct options *options, const struct dll *dll)
{
    return options->why && dll->extension != NULL && !options->no_stop && (options->json || !options->layout);
}

static bool report(const struct options *options, struct files *files, const struct dll *dll, struct hold *hold,
                   double start)
{
    size_t n_there = options->n_processes + options->n_cores, n = n_there + options->selection.n_missing;
    struct rank *ranks = allocate_array(n, sizeof *ranks);
    struct picture picture = {0};
    const struct view view = {
        .dll = dll, .files = files, .hold = hold, .why = can_tell_why(options, dll),
        .picture = options->dot != NULL || options->svg != NULL ? &picture : NULL,
        .wishes = {.queues = options->json || !options->layout, .internal = options->internal,
                   .layout = options->layout}};
    struct verdict verdict = {0};
    bool complete, why;

    progress_start();
    for (size_t i = 0; i < n_there; i++) {
        progress_show("prepared", i, n_there);
        rank_take_up(&ranks[i], i < options->n_processes ? options->processes[i] : (struct process_id){0},
                     i < options->n_processes ? NULL : options->cores[i - options->n_processes], options->no_stop,
                     &view);
    }
    for (size_t i = n_there; i < n; i++)
        rank_take_missing(&ranks[i], &options->selection.missing[i - n_there]);
    why = ranks_observe(ranks, n, &view, &verdict);

    complete = print_all(ranks, n, why ? &verdict : NULL, options) && all_complete(ranks, n);
    complete = write_pictures(options, &picture) && complete;
    report_errors(ranks, n, options->json);
    if (options->statistics)
        print_statistics(ranks, n, seconds_now() - start);

    for (size_t i = 0; i < n; i++)
        rank_release(&ranks[i], dll);
    verdict_clear(&verdict);
    picture_clear(&picture);
    free(ranks);
    return complete;
}

/*
 * A server that does not answer would keep mqdump for minutes at each file: elfutils waits 90 seconds, three times.
 * What the user has set counts. The environment is how elfutils is told.
 */
static void limit_server_time(void)
{
    setenv("DEBUGINFOD_TIMEOUT", "5", 0);
    setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
}

/* The process that holds others is started before anything is opened on behalf of one: it must not have that open. */
static bool start_hold(struct hold *hold, const struct options *options)
{
    char *why = NULL;

    *hold = (struct hold){.socket = -1};
    if (options->list || options->no_stop || options->n_cores > 0 || hold_start(hold, &why))
        return true;
    fprintf(stderr, "mqdump: %s\n", why);
    free(why);
    return false;
}

/* What is done in a process of its own: reads, concludes and prints. */
struct work {
    struct options options;
    double start;
};

static int work(void *context)
{
    struct work *all = context;
    struct options *options = &all->options;
    struct files files = {.sysroot = options->sysroot, .executables = options->executables,
                          .n_executables = options->n_executables};
    bool complete = false;
    struct dll dll = {0};
    struct hold hold;

    if (!start_hold(&hold, options))
        return EXIT_NOT_ALL_SHOWN;
    if (options->list) {
        complete = select_job_list(&files, options->json) && flush_output();
    } else if (open_dll(&dll, options)) {
        if (find_ranks(options, &files))
            complete = report(options, &files, &dll, &hold, all->start);
    }
    files_close(&files);
    dll_close(&dll);
    hold_end(&hold);
    selection_clear(&options->selection);
    warnings_clear();
    options_clear(options);
    return complete ? EXIT_ALL_SHOWN : EXIT_NOT_ALL_SHOWN;
}

int main(int argc, char **argv)
{
    struct work all = {.options = {.dll = MQD_DLL_PATH, .why = true}, .start = seconds_now()};
    int status;

    setlocale(LC_CTYPE, "");
    parse_options(&all.options, argc, argv);
    terminal_look(all.options.colour);
    limit_server_time();
    watch_open();
    status = worker_run(work, &all, &worker_patience, EXIT_NOT_ALL_SHOWN);
    options_clear(&all.options);
    return status;
}
