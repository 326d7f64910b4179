/*
 * in_valgrind.h - is a test run by valgrind? That makes system calls of its own, makes those of the program in its own
 * way, and would be started anew in place of a program that starts itself.
 */
#ifndef TESTS_UNIT_IN_VALGRIND_H
#define TESTS_UNIT_IN_VALGRIND_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool is_in_valgrind(void)
{
    const char *libraries = getenv("LD_PRELOAD");

    return libraries != NULL && strstr(libraries, "vgpreload") != NULL;
}

#endif
