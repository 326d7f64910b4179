/*
 * json.c - listings, and what was concluded from them, for programs.
 */
#include "mqd/dump/show/json.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/print.h"

enum { FORMAT = 1 };

static const char *key_of(int class)
{
    return name_of(&queue_names, class);
}

/* Communicators. */

/*
 * The members of a large group as they are printed. They are printed for each of its ranks, and of many ranks in
 * MPI_COMM_WORLD most of the document is that.
 */
struct group_text {
    const int *group;
    mqs_tword_t size;
    char *text;
    size_t length;
};

static void print_members(FILE *to, const struct communicator *communicator)
{
    putc('[', to);
    for (mqs_tword_t i = 0; i < communicator->size; i++)
        fprintf(to, "%s%d", i > 0 ? "," : "", communicator->group[i]);
    putc(']', to);
}

static void make_text(struct group_text *last, const struct communicator *communicator)
{
    struct text_stream stream;

    free(last->text);
    text_stream_open(&stream);
    print_members(stream.to, communicator);
    text_stream_close(&stream);
    *last = (struct group_text){.group = communicator->group, .size = communicator->size, .text = stream.text,
                                .length = stream.size};
}

static void print_group(FILE *to, const struct communicator *communicator, struct group_text *last)
{
    enum { LARGE = 64 };

    if (communicator->group == NULL) {
        fputs("null", to);
    } else if (communicator->size < LARGE) {
        print_members(to, communicator);
    } else {
        if (last->group != communicator->group || last->size != communicator->size)
            make_text(last, communicator);
        fwrite(last->text, 1, last->length, to);
    }
}

/* What could not be read, for people why, and for programs; nothing of what there is none. */
static void print_errors(FILE *to, const struct communicator *communicator)
{
    const char *first = ",\"errors\":{";
    const char *errors[N_QUEUES + 1] = {communicator->group_error}, *keys[N_QUEUES + 1] = {"group"};
    int reasons[N_QUEUES + 1] = {communicator->group_reason};

    for (int class = 0; class < N_QUEUES; class++) {
        errors[class + 1] = communicator->queues[class].error;
        reasons[class + 1] = communicator->queues[class].reason;
        keys[class + 1] = key_of(class);
    }
    for (int i = 0; i <= N_QUEUES; i++) {
        if (errors[i] == NULL)
            continue;
        fprintf(to, "%s\"%s\":", first != NULL ? first : ",", keys[i]);
        json_print_string(to, errors[i]);
        first = NULL;
    }
    fputs(first != NULL ? "" : "}", to);
    first = ",\"causes\":{";
    for (int i = 0; i <= N_QUEUES; i++) {
        if (errors[i] == NULL || reasons[i] == MQD_REASON_unknown)
            continue;
        fprintf(to, "%s\"%s\":", first != NULL ? first : ",", keys[i]);
        json_print_string_or_null(to, name_of(&reason_names, reasons[i]));
        first = NULL;
    }
    fputs(first != NULL ? "" : "}", to);
}

static void print_communicator(FILE *to, const struct communicator *communicator, struct group_text *last)
{
    putc('{', to);
    fields_print(to, &communicator_fields, communicator, 1, LAST_BEFORE_GROUP);
    fputs(",\"group\":", to);
    print_group(to, communicator, last);
    fields_print(to, &communicator_fields, communicator, AT_USE, AT_USE);
    for (int class = 0; class < N_QUEUES; class++) {
        const struct queue *queue = &communicator->queues[class];

        fprintf(to, ",\"%s\":", key_of(class));
        if (queue->available)
            fields_print_list(to, queue->described ? &operation_fields : &undescribed_fields, queue->operations,
                              queue->n);
        else
            fputs("null", to);
    }
    print_errors(to, communicator);
    putc('}', to);
}

/* Layouts. */

