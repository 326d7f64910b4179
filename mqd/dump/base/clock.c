/*
 * clock.c - durations.
 */
#include "mqd/dump/base/clock.h"

#include <time.h>

double seconds_now(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
