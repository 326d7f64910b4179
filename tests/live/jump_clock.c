/*
 * jump_clock.c - a library to be preloaded: the time of day jumps by hours at each call, forth and back, or is wrong by
 * the seconds in MQD_CLOCK_SHIFT. Other clocks go on as they do.
 */
#define _GNU_SOURCE

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_TO_JUMP = 5 * 3600 };

static time_t jump(void)
{
    static atomic_uint n_calls;
    const char *shift = getenv("MQD_CLOCK_SHIFT");

    if (shift != NULL)
        return atoi(shift);
    return atomic_fetch_add(&n_calls, 1) % 2 == 0 ? SECONDS_TO_JUMP : -SECONDS_TO_JUMP;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);

    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += jump();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &time);
    *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *to)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (to != NULL)
        *to = now.tv_sec;
    return now.tv_sec;
}
