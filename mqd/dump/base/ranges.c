/*
 * ranges.c - ranks as people write them.
 */
#include "mqd/dump/base/ranges.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"

static int compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return ORDER(x, y);
}

size_t ranks_sort(long *ranks, size_t n)
{
    size_t n_left = 0;

    SORT(ranks, n, compare);
    for (size_t i = 0; i < n; i++)
        if (n_left == 0 || ranks[n_left - 1] != ranks[i])
            ranks[n_left++] = ranks[i];
    return n_left;
}

/* From a number to a greater one: numbers may be as far from each other as can be. */
static unsigned long distance(const long *numbers)
{
    return (unsigned long)numbers[1] - (unsigned long)numbers[0];
}

/* How many ranks from `first` on are at equal distances. */
static size_t count_steps(const long *ranks, size_t n, size_t first)
{
    size_t last = first;

    while (last + 1 < n && distance(&ranks[last]) == distance(&ranks[first]))
        last++;
    return last - first + 1;
}

/* Fewer are not worth a range. */
enum { LEAST_RANGE = 3, LEAST_STEPS = 5 };

static char *fold(const long *ranks, size_t n, const char *separator, bool steps)
{
    struct text_stream stream;

    text_stream_open(&stream);
    for (size_t i = 0, taken; i < n; i += taken) {
        bool is_range = i + 1 < n && distance(&ranks[i]) == 1;

        taken = is_range || steps ? count_steps(ranks, n, i) : 1;
        fprintf(stream.to, "%s%ld", i > 0 ? separator : "", ranks[i]);
        if (is_range && taken >= LEAST_RANGE)
            fprintf(stream.to, "-%ld", ranks[i + taken - 1]);
        else if (!is_range && taken >= LEAST_STEPS)
            fprintf(stream.to, "%s%ld%s...%s%ld", separator, ranks[i + 1], separator, separator, ranks[i + taken - 1]);
        else
            taken = 1;
    }
    return text_stream_close(&stream);
}

char *ranks_fold(const long *ranks, size_t n)
{
    return fold(ranks, n, ",", false);
}

char *ranks_list(const long *ranks, size_t n, const char *separator)
{
    return fold(ranks, n, separator, true);
}

char *ranks_phrase(const long *ranks, size_t n, const char *verb_for_one, const char *verb_for_many)
{
    OWNED char *list = ranks_list(ranks, n, ",");

    return format_text("rank%s %s%s%s", n == 1 ? "" : "s", list, *verb_for_one != '\0' ? " " : "",
                       n == 1 ? verb_for_one : verb_for_many);
}

/* Long lists. */

static const char list_bytes[] = "0123456789,-.";

/* The length of the list that a text begins with; 0 if that is none, or only one item, as in a name. */
static size_t list_length(const char *text)
{
    size_t length = isdigit((unsigned char)*text) ? strspn(text, list_bytes) : 0;

    /* What ends a sentence is no part of it. */
    while (length > 0 && !isdigit((unsigned char)text[length - 1]))
        length--;
    return memchr(text, ',', length) != NULL ? length : 0;
}

/* How many ranks a part of a list has. What is no list has any number. */
static size_t count_listed(const char *list, const char *end)
{
    unsigned long number = 0, before = 0, n = 0;
    char *next;

    while (list < end) {
        bool steps = name_begins_with(list, "...,");
        unsigned long distance = number - before;

        before = number;
        number = strtoul(list + (steps ? strlen("...,") : 0), &next, 10);
        n += steps && distance > 0 ? (number - before) / distance : 1;
        if (*next == '-') {
            before = number;
            number = strtoul(next + 1, &next, 10);
            n += number - before;
        }
        list = *next == ',' || next == list ? next + 1 : next + strcspn(next, ",") + 1;
    }
    return n;
}

/* Does an item end there, and none at equal distances go on? */
static bool ends_item(const char *list, size_t at)
{
    const char *next = list + at + 1;

    return list[at] == ',' && list[at - 1] != '.' && *next != '.' && !name_begins_with(next + strspn(next, "0123456789"), ",...");
}

/* Up to where a list is shown. */
static size_t cut_list(const char *list, size_t length, size_t most)
{
    while (most > 0 && !ends_item(list, most))
        most--;
    return most > 0 ? most : length;
}

char *ranks_shorten(const char *text, size_t most)
{
    struct text_stream stream;

    text_stream_open(&stream);
    while (*text != '\0') {
        size_t length = list_length(text), shown = length > most ? cut_list(text, length, most) : length;

        /* A number within a word begins no list. */
        if (length == 0)
            length = shown = strcspn(text, " \n(") + (text[strcspn(text, " \n(")] != '\0');
        fwrite(text, 1, shown, stream.to);
        if (shown < length) {
            size_t n = count_listed(text + shown + 1, text + length);

            fprintf(stream.to, " and %s other%s", NUMBER(n), n == 1 ? "" : "s");
        }
        text += length;
    }
    return text_stream_close(&stream);
}
