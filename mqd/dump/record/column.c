/*
 * column.c - one member of many structures as a list of runs.
 *
 * A queue may hold a million operations, which differ in a tag and in addresses. To write and to read an object for each
 * took twenty times as long as the debugging library takes to find them.
 */
#include "mqd/dump/record/column.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/collect/client/queue.h"
#include "mqd/dump/record/text.h"

/* A value: `text` without its last number, if it has text; the number, if it has one that can grow. */
struct value {
    const char *text;
    size_t length;
    uint64_t number;
    bool grows;
};

enum { ADDRESS_DIGITS = 16 };

/*
 * Splits a text before the address that it ends with: 0x, and digits as %x writes them. Returns false if it has none, or
 * one that would not be written in the same way.
 */
static bool split_address(const char *text, size_t n, size_t *length, uint64_t *address)
{
    size_t first = n;
    uint64_t number = 0;

    while (first > 0 && digit_value(text[first - 1]) >= 0)
        first--;
    /* The 0 of 0x is no digit of the number. */
    if (first == n || n - first > ADDRESS_DIGITS || first < 2 || text[first - 1] != 'x' || text[first - 2] != '0' ||
        (text[first] == '0' && n - first > 1))
        return false;
    for (size_t i = first; i < n; i++)
        number = number << 4 | (uint64_t)digit_value(text[i]);
    *length = first - 2;
    *address = number;
    return true;
}

static struct value value_of(const struct field *field, const char *place)
{
    struct value value = {0};

    if (field->kind == FIELD_TEXT) {
        value.text = field_text(field, place);
        value.length = strnlen(value.text, field->room);
        value.grows = split_address(value.text, value.length, &value.length, &value.number);
    } else {
        value.number = field_number(field, place);
        value.grows = field->kind != FIELD_TRUTH;
    }
    return value;
}

static bool is_alike(const struct value *a, const struct value *b)
{
    return a->grows == b->grows && a->length == b->length &&
           (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

/* Does `next` continue a run of `count` values with this step? The second value of a run chooses the step. */
static bool continues(const struct value *last, const struct value *next, size_t count, int64_t *step)
{
    const int64_t most = (int64_t)largest_integer, distance = (int64_t)(next->number - last->number);

    if (!is_alike(last, next) || (!next->grows && distance != 0) || distance > most || distance < -most ||
        (distance > 0) != (next->number > last->number))
        return false;
    if (count == 1)
        *step = distance;
    return distance == *step;
}

static json_t *run_write(const struct field *field, const char *place, size_t count, int64_t step)
{
    json_t *run = json_array();

    json_array_append_new(run, field_write(field, place));
    json_array_append_new(run, json_integer((json_int_t)count));
    if (step != 0)
        json_array_append_new(run, json_integer(step));
    return run;
}

/* The runs of a member; NULL if it is absent from all. */
static json_t *column_write(const struct field *field, const struct column_place *place)
{
    json_t *runs = json_array();
    size_t begin = 0;
    int64_t step = 0;
    struct value last = value_of(field, place->first);

    for (size_t i = 1; i <= place->n; i++) {
        struct value next = i < place->n ? value_of(field, place->first + i * place->stride) : last;

        if (i == place->n || !continues(&last, &next, i - begin, &step)) {
            json_array_append_new(runs, run_write(field, place->first + begin * place->stride, i - begin, step));
            begin = i;
            step = 0;
        }
        last = next;
    }
    if (json_array_size(runs) == 1 && json_array_size(json_array_get(runs, 0)) == 2 &&
        field_is_absent(field, place->first)) {
        json_decref(runs);
        return NULL;
    }
    return runs;
}

void columns_write(json_t *object, const struct field_table *table, const struct column_place *place)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        const struct column_place member = {place->first + field->offset, place->stride, place->n};
        json_t *runs = field->kind != FIELD_ELSEWHERE ? column_write(field, &member) : NULL;

        if (runs != NULL)
            field_set_new(object, field, runs);
    }
}

/* Reading. */

