/*
 * name_list.h - is a name in a list, does it begin like one, or have one in it?
 */
#ifndef MQD_DUMP_BASE_NAME_LIST_H
#define MQD_DUMP_BASE_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static inline bool name_begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static inline bool begins_with_any(const char *name, const char *const *beginnings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name_begins_with(name, beginnings[i]))
            return true;
    return false;
}

static inline bool has_any(const char *name, const char *const *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(name, parts[i]) != NULL)
            return true;
    return false;
}

/* What comes after the beginning; the whole name if it begins in another way. */
static inline const char *without_beginning(const char *name, const char *beginning)
{
    return name_begins_with(name, beginning) ? name + strlen(beginning) : name;
}

/* The name of a file without its directories. */
static inline const char *name_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* The same for an array. */
#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))
#define BEGINS_WITH_ANY(name, beginnings) begins_with_any(name, beginnings, sizeof(beginnings) / sizeof *(beginnings))
#define HAS_ANY(name, parts) has_any(name, parts, sizeof(parts) / sizeof *(parts))

#endif
