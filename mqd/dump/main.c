/*
 * main.c - mqdump: the message queues of running MPI processes.
 *
 * What the user sees as mqdump is the front end: it finds out which processes are meant, has collectors read them, and
 * concludes and prints. It reads no memory of a process, and opens no file that a process names.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/ask/gather.h"
#include "mqd/dump/ask/gather_hosts.h"
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/choose/name_hosts.h"
#include "mqd/dump/choose/select_job.h"
#include "mqd/dump/look/read_records.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/options.h"
#include "mqd/dump/role/collector.h"
#include "mqd/dump/role/merge.h"
#include "mqd/dump/role/node.h"
#include "mqd/dump/role/save.h"
#include "mqd/dump/show/graph/wait_picture.h"
#include "mqd/dump/show/report.h"
#include "mqd/dump/watch_job.h"

/* The results. */

static void print_statistics(const struct records *records, double seconds)
{
    struct record_statistics statistics = records_statistics(records);
    double dll_seconds = 0;

    for (size_t i = 0; i < records->n_witnesses; i++)
        dll_seconds += records->listings[i]->dll_seconds;
    fprintf(stderr, "mqdump: stats: {\"target_reads\":%" PRIu64 ",\"target_bytes\":%" PRIu64 ",\"dll_seconds\":%.6f,"
            "\"seconds\":%.6f}\n", statistics.n_reads, statistics.n_bytes, dll_seconds, seconds);
}

/* All that is shown is made of the witnesses. */
static bool show(const struct options *options, const struct witness *witnesses, size_t n,
                 const struct verdict *verdict, const struct picture *picture, const struct records *records)
{
    struct report report = {.witnesses = witnesses,
                            .n = n,
                            .verdict = verdict,
                            .picture = picture,
                            .sources = records->sources,
                            .n_sources = records->sources != NULL ? records->n_looks : 0,
                            .looks = records->looks,
                            .n_looks = records->n_looks,
                            .json = options->json,
                            .layout = options->layout,
                            .queues = options->queues,
                            .stacks = options->stacks,
                            .dot = options->dot,
                            .svg = options->svg,
                            .html = options->html,
                            .elsewhere = is_standard_output(options->dot) || is_standard_output(options->svg) ||
                                         is_standard_output(options->html) || is_standard_output(options->save)};

    return report_show(&report);
}

/* What is shown of processes, cores and records. */

static bool any_listed(const struct records *records)
{
    for (size_t i = 0; i < records->n_witnesses; i++)
        if (records->witnesses[i].listing->has_communicators)
            return true;
    return false;
}

/* What was seen goes into the record before anything of it is hidden. */
static bool save(const struct options *options, const struct records *records)
{
    return options->save == NULL || save_records(options->save, records);
}

static bool show_records(const struct options *options, struct records *records)
{
    bool why = options->why && (options->json || !options->layout) && records_have_why(records) && any_listed(records);
    struct verdict verdict = {0};
    struct picture picture = {0};
    bool complete = save(options, records);

    name_hosts(records);
    if (why) {
        verdict_reach(&verdict, records->witnesses, records->n_witnesses);
        records_doubt(records, &verdict);
    }
    if (options_want_picture(options))
        picture_draw(&picture, records->witnesses, records->n_witnesses);
    for (size_t i = 0; i < records->n_witnesses && !options->internal; i++)
        listing_hide_internal(records->listings[i]);
    complete &= show(options, records->witnesses, records->n_witnesses, why ? &verdict : NULL,
                     options_want_picture(options) ? &picture : NULL, records);
    verdict_clear(&verdict);
    picture_clear(&picture);
    return complete && records->complete;
}

/* Processes and cores. */

static bool wants_why(const struct options *options)
{
    return options->why && (options->json || !options->layout);
}

/* A page has them. */
static bool wants_stacks(const struct options *options)
{
    return options->stacks || options->html != NULL;
}

/* Is something asked for that nothing else tells? */
static bool needs_why(const struct options *options)
{
    return options_want_picture(options) || options->stacks || options->watch > 0;
}

static bool finish_report(const struct options *options, struct records *records, bool good, double start)
{
    bool complete = good && show_records(options, records);

    if (options->statistics)
        print_statistics(records, seconds_now() - start);
    records_clear(records);
    return complete;
}