/* Puts the text of a value with another number, which may be longer. */
static bool put_text(const struct field *field, const struct value *value, uint64_t number, char *place,
                     struct texts **texts)
{
    char text[MAX_QUEUED_TEXT], address[24];
    size_t n = (size_t)snprintf(address, sizeof address, "0x%" PRIx64, number);
    const char *kept;

    if (value->length + n > field->room)
        return false;
    memcpy(text, value->text, value->length);
    memcpy(text + value->length, address, n);
    kept = texts_add(texts, text, value->length + n);
    memcpy(place, &kept, sizeof kept);
    return true;
}

/* Fills in the values of a run after the one at `begin`. */
static bool grow(const struct field *field, const struct column_place *place, struct texts **texts, size_t begin,
                 size_t count, int64_t step, char **why)
{
    const struct value first = value_of(field, place->first + begin * place->stride);
    uint64_t number = first.number;

    if (!first.grows)
        return set_reason(why, "has a step that is none");
    for (size_t i = 1; i < count; i++) {
        char *to = place->first + (begin + i) * place->stride;
        bool fits = (step > 0) == (number + (uint64_t)step > number);

        number += (uint64_t)step;
        if (!fits || !(field->kind == FIELD_TEXT ? put_text(field, &first, number, to, texts)
                                                 : field_put_number(field, to, number)))
            return set_reason(why, "grows beyond its limits");
    }
    return true;
}

static bool integer_read(const json_t *value, int64_t least, int64_t most, int64_t *number)
{
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= least && *number <= most;
}

/* [VALUE, COUNT] or [VALUE, COUNT, STEP], with not more than `most` values. */
static bool is_run(const json_t *run, size_t most, int64_t *count, int64_t *step)
{
    const int64_t most_step = (int64_t)largest_integer;
    size_t n = json_array_size(run);

    *step = 0;
    return (n == 2 || (n == 3 && integer_read(json_array_get(run, 2), -most_step, most_step, step))) &&
           integer_read(json_array_get(run, 1), 1, (int64_t)most, count);
}

static bool run_read(const json_t *run, const struct field *field, const struct column_place *place,
                     struct texts **texts, size_t begin, size_t *n, char **why)
{
    char *first = place->first + begin * place->stride;
    int64_t count, step;

    if (!is_run(run, place->n - begin, &count, &step))
        return set_reason(why, "has a run that is none");
    *n = (size_t)count;
    if (!field_read(field, json_array_get(run, 0), first, texts, why))
        return false;
    if (step != 0)
        return grow(field, place, texts, begin, *n, step, why);
    for (size_t i = 1; i < *n; i++)
        memcpy(first + i * place->stride, first, field->size);
    return true;
}

/* NULL: the member is absent. Else all runs together must have n values. */
static bool column_read(const json_t *runs, const struct field *field, const struct column_place *place,
                        struct texts **texts, char **why)
{
    size_t n = 0, n_run = 0;

    if (runs == NULL) {
        for (size_t i = 0; i < place->n; i++)
            field_clear(field, place->first + i * place->stride);
        return true;
    }
    if (!json_is_array(runs))
        return set_reason(why, "is no list");
    for (size_t i = 0; i < json_array_size(runs); i++, n += n_run)
        if (!run_read(json_array_get(runs, i), field, place, texts, n, &n_run, why))
            return false;
    return n == place->n || set_reason(why, "has %zu values in place of %zu", n, place->n);
}

bool columns_read(const json_t *object, const struct field_table *table, const struct column_place *place,
                  struct texts **texts, char **why)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        const struct column_place member = {place->first + field->offset, place->stride, place->n};
        const json_t *runs = field->kind != FIELD_ELSEWHERE ? json_object_get(field_object(field, object), field->key)
                                                            : NULL;
        OWNED char *reason = NULL;

        if (field->kind != FIELD_ELSEWHERE && !column_read(runs, field, &member, texts, &reason))
            return field_refuse(field, table, reason, why);
    }
    return true;
}
