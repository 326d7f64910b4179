/*
 * column.c - one member of many structures as a list of runs.
 *
 * A queue may hold a million operations, which differ in a tag and in addresses. To write and to read an object for each
 * took twenty times as long as the debugging library takes to find them.
 */
#include "mqd/dump/record/column.h"

#include <stdint.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
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

/* Most members are flags or words: to compare and to copy those takes an instruction each. */
static bool is_same(const char *a, const char *b, size_t size)
{
    if (size == sizeof(bool))
        return *a == *b;
    return size == sizeof(uint64_t) ? memcmp(a, b, sizeof(uint64_t)) == 0 : memcmp(a, b, size) == 0;
}

/* How many structures from the first on have the same bytes there. Most members are the same in all. */
static size_t count_same(const struct column_place *place, size_t size)
{
    size_t n = 1;

    while (n < place->n && is_same(place->first, place->first + n * place->stride, size))
        n++;
    return n;
}

/* The runs of a member; NULL if it is absent from all. */
static json_t *column_write(const struct field *field, const struct column_place *place)
{
    json_t *runs = json_array();
    size_t begin = 0, n_same = count_same(place, field->size);
    int64_t step = 0;
    struct value last = value_of(field, place->first);

    for (size_t i = n_same; i <= place->n; i++) {
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

json_t *columns_write(const struct field_table *table, const struct column_place *place)
{
    json_t *object = json_object();

    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        const struct column_place member = {place->first + field->offset, place->stride, place->n};
        json_t *value = field->kind == FIELD_PART ? columns_write(field->table, &member) : column_write(field, &member);

        if (json_object_size(value) > 0 || json_is_array(value))
            json_object_set_new_nocheck(object, field->key, value);
        else
            json_decref(value);
    }
    return object;
}

/* Reading. */

/* Puts the text of a value with another number, which may be longer. */
static bool put_text(const struct field *field, const struct value *value, uint64_t number, char *place,
                     struct texts **texts)
{
    char text[MAX_QUEUED_TEXT + ADDRESS_TEXT_SIZE];
    size_t length;
    const char *kept;

    memcpy(text, value->text, value->length);
    length = value->length + address_text(text + value->length, number);
    if (length > field->room)
        return false;
    kept = texts_add(texts, text, length);
    memcpy(place, &kept, sizeof kept);
    return true;
}

/* Copies the first value to all. */
static void repeat(const struct column_place *place, size_t size)
{
    for (size_t i = 1; i < place->n; i++) {
        char *to = place->first + i * place->stride;

        if (size == sizeof(bool))
            *to = *place->first;
        else if (size == sizeof(uint64_t))
            memcpy(to, place->first, sizeof(uint64_t));
        else
            memcpy(to, place->first, size);
    }
}

/* Fills in the values of a run after the one at `begin`, which is that of `value`. */
static bool grow(const struct field *field, const json_t *value, const struct column_place *place, struct texts **texts,
                 size_t begin, size_t count, int64_t step, char **why)
{
    const char *place_of_first = place->first + begin * place->stride;
    const struct value first = value_of(field, place_of_first);
    uint64_t number = first.number;

    if (!first.grows)
        return set_reason(why, "has a step that is none");
    /* There it is only known whether a flag is 0. */
    if (field->kind == FIELD_FLAG)
        number += (uint64_t)(json_integer_value(value) - field_integer(field, place_of_first));
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
        return grow(field, json_array_get(run, 0), place, texts, begin, *n, step, why);
    repeat(&(struct column_place){first, place->stride, *n}, field->size);
    return true;
}

/* NULL: the member is absent. Else all runs together must have n values. */
static bool column_read(const json_t *runs, const struct field *field, const struct column_place *place,
                        struct texts **texts, char **why)
{
    size_t n = 0, n_run = 0;

    if (runs == NULL) {
        field_clear(field, place->first);
        if (field->kind == FIELD_TEXT || field->absent != 0)
            repeat(place, field->size);
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
        const json_t *value = json_object_get(object, field->key);
        OWNED char *reason = NULL;

        if (field->kind == FIELD_PART ? !columns_read(value, field->table, &member, texts, why)
                                      : !column_read(value, field, &member, texts, &reason))
            return reason != NULL ? field_refuse(field, table, reason, why) : false;
    }
    return true;
}
