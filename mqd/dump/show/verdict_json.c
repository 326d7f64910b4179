/*
 * verdict_json.c - findings, and where each rank is, for programs.
 */
#include "mqd/dump/show/verdict_json.h"

#include <string.h>

#include "mqd/dump/base/json_string.h"

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
    static const char *const queues[N_QUEUES] = {
        [mqs_pending_sends] = "pending_sends",
        [mqs_pending_receives] = "pending_receives",
        [mqs_unexpected_messages] = "unexpected_messages",
    };
    const struct queued *operation = &evidence->operation;

    fputs("{\"job\":", to);
    print_job(to, evidence->job);
    fprintf(to, ",\"rank\":%ld,\"pid\":%d,\"communicator\":%lu,\"queue\":\"%s\",\"status\":\"%s\",", evidence->rank,
            (int)evidence->pid, evidence->communicator, queues[evidence->class],
            operation_status_name(operation->status));
    json_print_asked(to, "desired_local_rank", evidence->unknown.peer, operation->desired_local_rank);
    json_print_asked(to, "desired_global_rank", evidence->unknown.peer, operation->desired_global_rank);
    fprintf(to, "\"tag_wild\":%s,", operation->tag_wild ? "true" : "false");
    json_print_asked(to, "desired_tag", evidence->unknown.tag, operation->desired_tag);
    json_print_asked(to, "desired_length", evidence->unknown.length, operation->desired_length);
    fputs("\"request\":", to);
    if (evidence->request != 0)
        fprintf(to, "\"0x%lx\"}", evidence->request);
    else
        fputs("null}", to);
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

static void print_list(FILE *to, const char *const *texts, size_t n)
{
    putc('[', to);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", to);
        json_print_string(to, texts[i]);
    }
    putc(']', to);
}

static void print_stacks(FILE *to, const struct calls *calls)
{
    fputs(",\"stacks\":[", to);
    for (size_t i = 0; i < calls->n_stacks; i++) {
        const struct named_stack *stack = &calls->stacks[i];

        fprintf(to, "%s{\"thread\":%d,\"main\":%s,\"ended\":%s,\"frames\":", i > 0 ? "," : "", (int)stack->thread,
                stack->is_main ? "true" : "false", stack->ended ? "true" : "false");
        print_list(to, stack->frames, stack->n);
        putc('}', to);
    }
    putc(']', to);
}

void verdict_json_calls(FILE *to, const struct calls *calls)
{
    static const char *const states[] = {
        [CALL_UNKNOWN] = "unknown", [CALL_OUTSIDE] = "outside", [CALL_MPI] = "mpi"};

    fputs(",\"threads\":[", to);
    for (size_t i = 0; i < calls->n; i++) {
        const struct call *call = &calls->calls[i];

        fprintf(to, "%s{\"thread\":%d,\"main\":%s,\"state\":\"%s\"", i > 0 ? "," : "", (int)call->thread,
                call->is_main ? "true" : "false", states[call->state]);
        json_print_text(to, "function", call_shown(call));
        json_print_text(to, "outer", call->outer);
        json_print_text(to, "through", call->through);
        json_print_text(to, "place", call->place);
        fputs(",\"chain\":", to);
        print_list(to, (const char *const *)call->chain, call->n_chain);
        putc('}', to);
    }
    putc(']', to);
    if (calls->has_stacks)
        print_stacks(to, calls);
}
