/*
 * values.c - values for programs that are made of several members, or are lists.
 */
#include "mqd/dump/record/values.h"

#include "mqd/dump/base/json_string.h"
#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/target/activity.h"
#include "mqd/dump/collect/target/stack/stack.h"

/* Operations. */

void print_status(FILE *to, const void *of)
{
    json_print_string(to, operation_status_name(((const struct queued *)of)->status));
}

static void print_name(FILE *to, const struct mqd_process_name *name)
{
    fprintf(to, "{\"job\":%lu,\"rank\":%ld}", name->job, name->rank);
}

void print_peer(FILE *to, const void *of)
{
    print_name(to, &((const struct queued *)of)->peer);
}

void print_found_at(FILE *to, const void *of)
{
    print_name(to, &((const struct queued *)of)->found_at);
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

/* The lines end at the first empty one. */
void print_extra_text(FILE *to, const void *of)
{
    const struct queued *operation = of;
    size_t n = 0;

    while (n < N_EXTRA_TEXTS && operation->extra_text[n] != NULL && *operation->extra_text[n] != '\0')
        n++;
    print_list(to, operation->extra_text, n);
}

/* Layouts. */

void print_classes(FILE *to, const void *of)
{
    const struct mqd_layout_summary *layout = of;

    fprintf(to, "{\"all\":%d,\"read\":%d,\"agreeing\":%d}", layout->n_classes, layout->n_classes_read,
            layout->n_classes_agreeing);
}

void print_types(FILE *to, const void *of)
{
    const struct mqd_layout_summary *layout = of;

    fprintf(to, "{\"all\":%d,\"known\":%d,\"agreeing\":%d}", layout->n_types, layout->n_types_known,
            layout->n_types_agreeing);
}

void print_library_types(FILE *to, const void *of)
{
    const struct mqd_library_summary *summary = of;

    fprintf(to, "{\"all\":%d,\"known\":%d}", summary->n_types, summary->n_types_known);
}

/* Threads. */

void print_function(FILE *to, const void *of)
{
    json_print_string_or_null(to, call_shown(of));
}

void print_chain(FILE *to, const void *of)
{
    const struct call *call = of;

    print_list(to, (const char *const *)call->chain, call->n_chain);
}

void print_frames(FILE *to, const void *of)
{
    const struct named_stack *stack = of;

    print_list(to, stack->frames, stack->n);
}

/* What a process does in the kernel. */

void print_state(FILE *to, const void *of)
{
    static const struct {
        char state;
        const char *name;
    } states[] = {{'R', "running"}, {'S', "sleeping"}, {'D', "uninterruptible"}, {'T', "stopped"}, {'t', "traced"},
                  {'Z', "ended"},   {'X', "ended"}};
    const char *name = "other";

    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i].state == ((const struct activity *)of)->state)
            name = states[i].name;
    json_print_string(to, name);
}

void print_system_call(FILE *to, const void *of)
{
    char buffer[CALL_NAME_SIZE];

    json_print_string_or_null(to, activity_call_name(of, buffer));
}

void print_stuck(FILE *to, const void *of)
{
    if (((const struct activity *)of)->state == 'D')
        fprintf(to, "%.0f", activity_stuck_seconds(of) * 1e3);
    else
        fputs("null", to);
}

void print_share(FILE *to, const void *of)
{
    fprintf(to, "%.0f", ((const struct activity *)of)->share * 100);
}
