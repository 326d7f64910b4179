/*
 * name_list.c - is a name in a list, does it begin like one, or have one in it?
 */
#include "mqd/dump/base/name_list.h"

#include <string.h>

bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool name_begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

bool begins_with_any(const char *name, const char *const *beginnings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name_begins_with(name, beginnings[i]))
            return true;
    return false;
}

bool has_any(const char *name, const char *const *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(name, parts[i]) != NULL)
            return true;
    return false;
}

const char *without_beginning(const char *name, const char *beginning)
{
    return name_begins_with(name, beginning) ? name + strlen(beginning) : name;
}
