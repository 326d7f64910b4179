/*
 * options.c - the command line of mqdump.
 */
#include "mqd/dump/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/show/report.h"

/* Seconds between looks, if that is not chosen, and at least and at most. */
static const double watch_of_own = 2, least_watch = 0.1, most_watch = 86400;

/* Machines that are asked at the same time, if that is not chosen, and at most. */
enum { FANOUT_OF_OWN = 64, MAX_FANOUT = 4096 };

static const char usage_text[] =
    "Usage: mqdump [OPTION]...                the only MPI job on this machine, or all\n"
    "                                         that one launcher has started\n"
    "  or:  mqdump [OPTION]... --job JOB      one of several\n"
    "  or:  mqdump [OPTION]... PID...         some ranks\n"
    "  or:  mqdump [OPTION]... --core FILE... ranks of which there are core files\n"
    "  or:  mqdump [OPTION]... FILE...        what was seen before, from records\n"
    "  or:  mqdump --merge [--save FILE] FILE...  several records as one\n"
    "  or:  mqdump [--json] --list            which jobs there are\n"
    "Show the MPI message queues of running processes: for each communicator the\n"
    "sends and receives that were started and not yet waited for, and the messages\n"
    "that have arrived and match no receive. The processes are stopped for as long as\n"
    "it takes to read them and go on afterwards.\n"
    "\n"
    "  --job JOB    the ranks of one job, on all machines: give the pid of its mpirun\n"
    "               or other launcher (and get all jobs that it has started), the pid\n"
    "               of a rank, or its namespace\n"
    "  --hosts LIST  the machines on which the ranks of the job are, if that cannot be\n"
    "               found out: n[01-16],n20; @FILE has one in a line\n"
    "  --launch COMMAND  the command that starts a program on one of them, with %h for\n"
    "               its name; the default is $OMPI_MQD_LAUNCH, else srun in a Slurm\n"
    "               job, else ssh\n"
    "  --local      only the ranks of the job that are on this machine\n"
    "  --remote-mqdump FILE  mqdump on these machines, if it is not where it is here\n"
    "  --fanout N   ask no more than N machines at the same time (64)\n"
    "  --core FILE  read core files: this one, and all arguments that are no options\n"
    "  --exe FILE   the program of the cores, if it is not where it was; may be given\n"
    "               several times\n"
    "  --sysroot DIR  find the files that the cores name below this directory\n"
    "  --list       list the jobs that you have on this machine; root sees all users'\n"
    "  --json       print one JSON document instead of tables\n"
    "  --layout     print what the queues would be read by, instead of them: the types\n"
    "               and fields, where each is known from, what speaks for it, and what\n"
    "               is switched off and why; with --json both\n"
    "  --watch[=SECONDS]  look again and again, so many seconds apart (2), and show what\n"
    "               changes: who moves, who has not for how long, findings that come\n"
    "               and go; q ends it\n"
    "  --dll FILE   use this MPI debugging library instead of ompi-mqd's own\n"
    "  --no-why     only read the queues, once: not where the ranks are and why they\n"
    "               wait\n"
    "  --queues[=all]  print the queues of all ranks, however many there are; with =all\n"
    "               each operation, also of those that differ only in what runs on\n"
    "  --stacks     print the whole stacks of all threads too, as a tree that shows where\n"
    "               the ranks part\n"
    "  --internal   show the MPI library's own operations and communicators too\n"
    "  --no-stop    read the processes while they run: what is shown may contradict\n"
    "               itself\n"
    "  --dot FILE   write who waits for whom as a graph for Graphviz; \"-\" is standard\n"
    "               output, where it takes the place of the rest\n"
    "  --svg FILE   the same as a picture\n"
    "  --html FILE  write all of it as one page for a browser; \"-\" as for --dot\n"
    "  --save FILE  write what was seen as a record, which mqdump FILE shows later or\n"
    "               elsewhere; \"-\" is standard output, as for --dot\n"
    "  --merge      write a record that says what all these records say, to standard\n"
    "               output or to the file of --save\n"
    "  --limit WHAT=VALUE  let what reads the processes of one user take no more than\n"
    "               memory=SIZE, cpu=SECONDS of a processor and time=SECONDS, and wait\n"
    "               host=SECONDS for another machine\n"
    "  --color[=WHEN]  use colours: auto (the default: on a terminal, unless NO_COLOR\n"
    "               is set), always or never\n"
    "  --stats      say on standard error how much was read and how long it took\n"
    "  --help       print this text\n"
    "  --version    print the version\n"
    "\n"
    "Exit status: 0 if all was shown, 1 if something could not be shown, or there is\n"
    "no job or more than one to choose from, 2 if the command line is wrong.\n";

