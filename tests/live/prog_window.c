/*
 * prog_window.c - programs with windows that stop, or do not.
 *
 *     prog_window CASE HOW
 *
 * CASE  lock       rank 0 keeps an exclusive lock at rank 1 and waits for a message of rank 1, which wants a shared one
 *       start      rank 0 starts an access to rank 1, which waits for a message of rank 0
 *       wait       rank 1 waits for rank 0 to complete, which waits for a message of rank 1
 *       twice      rank 0 starts an access to rank 1, and rank 1 one to rank 0: nobody posts
 *       busy       rank 0 keeps an exclusive lock at rank 1 and computes; rank 1 wants one
 *       unlock     rank 0 writes to rank 1, which computes, and gives its lock back
 *       flush      the same, and waits for the end of the writing
 *       complete   rank 0 starts and completes an access to rank 1, which waits for a message that comes after that
 *       right      epochs and locks of all kinds in turn, with pauses, until the test has seen enough
 * HOW   create, allocate or shared: the function that makes the window
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ready.h"

static int rank;

static MPI_Win make_window(const char *how)
{
    const MPI_Aint size = 64 * sizeof(int);
    MPI_Win window;
    void *memory;

    if (strcmp(how, "shared") == 0) {
        MPI_Win_allocate_shared(size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    } else if (strcmp(how, "allocate") == 0) {
        MPI_Win_allocate(size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    } else {
        memory = malloc((size_t)size);
        MPI_Win_create(memory, size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    }
    MPI_Win_set_name(window, "heights");
    return window;
}

/* The group of one other rank. */
static MPI_Group group_of(int other)
{
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    MPI_Group_free(&world);
    return group;
}

static void receive(int from)
{
    int number;

    MPI_Recv(&number, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tell(int to)
{
    MPI_Send(&rank, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
}

static void keep_lock(MPI_Win window)
{
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        tell(1);
        receive(1);
        MPI_Win_unlock(1, window);
    } else if (rank == 1) {
        receive(0);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        tell(0);
        MPI_Win_unlock(1, window);
    }
}

static void start_without_post(MPI_Win window)
{
    MPI_Group group = group_of(1 - rank);

    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        tell(1);
        MPI_Win_complete(window);
    } else if (rank == 1) {
        receive(0);
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
}

static void wait_without_complete(MPI_Win window)
{
    MPI_Group group = group_of(1 - rank);

    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        receive(1);
        MPI_Win_complete(window);
    } else if (rank == 1) {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
        tell(0);
    }
    MPI_Group_free(&group);
}

static void start_both(MPI_Win window)
{
    MPI_Group group = group_of(1 - rank);

    MPI_Win_start(group, 0, window);
    MPI_Win_complete(window);
    MPI_Group_free(&group);
}

static void keep_lock_and_compute(MPI_Win window)
{
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        tell(1);
        for (;;)
            (void)getppid();
    }
    receive(0);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Win_unlock(1, window);
}

/* Rank 1 is not in MPI any more. */
static void write_to_busy(MPI_Win window, int flush)
{
    static int data[32];

    if (rank == 1) {
        tell(0);
        for (;;)
            (void)getppid();
    }
    receive(1);
    sleep(1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Put(data, 32, MPI_INT, 1, 0, 32, MPI_INT, window);
    if (flush)
        MPI_Win_flush(1, window);
    MPI_Win_unlock(1, window);
    receive(1);
}

static void unlock(MPI_Win window)
{
    write_to_busy(window, 0);
}

static void flush(MPI_Win window)
{
    write_to_busy(window, 1);
}

static void complete_without_post(MPI_Win window)
{
    MPI_Group group = group_of(1 - rank);

    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        MPI_Win_complete(window);
        tell(1);
    } else if (rank == 1) {
        receive(0);
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
}

static void pause_for(long milliseconds)
{
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static void do_right(MPI_Win window)
{
    MPI_Group group = group_of(1 - rank);
    int go_on = 1;

    while (go_on) {
        pause_for(rand() % 40);
        if (rank == 0) {
            MPI_Win_post(group, 0, window);
            MPI_Win_wait(window);
            pause_for(rand() % 40);
            MPI_Win_start(group, 0, window);
            MPI_Win_complete(window);
        } else {
            MPI_Win_start(group, 0, window);
            pause_for(rand() % 40);
            MPI_Win_complete(window);
            MPI_Win_post(group, 0, window);
            MPI_Win_wait(window);
        }
        for (int i = 0; i < 5; i++) {
            int target = rand() % 2;

            MPI_Win_lock(i % 2 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, window);
            pause_for(rand() % 30);
            MPI_Win_unlock(target, window);
        }
        go_on = !is_released();
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Group_free(&group);
}

int main(int argc, char **argv)
{
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    window = make_window(argv[2]);
    say_ready();
    srand((unsigned)rank + 1);
    if (strcmp(argv[1], "lock") == 0)
        keep_lock(window);
    else if (strcmp(argv[1], "start") == 0)
        start_without_post(window);
    else if (strcmp(argv[1], "wait") == 0)
        wait_without_complete(window);
    else if (strcmp(argv[1], "twice") == 0)
        start_both(window);
    else if (strcmp(argv[1], "busy") == 0)
        keep_lock_and_compute(window);
    else if (strcmp(argv[1], "unlock") == 0)
        unlock(window);
    else if (strcmp(argv[1], "flush") == 0)
        flush(window);
    else if (strcmp(argv[1], "complete") == 0)
        complete_without_post(window);
    else
        do_right(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
