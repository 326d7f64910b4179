/*
 * like.c - lines of a record as differences to earlier lines of their kind.
 */
#include "mqd/dump/record/like.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/record/format.h"

static const char key[] = "like";

/* Members of communicators are lines of their own, which have little in common. */
static const char *const kinds[N_LIKE_KINDS] = {"look", "layout", "place", "communicator", "operations", "window",
                                                "rank"};

static struct likes_of_kind *find_kind(struct likes *likes, const char *kind)
{
    for (size_t i = 0; i < N_LIKE_KINDS; i++)
        if (strcmp(kinds[i], kind) == 0)
            return &likes->kinds[i];
    return NULL;
}

/* Sizes. */

/*
 * About the memory that a value needs, when it is read and as what it stands for. Writers and readers have the same
 * idea of it. The depth is that of a line that jansson has read, or less.
 */
static uint64_t size_of(const json_t *value)
{
    enum { ANY_VALUE = 32 };
    uint64_t size = ANY_VALUE;
    const char *name;
    json_t *part;
    size_t i;

    if (json_is_string(value))
        size += json_string_length(value);
    json_object_foreach((json_t *)value, name, part)
        size += strlen(name) + size_of(part);
    json_array_foreach(value, i, part)
        size += size_of(part);
    return size;
}

/* May lines that are like others stand for that much more? */
static bool is_allowed(const struct likes *likes, uint64_t whole, uint64_t written)
{
    return likes->whole + whole <= MAX_UNSAID + MAX_SHARE * (likes->written + written);
}

static void count(struct likes *likes, uint64_t whole, uint64_t written)
{
    likes->whole += whole;
    likes->written += written;
}

/* Lines that are known. */

static void remember(struct likes_of_kind *kind, json_t *line, uint64_t size)
{
    json_t **place = &kind->lines[kind->n % MAX_LIKE];

    if (size > MAX_LIKE_SIZE)
        return;
    json_decref(*place);
    *place = json_incref(line);
    kind->n++;
}

/* NULL: there were not so many, so that no line has its place yet. */
_Static_assert((MAX_LIKE & (MAX_LIKE - 1)) == 0, "a number below 0 has the place of another line else");
static json_t *recall(const struct likes_of_kind *kind, size_t distance)
{
    if (distance < 1 || distance > MAX_LIKE)
        return NULL;
    return kind->lines[(kind->n - distance) % MAX_LIKE];
}

void likes_clear(struct likes *likes)
{
    for (size_t i = 0; i < N_LIKE_KINDS; i++)
        for (size_t k = 0; k < MAX_LIKE; k++)
            json_decref(likes->kinds[i].lines[k]);
    *likes = (struct likes){0};
}

/* Differences. */

static bool difference_of_objects(const json_t *from, const json_t *to, json_t *difference);

/* Whole elements that differ, or their differences. The lists are of one length. */
static json_t *difference_of_lists(const json_t *from, const json_t *to)
{
    json_t *difference = json_object(), *part;
    size_t i;

    json_array_foreach(to, i, part) {
        const json_t *before = json_array_get(from, i);
        char position[24];

        if (json_equal(before, part))
            continue;
        snprintf(position, sizeof position, "%zu", i);
        if (json_is_object(before) && json_is_object(part)) {
            json_t *inner = json_object();

            if (difference_of_objects(before, part, inner)) {
                json_object_set_new(difference, position, inner);
                continue;
            }
            json_decref(inner);
            json_decref(difference);
            return NULL;
        }
        if (!json_is_string(part) && !json_is_number(part)) {
            json_decref(difference);
            return NULL;
        }
        json_object_set(difference, position, part);
    }
    return difference;
}

/* Adds the difference between two values of a name. False: it cannot be told. */
static bool add_difference(json_t *difference, const char *name, const json_t *from, json_t *to)
{
    json_t *part = NULL;

    if (json_is_object(from) && json_is_object(to)) {
        part = json_object();
        json_object_set_new(difference, name, part);
        return difference_of_objects(from, to, part);
    }
    if (json_is_array(from) && json_is_array(to) && json_array_size(from) == json_array_size(to))
        part = difference_of_lists(from, to);
    if (part != NULL && size_of(part) < size_of(to)) {
        json_object_set_new(difference, name, part);
        return true;
    }
    json_decref(part);
    json_object_set(difference, name, to);
    return !json_is_null(to) && !(json_is_array(from) && json_is_object(to));
}

static bool difference_of_objects(const json_t *from, const json_t *to, json_t *difference)
{
    const char *name;
    json_t *part;

    json_object_foreach((json_t *)to, name, part) {
        const json_t *before = json_object_get(from, name);

        if (!json_equal(before, part) && !add_difference(difference, name, before, part))
            return false;
    }
    json_object_foreach((json_t *)from, name, part)
        if (json_object_get(to, name) == NULL)
            json_object_set_new(difference, name, json_null());
    return true;
}

/* Writing. */

