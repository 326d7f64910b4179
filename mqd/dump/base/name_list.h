/*
 * name_list.h - is a name in a list, does it begin like one, or have one in it?
 */
#ifndef MQD_DUMP_BASE_NAME_LIST_H
#define MQD_DUMP_BASE_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

bool is_one_of(const char *name, const char *const *names, size_t n);
bool name_begins_with(const char *name, const char *beginning);
bool begins_with_any(const char *name, const char *const *beginnings, size_t n);
bool has_any(const char *name, const char *const *parts, size_t n);

/* What comes after the beginning; the whole name if it begins in another way. */
const char *without_beginning(const char *name, const char *beginning);

/* The same for an array. */
#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))
#define BEGINS_WITH_ANY(name, beginnings) begins_with_any(name, beginnings, sizeof(beginnings) / sizeof *(beginnings))
#define HAS_ANY(name, parts) has_any(name, parts, sizeof(parts) / sizeof *(parts))

#endif
