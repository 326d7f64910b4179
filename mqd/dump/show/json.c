/*
 * json.c - listings for programs.
 */
#include "mqd/dump/show/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mqd/dump/base/json_string.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/activity_json.h"
#include "mqd/dump/show/text/hosts.h"
#include "mqd/dump/show/verdict_json.h"
#include "mqd/dump/show/window_json.h"

enum { FORMAT = 1 };

static const char *const queue_keys[N_QUEUES] = {
    [mqs_pending_sends] = "pending_sends",
    [mqs_pending_receives] = "pending_receives",
    [mqs_unexpected_messages] = "unexpected_messages",
};

/* Values. */

static void print_number_or_null(FILE *to, long number, long least)
{
    if (number >= least)
        fprintf(to, "%ld", number);
    else
        fputs("null", to);
}

/* The name of an enumerator, null for the first and for one that is newer than this program. */
static void print_name(FILE *to, const char *key, const char *const *names, size_t n, int number)
{
    fprintf(to, "\"%s\":", key);
    json_print_string_or_null(to, number > 0 && (size_t)number < n ? names[number] : NULL);
}
#define PRINT_NAME(to, key, names, number) print_name(to, key, names, sizeof(names) / sizeof *(names), number)

static const char *const reason_names[] = {
    [MQD_REASON_none] = "none",
    [MQD_REASON_end] = "end",
    [MQD_REASON_caller] = "caller",
    [MQD_REASON_no_memory] = "no_memory",
    [MQD_REASON_no_openmpi] = "no_openmpi",
    [MQD_REASON_ignored] = "ignored",
    [MQD_REASON_not_initialised] = "not_initialised",
    [MQD_REASON_finalized] = "finalized",
    [MQD_REASON_unreadable] = "unreadable",
    [MQD_REASON_no_layout] = "no_layout",
    [MQD_REASON_wrong_layout] = "wrong_layout",
    [MQD_REASON_no_member] = "no_member",
    [MQD_REASON_no_symbol] = "no_symbol",
    [MQD_REASON_other_pml] = "other_pml",
    [MQD_REASON_pml_cm] = "pml_cm",
    [MQD_REASON_pml_ucx] = "pml_ucx",
    [MQD_REASON_pml_yalla] = "pml_yalla",
    [MQD_REASON_pml_ubcl] = "pml_ubcl",
    [MQD_REASON_damaged] = "damaged",
    [MQD_REASON_no_constant] = "no_constant",
    [MQD_REASON_no_library_layout] = "no_library_layout",
    [MQD_REASON_undecided] = "undecided",
    [MQD_REASON_elsewhere] = "elsewhere",
    [MQD_REASON_overtaking] = "overtaking",
};

/* Operations. */

/* The lines end at the first empty one. */
static void print_extra_text(FILE *to, const char *const *lines)
{
    fputs("\"extra_text\":[", to);
    for (int i = 0; i < N_EXTRA_TEXTS && lines[i] != NULL && *lines[i] != '\0'; i++) {
        fputs(i > 0 ? "," : "", to);
        json_print_string(to, lines[i]);
    }
    putc(']', to);
}

static const char *truth(int value)
{
    return value != 0 ? "true" : "false";
}

