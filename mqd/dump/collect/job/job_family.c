/*
 * job_family.c - which jobs one launcher has started, as far as their namespaces tell.
 */
#include "mqd/dump/collect/job/job_family.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

enum { LOCAL_BITS = 16, MAX_DIGITS = 10 };

static bool read_number(const char *name, uint32_t *number)
{
    size_t n = strspn(name, "0123456789");
    unsigned long long value;

    if (n == 0 || n > MAX_DIGITS || name[n] != '\0')
        return false;
    value = strtoull(name, NULL, 10);
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* The bytes before the last "@"; 0: there is none, or nothing before it. */
static size_t launcher_length(const char *name)
{
    const char *at = strrchr(name, '@');

    return at != NULL ? (size_t)(at - name) : 0;
}

bool job_family_is_one(const char *name, const char *other)
{
    uint32_t number, other_number;
    size_t n = launcher_length(name);

    if (read_number(name, &number) && read_number(other, &other_number))
        return number >> LOCAL_BITS == other_number >> LOCAL_BITS;
    return n > 0 && launcher_length(other) == n && strncmp(name, other, n) == 0;
}

char *job_family_first(const char *name)
{
    size_t n = launcher_length(name);
    uint32_t number;

    if (read_number(name, &number))
        return format_text("%" PRIu32, (number >> LOCAL_BITS << LOCAL_BITS) + 1);
    return n > 0 ? format_text("%.*s@1", (int)n, name) : NULL;
}
