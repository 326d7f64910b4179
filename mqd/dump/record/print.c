/*
 * print.c - structures as JSON for programs.
 */
#include "mqd/dump/record/print.h"

#include <inttypes.h>
#include <string.h>

#include "mqd/dump/base/json_string.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/target/activity.h"
#include "mqd/dump/collect/target/stack/stack.h"

/* A member of one of the structures. */
struct member {
    const struct field *field;
    const void *of;                /* the structure */
};

/* As many as a structure may show. */
enum { MAX_SHOWN = 64 };

/* Values. */

/* A number of any kind and size; a large one without sign is negative. */
static int64_t number_at(const struct field *field, const char *place)
{
    switch (field->kind) {
    case FIELD_TRUTH:
        return *(const bool *)place;
    case FIELD_SIGNED:
        return field->size == sizeof(int) ? *(const int *)(const void *)place : *(const int64_t *)(const void *)place;
    default:
        return field->size == sizeof(uint32_t) ? *(const uint32_t *)(const void *)place
                                               : (int64_t)*(const uint64_t *)(const void *)place;
    }
}

/* NULL: there is none. */
static const char *text_at(const struct field *field, const char *place)
{
    return field->kind == FIELD_CHARS ? place : *(const char *const *)(const void *)place;
}

static void print_number(FILE *to, const struct field *field, int64_t number)
{
    if (field->kind == FIELD_SIGNED)
        fprintf(to, "%" PRId64, number);
    else
        fprintf(to, "%" PRIu64, (uint64_t)number);
}

static void print_words(FILE *to, const char *words)
{
    const char *separator = "";

    putc('[', to);
    for (words += strspn(words, " "); *words != '\0'; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        OWNED char *word = format_text("%.*s", (int)length, words);

        fputs(separator, to);
        json_print_string(to, word);
        separator = ",";
        words += length;
    }
    putc(']', to);
}

static void print_value(FILE *to, const struct member *member)
{
    const struct field *field = member->field;
    const char *place = (const char *)member->of + field->offset;

    switch (field->shown.as) {
    case SHOWN_NUMBER:
        print_number(to, field, number_at(field, place));
        break;
    case SHOWN_TRUTH:
        fputs(number_at(field, place) != 0 ? "true" : "false", to);
        break;
    case SHOWN_NOT:
        fputs(number_at(field, place) != 0 ? "false" : "true", to);
        break;
    case SHOWN_NAME:
        json_print_string_or_null(to, name_of(field->shown.names, (long)number_at(field, place)));
        break;
    case SHOWN_ADDRESS:
        fprintf(to, "\"0x%" PRIx64 "\"", (uint64_t)number_at(field, place));
        break;
    case SHOWN_STRING:
        json_print_string(to, text_at(field, place));
        break;
    case SHOWN_TEXT:
        json_print_string_or_null(to, text_at(field, place));
        break;
    case SHOWN_WORDS:
        print_words(to, place);
        break;
    case SHOWN_BY:
        field->shown.print(to, member->of);
        break;
    }
}

/* Members. */

/* Addresses have no sign. */
static bool is_below_least(const struct member *member)
{
    const struct shown *shown = &member->field->shown;
    int64_t number;

    if (!shown->limited)
        return false;
    number = number_at(member->field, (const char *)member->of + member->field->offset);
    return shown->as == SHOWN_ADDRESS ? (uint64_t)number < (uint64_t)shown->least : number < shown->least;
}

static bool is_known(const struct member *member)
{
    const struct shown *shown = &member->field->shown;
    const char *place = (const char *)member->of + shown->condition.offset;

    if (is_below_least(member))
        return false;
    if (shown->condition.size == 0)
        return true;
    return (shown->condition.size == sizeof(bool) ? *(const bool *)place : *(const int *)(const void *)place != 0) !=
           shown->condition.is_not;
}

static bool is_left_out(const struct member *member)
{
    const struct field *field = member->field;
    const char *place = (const char *)member->of + field->offset;

    if (!field->shown.optional)
        return false;
    return field->kind == FIELD_ELSEWHERE ? text_at(field, place) == NULL : field_is_absent(field, place);
}

/* Insertion: rows are mostly in the order in which they are shown. */
static size_t add_shown(struct member *members, size_t n, const struct member *member)
{
    size_t at = n;

    if (n == MAX_SHOWN)
        return n;
    for (; at > 0 && members[at - 1].field->shown.at > member->field->shown.at; at--)
        members[at] = members[at - 1];
    members[at] = *member;
    return n + 1;
}