static void print_fields_of(FILE *to, const struct details *details, const char *type)
{
    const char *separator = "";

    for (size_t i = 0; i < details->n_fields; i++) {
        if (strcmp(details->fields[i].type, type) != 0)
            continue;
        fputs(separator, to);
        fields_print_object(to, &layout_field_fields, &details->fields[i]);
        separator = ",";
    }
}

static void print_types(FILE *to, const struct details *details)
{
    fputs(",\"types\":[", to);
    for (size_t i = 0; i < details->n_types; i++) {
        fputs(i > 0 ? ",{" : "{", to);
        fields_print(to, &type_fields, &details->types[i], 1, INT_MAX);
        fputs(",\"fields\":[", to);
        print_fields_of(to, details, details->types[i].name);
        fputs("]}", to);
    }
    putc(']', to);
}

/* What `reason` says to people, as one of the reasons' names; null where nothing is lacking. */
static void print_limit(FILE *to, const struct mqd_limit_description *limit)
{
    int cause = limit->reason != MQD_REASON_none ? limit->reason : limit->hindrance;

    json_print_text(to, "cause", cause != MQD_REASON_none ? name_of(&reason_names, cause) : NULL);
}

static void print_capabilities(FILE *to, const struct details *details)
{
    fputs(",\"capabilities\":[", to);
    for (size_t i = 0; i < details->n_capabilities; i++) {
        fputs(i > 0 ? ",{" : "{", to);
        fields_print(to, &capability_fields, &details->capabilities[i], 1, INT_MAX);
        if (i < details->n_limits)
            print_limit(to, &details->limits[i]);
        putc('}', to);
    }
    putc(']', to);
}

static void print_layout(FILE *to, const struct listing *listing)
{
    const struct mqd_layout_summary *layout = listing_layout(listing);
    bool in_force = listing->has_layout && listing->layout_error == NULL && layout->source[0] != '\0';

    json_print_text(to, "openmpi", listing->has_layout ? layout->openmpi : NULL);
    fputs(",\"layout\":", to);
    if (!in_force && !listing->has_details) {
        fputs("null", to);
        return;
    }
    putc('{', to);
    fields_print(to, &layout_summary_fields, layout, 1, LAST_OF_SUMMARY);
    if (listing->has_details) {
        fields_print(to, &layout_fields, listing, LAST_OF_SUMMARY + 1, LAST_OF_LAYOUT);
        fields_print(to, &layout_summary_fields, layout, LAST_OF_LAYOUT + 1, INT_MAX);
        fputs(",\"probes\":", to);
        fields_print_list(to, &probe_fields, listing->details.probes, listing->details.n_probes);
        print_capabilities(to, &listing->details);
        print_types(to, &listing->details);
    }
    putc('}', to);
}

/* What the queues that are shown lack; nothing if they lack nothing. */
static void print_gaps(FILE *to, const struct listing *listing)
{
    const char *first = ",\"missing\":{";

    for (int class = 0; class < N_QUEUES; class++) {
        const struct gap *gap = &listing->gaps[class];

        if (gap->text == NULL)
            continue;
        fprintf(to, "%s\"%s\":", first != NULL ? first : ",", key_of(class));
        fields_print_object(to, &gap_fields, gap);
        first = NULL;
    }
    fputs(first != NULL ? "" : "}", to);
}

/* Processes. */

static void print_communicators(FILE *to, const struct listing *listing, struct group_text *last)
{
    fputs(listing->has_communicators ? ",\"communicators\":[" : ",\"communicators\":null", to);
    for (size_t i = 0; i < listing->n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_communicator(to, &listing->communicators[i], last);
    }
    fputs(listing->has_communicators ? "]" : "", to);
}