/* Processes of this machine, or cores. */
static bool report_look(const struct options *options, const struct selection *selection, double start)
{
    struct gather_wish wish = {
        .request = {.task = REQUEST_LOOK, .dll = options->dll, .sysroot = options->sysroot,
                    .executables = options->executables, .n_executables = options->n_executables,
                    .why = wants_why(options), .internal = options->internal,
                    .layout = options->layout, .queues = options->json || !options->layout,
                    .stacks = wants_stacks(options),
                    .no_stop = options->no_stop, .needs_why = needs_why(options), .cores = options->cores,
                    .n_cores = options->n_cores, .processes = options->processes, .n_processes = options->n_processes},
        .limits = options->limits, .missing = selection->absent.missing, .n_missing = selection->absent.n_missing};
    struct records records;

    if (selection->n > 0) {
        wish.request.processes = selection->processes;
        wish.request.n_processes = selection->n;
    }
    return finish_report(options, &records, gather(&records, &wish), start);
}

/* All machines of a job. */
static bool report_hosts(const struct options *options, const struct selection *selection, double start)
{
    const struct hosts_wish wish = {
        .selection = selection,
        .request = {.dll = options->has_dll ? (char *)options->dll : NULL, .why = wants_why(options),
                    .internal = options->internal, .layout = options->layout,
                    .queues = options->json || !options->layout, .stacks = wants_stacks(options),
                    .no_stop = options->no_stop, .needs_why = needs_why(options)},
        .limits = options->limits, .launch = options->launch, .launch_origin = options->launch_origin,
        .program = options->remote_mqdump, .fanout = options->fanout};
    struct records records;

    return finish_report(options, &records, gather_hosts(&records, &wish), start);
}

static bool report_job(const struct options *options, double start)
{
    const struct select_wish wish = {.job = options->job, .hosts = options->hosts.n > 0 ? &options->hosts : NULL,
                                     .limits = options->limits};
    struct selection selection = {0};
    bool complete = false;

    if (select_job(&selection, &wish) && !options->local && job_hosts_are_elsewhere(&selection.hosts)) {
        selection_tell_more_hosts(&selection);
        complete = report_hosts(options, &selection, start);
    } else if (selection.n > 0) {
        selection_tell(&selection);
        complete = report_look(options, &selection, start);
    }
    selection_clear(&selection);
    return complete;
}

/* Records. */

static const char *missing_in_records(const struct options *options, const struct records *records)
{
    if (options->layout && !records_have_layout(records))
        return "the record does not have the layout in detail: --layout has to be given with --save too";
    if (options->internal && !records_have_internal(records))
        return "the record does not have what is internal to MPI: --internal has to be given with --save too";
    if ((options->json || !options->layout) && !records_have_queues(records))
        return "the record has only the layout: give --layout";
    if (options_want_picture(options) && !records_have_why(records))
        return "the record does not tell why ranks wait";
    if (options->stacks && !records_have_stacks(records))
        return "the record does not have whole stacks: --stacks has to be given with --save too";
    return NULL;
}

static bool report_records(const struct options *options, double start)
{
    struct records records;
    const char *problem;
    bool complete = false;

    records_read(&records, options->records, options->n_records);
    problem = missing_in_records(options, &records);
    if (problem != NULL)
        fprintf(stderr, "mqdump: %s\n", problem);
    else if (records.n_witnesses > 0 || records.complete)
        complete = show_records(options, &records);
    if (options->statistics)
        print_statistics(&records, seconds_now() - start);
    records_clear(&records);
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

static bool report(const struct options *options, double start)
{
    const struct selection none = {0};

    if (options->merge)
        return merge_records(options->records, options->n_records, options->save);
    if (options->n_records > 0)
        return report_records(options, start);
    if (options->list)
        return select_job_list(&options->limits, options->json) && flush_output();
    if (options->n_processes > 0 || options->n_cores > 0)
        return report_look(options, &none, start);
    return report_job(options, start);
}

/*
 * What is opened next would take the place of a standard stream that is closed, and have what is written there. Nothing
 * can be written to standard output, or read from standard input, all the same.
 */
static void keep_standard_streams(void)
{
    static const int modes[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};

    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[i]) != i) {
            fprintf(stderr, "mqdump: /dev/null does not open in place of standard stream %d, which is closed: %s\n", i,
                    strerror(errno));
            exit(EXIT_NOT_ALL_SHOWN);
        }
}

int main(int argc, char **argv)
{
    struct options options = {0};
    double start = seconds_now();
    bool complete;

    keep_standard_streams();
    setlocale(LC_CTYPE, "");
    limit_server_time();
    if (is_node(argc, argv))
        return node_main(argc, argv, MQD_DLL_PATH);
    if (is_collector(argc, argv))
        return collector_main(argc, argv);
    options_read(&options, argc, argv);
    terminal_look(options.colour);
    complete = options.watch > 0 ? watch_job(&options, report) : report(&options, start);
    warnings_clear();
    options_clear(&options);
    return complete ? EXIT_ALL_SHOWN : EXIT_NOT_ALL_SHOWN;
}
