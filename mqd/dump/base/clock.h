/*
 * clock.h - durations, and waiting for files.
 *
 * Programs that have a clock of their own are linked with it in place of this one: tests/unit/fake_clock.c.
 */
#ifndef MQD_DUMP_BASE_CLOCK_H
#define MQD_DUMP_BASE_CLOCK_H

#include <poll.h>
#include <stddef.h>
#include <time.h>

/* Seconds by a clock that nobody sets, for differences. */
double seconds_now(void);

/* So many seconds, 0 or more, for functions of the system. */
static inline struct timespec seconds_spec(double seconds)
{
    return (struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
}

/* As poll(), but waits for so many seconds at most; not at all if these are 0 or less. */
int seconds_poll(struct pollfd *files, size_t n, double seconds);

#endif