static void print_process(FILE *to, const struct listing *listing, struct group_text *last)
{
    const struct calls *calls = listing->calls;

    putc('{', to);
    fields_print(to, &listing_fields, listing, 1, LAST_BEFORE_LAYOUT);
    print_layout(to, listing);
    fields_print(to, &layout_fields, listing, AT_LIBRARIES, AT_LIBRARIES);
    print_gaps(to, listing);
    if (calls != NULL)
        fields_print(to, &calls_fields, calls, AT_THREADS, calls->has_stacks ? AT_STACKS : AT_THREADS);
    if (listing->openmp != NULL) {
        fputs(",\"openmp\":", to);
        fields_print_object(to, &openmp_fields, listing->openmp);
    }
    if (listing->activity != NULL) {
        fputs(",\"kernel\":", to);
        fields_print_object(to, &activity_fields, listing->activity);
    }
    print_communicators(to, listing, last);
    fields_print(to, &listing_fields, listing, AT_WINDOWS, AT_ANSWERS);
    if (listing->error != NULL) {
        fputs(",\"error\":", to);
        json_print_string(to, listing->error);
        if (listing->reason != MQD_REASON_unknown)
            json_print_text(to, "cause", name_of(&reason_names, listing->reason));
    }
    putc('}', to);
}

/* The looks that the listings are from. */

static void print_moved(FILE *to, const struct source *source, const struct source_job *job, bool moved)
{
    const char *separator = "";

    fputs(moved ? ",\"moved\":[" : ",\"same\":[", to);
    for (size_t i = job->first; i < job->end; i++) {
        if (source->changes[i].moved != moved)
            continue;
        fprintf(to, "%s%ld", separator, source->changes[i].rank);
        separator = ",";
    }
    putc(']', to);
}

static void print_changes(FILE *to, const struct source *source)
{
    fputs(",\"since\":[", to);
    for (size_t first = 0; first < source->n_changes;) {
        const struct source_change *change = &source->changes[first];
        struct source_job job = source_job_at(source, first);

        fputs(first > 0 ? ",{\"job\":" : "{\"job\":", to);
        json_print_string_or_null(to, change->job);
        if (change->user >= 0 && job.shares_name)
            fprintf(to, ",\"user\":%ld", change->user);
        print_moved(to, source, &job, true);
        print_moved(to, source, &job, false);
        putc('}', to);
        first = job.end;
    }
    putc(']', to);
}

/* Looks in files; nothing if there is none. */
static void print_records(FILE *to, const struct source *sources, size_t n)
{
    size_t n_printed = 0;

    for (size_t i = 0; i < n; i++) {
        if (sources[i].file == NULL)
            continue;
        fputs(n_printed++ == 0 ? ",\"records\":[{\"file\":" : ",{\"file\":", to);
        json_print_string_or_null(to, sources[i].file);
        json_print_text(to, "host", sources[i].host);
        json_print_text(to, "taken", sources[i].taken);
        json_print_text(to, "mqdump", sources[i].mqdump);
        json_print_text(to, "problem", sources[i].problem);
        fprintf(to, ",\"ranks\":%zu", sources[i].n_ranks);
        print_changes(to, &sources[i]);
        putc('}', to);
    }
    fputs(n_printed > 0 ? "]" : "", to);
}

static void print_hosts(FILE *to, const struct source *sources, size_t n)
{
    if (!sources_are_hosts(sources, n))
        return;
    for (size_t i = 0; i < n; i++) {
        fputs(i == 0 ? ",\"hosts\":[{\"host\":" : ",{\"host\":", to);
        json_print_string_or_null(to, sources[i].host);
        json_print_text(to, "taken", sources[i].taken);
        json_print_text(to, "mqdump", sources[i].mqdump);
        fprintf(to, ",\"ranks\":%zu", sources[i].n_ranks);
        json_print_text(to, "problem", sources[i].problem);
        putc('}', to);
    }
    putc(']', to);
}

/* What was concluded. */

