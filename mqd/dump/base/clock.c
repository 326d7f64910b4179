/*
 * clock.c - durations, and waiting for files.
 */
#include "mqd/dump/base/clock.h"

double seconds_now(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A millisecond more than is left: who asks for the time then finds that it is over. */
int seconds_poll(struct pollfd *files, size_t n, double seconds)
{
    return poll(files, (nfds_t)n, seconds > 0 ? (int)(seconds * 1000) + 1 : 0);
}
