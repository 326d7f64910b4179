/*
 * Ranks that notice when they stand still: prog_heartbeat RECEIVES MICROSECONDS. Rank 0 posts so many receives, the
 * others a few; then all do nothing but look at the clock, sleep for so long, and look again, until they are ended.
 *
 * The file "beats" has a counter, and a record of each rank. Whoever watches increments the counter, and each rank then
 * begins anew. A rank that is held looks at the clock late: the longest time between two looks is how long it was held,
 * and how long the scheduler, or the sleep, has taken.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { N_FEW = 3, BYTES = 8, SECOND = 1000000000 };

struct beats {
    uint64_t round;                /* since which the rest is: the watcher's counter */
    uint64_t n;
    uint64_t longest, all;         /* ns: between two beats, and of all times that were longer than four sleeps */
    uint64_t pid;
    uint64_t reserved[3];
};

static int rank, size;

static void fail(const char *what)
{
    fprintf(stderr, "prog_heartbeat: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* The watcher's counter is the first number of the first record. */
static volatile struct beats *map_beats(void)
{
    const char *directory = getenv("MQD_TRUTH_DIR");
    size_t bytes = ((size_t)size + 1) * sizeof(struct beats);
    char path[4096];
    void *beats;
    int fd;

    snprintf(path, sizeof path, "%s/beats", directory != NULL ? directory : ".");
    fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        fail("no file for the beats");
    beats = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (beats == MAP_FAILED)
        fail("the file for the beats cannot be mapped");
    close(fd);
    return beats;
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void beat(volatile struct beats *beats, long sleep_us)
{
    volatile struct beats *own = &beats[rank + 1];
    const struct timespec sleep = {.tv_nsec = sleep_us * 1000};
    uint64_t before = now();

    own->pid = (uint64_t)getpid();
    for (;;) {
        uint64_t after, gap, round;

        nanosleep(&sleep, NULL);
        after = now();
        gap = after - before;
        before = after;
        round = beats->round;
        if (own->round != round) {
            own->longest = own->all = own->n = 0;
            own->round = round;
            continue;
        }
        if (gap > own->longest)
            own->longest = gap;
        if (gap > 4 * (uint64_t)sleep.tv_nsec)
            own->all += gap;
        own->n++;
    }
}

int main(int argc, char **argv)
{
    char(*buffers)[BYTES];
    MPI_Request request;
    long n, sleep_us;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = argc == 3 ? atol(argv[1]) : 0;
    sleep_us = argc == 3 ? atol(argv[2]) : 0;
    if (n < 1 || sleep_us < 1 || sleep_us > 100000)
        fail("needs a number of receives, and of microseconds");
    if (rank > 0)
        n = N_FEW;
    buffers = calloc((size_t)n, sizeof *buffers);
    if (buffers == NULL)
        fail("no memory");
    for (long i = 0; i < n; i++)
        MPI_Irecv(buffers[i], BYTES, MPI_BYTE, (rank + 1) % size, (int)i, MPI_COMM_WORLD, &request);
    beat(map_beats(), sleep_us);
    return 0;
}