/* The command line. */

static _Noreturn void usage_error(void)
{
    fputs("Try 'mqdump --help' for more information.\n", stderr);
    exit(EXIT_USAGE);
}

/* Of the arguments numbers are pids, and all others files. */
static bool is_file(const char *argument)
{
    return argument[strspn(argument, "0123456789")] != '\0' || *argument == '\0';
}

static pid_t parse_pid(const char *text)
{
    long value;

    errno = 0;
    value = strtol(text, NULL, 10);
    if (value <= 0 || value > INT_MAX || errno != 0) {
        fprintf(stderr, "mqdump: '%s' is no pid: they are smaller; a file of that name is ./%s\n", text, text);
        usage_error();
    }
    return (pid_t)value;
}

/* Whoever mistypes a pid or an option's argument does not mean a file. */
static void add_record(struct options *options, const char *path)
{
    if (!is_standard_output(path) && access(path, F_OK) != 0) {
        char *name = printable(path, 0);

        if (path == options->after_watch)
            fprintf(stderr, "mqdump: '%s' is no pid, and no file; if it means seconds: --watch=%s\n", name, name);
        else
            fprintf(stderr, "mqdump: '%s' is no pid, and no file: pids are numbers, as ps and pgrep show them\n", name);
        free(name);
        usage_error();
    }
    options->records[options->n_records++] = path;
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

static enum queue_wish parse_queues(const char *which)
{
    char *name;

    if (which == NULL)
        return QUEUES_OF_ALL;
    if (strcmp(which, "all") == 0)
        return QUEUES_WHOLE;
    name = printable(which, 0);
    fprintf(stderr, "mqdump: --queues is alone or =all, which prints each operation, not '%s'\n", name);
    free(name);
    usage_error();
}

static void add_pid(struct options *options, pid_t pid)
{
    for (size_t i = 0; i < options->targets.n_processes; i++)
        if (options->targets.processes[i].pid == pid)
            return;
    options->targets.processes[options->targets.n_processes++] = (struct process_id){.pid = pid};
}

static void add_limit(struct options *options, const char *text)
{
    char *why = NULL;

    if (limit_read(&options->wish.limits, text, &why))
        return;
    fprintf(stderr, "mqdump: %s\n", why);
    free(why);
    usage_error();
}

static void add_hosts(struct options *options, const char *text)
{
    char *why = NULL;

    if (host_list_read(&options->choice.hosts, text, &why))
        return;
    fprintf(stderr, "mqdump: --hosts: %s\n", why);
    free(why);
    usage_error();
}

static size_t parse_fanout(const char *text)
{
    char *end, *name;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    if (isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && n > 0 && n <= MAX_FANOUT)
        return (size_t)n;
    name = printable(text, 0);
    fprintf(stderr, "mqdump: --fanout is a number from 1 to %d, not '%s'\n", MAX_FANOUT, name);
    free(name);
    usage_error();
}

static bool are_watch_seconds(const char *text, double *seconds)
{
    char *end;

    *seconds = strtod(text, &end);
    return isdigit((unsigned char)*text) && *end == '\0' && *seconds >= least_watch && *seconds <= most_watch;
}

static double parse_watch(const char *text)
{
    double seconds;
    char *name;

    if (text == NULL)
        return watch_of_own;
    if (are_watch_seconds(text, &seconds))
        return seconds;
    name = printable(text, 0);
    fprintf(stderr, "mqdump: --watch=SECONDS is a number from %g to %g, not '%s'\n", least_watch, most_watch, name);
    free(name);
    usage_error();
}

/* A number after --watch is the pid of a rank, unless that cannot be. NULL: there is none. */
static const char *number_after_watch(const char *text)
{
    double seconds;

    return text != NULL && are_watch_seconds(text, &seconds) ? text : NULL;
}

/* How many documents are to be written to standard output, besides text? */
static int count_outputs(const struct options *options)
{
    return is_standard_output(options->dot) + is_standard_output(options->svg) + is_standard_output(options->html) +
           is_standard_output(options->save) + options->json;
}

/* Why a picture cannot be made; NULL: it can, or none was asked for. */
static const char *picture_problem(const struct options *options)
{
    if (!options_want_picture(options))
        return NULL;
    if (options->list || options->wish.no_stop || !options->wish.why || (options->wish.layout && !options->json))
        return "--html, --dot and --svg show why ranks wait, which is not found out with --list, --no-stop, --no-why "
               "and --layout";
    return NULL;
}

/* Why stacks cannot be shown; NULL: they can, or were not asked for. */
static const char *stacks_problem(const struct options *options)
{
    if (options->stacks &&
        (options->list || options->wish.no_stop || !options->wish.why || (options->wish.layout && !options->json)))
        return "--stacks shows where ranks are, which is not found out with --list, --no-stop, --no-why and --layout";
    return NULL;
}

/* Why records cannot be merged; NULL: they can, or it was not asked for. */
static const char *merge_problem(const struct options *options)
{
    const struct wish *wish = &options->wish;
    bool more = options->json || wish->internal || wish->layout || options->statistics || options->list ||
                wish->no_stop || !wish->why || options->queues != QUEUES_OF_FEW || options->stacks ||
                options->choice.job != NULL || options->targets.n_processes > 0 || options->targets.cores.n > 0 ||
                options_want_picture(options);

    if (!options->merge)
        return NULL;
    if (options->n_records == 0)
        return "--merge writes several records as one: name them";
    return more ? "--merge takes all that the records have: give only them, and perhaps --save" : NULL;
}

/* Why it cannot be saved, or records cannot be shown; NULL: nothing is wrong. */
static const char *record_problem(const struct options *options)
{
    bool of_processes = options->choice.job != NULL || options->targets.n_processes > 0;

    if (options->save != NULL && !options->merge && (options->list || options->n_records > 0))
        return "--save writes what is seen of processes and core files, not with --list and of records";
    if (options->n_records > 0 && (of_processes || options->wish.no_stop))
        return "give either records or processes; --no-stop is for processes";
    return NULL;
}

/* Why it cannot be watched; NULL: it can, or that was not asked for. */
static const char *watch_problem(const struct options *options)
{
    if (options->watch <= 0)
        return NULL;
    if (options->targets.cores.n > 0 || options->n_records > 0 || options->merge || options->list)
        return "--watch looks at running ranks again and again, and cores and records do not change: leave it away "
               "with them, and with --list and --merge";
    if (options->save != NULL || options_want_picture(options) || options->json)
        return "--watch shows what changes, and --json, --save, --html, --dot and --svg write what one look has seen: "
               "leave it away, or them";
    if (options->wish.layout || options->wish.internal || options->queues != QUEUES_OF_FEW || options->stacks ||
        options->statistics)
        return "--watch shows findings and where the ranks are: there is no place for --layout, --internal, --queues, "
               "--stacks and --stats";
    if (options->wish.no_stop || !options->wish.why)
        return "--watch shows whether ranks move and why they wait, which is not found out with --no-stop and --no-why";
    return NULL;
}

/* Refuses options that exclude each other. */
static void check_options(const struct options *options)
{
    const char *problem = NULL;

    if (options->list && (options->choice.job != NULL || options->targets.n_processes > 0 ||
                          options->targets.cores.n > 0 || options->n_records > 0))
        problem = "--list shows all jobs: leave the rest away";
    else if (options->targets.cores.n > 0 && options->choice.job != NULL)
        problem = "give either --job or core files";
    else if (options->targets.cores.n == 0 && (options->wish.executables.n > 0 || options->wish.sysroot != NULL))
        problem = "--exe and --sysroot are for core files: give them with --core";
    else if (options->choice.job != NULL && options->targets.n_processes > 0)
        problem = options->after_watch != NULL ? "give either --job or the pids of ranks; seconds: --watch=SECONDS"
                                               : "give either --job or the pids of ranks";
    else if (options->choice.job == NULL && options->choice.hosts.n > 0)
        problem = "--hosts says where the ranks of a job are: give --job too";
    else if (options->local && options->choice.hosts.n > 0)
        problem = "give either --hosts or --local";
    if (problem == NULL)
        problem = merge_problem(options);
    if (problem == NULL)
        problem = picture_problem(options);
    if (problem == NULL)
        problem = stacks_problem(options);
    if (problem == NULL)
        problem = watch_problem(options);
    if (problem == NULL)
        problem = record_problem(options);
    if (problem == NULL && count_outputs(options) > 1)
        problem = "only one thing can be written to standard output: give a file for --html, --dot, --svg and --save";
    if (problem == NULL)
        return;
    fprintf(stderr, "mqdump: %s\n", problem);
    usage_error();
}

/* What a site has set counts where the user has not chosen. */
static void take_launch(struct options *options)
{
    static const char variable[] = "OMPI_MQD_LAUNCH";
    const char *launch = getenv(variable);

    if (options->reach.command != NULL || launch == NULL || *launch == '\0')
        return;
    options->reach.command = launch;
    options->reach.origin = variable;
}

/* Takes the arguments that are no options: core files if there is a --core, else pids and records. */
static void take_arguments(struct options *options, char **arguments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (options->targets.cores.n > 0)
            words_add(&options->targets.cores, copy_string(arguments[i]));
        else if (is_file(arguments[i]))
            add_record(options, arguments[i]);
        else
            add_pid(options, parse_pid(arguments[i]));
    }
}

