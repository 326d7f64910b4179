/*
 * ranges.c - ranks as people write them.
 */
#include "mqd/dump/base/ranges.h"

#include <stdio.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"

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
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    for (size_t i = 0, last; to != NULL && i < n; i = last + 1) {
        for (last = i; last + 1 < n && ranks[last + 1] == ranks[last] + 1; last++)
            continue;
        if (last == i + 1)
            last = i;
        fprintf(to, "%s%ld", i > 0 ? separator : "", ranks[i]);
        if (last > i)
            fprintf(to, "-%ld", ranks[last]);
    }
    /* fclose() does not tell if there is no memory for the end of the text. */
    if (to == NULL || fclose(to) != 0 || text == NULL)
        out_of_memory();
    return text;
}

char *ranks_phrase(const long *ranks, size_t n, const char *verb_for_one, const char *verb_for_many)
{
    char *folded = ranks_fold(ranks, n, ",");
    char *text = format_text("rank%s %s%s%s", n == 1 ? "" : "s", folded, *verb_for_one != '\0' ? " " : "",
                             n == 1 ? verb_for_one : verb_for_many);

    free(folded);
    return text;
}