static void print_names(FILE *to, const struct queued *facts)
{
    static const char *const calls[] = {
        [MQD_OPERATION_recv] = "recv",   [MQD_OPERATION_probe] = "probe",    [MQD_OPERATION_mprobe] = "mprobe",
        [MQD_OPERATION_send] = "send",   [MQD_OPERATION_ssend] = "ssend",    [MQD_OPERATION_bsend] = "bsend",
        [MQD_OPERATION_rsend] = "rsend", [MQD_OPERATION_message] = "message"};
    static const char *const modes[] = {[MQD_MODE_standard] = "standard",
                                        [MQD_MODE_synchronous] = "synchronous",
                                        [MQD_MODE_buffered] = "buffered",
                                        [MQD_MODE_ready] = "ready"};
    static const char *const protocols[] = {[MQD_PROTOCOL_eager] = "eager",
                                            [MQD_PROTOCOL_rendezvous] = "rendezvous",
                                            [MQD_PROTOCOL_single_copy] = "single_copy"};
    static const char *const progress[] = {
        [MQD_PROGRESS_posted] = "posted",
        [MQD_PROGRESS_waited_for] = "waited_for",
        [MQD_PROGRESS_receiving] = "receiving",
        [MQD_PROGRESS_complete] = "complete",
        [MQD_PROGRESS_cancelled] = "cancelled",
        [MQD_PROGRESS_truncated] = "truncated",
        [MQD_PROGRESS_failed] = "failed",
        [MQD_PROGRESS_queued] = "queued",
        [MQD_PROGRESS_transport] = "transport",
        [MQD_PROGRESS_rendezvous] = "rendezvous",
        [MQD_PROGRESS_single_copy] = "single_copy",
        [MQD_PROGRESS_transfer] = "transfer",
        [MQD_PROGRESS_in_transit] = "in_transit",
        [MQD_PROGRESS_eager] = "eager",
        [MQD_PROGRESS_arrived_rendezvous] = "arrived_rendezvous",
        [MQD_PROGRESS_out_of_sequence] = "out_of_sequence",
        [MQD_PROGRESS_pending_communicator] = "pending_communicator",
        [MQD_PROGRESS_unmatched] = "unmatched",
        [MQD_PROGRESS_unfinished] = "unfinished",
        [MQD_PROGRESS_arriving] = "arriving",
        [MQD_PROGRESS_handed_over] = "handed_over",
    };

    PRINT_NAME(to, "call", calls, facts->kind);
    putc(',', to);
    PRINT_NAME(to, "mode", modes, facts->mode);
    putc(',', to);
    PRINT_NAME(to, "protocol", protocols, facts->protocol);
    putc(',', to);
    PRINT_NAME(to, "progress", progress, facts->progress);
    putc(',', to);
}

static void print_name_of_process(FILE *to, const char *key, bool known, const struct mqd_process_name *name)
{
    if (known)
        fprintf(to, "\"%s\":{\"job\":%lu,\"rank\":%ld},", key, name->job, name->rank);
    else
        fprintf(to, "\"%s\":null,", key);
}

static void print_address(FILE *to, const char *key, mqs_taddr_t address)
{
    if (address != 0)
        fprintf(to, "\"%s\":\"0x%lx\",", key, address);
    else
        fprintf(to, "\"%s\":null,", key);
}

static void print_facts(FILE *to, const struct queued *facts)
{
    print_names(to, facts);
    fprintf(to, "\"persistent\":%s,\"freed\":%s,\"internal\":%s,\"collective\":%s,\"waits_for_receiver\":%s,",
            truth(facts->persistent), truth(facts->freed), truth(facts->internal), truth(facts->collective),
            truth(facts->needs_receiver));
    fputs("\"purpose\":", to);
    json_print_string_or_null(to, facts->purpose);
    putc(',', to);
    print_address(to, "request", facts->request);
    fprintf(to, facts->has_count ? "\"count\":%lu" : "\"count\":null", facts->count);
    fputs(",\"datatype\":", to);
    json_print_string_or_null(to, facts->datatype);
    fprintf(to, ",\"arrived\":%lu,\"error_class\":", facts->arrived);
    print_number_or_null(to, facts->error_class, 1);
    fputs(",\"sequence\":", to);
    print_number_or_null(to, facts->sequence, 0);
    fputs(",\"collective_number\":", to);
    print_number_or_null(to, (long)facts->collective_number, 1);
    putc(',', to);
    print_address(to, "send_request", facts->send_request);
    print_name_of_process(to, "found_at", facts->found, &facts->found_at);
    print_name_of_process(to, "peer", facts->has_peer, &facts->peer);
}

static void print_buffer(FILE *to, const struct queued *operation, bool unknown)
{
    if (unknown)
        fputs("\"buffer\":null,", to);
    else
        fprintf(to, "\"buffer\":\"0x%lx\",", operation->buffer);
}

