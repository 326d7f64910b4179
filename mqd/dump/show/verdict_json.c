/*
 * verdict_json.c - findings, and where each rank is, for programs.
 */
#include "mqd/dump/show/verdict_json.h"

#include <string.h>

#include "mqd/dump/base/json_string.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/print.h"

static void print_ranks(FILE *to, const char *key, const long *ranks, size_t n)
{
    fprintf(to, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%s%ld", i > 0 ? "," : "", ranks[i]);
    putc(']', to);
}

static void print_job(FILE *to, const char *job)
{
    if (*job != '\0')
        json_print_string(to, job);
    else
        fputs("null", to);
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
    const struct printed operation = {&operation_fields, &evidence->operation};

    fputs("{\"job\":", to);
    print_job(to, evidence->job);
    fprintf(to, ",\"rank\":%ld,\"pid\":%d,\"communicator\":%lu,\"queue\":\"%s\",", evidence->rank,
            (int)evidence->pid, evidence->communicator, name_of(&queue_names, evidence->class));
    fields_print(to, &operation, 1, 1, LAST_THAT_IS_ASKED);
    putc(',', to);
    fields_print(to, &operation, 1, REQUEST_OF_OPERATION, REQUEST_OF_OPERATION);
    putc('}', to);
}

/* Prints the ranks of other jobs that the finding concerns. */
static void print_others(FILE *to, const struct finding *finding)
{
    fputs(",\"other_jobs\":[", to);
    for (size_t i = 0; i < finding->n_others; i++) {
        const struct finding_share *other = &finding->others[i];

        fputs(i > 0 ? ",{\"job\":" : "{\"job\":", to);
        print_job(to, other->job);
        print_ranks(to, "ranks", other->ranks, other->n_ranks);
        print_ranks(to, "causes", other->causes, other->n_causes);
        putc('}', to);
    }
    putc(']', to);
}

static void print_json_finding(FILE *to, const struct finding *finding)
{
    fprintf(to, "{\"kind\":\"%s\",\"certainty\":\"%s\",\"sentence\":", finding_kind_name(finding->kind),
            finding->certain ? "certain" : "possible");
    json_print_string(to, finding->sentence);
    print_strings(to, "details", finding->details, finding->n_details);
    fputs(",\"job\":", to);
    print_job(to, finding->job);
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

void verdict_json_findings(FILE *to, const struct verdict *verdict)
{
    fprintf(to, ",\"conclusion\":\"%s\",\"findings\":[",
            verdict->n > 0 ? "findings" : verdict->unclear ? "unknown" : "nothing");
    for (size_t i = 0; i < verdict->n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_json_finding(to, &verdict->findings[i]);
    }
    putc(']', to);
    print_strings(to, "notes", verdict->notes, verdict->n_notes);
}
