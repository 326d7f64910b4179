/*
 * print.c - structures as JSON for programs.
 */
#include "mqd/dump/record/print.h"

#include <inttypes.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/target/activity.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/record/names.h"

/* A member of the structure, or of a part of it. */
struct member {
    const struct field *field;
    size_t inner;                  /* where the part begins */
    size_t outer;                  /* length of the key of the object that it is in, "types" of "types.all"; 0: none */
};

/* As many as a structure may show. */
enum { MAX_SHOWN = 64 };

/* Values. */

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

static void print_value(FILE *to, const struct field *field, const void *of)
{
    const char *place = (const char *)of + field->offset;

    switch (field->shown.as) {
    case SHOWN_NUMBER:
        print_number(to, field, field_integer(field, place));
        break;
    case SHOWN_TRUTH:
        fputs(field_integer(field, place) != 0 ? "true" : "false", to);
        break;
    case SHOWN_NOT:
        fputs(field_integer(field, place) != 0 ? "false" : "true", to);
        break;
    case SHOWN_NAME:
        json_print_string_or_null(to, name_of(field->shown.names, (long)field_integer(field, place)));
        break;
    case SHOWN_ADDRESS:
        fprintf(to, "\"0x%" PRIx64 "\"", (uint64_t)field_integer(field, place));
        break;
    case SHOWN_STRING:
        json_print_string(to, field_text(field, place));
        break;
    case SHOWN_TEXT:
        json_print_string_or_null(to, field_text(field, place));
        break;
    case SHOWN_WORDS:
        print_words(to, place);
        break;
    case SHOWN_PART:
    case SHOWN_HERE:
        fields_print_object(to, field->table, place);
        break;
    case SHOWN_LIST:
        fields_print_list(to, field->table, *(const void *const *)(const void *)place, field_count(field, of));
        break;
    case SHOWN_BY:
        field->shown.print(to, of);
        break;
    }
}

/* Members. */

/* Addresses have no sign. */
static bool is_below_least(const struct field *field, const void *of)
{
    const struct shown *shown = &field->shown;
    int64_t number;

    if (!shown->limited)
        return false;
    number = field_integer(field, (const char *)of + field->offset);
    return shown->as == SHOWN_ADDRESS ? (uint64_t)number < (uint64_t)shown->least : number < shown->least;
}

static bool is_known(const struct field *field, const void *of)
{
    const struct shown *shown = &field->shown;
    const char *place = (const char *)of + shown->condition.offset;

    if (is_below_least(field, of))
        return false;
    if (shown->condition.size == 0)
        return true;
    return (shown->condition.size == sizeof(bool) ? *(const bool *)place : *(const int *)(const void *)place != 0) !=
           shown->condition.is_not;
}

static bool is_left_out(const struct field *field, const void *of)
{
    const char *place = (const char *)of + field->offset;

    if (!field->shown.optional)
        return false;
    if (field->shown.as == SHOWN_LIST)
        return field_count(field, of) == 0;
    return field->kind == FIELD_ELSEWHERE ? *field_text(field, place) == '\0' : field_is_absent(field, place);
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

static size_t find_shown(struct member members[MAX_SHOWN], size_t n, const struct field_table *table, size_t inner,
                         int first, int last)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        const char *dot = field->shown.at > 0 ? strchr(field->shown.key, '.') : NULL;
        const struct member member = {field, inner, dot != NULL ? (size_t)(dot - field->shown.key) : 0};

        if (field->shown.as == SHOWN_HERE)
            n = find_shown(members, n, field->table, inner + field->offset, first, last);
        else if (field->shown.at >= first && field->shown.at <= last)
            n = add_shown(members, n, &member);
    }
    return n;
}

/* Is it in the object that the other member is in? */
static bool is_beside(const struct member *member, const struct member *other)
{
    return member->outer == other->outer &&
           strncmp(member->field->shown.key, other->field->shown.key, member->outer) == 0;
}