static void print_operation(FILE *to, const struct queued *operation, bool described)
{
    const struct mqd_unknown_description *unknown = &operation->unknown;

    fprintf(to, "{\"status\":\"%s\",", operation_status_name(operation->status));
    json_print_asked(to, "desired_local_rank", unknown->peer, operation->desired_local_rank);
    json_print_asked(to, "desired_global_rank", unknown->peer, operation->desired_global_rank);
    fprintf(to, "\"tag_wild\":%s,", truth(operation->tag_wild));
    json_print_asked(to, "desired_tag", unknown->tag, operation->desired_tag);
    json_print_asked(to, "desired_length", unknown->length, operation->desired_length);
    fprintf(to, "\"system_buffer\":%s,", truth(operation->system_buffer));
    print_buffer(to, operation, unknown->buffer);
    fprintf(to, "\"actual_local_rank\":%ld,\"actual_global_rank\":%ld,\"actual_tag\":%ld,\"actual_length\":%ld,",
            operation->actual_local_rank, operation->actual_global_rank, operation->actual_tag,
            operation->actual_length);
    if (described)
        print_facts(to, operation);
    print_extra_text(to, operation->extra_text);
    putc('}', to);
}

static void print_queue(FILE *to, const struct queue *queue)
{
    if (!queue->available) {
        fputs("null", to);
        return;
    }
    putc('[', to);
    for (size_t i = 0; i < queue->n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_operation(to, &queue->operations[i], queue->described);
    }
    putc(']', to);
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

/* `first` is what opens the object, NULL once it is open. */
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
    fputs(*first != NULL ? *first : ",", to);
    PRINT_NAME(to, key, reason_names, reason);
    *first = NULL;
}

/* Why for people, and for programs. */
static void print_errors(FILE *to, const struct communicator *communicator)
{
    const char *first = ",\"errors\":{";

    print_error(to, "group", communicator->group_error, &first);
    for (int class = 0; class < N_QUEUES; class++)
        print_error(to, queue_keys[class], communicator->queues[class].error, &first);
    fputs(first != NULL ? "" : "}", to);
    first = ",\"causes\":{";
    print_reason(to, "group", communicator->group_error, communicator->group_reason, &first);
    for (int class = 0; class < N_QUEUES; class++)
        print_reason(to, queue_keys[class], communicator->queues[class].error, communicator->queues[class].reason,
                     &first);
    fputs(first != NULL ? "" : "}", to);
}

static void print_use(FILE *to, const struct communicator *communicator)
{
    static const char *const owners[] = {[MQD_OWNER_program] = "program",
                                         [MQD_OWNER_window] = "window",
                                         [MQD_OWNER_file] = "file",
                                         [MQD_OWNER_library] = "library"};
    const struct mqd_communicator_use *use = &communicator->use;

    fputs(communicator->has_use ? ",\"use\":{" : ",\"use\":null", to);
    if (!communicator->has_use)
        return;
    PRINT_NAME(to, "owner", owners, use->owner);
    putc(',', to);
    print_address(to, "object", use->object);
    fputs("\"name\":", to);
    json_print_string_or_null(to, use->name);
    fprintf(to, ",\"allow_overtaking\":%s",
            use->allow_overtaking < 0 ? "null" : truth(use->allow_overtaking));
    fprintf(to, use->has_nonblocking ? ",\"nonblocking_collectives\":%lu}" : ",\"nonblocking_collectives\":null}",
            use->n_nonblocking);
}

static void print_communicator(FILE *to, const struct communicator *communicator, struct group_text *last)
{
    fputs("{\"name\":", to);
    json_print_string(to, communicator->name);
    fprintf(to, ",\"unique_id\":%lu,\"local_rank\":%ld,\"size\":%ld,\"group\":", communicator->unique_id,
            communicator->local_rank, communicator->size);
    print_group(to, communicator, last);
    print_use(to, communicator);
    for (int class = 0; class < N_QUEUES; class++) {
        fprintf(to, ",\"%s\":", queue_keys[class]);
        print_queue(to, &communicator->queues[class]);
    }
    print_errors(to, communicator);
    putc('}', to);
}

/* Processes. */

/* A list of words that are separated by spaces, as a list of strings. */
static void print_words(FILE *to, const char *words)
{
    const char *separator = "";

    putc('[', to);
    for (words += strspn(words, " "); *words != '\0'; words += strspn(words, " ")) {
        char word[sizeof((struct mqd_layout_summary *)0)->variant];
        size_t length = strcspn(words, " ");

        snprintf(word, sizeof word, "%.*s", (int)length, words);
        fputs(separator, to);
        json_print_string(to, word);
        separator = ",";
        words += length;
    }
    putc(']', to);
}

static void print_known(FILE *to, const char *key, long value)
{
    if (value < 0)
        fprintf(to, ",\"%s\":null", key);
    else
        fprintf(to, ",\"%s\":%ld", key, value);
}

