/*
 * Jobs that run under wrappers of MPI, or whose libraries take their time: prog_wrapped CASE. Those of the cases ring
 * and sends hang, the latter only where MPI_Send waits for its receiver. All others end well when the test has seen enough.
 * tests/live/wrappers.py says what is to be found out about each.
 */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <mpi.h>
#include <string.h>

#include "ready.h"

#include "wrap_code.h"

static int rank, size, left, right;
static int data[4];

/* Everybody wants to receive first. */
static void ring(void)
{
    MPI_Recv(data, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, right, 7, MPI_COMM_WORLD);
}

/* Everybody wants to send first. */
static void sends(void)
{
    MPI_Send(data, 1, MPI_INT, right, 7, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Nothing is wrong with it. Rank 0 says which step is the last one, in messages that all others pass on. */
static void exchange(void)
{
    int all[64];

    data[1] = INT_MAX;
    for (int i = 0; i <= data[1]; i++) {
        MPI_Request requests[2];

        MPI_Irecv(&data[0], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&data[1], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        if (rank != 0)
            data[1] = data[0];
        else if (data[1] == INT_MAX && is_released())
            data[1] = i + size;
        MPI_Gather(data, 1, MPI_INT, all, 1, MPI_INT, i % size, MPI_COMM_WORLD);
    }
}

/* All are in the same barrier: rank 1 inside of MPI_Finalize, rank 0 later. */
static void meet(void)
{
    if (rank == 1) {
        wrap_meet_at_the_end();
        return;
    }
    if (rank == 0)
        await_release();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The message comes from inside of MPI_Finalize. */
static void farewell(void)
{
    if (rank == 1)
        wrap_send_at_the_end(0, 7);
    if (rank == 0)
        MPI_Recv(data, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Both wait for each other, but for a thread of a library, which is still asleep. */
static void thread(void)
{
    if (rank == 0)
        wrap_send_later(1, 7);
    MPI_Recv(data, 1, MPI_INT, rank ^ 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    wrap_await_sender();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"ring", ring}, {"sends", sends},       {"exchange", exchange},
             {"meet", meet}, {"farewell", farewell}, {"thread", thread}};

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, argc == 2 && strcmp(argv[1], "thread") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    say_ready();
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    return 0;
}
