/*
 * fake_clock.h - a clock in place of mqd/dump/base/clock.c, which a test can stop.
 *
 * What time decides, the test decides then, however slow the machine is. Processes that it forks have the same clock,
 * programs that it starts have their own. As long as it is not stopped it is like the other one.
 */
#ifndef FAKE_CLOCK_H
#define FAKE_CLOCK_H

/* Time stands still from now on, but for clock_move(). */
void clock_stop(void);
void clock_move(double seconds);

/*
 * Time stands still, but while somebody waits for files and nothing goes on it passes at once: all processes that the
 * main thread of the waiting one has started, and those below them, stay in one of these states of struct proc_status.
 * A kernel that does not list children lets time pass as always.
 */
void clock_skip_waits(const char *states);

#endif