static void print_members(FILE *to, const struct member *members, size_t n, const void *structure,
                          const char *separator)
{
    for (size_t i = 0; i < n; i++) {
        const struct field *field = members[i].field;
        const char *key = field->shown.key, *of = (const char *)structure + members[i].inner;
        size_t outer = members[i].outer;

        if (is_left_out(field, of))
            continue;
        if (outer > 0 && (i == 0 || !is_beside(&members[i], &members[i - 1]))) {
            fprintf(to, "%s\"%.*s\":{", separator, (int)outer, key);
            separator = "";
        }
        fprintf(to, "%s\"%s\":", separator, outer > 0 ? &key[outer + 1] : key);
        separator = ",";
        if (is_known(field, of))
            print_value(to, field, of);
        else
            fputs("null", to);
        if (outer > 0 && (i + 1 == n || !is_beside(&members[i], &members[i + 1])))
            putc('}', to);
    }
}

void fields_print(FILE *to, const struct field_table *table, const void *of, int first, int last)
{
    struct member members[MAX_SHOWN];

    print_members(to, members, find_shown(members, 0, table, 0, first, last), of, first > 1 ? "," : "");
}

void fields_print_object(FILE *to, const struct field_table *table, const void *of)
{
    putc('{', to);
    fields_print(to, table, of, 1, INT_MAX);
    putc('}', to);
}

void fields_print_list(FILE *to, const struct field_table *table, const void *array, size_t n)
{
    struct member members[MAX_SHOWN];
    size_t n_members = find_shown(members, 0, table, 0, 1, INT_MAX);

    putc('[', to);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? ",{" : "{", to);
        print_members(to, members, n_members, (const char *)array + i * table->size, "");
        putc('}', to);
    }
    putc(']', to);
}

/* Values that are made of several members, or are lists. */

void value_status(FILE *to, const void *of)
{
    json_print_string(to, operation_status_name(((const struct queued *)of)->status));
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

/* An attribute has a key, and perhaps a name. */
static void print_fact(FILE *to, const struct handle_item *item, const struct names *names)
{
    const bool is_attribute = item->fact == MQD_FACT_attribute;

    if (is_attribute) {
        fprintf(to, "{\"key\":%ld", item->index);
        json_print_text(to, "name", item->text);
        fputs(",\"value\":", to);
    }
    if (names != NULL)
        json_print_string_or_null(to, name_of(names, item->number));
    else if (item->form == MQD_FORM_number)
        fprintf(to, "%ld", item->number);
    else if (item->form == MQD_FORM_truth)
        fputs(item->number != 0 ? "true" : "false", to);
    else if (item->form == MQD_FORM_address)
        fprintf(to, "\"0x%lx\"", item->address);
    else if (item->form == MQD_FORM_text)
        json_print_string(to, item->text);
    else if (item->form == MQD_FORM_handle) {
        fprintf(to, "{\"address\":\"0x%lx\"", item->address);
        json_print_text(to, "name", item->text);
        putc('}', to);
    } else
        fputs("null", to);
    fputs(is_attribute ? "}" : "", to);
}

/* A document has no name twice: what a record says of one fact in two places is there once. */
void value_facts(FILE *to, const void *of)
{
    const struct handle *handle = of;
    const char *separator = "";

    putc('{', to);
    for (int fact = MQD_FACT_unknown + 1; fact <= MQD_FACT_attribute; fact++) {
        const struct fact_form *form = fact_form_of(fact);
        size_t n;
        const struct handle_item *first = handle_find(handle, fact, &n);

        if (first == NULL || form == NULL)
            continue;
        fprintf(to, "%s\"%s\":%s", separator, form->name, form->is_list ? "[" : "");
        for (size_t i = 0; i < n && (i == 0 || form->is_list); i++) {
            fputs(i > 0 ? "," : "", to);
            print_fact(to, &first[i], form->names);
        }
        fputs(form->is_list ? "]" : "", to);
        separator = ",";
    }
    putc('}', to);
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
