/*
 * clock.h - durations.
 */
#ifndef MQD_DUMP_BASE_CLOCK_H
#define MQD_DUMP_BASE_CLOCK_H

/* Seconds by a clock that nobody sets, for differences. */
double seconds_now(void);

#endif
