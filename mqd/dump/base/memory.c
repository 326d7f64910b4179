/*
 * memory.c - memory that is never NULL.
 */
#include "mqd/dump/base/memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int exit_status = 1;

void memory_set_exit_status(int status)
{
    exit_status = status;
}

void out_of_memory(void)
{
    fputs("mqdump: out of memory\n", stderr);
    exit(exit_status);
}

/* An allocation has failed since memory_watch. */
static bool lacked;

void memory_watch(void)
{
    lacked = false;
    errno = 0;
}

void memory_note(void)
{
    lacked |= errno == ENOMEM;
}

void memory_check(void)
{
    memory_note();
    if (lacked)
        out_of_memory();
}

/* Left to itself, glibc puts larger and larger arrays among the small ones as soon as one was freed. */
void memory_begin(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

void memory_give_back(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void *allocate_array(size_t n, size_t size)
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

char *format_list(const char *fmt, va_list list)
{
    char *text;

    if (vasprintf(&text, fmt, list) < 0)
        out_of_memory();
    return text;
}

char *format_text(const char *fmt, ...)
{
    va_list list;
    char *text;

    va_start(list, fmt);
    text = format_list(fmt, list);
    va_end(list);
    return text;
}

void free_each(void *const *memory, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(memory[i]);
}

void append_text(char **text, const char *fmt, ...)
{
    OWNED char *start = *text, *end;
    va_list list;

    va_start(list, fmt);
    end = format_list(fmt, list);
    va_end(list);
    *text = format_text("%s%s", start, end);
}

void *grow_array(void *array, size_t n, size_t *n_room, size_t size)
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

void *fit_array(void *array, size_t n, size_t size)
{
    void *smaller = n > 0 ? reallocarray(array, n, size) : NULL;

    if (n == 0)
        free(array);
    return smaller != NULL || n == 0 ? smaller : array;
}

bool set_reason(char **why, const char *fmt, ...)
{
    va_list list;

    if (*why != NULL)
        return false;
    va_start(list, fmt);
    *why = format_list(fmt, list);
    va_end(list);
    return false;
}
