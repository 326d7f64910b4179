/*
 * front.c - what the user sees as mqdump.
 */
#include "mqd/dump/role/front.h"

#include <inttypes.h>
#include <stdio.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/choose/select_job.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/role/save.h"
#include "mqd/dump/show/graph/wait_picture.h"
#include "mqd/dump/show/text/sources.h"
#include "mqd/dump/verdict/analysis.h"

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

/* What is shown of processes, cores and records. */

/* What was seen goes into the record before anything of it is hidden. */
static bool save(const struct options *options, const struct records *records)
{
    return options->show.save == NULL || save_records(options->show.save, records);
}

static bool show_records(const struct options *options, struct records *records)
{
    bool why = options->wish.why && records_content(records).why &&
               ANY(i, records->n_witnesses, records->witnesses[i].listing->has_communicators);
    struct analysis analysis = {0};
    RELEASED_BY(explanation_clear) struct explanation explanation = {0};
    RELEASED_BY(picture_clear) struct picture picture = {0};
    bool complete = save(options, records);

    records_name_hosts(records);
    if (why || options_want_picture(options))
        analysis_make(&analysis, records->witnesses, records->n_witnesses);
    if (why) {
        explanation_conclude(&explanation, &analysis);
        sources_doubt(records->sources, records->n_looks, records->witnesses, records->n_witnesses,
                      &explanation);
    }
    if (options_want_picture(options))
        picture_draw(&picture, &analysis);
    analysis_clear(&analysis);
    for (size_t i = 0; i < records->n_witnesses && !options->wish.internal; i++)
        listing_hide_internal(records->listings[i]);
    complete &= report_show(&(struct report){.witnesses = records->witnesses,
                                             .n = records->n_witnesses,
                                             .explanation = why ? &explanation : NULL,
                                             .picture = options_want_picture(options) ? &picture : NULL,
                                             .sources = records->sources,
                                             .n_sources = records->sources != NULL ? records->n_looks : 0,
                                             .looks = records->looks,
                                             .n_looks = records->n_looks,
                                             .wish = &options->show,
                                             .questions = &options->wish.questions,
                                             .layout = options->wish.layout});
    return complete && records->complete;
}

/* Processes and cores. */

static bool finish_report(const struct options *options, struct records *records, bool good, double start)
{
    bool complete = good && show_records(options, records);

    if (options->statistics)
        print_statistics(records, seconds_now() - start);
    return complete;
}

/* Processes of this machine, or cores. */
static bool report_look(const struct options *options, const struct selection *selection, double start)
{
    RELEASED_BY(records_clear) struct records records = {0};

    return finish_report(options, &records, ask_local(&records, &options->wish, selection), start);
}

static bool report_job(const struct options *options, double start)
{
    RELEASED_BY(selection_clear) struct selection selection = {0};
    RELEASED_BY(records_clear) struct records records = {0};
    bool complete = false;

    if (select_job(&selection, &options->choice) && !options->local &&
        job_hosts_are_elsewhere(&selection.hosts)) {
        selection_tell_more_hosts(&selection);
        complete = finish_report(options, &records, ask_hosts(&records, &options->wish, &selection, &options->reach),
                                 start);
    } else if (selection.n_processes > 0) {
        selection_tell(&selection);
        complete = report_look(options, &selection, start);
    }
    return complete;
}

/* Records. */

static const char *missing_in_records(const struct options *options, const struct records *records)
{
    if (options->wish.layout && !records_content(records).layout)
        return "the record does not have the layout in detail: --layout has to be given with --save too";
    if (options->wish.internal && !records_content(records).internal)
        return "the record does not have what is internal to MPI: --internal has to be given with --save too";
    if (options->wish.queues && !records_content(records).queues)
        return "the record has only the layout: give --layout";
    if (options_want_picture(options) && !records_content(records).why)
        return "the record does not tell why ranks wait";
    if (options->show.stacks && !records_content(records).stacks)
        return "the record does not have whole stacks: --stacks has to be given with --save too";
    for (size_t i = 0; i < options->wish.questions.n; i++)
        if (!ANY(k, records->n_witnesses,
                 listing_answer(records->listings[k], options->wish.questions.words[i]) != NULL))
            return "the record does not have what was asked about handles: the same has to be given with --save too";
    return NULL;
}

static bool report_records(const struct options *options, double start)
{
    RELEASED_BY(records_clear) struct records records = {0};
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
    return complete;
}

bool options_want_picture(const struct options *options)
{
    return options->show.dot != NULL || options->show.svg != NULL || options->show.html != NULL;
}

bool front_report(const struct options *options, double start)
{
    if (options->merge)
        return merge_records(options->records, options->n_records, options->show.save != NULL ? options->show.save : "-");
    if (options->n_records > 0)
        return report_records(options, start);
    if (options->list)
        return select_job_list(&options->wish.limits, options->show.json) && flush_output();
    if (options->targets.n_processes > 0 || options->targets.cores.n > 0)
        return report_look(options, &options->targets, start);
    return report_job(options, start);
}
