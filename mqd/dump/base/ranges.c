/*
 * ranges.c - ranks as people write them.
 */
#include "mqd/dump/base/ranges.h"

#include <stdio.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/text_stream.h"

static int compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return (x > y) - (x < y);
}

size_t ranks_sort(long *ranks, size_t n)
{
    size_t n_left = 0;

    if (n > 1)
        qsort(ranks, n, sizeof *ranks, compare);
    for (size_t i = 0; i < n; i++)
        if (n_left == 0 || ranks[n_left - 1] != ranks[i])
            ranks[n_left++] = ranks[i];
    return n_left;
}

char *ranks_fold(const long *ranks, size_t n, const char *separator)
{
    struct text_stream stream;

    text_stream_open(&stream);
    for (size_t i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && ranks[last + 1] == ranks[last] + 1; last++)
            continue;
        if (last == i + 1)
            last = i;
        fprintf(stream.to, "%s%ld", i > 0 ? separator : "", ranks[i]);
        if (last > i)
            fprintf(stream.to, "-%ld", ranks[last]);
    }
    return text_stream_close(&stream);
}

char *ranks_phrase(const long *ranks, size_t n, const char *verb_for_one, const char *verb_for_many)
{
    char *folded = ranks_fold(ranks, n, ",");
    char *text = format_text("rank%s %s%s%s", n == 1 ? "" : "s", folded, *verb_for_one != '\0' ? " " : "",
                             n == 1 ? verb_for_one : verb_for_many);

    free(folded);
    return text;
}