/* Returns the line as one that is like another; NULL: that says no less. */
static json_t *reduce_to(const struct likes_of_kind *kind, size_t distance, const json_t *line, uint64_t *size)
{
    json_t *difference = json_pack("{s:O,s:I}", "line", json_object_get(line, "line"), key, (json_int_t)distance);
    uint64_t found;

    if (difference_of_objects(recall(kind, distance), line, difference)) {
        found = size_of(difference);
        if (found < *size) {
            *size = found;
            return difference;
        }
    }
    json_decref(difference);
    return NULL;
}

/* Ranks have the same communicators in the same order: the distance is mostly the same. */
static json_t *find_like(struct likes_of_kind *kind, const json_t *line, uint64_t *size)
{
    const uint64_t small = *size / 3, enough = *size - *size / 4;
    json_t *best = kind->distance > 0 ? reduce_to(kind, kind->distance, line, size) : NULL;

    if (best != NULL && *size <= small)
        return best;
    for (size_t distance = 1; distance <= MAX_LIKE && distance <= kind->n; distance++) {
        json_t *better = reduce_to(kind, distance, line, size);

        if (better == NULL)
            continue;
        json_decref(best);
        best = better;
        kind->distance = distance;
    }
    if (*size <= enough)
        return best;
    json_decref(best);
    return NULL;
}

json_t *like_reduce(struct likes *likes, const char *kind_name, json_t *line)
{
    struct likes_of_kind *kind = find_kind(likes, kind_name);
    uint64_t whole, written;
    json_t *reduced;

    if (kind == NULL)
        return json_incref(line);
    whole = written = size_of(line);
    reduced = whole <= MAX_LIKE_SIZE ? find_like(kind, line, &written) : NULL;
    remember(kind, line, whole);
    if (reduced != NULL && is_allowed(likes, whole, written)) {
        count(likes, whole, written);
        return reduced;
    }
    json_decref(reduced);
    return json_incref(line);
}

/* Reading. */

static json_t *apply(json_t *to, json_t *difference);

static json_t *apply_to_object(json_t *to, json_t *difference)
{
    json_t *changed = json_copy(to), *part;
    const char *name;

    json_object_foreach(difference, name, part) {
        json_t *before = json_object_get(to, name), *after;

        if (json_is_null(part)) {
            json_object_del(changed, name);
            continue;
        }
        after = apply(before, part);
        if (after == NULL) {
            json_decref(changed);
            return NULL;
        }
        json_object_set_new(changed, name, after);
    }
    return changed;
}

/* A position as it is written, and no other form of it. */
static bool read_position(const char *text, size_t n, size_t *position)
{
    char *end;

    if (*text < '0' || *text > '9' || (*text == '0' && text[1] != '\0') || strlen(text) > 9)
        return false;
    *position = strtoul(text, &end, 10);
    return *end == '\0' && *position < n;
}

static json_t *apply_to_list(json_t *to, json_t *difference)
{
    json_t *changed = json_copy(to), *part;
    const char *name;

    json_object_foreach(difference, name, part) {
        size_t position;
        json_t *after = read_position(name, json_array_size(to), &position)
                            ? apply(json_array_get(to, position), part)
                            : NULL;

        if (after == NULL) {
            json_decref(changed);
            return NULL;
        }
        json_array_set_new(changed, position, after);
    }
    return changed;
}

/* What is shared stays as it is. NULL: it is no difference to that. */
static json_t *apply(json_t *to, json_t *difference)
{
    if (json_is_object(difference) && json_is_object(to))
        return apply_to_object(to, difference);
    if (json_is_object(difference) && json_is_array(to))
        return apply_to_list(to, difference);
    return json_incref(difference);
}

static json_t *expand(struct likes *likes, const struct likes_of_kind *kind, json_t *line, char **why)
{
    const json_t *reference = json_object_get(line, key);
    json_int_t distance = json_is_integer(reference) ? json_integer_value(reference) : 0;
    json_t *other = distance > 0 ? recall(kind, distance > MAX_LIKE ? 0 : (size_t)distance) : NULL, *whole;
    uint64_t size, written = size_of(line);

    if (other == NULL) {
        set_reason(why, "\"%s\" names none of the last %d lines of its kind", key, MAX_LIKE);
        return NULL;
    }
    whole = apply(other, line);
    if (whole == NULL) {
        set_reason(why, "it has differences to what the line that it is like has not");
        return NULL;
    }
    json_object_del(whole, key);
    size = size_of(whole);
    if (is_allowed(likes, size, written)) {
        count(likes, size, written);
        return whole;
    }
    json_decref(whole);
    set_reason(why, "it stands for too much that other lines have said");
    return NULL;
}

json_t *like_expand(struct likes *likes, const char *kind_name, json_t *line, char **why)
{
    struct likes_of_kind *kind = find_kind(likes, kind_name);
    json_t *whole;

    if (kind == NULL)
        return json_incref(line);
    whole = json_object_get(line, key) != NULL ? expand(likes, kind, line, why) : json_incref(line);
    if (whole != NULL)
        remember(kind, whole, size_of(whole));
    return whole;
}
