/*
 * says.h - what a thread says of itself before it stops to get on: its id, number, the size of its team, the level of
 * its region, its state, the address of what it waits for, and the line where it waits, which is the next one.
 *
 * The last line of a thread counts. A program that hangs has written all lines of its threads then.
 */
#ifndef TESTS_LIVE_SAYS_H
#define TESTS_LIVE_SAYS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int told;

static void say(int number, int size, int level, const char *state, const void *object, int line)
{
    char text[160];
    int n = snprintf(text, sizeof text, "%ld %d %d %d %s %" PRIuPTR " %d\n", (long)syscall(SYS_gettid), number, size,
                     level, state, (uintptr_t)object, line + 1);

    if (write(told, text, (size_t)n) != n)
        abort();
}

#endif
