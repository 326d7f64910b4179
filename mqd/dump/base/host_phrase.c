/*
 * host_phrase.c - machines in a sentence.
 */
#include "mqd/dump/base/host_phrase.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"

/* Of a list in a sentence; and names at the beginning of one that is cut. */
enum { MAX_LENGTH = 64, MAX_FIRST = 3 };

static const char anybody[] = "HOST";

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each name once, for free(). Those of neighbours are mostly equal: they are dropped before the rest is sorted. */
static const char **find_different(const char *const *names, size_t n, size_t *n_left)
{
    const char **left = allocate_array(n + 1, sizeof *left);
    size_t n_found = 0;

    for (size_t i = 0; i < n; i++)
        if (n_found == 0 || (left[n_found - 1] != names[i] && strcmp(left[n_found - 1], names[i]) != 0))
            left[n_found++] = names[i];
    SORT(left, n_found, compare_names);
    *n_left = 0;
    for (size_t i = 0; i < n_found; i++)
        if (*n_left == 0 || strcmp(left[*n_left - 1], left[i]) != 0)
            left[(*n_left)++] = left[i];
    return left;
}

char *host_phrase(const char *const *names, size_t n)
{
    OWNED const char **different = NULL;
    OWNED char *list = NULL;
    size_t n_left;

    for (size_t i = 0; i < n; i++)
        if (names[i] == NULL)
            return copy_string("");
    if (n == 0)
        return copy_string("");
    different = find_different(names, n, &n_left);
    list = host_list_fold(different, n_left);
    return n_left > 1 && strlen(list) > MAX_LENGTH ? format_text(" on %s hosts", NUMBER(n_left))
                                                   : format_text(" on %s", list);
}

char *host_phrase_list(const char *const *names, size_t n, size_t max_length)
{
    size_t n_left;
    OWNED const char **different = find_different(names, n, &n_left);
    OWNED char *list = host_list_fold(different, n_left), *first = NULL;

    if (n_left <= MAX_FIRST || strlen(list) <= max_length)
        return TAKEN(list);
    first = host_list_fold(different, MAX_FIRST);
    return format_text("%s,... (%s hosts)", first, NUMBER(n_left));
}

/* Reasons. */

/* Records have the sentence, and not what it is made of. */
static const char of_host[] = "it is on %s, which ";

char *host_error(const char *name, const char *problem)
{
    OWNED char *start = format_text(of_host, name);

    return format_text("%s%s", start, problem);
}

static bool is_of_name(char character)
{
    return isalnum((unsigned char)character) || character == '-' || character == '_';
}

/* Does the name begin there, and is it no part of another one? "n03." at the end of a sentence is one. */
static bool is_name_at(const char *text, const char *at, const char *name, size_t length)
{
    const char *end = at + length;

    if (strncmp(at, name, length) != 0 || (at > text && (is_of_name(at[-1]) || at[-1] == '.')))
        return false;
    return !is_of_name(*end) && !(*end == '.' && is_of_name(end[1]));
}

static char *replace_name(const char *text, const char *name)
{
    size_t length = strlen(name);
    struct text_stream stream;

    text_stream_open(&stream);
    for (const char *at = text; *at != '\0';) {
        bool is_name = length > 0 && is_name_at(text, at, name, length);

        if (is_name)
            fputs(anybody, stream.to);
        else
            putc(*at, stream.to);
        at += is_name ? length : 1;
    }
    return text_stream_close(&stream);
}

char *host_reason(const char *reason, const char *name, bool only)
{
    OWNED char *start = format_text(of_host, name), *text = NULL;
    size_t length = strlen(start), end;
    bool is_of_host = strncmp(reason, start, length) == 0;

    text = format_text("%s%s", is_of_host ? "the host " : "", is_of_host ? reason + length : reason);
    end = strlen(text);
    while (end > 0 && (text[end - 1] == '.' || isspace((unsigned char)text[end - 1])))
        text[--end] = '\0';
    return only ? TAKEN(text) : replace_name(text, name);
}