static void print_evidence(FILE *to, const struct mqd_layout_summary *layout)
{
    json_print_text(to, "arch", layout->arch);
    json_print_text(to, "abi", layout->abi);
    fprintf(to, ",\"fitting\":%d", layout->n_fitting);
    json_print_text(to, "decided_by", layout->decided);
    json_print_text(to, "next_best", layout->next_best);
    fprintf(to, ",\"version_in_family\":%s",
            layout->version_in_family < 0 ? "null" : truth(layout->version_in_family));
    fprintf(to, ",\"classes\":{\"all\":%d,\"read\":%d,\"agreeing\":%d}", layout->n_classes,
            layout->n_classes_read, layout->n_classes_agreeing);
    fprintf(to, ",\"debugger_types\":{\"all\":%d,\"known\":%d,\"agreeing\":%d}", layout->n_types,
            layout->n_types_known, layout->n_types_agreeing);
}

static void print_fields_of(FILE *to, const struct details *details, const char *type)
{
    const char *separator = "";

    for (size_t i = 0; i < details->n_fields; i++) {
        const struct mqd_field_description *field = &details->fields[i];

        if (strcmp(field->type, type) != 0)
            continue;
        fprintf(to, "%s{\"member\":", separator);
        json_print_string(to, field->member);
        json_print_text(to, "kind", field->kind);
        json_print_text(to, "source", field->source);
        print_known(to, "offset", field->offset);
        print_known(to, "size", field->size);
        print_known(to, "debugger_offset", field->live_offset);
        print_known(to, "table_offset", field->table_offset);
        putc('}', to);
        separator = ",";
    }
}

static void print_types(FILE *to, const struct details *details)
{
    fputs(",\"types\":[", to);
    for (size_t i = 0; i < details->n_types; i++) {
        const struct mqd_type_description *type = &details->types[i];

        fprintf(to, "%s{\"name\":", i > 0 ? "," : "");
        json_print_string(to, type->name);
        json_print_text(to, "source", type->source);
        print_known(to, "size", type->size);
        print_known(to, "class_size", type->class_size);
        print_known(to, "debugger_size", type->live_size);
        print_known(to, "table_size", type->table_size);
        fputs(",\"fields\":[", to);
        print_fields_of(to, details, type->name);
        fputs("]}", to);
    }
    putc(']', to);
}

static void print_probes(FILE *to, const struct details *details)
{
    fputs(",\"probes\":[", to);
    for (size_t i = 0; i < details->n_probes; i++) {
        fprintf(to, "%s{\"name\":", i > 0 ? "," : "");
        json_print_string(to, details->probes[i].name);
        json_print_text(to, "result", details->probes[i].result);
        putc('}', to);
    }
    putc(']', to);
}

/* What `reason` says to people, as one of the reasons' names; null where nothing is lacking. */
static void print_cause(FILE *to, const struct mqd_limit_description *limit)
{
    int cause = limit->reason != MQD_REASON_none ? limit->reason : limit->hindrance;

    putc(',', to);
    PRINT_NAME(to, "cause", reason_names, cause != MQD_REASON_none ? cause : MQD_REASON_unknown);
}

static void print_capabilities(FILE *to, const struct details *details)
{
    fputs(",\"capabilities\":[", to);
    for (size_t i = 0; i < details->n_capabilities; i++) {
        const struct mqd_capability_description *capability = &details->capabilities[i];

        fprintf(to, "%s{\"name\":", i > 0 ? "," : "");
        json_print_string(to, capability->name);
        fprintf(to, ",\"on\":%s", truth(capability->on));
        json_print_text(to, "reason", capability->reason);
        if (i < details->n_limits)
            print_cause(to, &details->limits[i]);
        putc('}', to);
    }
    putc(']', to);
}

