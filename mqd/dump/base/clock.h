/*
 * clock.h - durations.
 */
#ifndef MQD_DUMP_BASE_CLOCK_H
#define MQD_DUMP_BASE_CLOCK_H

/* A clock that never jumps, in seconds. */
double seconds_now(void);

#endif
