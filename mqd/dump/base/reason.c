/*
 * reason.c - why something failed.
 */
#include "mqd/dump/base/reason.h"

#include <stdarg.h>
#include <stddef.h>

#include "mqd/dump/base/memory.h"

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