static void print_layout(FILE *to, const struct listing *listing)
{
    const struct mqd_layout_summary *layout = listing_layout(listing);
    bool in_force = listing->has_layout && listing->layout_error == NULL && layout->source[0] != '\0';

    fputs(",\"openmpi\":", to);
    json_print_string_or_null(to, listing->has_layout ? layout->openmpi : NULL);
    fputs(",\"layout\":", to);
    if (!in_force && !listing->has_details) {
        fputs("null", to);
        return;
    }
    fputs("{\"family\":", to);
    json_print_string_or_null(to, layout->family);
    fputs(",\"variant\":", to);
    print_words(to, layout->variant);
    json_print_text(to, "source", layout->source);
    if (layout->rejected[0] != '\0')
        json_print_text(to, "rejected", layout->rejected);
    if (listing->has_details) {
        json_print_text(to, "error", listing->layout_error);
        if (listing->layout_reason != MQD_REASON_unknown) {
            putc(',', to);
            PRINT_NAME(to, "cause", reason_names, listing->layout_reason);
        }
        print_evidence(to, layout);
        print_probes(to, &listing->details);
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
        const struct mqd_library_summary *summary = &library->summary;

        fputs(i == 0 ? ",\"libraries\":[{\"name\":" : ",{\"name\":", to);
        json_print_string(to, summary->name);
        json_print_text(to, "version", summary->version);
        json_print_text(to, "family", summary->family);
        fputs(",\"variant\":", to);
        print_words(to, summary->variant);
        json_print_text(to, "source", summary->source);
        json_print_text(to, "error", library->error);
        if (library->reason != MQD_REASON_unknown) {
            putc(',', to);
            PRINT_NAME(to, "cause", reason_names, library->reason);
        }
        json_print_text(to, "found", summary->found);
        json_print_text(to, "arch", summary->arch);
        fprintf(to, ",\"fitting\":%d", summary->n_fitting);
        json_print_text(to, "next_best", summary->next_best);
        fprintf(to, ",\"version_in_family\":%s",
                summary->version_in_family < 0 ? "null" : truth(summary->version_in_family));
        fprintf(to, ",\"debugger_types\":{\"all\":%d,\"known\":%d}}", summary->n_types, summary->n_types_known);
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
        fprintf(to, "%s\"%s\":{\"text\":", first != NULL ? first : ",", queue_keys[class]);
        json_print_string(to, gap->text);
        putc(',', to);
        PRINT_NAME(to, "cause", reason_names, gap->reason);
        putc('}', to);
        first = NULL;
    }
    fputs(first != NULL ? "" : "}", to);
}

static void print_thread_level(FILE *to, const struct listing *listing)
{
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
    enum { N_LEVELS = sizeof levels / sizeof *levels };
    bool known = listing->has_thread_level && listing->thread_level >= 0 && listing->thread_level < N_LEVELS;

    fputs(",\"thread_level\":", to);
    json_print_string_or_null(to, known ? levels[listing->thread_level] : NULL);
}

static void print_process(FILE *to, const struct listing *listing, struct group_text *last)
{
    fputs("{\"pid\":", to);
    print_number_or_null(to, listing->pid, 1);
    fputs(",\"rank\":", to);
    print_number_or_null(to, listing->rank, 0);
    fputs(",\"job\":", to);
    json_print_string_or_null(to, listing->job);
    fputs(",\"user\":", to);
    print_number_or_null(to, listing->user, 0);
    if (listing->host != NULL)
        json_print_text(to, "host", listing->host);
    fprintf(to, ",\"stopped\":%s,\"core\":", truth(!listing->was_running));
    json_print_string_or_null(to, listing->core);
    fputs(",\"signal\":", to);
    print_number_or_null(to, listing->signal, 1);
    fputs(",\"copy_of\":", to);
    print_number_or_null(to, listing->copy_of, 1);
    fputs(",\"executable\":", to);
    json_print_string_or_null(to, listing->executable);
    print_thread_level(to, listing);
    print_layout(to, listing);
    print_libraries(to, listing);
    print_gaps(to, listing);
    if (listing->calls != NULL)
        verdict_json_calls(to, listing->calls);
    if (listing->activity != NULL)
        activity_json(to, listing->activity);
    fputs(listing->has_communicators ? ",\"communicators\":[" : ",\"communicators\":null", to);
    for (size_t i = 0; i < listing->n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_communicator(to, &listing->communicators[i], last);
    }
    fputs(listing->has_communicators ? "]" : "", to);
    window_json_print(to, listing->windows, listing->n_windows);
    if (listing->error != NULL) {
        fputs(",\"error\":", to);
        json_print_string(to, listing->error);
        if (listing->reason != MQD_REASON_unknown) {
            putc(',', to);
            PRINT_NAME(to, "cause", reason_names, listing->reason);
        }
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
