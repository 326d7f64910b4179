/*
 * ready.h - how ranks and a test wait for each other, by files in the directory of the job: a rank says that it has come
 * to its case, and what takes its time goes on until the test has seen it.
 */
#ifndef TESTS_LIVE_READY_H
#define TESTS_LIVE_READY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static inline void say_ready(void)
{
    const char *directory = getenv("MQD_TRUTH_DIR"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    char path[4096];
    FILE *file;

    if (directory == NULL || rank == NULL)
        return;
    snprintf(path, sizeof path, "%s/mqd-ready.%s", directory, rank);
    file = fopen(path, "w");
    if (file != NULL)
        fclose(file);
}

/* Has the test seen enough? So it has if it is no longer there. */
static inline bool is_released(void)
{
    const char *directory = getenv("MQD_TRUTH_DIR");
    char path[4096];

    if (directory == NULL)
        return true;
    snprintf(path, sizeof path, "%s/go", directory);
    return access(path, F_OK) == 0 || access(directory, F_OK) != 0;
}

static inline void await_release(void)
{
    while (!is_released())
        nanosleep(&(struct timespec){0, 20000000}, NULL);
}

#endif