static void print_ranks(FILE *to, const char *key, const long *ranks, size_t n)
{
    fprintf(to, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%s%ld", i > 0 ? "," : "", ranks[i]);
    putc(']', to);
}

static void print_strings(FILE *to, const char *key, char *const *strings, size_t n)
{
    fprintf(to, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", to);
        json_print_string(to, strings[i]);
    }
    putc(']', to);
}

static void print_evidence(FILE *to, const struct evidence *evidence)
{
    fputs("{\"job\":", to);
    json_print_string_or_null(to, evidence->job);
    fprintf(to, ",\"rank\":%ld,\"pid\":%d,\"communicator\":%lu,\"queue\":\"%s\",", evidence->rank,
            (int)evidence->pid, evidence->communicator, name_of(&queue_names, evidence->class));
    fields_print(to, &operation_fields, &evidence->operation, 1, LAST_THAT_IS_ASKED);
    fields_print(to, &operation_fields, &evidence->operation, REQUEST_OF_OPERATION, REQUEST_OF_OPERATION);
    putc('}', to);
}

/* Prints the ranks of other jobs that the finding concerns. */
static void print_others(FILE *to, const struct finding *finding)
{
    fputs(",\"other_jobs\":[", to);
    for (size_t i = 0; i < finding->n_others; i++) {
        const struct finding_share *other = &finding->others[i];

        fputs(i > 0 ? ",{\"job\":" : "{\"job\":", to);
        json_print_string_or_null(to, other->job);
        print_ranks(to, "ranks", other->ranks, other->n_ranks);
        print_ranks(to, "causes", other->causes, other->n_causes);
        putc('}', to);
    }
    putc(']', to);
}

static void print_json_finding(FILE *to, const struct finding *finding, const struct explained *explained)
{
    fprintf(to, "{\"kind\":\"%s\",\"certainty\":\"%s\",\"sentence\":", finding_kind_name(finding->kind),
            finding->certain ? "certain" : "possible");
    json_print_string(to, explained->sentence);
    print_strings(to, "details", explained->details, explained->n_details);
    fputs(",\"job\":", to);
    json_print_string_or_null(to, finding->job);
    if (finding->user >= 0)
        fprintf(to, ",\"user\":%ld", finding->user);
    print_ranks(to, "ranks", finding->ranks, finding->n_ranks);
    print_ranks(to, "causes", finding->causes, finding->n_causes);
    print_others(to, finding);
    fputs(",\"communicator\":", to);
    if (finding->has_communicator) {
        fprintf(to, "{\"unique_id\":%lu,\"name\":", finding->communicator);
        json_print_string(to, finding->communicator_name);
        putc('}', to);
    } else {
        fputs("null", to);
    }
    fputs(",\"operations\":[", to);
    for (size_t i = 0; i < finding->n_evidence; i++) {
        fputs(i > 0 ? "," : "", to);
        print_evidence(to, &finding->evidence[i]);
    }
    fputs("]}", to);
}

void json_print_findings(FILE *to, const struct explanation *explanation)
{
    const struct verdict *verdict = &explanation->verdict;

    fprintf(to, ",\"conclusion\":\"%s\",\"findings\":[",
            verdict->n > 0 ? "findings" : verdict->unclear ? "unknown" : "nothing");
    for (size_t i = 0; i < verdict->n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_json_finding(to, &verdict->findings[i], &explanation->findings[i]);
    }
    putc(']', to);
    print_strings(to, "notes", explanation->notes, explanation->n_notes);
}

void json_print(FILE *to, const struct listing *const *listings, size_t n, const struct explanation *explanation,
                const struct source *sources, size_t n_sources)
{
    struct group_text last = {0};

    fprintf(to, "{\"format\":%d,\"mqdump\":", FORMAT);
    json_print_string(to, PACKAGE_VERSION);
    print_records(to, sources, n_sources);
    print_hosts(to, sources, n_sources);
    fputs(",\"processes\":[", to);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_process(to, listings[i], &last);
    }
    putc(']', to);
    if (explanation != NULL)
        json_print_findings(to, explanation);
    fputs("}\n", to);
    free(last.text);
}
