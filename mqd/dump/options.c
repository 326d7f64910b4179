/*
 * options.c - the command line of mqdump.
 */
#include "mqd/dump/options.h"

#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/ask/limits.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/whole_file.h"

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
    "  --handle VALUE[:KIND]  print what a handle stands for, instead of the queues: an\n"
    "               address in C, an INTEGER of Fortran (17:comm), or a name\n"
    "  --communicators, --windows, --files  print all that the ranks have\n"
    "  --requests ADDR,COUNT[:fortran]  print which entries of an array of MPI_Request\n"
    "               are not complete\n"
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

/* Says what is wrong, and ends the program. */
#define REFUSE(...) (notice_give(__VA_ARGS__), usage_error())

/* Arguments that are no options. */

/* Of the arguments numbers are pids, and all others files. */
static bool is_file(const char *argument)
{
    return argument[strspn(argument, "0123456789")] != '\0' || *argument == '\0';
}

static pid_t parse_pid(const char *text)
{
    int64_t number = number_of(text, INT_MAX);

    if (number <= 0)
        REFUSE("'%s' is no pid: they are smaller; a file of that name is ./%s", text, text);
    return (pid_t)number;
}

/* Whoever mistypes a pid or an option's argument does not mean a file. */
static void add_record(struct options *options, const char *path)
{
    if (!is_standard_output(path) && access(path, F_OK) != 0 && path == options->after_watch)
        REFUSE("'%s' is no pid, and no file; if it means seconds: --watch=%s", path, path);
    if (!is_standard_output(path) && access(path, F_OK) != 0)
        REFUSE("'%s' is no pid, and no file: pids are numbers, as ps and pgrep show them", path);
    options->records[options->n_records++] = path;
}

static void add_pid(struct options *options, pid_t pid)
{
    for (size_t i = 0; i < options->targets.n_processes; i++)
        if (options->targets.processes[i].pid == pid)
            return;
    options->targets.processes[options->targets.n_processes++] = (struct process_id){.pid = pid};
}

/* They are core files if there is a --core, else pids and records. */
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

/* Options. Each takes its argument, which is `optarg`, and sets the place that its row says. */

static void switch_on(void *place)
{
    *(bool *)place = true;
}

static void switch_off(void *place)
{
    *(bool *)place = false;
}

static void take_text(void *place)
{
    *(char **)place = optarg;
}

static void add_word(void *place)
{
    words_add(place, copy_string(optarg));
}

/* "--handle 17:comm", "--files". Several may be asked at once, each of them once. */
static void ask(struct words *questions, const char *option)
{
    OWNED char *why = NULL, *question = format_text("--%s%s%s", option, optarg != NULL ? " " : "",
                                                    optarg != NULL ? optarg : "");

    if (is_one_of(question, (const char *const *)questions->words, questions->n))
        return;
    if (questions->n == MAX_QUESTIONS)
        REFUSE("no more than %d handles are asked for at once", MAX_QUESTIONS);
    if (!handle_question_is_valid(question, &why))
        REFUSE("%s", why);
    words_add(questions, TAKEN(question));
}

