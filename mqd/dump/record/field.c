/*
 * field.c - members of structures as members of JSON objects.
 */
#include "mqd/dump/record/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

/* Members of any size. */

static int64_t signed_at(const struct field *field, const char *place)
{
    int small;
    int64_t large;

    if (field->size == sizeof small) {
        memcpy(&small, place, sizeof small);
        return small;
    }
    memcpy(&large, place, sizeof large);
    return large;
}

static void put_signed(const struct field *field, char *place, int64_t number)
{
    int small = (int)number;

    memcpy(place, field->size == sizeof small ? (const void *)&small : &number, field->size);
}

static uint64_t unsigned_at(const struct field *field, const char *place)
{
    uint32_t small;
    uint64_t large;

    if (field->size == sizeof small) {
        memcpy(&small, place, sizeof small);
        return small;
    }
    memcpy(&large, place, sizeof large);
    return large;
}

static void put_unsigned(const struct field *field, char *place, uint64_t number)
{
    uint32_t small = (uint32_t)number;

    memcpy(place, field->size == sizeof small ? (const void *)&small : &number, field->size);
}

static uint64_t most_unsigned(const struct field *field)
{
    return field->size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
}

static int64_t limited_at(const struct field *field, const char *place)
{
    int64_t number = signed_at(field, place);

    if (number < field->least)
        return field->least;
    return number > field->most ? field->most : number;
}

const char *field_text(const struct field *field, const char *place)
{
    const char *text = place;

    if (field->kind == FIELD_TEXT)
        memcpy(&text, place, sizeof text);
    return text != NULL ? text : "";
}

/* Numbers with sign are moved up by this. */
static const uint64_t sign = (uint64_t)1 << 63;

uint64_t field_number(const struct field *field, const char *place)
{
    if (field->kind == FIELD_TRUTH)
        return *(const bool *)place;
    return field->kind == FIELD_SIGNED ? (uint64_t)limited_at(field, place) + sign : unsigned_at(field, place);
}

bool field_put_number(const struct field *field, char *place, uint64_t number)
{
    int64_t with_sign = (int64_t)(number - sign);

    if (field->kind == FIELD_SIGNED) {
        if (with_sign < field->least || with_sign > field->most)
            return false;
        put_signed(field, place, with_sign);
        return true;
    }
    if (number > most_unsigned(field))
        return false;
    put_unsigned(field, place, number);
    return true;
}

/* Writing. */

static json_t *write_signed(const struct field *field, const char *place)
{
    int64_t number = limited_at(field, place);

    return number != field->absent ? json_integer(number) : NULL;
}

static json_t *write_unsigned(const struct field *field, const char *place)
{
    uint64_t number = unsigned_at(field, place);

    if (number == 0)
        return NULL;
    return field->kind == FIELD_ADDRESS ? address_write(number) : unsigned_write(number);
}

/*
 * JSON has no numbers that are none. Nobody needs more than microseconds, and shares of a millionth: further digits
 * would make a third of the line of a rank.
 */
static json_t *write_real(const char *place)
{
    static const double parts = 1e6, largest_with_parts = 1e9;
    double number;

    memcpy(&number, place, sizeof number);
    if (fabs(number) < largest_with_parts)
        number = round(number * parts) / parts;
    return number != 0 && isfinite(number) ? json_real(number) : NULL;
}

static json_t *write_text(const struct field *field, const char *place)
{
    const char *text = field_text(field, place);

    return *text != '\0' ? text_write(text, strnlen(text, field->room)) : NULL;
}

static json_t *write_string(const char *place)
{
    const char *text;

    memcpy(&text, place, sizeof text);
    return text != NULL ? text_write(text, strnlen(text, MAX_STRING)) : NULL;
}

/* NULL: the member is absent. */
static json_t *write_value(const struct field *field, const char *place)
{
    switch (field->kind) {
    case FIELD_TRUTH:
        return *(const bool *)place ? json_true() : NULL;
    case FIELD_SIGNED:
        return write_signed(field, place);
    case FIELD_UNSIGNED:
    case FIELD_ADDRESS:
        return write_unsigned(field, place);
    case FIELD_REAL:
        return write_real(place);
    case FIELD_LETTER:
        return *place != '\0' ? text_write(place, 1) : NULL;
    case FIELD_CHARS:
    case FIELD_TEXT:
        return write_text(field, place);
    case FIELD_STRING:
        return write_string(place);
    case FIELD_ELSEWHERE:
        break;
    }
    return NULL;
}

bool field_is_absent(const struct field *field, const char *place)
{
    json_t *value = write_value(field, place);

    json_decref(value);
    return value == NULL;
}

json_t *field_write(const struct field *field, const char *place)
{
    json_t *value = write_value(field, place);

    if (value != NULL)
        return value;
    switch (field->kind) {
    case FIELD_TRUTH:
        return json_false();
    case FIELD_SIGNED:
        return json_integer(field->absent);
    case FIELD_UNSIGNED:
    case FIELD_REAL:
        return json_integer(0);
    case FIELD_ADDRESS:
        return address_write(0);
    default:
        return json_string("");
    }
}

json_t *field_object(const struct field *field, const json_t *object)
{
    return field->part != NULL && field->part->key != NULL ? json_object_get(object, field->part->key)
                                                           : (json_t *)object;
}

