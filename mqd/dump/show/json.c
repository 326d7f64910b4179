/*
 * json.c - listings for programs.
 */
#include "mqd/dump/show/json.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mqd/dump/base/json_string.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/print.h"
#include "mqd/dump/show/text/hosts.h"
#include "mqd/dump/show/verdict_json.h"

enum { FORMAT = 1 };

static const char *key_of(int class)
{
    return name_of(&queue_names, class);
}

/* Why, for programs: nothing if the debugging library tells none. */
static void print_cause(FILE *to, int reason)
{
    if (reason != MQD_REASON_unknown)
        json_print_text(to, "cause", name_of(&reason_names, reason));
}

/* The members of a structure, as an object of its own. */
static void print_object(FILE *to, const struct field_table *table, const void *of)
{
    putc('{', to);
    fields_print_all(to, table, of);
    putc('}', to);
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

/* One object of those texts that there are; nothing if there is none. `first` is what opens it, NULL once it is open. */
static void print_error(FILE *to, const char *key, const char *error, const char **first)
{
    if (error == NULL)
        return;
    fprintf(to, "%s\"%s\":", *first != NULL ? *first : ",", key);
    json_print_string(to, error);
    *first = NULL;
}

static void print_reason(FILE *to, const char *key, const char *error, int reason, const char **first)
{
    if (error == NULL || reason == MQD_REASON_unknown)
        return;
    fprintf(to, "%s\"%s\":", *first != NULL ? *first : ",", key);
    json_print_string_or_null(to, name_of(&reason_names, reason));
    *first = NULL;
}

/* Why for people, and for programs. */
static void print_errors(FILE *to, const struct communicator *communicator)
{
    const char *first = ",\"errors\":{";

    print_error(to, "group", communicator->group_error, &first);
    for (int class = 0; class < N_QUEUES; class++)
        print_error(to, key_of(class), communicator->queues[class].error, &first);
    fputs(first != NULL ? "" : "}", to);
    first = ",\"causes\":{";
    print_reason(to, "group", communicator->group_error, communicator->group_reason, &first);
    for (int class = 0; class < N_QUEUES; class++)
        print_reason(to, key_of(class), communicator->queues[class].error, communicator->queues[class].reason,
                     &first);
    fputs(first != NULL ? "" : "}", to);
}

static void print_communicator(FILE *to, const struct communicator *communicator, struct group_text *last)
{
    putc('{', to);
    fields_print_all(to, &communicator_fields, communicator);
    fputs(",\"group\":", to);
    print_group(to, communicator, last);
    fputs(",\"use\":", to);
    if (communicator->has_use)
        print_object(to, &use_fields, &communicator->use);
    else
        fputs("null", to);
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

/* Windows. */

static void print_window(FILE *to, const struct window *window)
{
    const struct printed parts[] = {{&window_fields, window}, {&window_description_fields, &window->description}};

    putc('{', to);
    fields_print(to, parts, 2, 1, INT_MAX);
    fputs(",\"peers\":", to);
    fields_print_list(to, &window_peer_fields, window->peers, window->n_peers);
    if (window->error != NULL) {
        fputs(",\"error\":", to);
        json_print_string(to, window->error);
    }
    putc('}', to);
}

static void print_windows(FILE *to, const struct listing *listing)
{
    for (size_t i = 0; i < listing->n_windows; i++) {
        fputs(i > 0 ? "," : ",\"windows\":[", to);
        print_window(to, &listing->windows[i]);
    }
    fputs(listing->n_windows > 0 ? "]" : "", to);
}

/* Layouts. */

static void print_fields_of(FILE *to, const struct details *details, const char *type)
{
    const char *separator = "";

    for (size_t i = 0; i < details->n_fields; i++) {
        if (strcmp(details->fields[i].type, type) != 0)
            continue;
        fputs(separator, to);
        print_object(to, &layout_field_fields, &details->fields[i]);
        separator = ",";
    }
}

static void print_types(FILE *to, const struct details *details)
{
    fputs(",\"types\":[", to);
    for (size_t i = 0; i < details->n_types; i++) {
        fputs(i > 0 ? ",{" : "{", to);
        fields_print_all(to, &type_fields, &details->types[i]);
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
        fields_print_all(to, &capability_fields, &details->capabilities[i]);
        if (i < details->n_limits)
            print_limit(to, &details->limits[i]);
        putc('}', to);
    }
    putc(']', to);
}

/* What is shown without details, and the last of it, of layout_summary_fields. */
enum { LAST_OF_LAYOUT = 4 };

static void print_layout(FILE *to, const struct listing *listing)
{
    const struct mqd_layout_summary *layout = listing_layout(listing);
    const struct printed parts[] = {{&layout_summary_fields, layout}, {&layout_fields, listing}};
    bool in_force = listing->has_layout && listing->layout_error == NULL && layout->source[0] != '\0';

    json_print_text(to, "openmpi", listing->has_layout ? layout->openmpi : NULL);
    fputs(",\"layout\":", to);
    if (!in_force && !listing->has_details) {
        fputs("null", to);
        return;
    }
    putc('{', to);
    if (!listing->has_details) {
        fields_print(to, parts, 2, 1, LAST_OF_LAYOUT);
    } else {
        fields_print(to, parts, 2, 1, INT_MAX);
        fputs(",\"probes\":", to);
        fields_print_list(to, &probe_fields, listing->details.probes, listing->details.n_probes);
        print_capabilities(to, &listing->details);
        print_types(to, &listing->details);
    }
    putc('}', to);
}

/* The other libraries that keep the operations; nothing if there is none. */
static void print_libraries(FILE *to, const struct listing *listing)
{
    for (size_t i = 0; i < listing->n_libraries; i++) {
        const struct library *library = &listing->libraries[i];
        const struct printed parts[] = {{&library_summary_fields, &library->summary}, {&library_fields, library}};

        fputs(i == 0 ? ",\"libraries\":[{" : ",{", to);
        fields_print(to, parts, 2, 1, INT_MAX);
        putc('}', to);
    }
    fputs(listing->n_libraries > 0 ? "]" : "", to);
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
        print_object(to, &gap_fields, gap);
        first = NULL;
    }
    fputs(first != NULL ? "" : "}", to);
}

/* Processes. */

static void print_calls(FILE *to, const struct calls *calls)
{
    fputs(",\"threads\":[", to);
    for (size_t i = 0; i < calls->n; i++) {
        const struct printed parts[] = {{&call_fields, &calls->calls[i]}, {&place_fields, &calls->calls[i]}};

        fputs(i > 0 ? ",{" : "{", to);
        fields_print(to, parts, 2, 1, INT_MAX);
        putc('}', to);
    }
    putc(']', to);
    if (!calls->has_stacks)
        return;
    fputs(",\"stacks\":", to);
    fields_print_list(to, &named_stack_fields, calls->stacks, calls->n_stacks);
}

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
    putc('{', to);
    fields_print_all(to, &listing_fields, listing);
    print_layout(to, listing);
    print_libraries(to, listing);
    print_gaps(to, listing);
    if (listing->calls != NULL)
        print_calls(to, listing->calls);
    if (listing->activity != NULL) {
        fputs(",\"kernel\":", to);
        print_object(to, &activity_fields, listing->activity);
    }
    print_communicators(to, listing, last);
    print_windows(to, listing);
    if (listing->error != NULL) {
        fputs(",\"error\":", to);
        json_print_string(to, listing->error);
        print_cause(to, listing->reason);
    }
    putc('}', to);
}

void json_print(FILE *to, const struct listing *const *listings, size_t n)
{
    json_print_with_verdict(to, listings, n, NULL, NULL, 0);
}

void json_print_with_verdict(FILE *to, const struct listing *const *listings, size_t n, const struct verdict *verdict,
                             const struct source *sources, size_t n_sources)
{
    struct group_text last = {0};

    fprintf(to, "{\"format\":%d,\"mqdump\":", FORMAT);
    json_print_string(to, PACKAGE_VERSION);
    sources_json(to, sources, n_sources);
    hosts_json(to, sources, n_sources);
    fputs(",\"processes\":[", to);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_process(to, listings[i], &last);
    }
    putc(']', to);
    if (verdict != NULL)
        verdict_json_findings(to, verdict);
    fputs("}\n", to);
    free(last.text);
}
