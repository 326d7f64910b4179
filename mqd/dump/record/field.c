/*
 * field.c - members of structures as members of JSON objects.
 */
#include "mqd/dump/record/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

const char *name_of(const struct names *names, long number)
{
    return number >= 0 && (size_t)number < names->n ? names->all[number] : NULL;
}

/* Values of any size. */

int64_t field_integer(const struct field *field, const char *place)
{
    const void *number = place;

    if (field->size == sizeof(bool))
        return *(const bool *)place;
    if (field->size == sizeof(int64_t))
        return *(const int64_t *)number;
    if (field->size == sizeof(uint16_t))
        return *(const uint16_t *)number;
    if (field->kind == FIELD_SIGNED)
        return *(const int *)number;
    return *(const uint32_t *)number;
}

static void put_integer(const struct field *field, char *place, int64_t number)
{
    const int small = (int)number;
    const uint16_t smaller = (uint16_t)number;

    if (field->size == sizeof(bool))
        *(bool *)place = number != 0;
    else if (field->size == sizeof smaller)
        memcpy(place, &smaller, sizeof smaller);
    else
        memcpy(place, field->size == sizeof small ? (const void *)&small : &number, field->size);
}

static uint64_t most_unsigned(const struct field *field)
{
    return UINT64_MAX >> (64 - 8 * field->size);
}

static int64_t limited_at(const struct field *field, const char *place)
{
    int64_t number = field_integer(field, place);

    if (number < field->least)
        return field->least;
    return number > field->most ? field->most : number;
}

const char *field_text(const struct field *field, const char *place)
{
    const char *text = field->kind == FIELD_CHARS ? place : *(const char *const *)(const void *)place;

    return text != NULL ? text : "";
}

static void *pointer_at(const char *place)
{
    void *pointer;

    memcpy(&pointer, place, sizeof pointer);
    return pointer;
}

static size_t *count_of(const struct field *field, const void *structure)
{
    return (size_t *)(uintptr_t)((const char *)structure + field->count);
}

size_t field_count(const struct field *field, const void *of)
{
    return *count_of(field, of);
}

static bool is_nothing(const struct field *field, const char *place)
{
    static const uint64_t nothing;

    return memcmp(place, &nothing, field->size) == 0;
}

static bool is_signed(const struct field *field)
{
    return field->kind == FIELD_SIGNED || field->kind == FIELD_FLAG;
}

/* Numbers with sign are moved up by this. */
static const uint64_t sign = (uint64_t)1 << 63;

uint64_t field_number(const struct field *field, const char *place)
{
    return is_signed(field) ? (uint64_t)limited_at(field, place) + sign : (uint64_t)field_integer(field, place);
}

bool field_put_number(const struct field *field, char *place, uint64_t number)
{
    int64_t with_sign = (int64_t)(number - sign);

    if (is_signed(field) ? with_sign < field->least || with_sign > field->most : number > most_unsigned(field))
        return false;
    put_integer(field, place, is_signed(field) ? with_sign : (int64_t)number);
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
    uint64_t number = (uint64_t)field_integer(field, place);

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
    double number = *(const double *)(const void *)place;

    if (fabs(number) < largest_with_parts)
        number = round(number * parts) / parts;
    return number != 0 && isfinite(number) ? json_real(number) : NULL;
}

static json_t *write_text(const struct field *field, const char *place)
{
    const char *text = field_text(field, place);

    return *text != '\0' ? text_write(text, strnlen(text, field->room)) : NULL;
}

/* NULL: the member is absent. */
static json_t *write_value(const struct field *field, const char *place)
{
    const char *text;

    switch (field->kind) {
    case FIELD_TRUTH:
        return *(const bool *)place ? json_true() : NULL;
    case FIELD_FLAG:
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
        /* An empty one is there. */
        text = *(const char *const *)(const void *)place;
        return text != NULL ? text_write(text, strnlen(text, MAX_STRING)) : NULL;
    case FIELD_CODED:
        return field->codec->write != NULL ? field->codec->write(place) : NULL;
    default:
        return NULL;
    }
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
    case FIELD_FLAG:
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

json_t *fields_list(const struct field_table *table, const void *array, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, fields_object(table, (const char *)array + i * table->size));
    return list;
}

/* NULL: nothing of the part is there. */
static json_t *write_part(const struct field *field, const char *place)
{
    json_t *object = fields_object(field->table, place);

    if (field->always || json_object_size(object) > 0)
        return object;
    json_decref(object);
    return NULL;
}

/* NULL: the member is absent, and not to be written. */
static json_t *write_member(const struct field *field, const struct field_table *table, const void *from)
{
    const char *place = (const char *)from + field->offset;
    bool always = field->always || table->is_whole;

    switch (field->kind) {
    case FIELD_PART:
        return write_part(field, place);
    case FIELD_LIST:
        return always || *count_of(field, from) > 0
                   ? fields_list(field->table, pointer_at(place), *count_of(field, from)) : NULL;
    case FIELD_ARRAY:
        return fields_list(field->table, place, field->size / field->table->size);
    case FIELD_CODED:
    case FIELD_ELSEWHERE:
        return write_value(field, place);
    default:
        return always || table->is_tuple ? field_write(field, place) : write_value(field, place);
    }
}