/* Options without an argument that switch one thing on or off. */
static const struct flag {
    const char *name;
    size_t offset;
    bool value;
} flags[] = {
    {"internal", offsetof(struct options, wish.internal), true}, {"json", offsetof(struct options, json), true},
    {"layout", offsetof(struct options, wish.layout), true},     {"list", offsetof(struct options, list), true},
    {"local", offsetof(struct options, local), true},       {"merge", offsetof(struct options, merge), true},
    {"no-stop", offsetof(struct options, wish.no_stop), true},   {"no-why", offsetof(struct options, wish.why), false},
    {"stacks", offsetof(struct options, stacks), true},
    {"stats", offsetof(struct options, statistics), true},
};
enum { N_FLAGS = sizeof flags / sizeof *flags };

/* The other options. What is smaller than the first one is the position of a flag. */
enum {
    COLOR = 256, CORE, DLL, DOT, EXE, FANOUT, HELP, HOSTS, HTML, JOB, LAUNCH, LIMIT, QUEUES, REMOTE_MQDUMP, SAVE, SVG,
    SYSROOT, VERSION, WATCH
};
static const struct option long_options[] = {
    {"color", optional_argument, NULL, COLOR},    {"core", required_argument, NULL, CORE},
    {"dll", required_argument, NULL, DLL},        {"dot", required_argument, NULL, DOT},
    {"exe", required_argument, NULL, EXE},        {"fanout", required_argument, NULL, FANOUT},
    {"help", no_argument, NULL, HELP},            {"hosts", required_argument, NULL, HOSTS},
    {"html", required_argument, NULL, HTML},      {"job", required_argument, NULL, JOB},
    {"launch", required_argument, NULL, LAUNCH},
    {"limit", required_argument, NULL, LIMIT},    {"queues", optional_argument, NULL, QUEUES},
    {"remote-mqdump", required_argument, NULL, REMOTE_MQDUMP},
    {"save", required_argument, NULL, SAVE},      {"svg", required_argument, NULL, SVG},
    {"sysroot", required_argument, NULL, SYSROOT}, {"version", no_argument, NULL, VERSION},
    {"watch", optional_argument, NULL, WATCH},
};
enum { N_OPTIONS = sizeof long_options / sizeof *long_options };