static size_t find_shown(struct member members[MAX_SHOWN], const struct printed *parts, size_t n, int first, int last)
{
    size_t n_members = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < parts[i].table->n; k++) {
            const struct member member = {&parts[i].table->fields[k], parts[i].of};

            if (member.field->shown.at >= first && member.field->shown.at <= last)
                n_members = add_shown(members, n_members, &member);
        }
    }
    return n_members;
}

static void print_members(FILE *to, const struct member *members, size_t n)
{
    const char *separator = "";

    for (size_t i = 0; i < n; i++) {
        if (is_left_out(&members[i]))
            continue;
        fprintf(to, "%s\"%s\":", separator, members[i].field->shown.key);
        separator = ",";
        if (is_known(&members[i]))
            print_value(to, &members[i]);
        else
            fputs("null", to);
    }
}

void fields_print(FILE *to, const struct printed *parts, size_t n, int first, int last)
{
    struct member members[MAX_SHOWN];

    print_members(to, members, find_shown(members, parts, n, first, last));
}

void fields_print_all(FILE *to, const struct field_table *table, const void *of)
{
    const struct printed part = {table, of};

    fields_print(to, &part, 1, 1, INT_MAX);
}

void fields_print_list(FILE *to, const struct field_table *table, const void *array, size_t n)
{
    const struct printed part = {table, array};
    struct member members[MAX_SHOWN];
    size_t n_members = find_shown(members, &part, 1, 1, INT_MAX);

    putc('[', to);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n_members; k++)
            members[k].of = (const char *)array + i * table->size;
        fputs(i > 0 ? ",{" : "{", to);
        print_members(to, members, n_members);
        putc('}', to);
    }
    putc(']', to);
}

/* Values that are made of several members, or are lists. */

void value_status(FILE *to, const void *of)
{
    json_print_string(to, operation_status_name(((const struct queued *)of)->status));
}

static void print_name(FILE *to, const struct mqd_process_name *name)
{
    fprintf(to, "{\"job\":%lu,\"rank\":%ld}", name->job, name->rank);
}

void value_peer(FILE *to, const void *of)
{
    print_name(to, &((const struct queued *)of)->peer);
}

void value_found_at(FILE *to, const void *of)
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
void value_extra_text(FILE *to, const void *of)
{
    const struct queued *operation = of;
    size_t n = 0;

    while (n < N_EXTRA_TEXTS && operation->extra_text[n] != NULL && *operation->extra_text[n] != '\0')
        n++;
    print_list(to, operation->extra_text, n);
}

void value_classes(FILE *to, const void *of)
{
    const struct mqd_layout_summary *layout = of;

    fprintf(to, "{\"all\":%d,\"read\":%d,\"agreeing\":%d}", layout->n_classes, layout->n_classes_read,
            layout->n_classes_agreeing);
}

void value_types(FILE *to, const void *of)
{
    const struct mqd_layout_summary *layout = of;

    fprintf(to, "{\"all\":%d,\"known\":%d,\"agreeing\":%d}", layout->n_types, layout->n_types_known,
            layout->n_types_agreeing);
}

void value_library_types(FILE *to, const void *of)
{
    const struct mqd_library_summary *summary = of;

    fprintf(to, "{\"all\":%d,\"known\":%d}", summary->n_types, summary->n_types_known);
}

void value_function(FILE *to, const void *of)
{
    json_print_string_or_null(to, call_shown(of));
}

void value_chain(FILE *to, const void *of)
{
    const struct call *call = of;

    print_list(to, (const char *const *)call->chain, call->n_chain);
}

void value_frames(FILE *to, const void *of)
{
    const struct named_stack *stack = of;

    print_list(to, stack->frames, stack->n);
}

void value_state(FILE *to, const void *of)
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

void value_system_call(FILE *to, const void *of)
{
    char buffer[CALL_NAME_SIZE];

    json_print_string_or_null(to, activity_call_name(of, buffer));
}

void value_stuck(FILE *to, const void *of)
{
    if (((const struct activity *)of)->state == 'D')
        fprintf(to, "%.0f", activity_stuck_seconds(of) * 1e3);
    else
        fputs("null", to);
}

void value_share(FILE *to, const void *of)
{
    fprintf(to, "%.0f", ((const struct activity *)of)->share * 100);
}