void fields_write(json_t *object, const struct field_table *table, const void *from)
{
    for (size_t i = 0; i < table->n; i++) {
        json_t *value = write_member(&table->fields[i], table, from);

        if (table->is_tuple)
            json_array_append_new(object, value);
        else if (value != NULL)
            json_object_set_new_nocheck(object, table->fields[i].key, value);
    }
}

json_t *fields_object(const struct field_table *table, const void *from)
{
    json_t *object = table->is_tuple ? json_array() : json_object();

    fields_write(object, table, from);
    return object;
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
    put_integer(field, place, number);
    return true;
}

static bool read_unsigned(const struct field *field, const json_t *value, char *place, char **why)
{
    uint64_t number;

    if (!unsigned_read(value, most_unsigned(field), &number, why))
        return false;
    put_integer(field, place, (int64_t)number);
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

bool field_read(const struct field *field, const json_t *value, char *place, struct texts **texts, char **why)
{
    switch (field->kind) {
    case FIELD_TRUTH:
        return read_truth(value, place, why);
    case FIELD_FLAG:
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
        return text_read(value, MAX_STRING, (char **)(void *)place, why);
    case FIELD_CODED:
        return field->codec->read(field->codec, place, value, why);
    default:
        return true;
    }
}

/* Other members of the structure stay as they are. */
void field_clear(const struct field *field, char *place)
{
    static const char *const nothing = "";

    if (field->kind == FIELD_ELSEWHERE || field->kind == FIELD_CODED)
        return;
    memset(place, 0, field->size);
    if (field->kind == FIELD_SIGNED)
        put_integer(field, place, field->absent);
    if (field->kind == FIELD_TEXT)
        memcpy(place, &nothing, sizeof nothing);
}

bool field_refuse(const struct field *field, const struct field_table *table, const char *reason, char **why)
{
    return set_reason(why, "\"%s\" of %s %s", field->key, field->of != NULL ? field->of : table->name, reason);
}

/* The elements have the values that stand for absent ones where the list has no objects. */
static bool read_each(const json_t *list, const struct field_table *table, char *array, size_t n, char **why)
{
    for (size_t i = 0; i < n; i++)
        if (!fields_read(json_array_get(list, i), table, array + i * table->size, NULL, why))
            return false;
    return true;
}

/* Reads a list, or NULL, into an array that is made for it; *n are there also after a failure. */
static bool read_list(const json_t *list, const struct field_table *table, void **array, size_t *n, char **why)
{
    size_t size = json_array_size(list);

    if (list != NULL && !json_is_array(list))
        return set_reason(why, "a list of %s is none", table->name);
    *array = size > 0 ? allocate_array(size, table->size) : NULL;
    for (size_t i = 0; i < size; i++) {
        const json_t *object = json_array_get(list, i);

        *n = i + 1;
        if (table->is_tuple ? !json_is_array(object) : !json_is_object(object))
            return set_reason(why, "an element of a list of %s is no %s", table->name,
                              table->is_tuple ? "array" : "object");
        if (!fields_read(object, table, (char *)*array + i * table->size, NULL, why))
            return false;
    }
    return true;
}

static bool member_read(const json_t *value, const struct field *field, const struct field_table *table, char *to,
                        struct texts **texts, char **why)
{
    char *place = to + field->offset;
    OWNED char *reason = NULL;

    if (field->kind == FIELD_PART)
        return fields_read(value, field->table, place, texts, why);
    if (field->kind == FIELD_LIST) {
        void *array = NULL;
        bool good = read_list(value, field->table, &array, count_of(field, to), why);

        memcpy(place, &array, sizeof array);
        return good;
    }
    if (field->kind == FIELD_ARRAY) {
        size_t n = field->size / field->table->size;

        return (json_array_size(value) == n || set_reason(why, "\"%s\" has not %zu elements", field->key, n)) &&
               read_each(value, field->table, place, n, why);
    }
    field_clear(field, place);
    return value == NULL || field_read(field, value, place, texts, &reason) ||
           field_refuse(field, table, reason, why);
}

bool fields_read(const json_t *object, const struct field_table *table, void *to, struct texts **texts, char **why)
{
    bool has_all = true;

    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        const json_t *value = table->is_tuple ? json_array_get(object, i)
                                              : field->key != NULL ? json_object_get(object, field->key) : NULL;

        if (value == NULL && (table->is_whole || table->is_tuple))
            return field_refuse(field, table, "is missing", why);
        if (!member_read(value, field, table, to, texts, why))
            return false;
        has_all &= !field->needed || !is_nothing(field, (char *)to + field->offset);
    }
    return has_all || set_reason(why, "%s", table->lack);
}

void fields_free(const struct field_table *table, void *of)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        char *place = (char *)of + field->offset;

        if (field->kind == FIELD_PART)
            fields_free(field->table, place);
        for (size_t at = 0; field->kind == FIELD_ARRAY && at < field->size; at += field->table->size)
            fields_free(field->table, place + at);
        for (size_t *n = count_of(field, of); field->kind == FIELD_LIST && *n > 0;)
            fields_free(field->table, (char *)pointer_at(place) + --*n * field->table->size);
        if (field->kind == FIELD_STRING || field->kind == FIELD_LIST)
            free_owned(place);
    }
}