/* Prints a text that was asked for, and ends the program. */
static _Noreturn void inform(const char *text)
{
    fputs(text, stdout);
    exit(flush_output() ? EXIT_ALL_SHOWN : EXIT_NOT_ALL_SHOWN);
}

/* Options whose argument is taken as it is, or that inform. */
static void take_plain_option(struct options *options, int option)
{
    switch (option) {
    case CORE:
        words_add(&options->targets.cores, copy_string(optarg));
        break;
    case DLL:
        options->wish.dll = optarg;
        break;
    case DOT:
        options->dot = optarg;
        break;
    case EXE:
        words_add(&options->wish.executables, copy_string(optarg));
        break;
    case HTML:
        options->html = optarg;
        break;
    case HELP:
        inform(usage_text);
    case JOB:
        options->choice.job = optarg;
        break;
    case LAUNCH:
        options->reach.command = optarg;
        options->reach.origin = "--launch";
        break;
    case REMOTE_MQDUMP:
        options->reach.program = optarg;
        break;
    case SAVE:
        options->save = optarg;
        break;
    case SVG:
        options->svg = optarg;
        break;
    case SYSROOT:
        options->wish.sysroot = optarg;
        break;
    case VERSION:
        inform("mqdump (ompi-mqd) " PACKAGE_VERSION "\n");
    default:
        usage_error();
    }
}

