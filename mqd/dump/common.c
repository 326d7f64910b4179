/*
 * common.c - memory, messages and time, for all of mqdump.
 */
#include "mqd/dump/common.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Noreturn void out_of_memory(void)
{
    fputs("mqdump: out of memory\n", stderr);
    exit(1);
}

void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n > 0 ? n : 1, size);

    if (memory == NULL)
        out_of_memory();
    return memory;
}

char *copy_string(const char *text)
{
    char *copy = strdup(text);

    if (copy == NULL)
        out_of_memory();
    return copy;
}

static char *format_list(const char *fmt, va_list list)
{
    char *text;

    if (vasprintf(&text, fmt, list) < 0)
        out_of_memory();
    return text;
}

char *format(const char *fmt, ...)
{
    va_list list;
    char *text;

    va_start(list, fmt);
    text = format_list(fmt, list);
    va_end(list);
    return text;
}

void *grow(void *array, size_t n, size_t *n_room, size_t size)
{
    size_t room = *n_room > 0 ? 2 * *n_room : 16;
    char *larger;

    if (n < *n_room)
        return array;
    if (room > SIZE_MAX / 2 / size)
        out_of_memory();
    larger = realloc(array, room * size);
    if (larger == NULL)
        out_of_memory();
    memset(larger + n * size, 0, (room - n) * size);
    *n_room = room;
    return larger;
}

bool fail(char **why, const char *fmt, ...)
{
    va_list list;

    if (*why != NULL)
        return false;
    va_start(list, fmt);
    *why = format_list(fmt, list);
    va_end(list);
    return false;
}

double seconds_now(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