void field_set_new(json_t *object, const struct field *field, json_t *value)
{
    json_t *of = field_object(field, object);

    if (of == NULL) {
        of = json_object();
        json_object_set_new_nocheck(object, field->part->key, of);
    }
    json_object_set_new_nocheck(of, field->key, value);
}

void fields_write(json_t *object, const struct field_table *table, const void *from)
{
    for (size_t i = 0; i < table->n; i++) {
        json_t *value = write_value(&table->fields[i], (const char *)from + table->fields[i].offset);

        if (value != NULL)
            field_set_new(object, &table->fields[i], value);
    }
}

/* Reading. */

static bool read_truth(const json_t *value, char *place, char **why)
{
    if (!json_is_boolean(value))
        return set_reason(why, "is neither true nor false");
    *(bool *)place = json_is_true(value);
    return true;
}

static bool read_signed(const struct field *field, const json_t *value, char *place, char **why)
{
    int64_t number;

    if (!signed_read(value, field->least, field->most, &number, why))
        return false;
    put_signed(field, place, number);
    return true;
}

static bool read_unsigned(const struct field *field, const json_t *value, char *place, char **why)
{
    uint64_t number;

    if (!unsigned_read(value, most_unsigned(field), &number, why))
        return false;
    put_unsigned(field, place, number);
    return true;
}

/* Seconds, and shares of one: what is beyond any of them has more digits than programs take. */
static const double largest_real = 1e12;

static bool read_real(const json_t *value, char *place, char **why)
{
    double number;

    if (!json_is_number(value))
        return set_reason(why, "is no number");
    number = json_number_value(value);
    if (number < -largest_real || number > largest_real)
        return set_reason(why, "is not between %.0f and %.0f", -largest_real, largest_real);
    memcpy(place, &number, sizeof number);
    return true;
}

static bool read_chars(const json_t *value, size_t room, char *place, char **why)
{
    OWNED char *text = NULL;

    if (!text_read(value, room, &text, why))
        return false;
    memcpy(place, text, strlen(text));
    return true;
}

static bool read_text(const struct field *field, const json_t *value, char *place, struct texts **texts, char **why)
{
    const char *kept;
    OWNED char *text = NULL;

    if (!text_read(value, field->room, &text, why))
        return false;
    kept = texts_add(texts, text, strlen(text));
    memcpy(place, &kept, sizeof kept);
    return true;
}

static bool read_string(const json_t *value, char *place, char **why)
{
    char *text;

    if (!text_read(value, MAX_STRING, &text, why))
        return false;
    memcpy(place, &text, sizeof text);
    return true;
}

bool field_read(const struct field *field, const json_t *value, char *place, struct texts **texts, char **why)
{
    switch (field->kind) {
    case FIELD_TRUTH:
        return read_truth(value, place, why);
    case FIELD_SIGNED:
        return read_signed(field, value, place, why);
    case FIELD_UNSIGNED:
    case FIELD_ADDRESS:
        return read_unsigned(field, value, place, why);
    case FIELD_REAL:
        return read_real(value, place, why);
    case FIELD_LETTER:
        return read_chars(value, 1, place, why);
    case FIELD_CHARS:
        return read_chars(value, field->room, place, why);
    case FIELD_TEXT:
        return read_text(field, value, place, texts, why);
    case FIELD_STRING:
        return read_string(value, place, why);
    case FIELD_ELSEWHERE:
        break;
    }
    return true;
}

/* Other members of the structure stay as they are. */
void field_clear(const struct field *field, char *place)
{
    static const char *const nothing = "";

    if (field->kind == FIELD_ELSEWHERE)
        return;
    memset(place, 0, field->size);
    if (field->kind == FIELD_SIGNED)
        put_signed(field, place, field->absent);
    if (field->kind == FIELD_TEXT)
        memcpy(place, &nothing, sizeof nothing);
}

bool field_refuse(const struct field *field, const struct field_table *table, const char *reason, char **why)
{
    return set_reason(why, "\"%s\" of %s %s", field->key, field->part != NULL ? field->part->name : table->name,
                      reason);
}

bool fields_read_texts(const json_t *object, const struct field_table *table, void *to, struct texts **texts,
                       char **why)
{
    for (size_t i = 0; i < table->n; i++)
        field_clear(&table->fields[i], (char *)to + table->fields[i].offset);
    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        const json_t *value =
            field->kind != FIELD_ELSEWHERE ? json_object_get(field_object(field, object), field->key) : NULL;
        OWNED char *reason = NULL;

        if (value != NULL && !field_read(field, value, (char *)to + field->offset, texts, &reason))
            return field_refuse(field, table, reason, why);
    }
    return true;
}

bool fields_read(const json_t *object, const struct field_table *table, void *to, char **why)
{
    return fields_read_texts(object, table, to, NULL, why);
}

void fields_free(const struct field_table *table, void *of)
{
    for (size_t i = 0; i < table->n; i++) {
        char *place = (char *)of + table->fields[i].offset, *text;

        if (table->fields[i].kind != FIELD_STRING)
            continue;
        memcpy(&text, place, sizeof text);
        free(TAKEN(text));
        memcpy(place, &text, sizeof text);
    }
}