static void take_colour(void *place)
{
    static const char *const names[] = {[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};
    enum colour_wish *colour = place;

    for (*colour = COLOUR_AUTO; *colour <= COLOUR_NEVER; ++*colour)
        if (strcmp(optarg != NULL ? optarg : "always", names[*colour]) == 0)
            return;
    REFUSE("--color is auto, always or never, not '%s'", optarg);
}

static void take_queues(void *place)
{
    *(enum queue_wish *)place = optarg == NULL ? QUEUES_OF_ALL : QUEUES_WHOLE;
    if (optarg != NULL && strcmp(optarg, "all") != 0)
        REFUSE("--queues is alone or =all, which prints each operation, not '%s'", optarg);
}

static void take_limit(void *place)
{
    char *why = NULL;

    if (!limit_read(place, optarg, &why))
        REFUSE("%s", why);
}

static void take_hosts(void *place)
{
    char *why = NULL;

    if (!host_list_read(place, optarg, true, &why))
        REFUSE("--hosts: %s", why);
}

static void take_fanout(void *place)
{
    int64_t number = number_of(optarg, MAX_FANOUT);

    if (number <= 0)
        REFUSE("--fanout is a number from 1 to %d, not '%s'", MAX_FANOUT, optarg);
    *(size_t *)place = (size_t)number;
}

static bool are_watch_seconds(const char *text, double *seconds)
{
    char *end;

    *seconds = strtod(text, &end);
    return isdigit((unsigned char)*text) && *end == '\0' && *seconds >= least_watch && *seconds <= most_watch;
}

static void take_watch(void *place)
{
    double *seconds = place;

    if (optarg == NULL)
        *seconds = watch_of_own;
    else if (!are_watch_seconds(optarg, seconds))
        REFUSE("--watch=SECONDS is a number from %g to %g, not '%s'", least_watch, most_watch, optarg);
}

/* A number after --watch is the pid of a rank, unless that cannot be. NULL: there is none. */
static const char *number_after_watch(const char *text)
{
    double seconds;

    return text != NULL && are_watch_seconds(text, &seconds) ? text : NULL;
}

/* Prints a text that was asked for, and ends the program. */
static _Noreturn void inform(const char *text)
{
    fputs(text, stdout);
    exit(flush_output() ? EXIT_ALL_SHOWN : EXIT_NOT_ALL_SHOWN);
}

static void help(void *place)
{
    (void)place;
    inform(usage_text);
}

static void tell_version(void *place)
{
    (void)place;
    inform("mqdump (ompi-mqd) " PACKAGE_VERSION "\n");
}

static const struct row {
    const char *name;
    int has_argument;
    void (*take)(void *place);     /* NULL: it is a question about handles */
    size_t offset;                 /* of the place, in the options */
} rows[] = {
#define ROW(name, has_argument, take, member) {name, has_argument##_argument, take, offsetof(struct options, member)}
    ROW("internal", no, switch_on, wish.internal),
    ROW("json", no, switch_on, show.json),
    ROW("layout", no, switch_on, wish.layout),
    ROW("list", no, switch_on, list),
    ROW("local", no, switch_on, local),
    ROW("merge", no, switch_on, merge),
    ROW("no-stop", no, switch_on, wish.no_stop),
    ROW("no-why", no, switch_off, wish.why),
    ROW("stacks", no, switch_on, show.stacks),
    ROW("stats", no, switch_on, statistics),
    ROW("color", optional, take_colour, colour),
    ROW("communicators", no, NULL, wish.questions),
    ROW("core", required, add_word, targets.cores),
    ROW("dll", required, take_text, wish.dll),
    ROW("dot", required, take_text, show.dot),
    ROW("exe", required, add_word, wish.executables),
    ROW("fanout", required, take_fanout, reach.fanout),
    ROW("files", no, NULL, wish.questions),
    ROW("handle", required, NULL, wish.questions),
    ROW("help", no, help, wish),
    ROW("hosts", required, take_hosts, choice.hosts),
    ROW("html", required, take_text, show.html),
    ROW("job", required, take_text, choice.job),
    ROW("launch", required, take_text, reach.command),
    ROW("limit", required, take_limit, wish.limits),
    ROW("queues", optional, take_queues, show.queues),
    ROW("remote-mqdump", required, take_text, reach.program),
    ROW("requests", required, NULL, wish.questions),
    ROW("save", required, take_text, show.save),
    ROW("svg", required, take_text, show.svg),
    ROW("sysroot", required, take_text, wish.sysroot),
    ROW("version", no, tell_version, wish),
    ROW("watch", optional, take_watch, watch),
    ROW("windows", no, NULL, wish.questions),
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void take_options(struct options *options, int argc, char **argv)
{
    struct option all[N_ROWS + 1] = {{0}};
    int option;

    for (int i = 0; i < N_ROWS; i++)
        all[i] = (struct option){rows[i].name, rows[i].has_argument, NULL, i};
    while ((option = getopt_long(argc, argv, "", all, NULL)) != -1) {
        if (option >= N_ROWS)
            usage_error();
        if (rows[option].take != NULL)
            rows[option].take((char *)options + rows[option].offset);
        else
            ask(&options->wish.questions, rows[option].name);
        if (rows[option].take == take_watch)
            options->after_watch = optarg == NULL ? number_after_watch(argv[optind]) : NULL;
    }
}

/* What cannot be asked for. */

struct problem {
    bool is_there;
    const char *text;
};

/* Refuses what has one of these problems, with the first one. */
static void refuse(const struct problem *problems, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (problems[i].is_there)
            REFUSE("%s", problems[i].text);
}
#define REFUSE_ANY(problems) refuse(problems, sizeof(problems) / sizeof *(problems))

static void check_targets(const struct options *options)
{
    const bool job = options->choice.job != NULL, pids = options->targets.n_processes > 0;
    const bool cores = options->targets.cores.n > 0, hosts = options->choice.hosts.n > 0;
    const struct problem problems[] = {
        {options->list && (job || pids || cores || options->n_records > 0),
         "--list shows all jobs: leave the rest away"},
        {cores && job, "give either --job or core files"},
        {!cores && (options->wish.executables.n > 0 || options->wish.sysroot != NULL),
         "--exe and --sysroot are for core files: give them with --core"},
        {job && pids && options->after_watch != NULL,
         "give either --job or the pids of ranks; seconds: --watch=SECONDS"},
        {job && pids, "give either --job or the pids of ranks"},
        {!job && hosts, "--hosts says where the ranks of a job are: give --job too"},
        {options->local && hosts, "give either --hosts or --local"},
    };

    REFUSE_ANY(problems);
}

/* Is it not found out why ranks wait? */
static bool is_without_why(const struct options *options)
{
    return options->list || options->wish.no_stop || !options->wish.why ||
           (options->wish.layout && !options->show.json);
}

/* How many documents are to be written to standard output, besides text? */
static int count_outputs(const struct options *options)
{
    const struct show_wish *show = &options->show;

    return is_standard_output(show->dot) + is_standard_output(show->svg) + is_standard_output(show->html) +
           is_standard_output(show->save) + show->json;
}

static void check_merge(const struct options *options)
{
    const bool more = options->show.json || options->wish.internal || options->wish.layout || options->statistics ||
                      options->list || options->wish.no_stop || !options->wish.why ||
                      options->show.queues != QUEUES_OF_FEW || options->show.stacks || options->choice.job != NULL ||
                      options->wish.questions.n > 0 ||
                      options->targets.n_processes > 0 || options->targets.cores.n > 0 || options_want_picture(options);
    const struct problem problems[] = {
        {options->n_records == 0, "--merge writes several records as one: name them"},
        {more, "--merge takes all that the records have: give only them, and perhaps --save"},
    };

    if (options->merge)
        REFUSE_ANY(problems);
}

static void check_watch(const struct options *options)
{
    const struct wish *wish = &options->wish;
    const struct problem problems[] = {
        {options->targets.cores.n > 0 || options->n_records > 0 || options->merge || options->list,
         "--watch looks at running ranks again and again, and cores and records do not change: leave it away with "
         "them, and with --list and --merge"},
        {options->show.save != NULL || options_want_picture(options) || options->show.json,
         "--watch shows what changes, and --json, --save, --html, --dot and --svg write what one look has seen: leave "
         "it away, or them"},
        {wish->layout || wish->internal || options->show.queues != QUEUES_OF_FEW || options->show.stacks ||
             options->statistics,
         "--watch shows findings and where the ranks are: there is no place for --layout, --internal, --queues, "
         "--stacks and --stats"},
        {wish->questions.n > 0,
         "--watch shows findings and where the ranks are, and --handle, --requests, --communicators, --windows and "
         "--files what one look has seen: leave it away, or them"},
        {wish->no_stop || !wish->why,
         "--watch shows whether ranks move and why they wait, which is not found out with --no-stop and --no-why"},
    };

    if (options->watch > 0)
        REFUSE_ANY(problems);
}

static void check_outputs(const struct options *options)
{
    const struct problem problems[] = {
        {options->show.save != NULL && !options->merge && (options->list || options->n_records > 0),
         "--save writes what is seen of processes and core files, not with --list and of records"},
        {options->n_records > 0 &&
             (options->choice.job != NULL || options->targets.n_processes > 0 || options->wish.no_stop),
         "give either records or processes; --no-stop is for processes"},
        {count_outputs(options) > 1,
         "only one thing can be written to standard output: give a file for --html, --dot, --svg and --save"},
    };

    REFUSE_ANY(problems);
}

/* Refuses options that exclude each other. */
static void check_options(const struct options *options)
{
    const struct problem without_why[] = {
        {options_want_picture(options) && is_without_why(options),
         "--html, --dot and --svg show why ranks wait, which is not found out with --list, --no-stop, --no-why and "
         "--layout"},
        {options->show.stacks && is_without_why(options),
         "--stacks shows where ranks are, which is not found out with --list, --no-stop, --no-why and --layout"},
    };
    const struct problem with_questions[] = {
        {options->list, "--list shows all jobs, and --handle, --requests, --communicators, --windows and --files what "
                        "ranks have: leave it away, or them"},
        {(options->wish.layout || options->show.stacks) && !options->show.json,
         "--handle, --requests, --communicators, --windows and --files take the place of what --layout and --stacks "
         "show: give them alone, or with --json"},
    };

    check_targets(options);
    check_merge(options);
    REFUSE_ANY(without_why);
    if (options->wish.questions.n > 0)
        REFUSE_ANY(with_questions);
    check_watch(options);
    check_outputs(options);
}

/* What a site has set counts where the user has not chosen. */
static void use_environment(struct options *options)
{
    static const char variable[] = "OMPI_MQD_LAUNCH";
    const char *launch = getenv(variable);

    options->reach.origin = "--launch";
    if (options->reach.command != NULL || launch == NULL || *launch == '\0')
        return;
    options->reach.command = launch;
    options->reach.origin = variable;
}

/*
 * What has to be read for what is to be shown. A page has stacks. What handles stand for takes the place of the queues
 * in the text only.
 */
static void complete_wish(struct options *options)
{
    struct wish *wish = &options->wish;

    options->choice.limits = &wish->limits;
    wish->queues = options->show.json ||
                   (!wish->layout && (wish->questions.n == 0 || options_want_picture(options) ||
                                      options->show.save != NULL));
    wish->why &= wish->queues;
    wish->stacks = options->show.stacks || options->show.html != NULL;
    wish->needs_why = options_want_picture(options) || options->show.stacks || options->watch > 0;
}

void options_read(struct options *options, int argc, char **argv)
{
    *options = (struct options){.wish.why = true, .reach.fanout = FANOUT_OF_OWN};
    options->targets.processes = allocate_array((size_t)argc, sizeof *options->targets.processes);
    options->records = allocate_array((size_t)argc, sizeof *options->records);
    take_options(options, argc, argv);
    take_arguments(options, argv + optind, (size_t)(argc - optind));
    use_environment(options);
    check_options(options);
    complete_wish(options);
}

void options_clear(struct options *options)
{
    selection_clear(&options->targets);
    words_clear(&options->wish.executables);
    words_clear(&options->wish.questions);
    free(options->records);
    dictionary_clear(&options->choice.hosts);
}
