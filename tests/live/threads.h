/*
 * threads.h - threads of programs that are awkward to look at.
 */
#ifndef TESTS_LIVE_THREADS_H
#define TESTS_LIVE_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static inline void rest(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

static inline void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static inline void start(void *(*run)(void *), void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, argument) == 0)
        pthread_detach(thread);
}

#endif