static void take_option(struct options *options, int option)
{
    if (option >= 0 && option < N_FLAGS)
        *(bool *)((char *)options + flags[option].offset) = flags[option].value;
    else if (option == COLOR)
        options->colour = parse_colour(optarg);
    else if (option == FANOUT)
        options->reach.fanout = parse_fanout(optarg);
    else if (option == HOSTS)
        add_hosts(options, optarg);
    else if (option == LIMIT)
        add_limit(options, optarg);
    else if (option == QUEUES)
        options->queues = parse_queues(optarg);
    else if (option == WATCH)
        options->watch = parse_watch(optarg);
    else
        take_plain_option(options, option);
}

/* What has to be read for what is to be shown. A page has stacks. */
static void complete_wish(struct options *options)
{
    struct wish *wish = &options->wish;

    options->choice.limits = &wish->limits;
    wish->queues = options->json || !wish->layout;
    wish->why &= wish->queues;
    wish->stacks = options->stacks || options->html != NULL;
    wish->needs_why = options_want_picture(options) || options->stacks || options->watch > 0;
}

void options_read(struct options *options, int argc, char **argv)
{
    struct option all[N_FLAGS + N_OPTIONS + 1] = {{0}};
    int option;

    for (int i = 0; i < N_FLAGS; i++)
        all[i] = (struct option){flags[i].name, no_argument, NULL, i};
    memcpy(all + N_FLAGS, long_options, sizeof long_options);
    *options = (struct options){.wish.why = true, .reach.fanout = FANOUT_OF_OWN};
    options->targets.processes = allocate_array((size_t)argc, sizeof *options->targets.processes);
    options->records = allocate_array((size_t)argc, sizeof *options->records);
    while ((option = getopt_long(argc, argv, "", all, NULL)) != -1) {
        take_option(options, option);
        if (option == WATCH)
            options->after_watch = optarg == NULL ? number_after_watch(argv[optind]) : NULL;
    }
    take_arguments(options, argv + optind, (size_t)(argc - optind));
    take_launch(options);
    check_options(options);
    complete_wish(options);
}

void options_clear(struct options *options)
{
    free(options->targets.processes);
    words_clear(&options->targets.cores);
    words_clear(&options->wish.executables);
    free(options->records);
    host_list_clear(&options->choice.hosts);
}
