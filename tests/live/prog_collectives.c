/*
 * Jobs that hang in collective operations: prog_collectives CASE. Each case is a function of its name, which is where
 * the stacks lead. tests/live/collectives.py says what is to be found out about each.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ready.h"

enum { N = 100000, N_FILE = 8 };

static int rank, size;
static int ours[N], theirs[N];
static char path[4096];

/* What no rank sends. */
static void receive(int from)
{
    MPI_Recv(ours, 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for(MPI_Request request)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void ibarrier(MPI_Comm communicator)
{
    MPI_Request request;

    MPI_Ibarrier(communicator, &request);
    wait_for(request);
}

static void ibcast(int n, int root, MPI_Comm communicator)
{
    MPI_Request request;

    MPI_Ibcast(ours, n, MPI_INT, root, communicator, &request);
    wait_for(request);
}

/* Nonblocking ones that differ. */

static void igather_ibcast(void)
{
    MPI_Request request;

    if (rank != 0)
        ibcast(1, 1, MPI_COMM_WORLD);
    else {
        MPI_Igather(ours, 1, MPI_INT, theirs, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        wait_for(request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void iallreduce_ibcast(void)
{
    MPI_Request request;

    if (rank % 2 == 0) {
        MPI_Iallreduce(ours, theirs, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        wait_for(request);
    } else {
        ibcast(N, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 1 is in the other kind of barrier. */
static void ibarrier_barrier(void)
{
    if (rank == 1)
        ibarrier(MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Roots: each rank takes another one for it, or two do. */
static void roots_ibcast(void)
{
    ibcast(N, (rank + 1) % size, MPI_COMM_WORLD);
}

static void roots_bcast(void)
{
    MPI_Bcast(ours, N, MPI_INT, (rank + 1) % size, MPI_COMM_WORLD);
}

/* Both take themselves for the one that receives. */
static void roots_gather(void)
{
    MPI_Gather(ours, 1, MPI_INT, theirs, 1, MPI_INT, rank == 3 ? 3 : 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Communicators. */

static void communicators(void)
{
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_name(other, "ours");
    MPI_Barrier(rank == 1 ? other : MPI_COMM_WORLD);
}

static void two_communicators(void)
{
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_name(other, "ours");
    if (rank < 2)
        MPI_Alltoall(ours, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
    else
        MPI_Barrier(other);
}

static void icommunicators(void)
{
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_name(other, "ours");
    ibarrier(rank == 1 ? other : MPI_COMM_WORLD);
}

/* Windows: rank 3 is elsewhere. */

static MPI_Win window(int allocate)
{
    MPI_Win window;
    void *memory;

    if (allocate)
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    else
        MPI_Win_create(ours, sizeof ours, sizeof *ours, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_name(window, "halo");
    return window;
}

static void fence(void)
{
    MPI_Win w = window(0);

    MPI_Win_fence(0, w);
    if (rank == 3)
        receive(0);
    MPI_Win_fence(0, w);
}

static void fence_shared(void)
{
    MPI_Win w = window(1);

    MPI_Win_fence(0, w);
    if (rank == 3)
        receive(0);
    MPI_Win_fence(0, w);
}

static void win_create(void)
{
    if (rank == 3)
        receive(0);
    window(0);
}

static void win_allocate(void)
{
    if (rank == 3)
        receive(0);
    window(1);
}

static void win_free(void)
{
    MPI_Win w = window(0);

    if (rank == 3)
        receive(0);
    MPI_Win_free(&w);
}

/* Files. */

static MPI_File file_of_all(void)
{
    MPI_File file;

    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    return file;
}

static void file_open(void)
{
    if (rank == 3)
        receive(0);
    file_of_all();
}

static void file_write(void)
{
    MPI_File file = file_of_all();

    if (rank == 3)
        receive(0);
    MPI_File_write_at_all(file, rank * N_FILE, ours, N_FILE, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void file_view(void)
{
    MPI_File file = file_of_all();

    if (rank == 3)
        receive(0);
    MPI_File_set_view(file, rank * N_FILE, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void file_close(void)
{
    MPI_File file = file_of_all();

    if (rank == 3)
        receive(0);
    MPI_File_close(&file);
}

static void comm_disconnect(void)
{
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_name(other, "ours");
    if (rank == 3)
        receive(0);
    MPI_Comm_disconnect(&other);
}

/* Other programs: the root, which finds them for all, is elsewhere. */

static void comm_spawn(void)
{
    MPI_Comm other;

    if (rank == 0)
        receive(1);
    MPI_Comm_spawn("none", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
}

static void comm_connect(void)
{
    MPI_Comm other;

    if (rank == 0)
        receive(1);
    MPI_Comm_connect("none", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
}

static void comm_accept(void)
{
    MPI_Comm other;

    if (rank == 0)
        receive(1);
    MPI_Comm_accept("none", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
}

/* Rank 3 skips a broadcast, whose root has gone on. */
static void skipped(void)
{
    if (rank != 3)
        MPI_Bcast(ours, N, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Neighbours in a line: rank 1 is elsewhere. Its neighbours miss it, and the others go on. */
static MPI_Comm line(void)
{
    MPI_Comm communicator;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (const int[]){0}, 0, &communicator);
    MPI_Comm_set_name(communicator, "line");
    return communicator;
}

static void neighbours(void)
{
    MPI_Comm communicator = line();

    if (rank == 1)
        receive(2);
    MPI_Neighbor_allgather(ours, 1, MPI_INT, theirs, 1, MPI_INT, communicator);
    MPI_Barrier(communicator);
}

static void ineighbours(void)
{
    MPI_Comm communicator = line();
    MPI_Request request;

    if (rank == 1)
        receive(2);
    MPI_Ineighbor_allgather(ours, 1, MPI_INT, theirs, 1, MPI_INT, communicator, &request);
    wait_for(request);
    MPI_Barrier(communicator);
}

/* Everybody is counted: rank 11 of 24 is missing. */
static void counted(void)
{
    if (rank == size / 2 - 1)
        receive(0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void counted_busy(void)
{
    if (rank == size / 2 - 1)
        sleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One cause: rank 3 waits for what nobody sends; one half of the others waits in one collective, one in another. */
static void one_cause(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
    MPI_Comm_set_name(half, "half");
    if (rank == 3)
        receive(0);
    MPI_Alltoall(ours, 1, MPI_INT, theirs, 1, MPI_INT, half);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All but rank 3 have left MPI's collectives for its end. */
static void finalize(void)
{
    if (rank == 3)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Ranks that come and go, in all kinds of collectives, with pauses. */
static void healthy(void)
{
    MPI_Comm other;
    MPI_Request request;
    MPI_Win w = window(0);

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0;; i++) {
        struct timespec pause = {.tv_nsec = (rank * 7 + i * 13) % 11 * 1000000L};

        MPI_Bcast(ours, 1000, MPI_INT, i % size, MPI_COMM_WORLD);
        nanosleep(&pause, NULL);
        MPI_Iallreduce(ours, theirs, 100, MPI_INT, MPI_MAX, other, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        wait_for(request);
        MPI_Gather(ours, 1, MPI_INT, theirs, 1, MPI_INT, i % size, other);
        if (i % 3 == 0)
            nanosleep(&pause, NULL);
        ibcast(20000, (i + 1) % size, MPI_COMM_WORLD);
        MPI_Win_fence(0, w);
        MPI_Reduce(ours, theirs, 100, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    }
}

#define CASE(name) {#name, name}
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(igather_ibcast), CASE(iallreduce_ibcast), CASE(ibarrier_barrier), CASE(roots_ibcast), CASE(roots_bcast),
    CASE(roots_gather), CASE(communicators), CASE(two_communicators), CASE(icommunicators),
    CASE(fence), CASE(fence_shared), CASE(win_create), CASE(win_allocate), CASE(win_free), CASE(file_open),
    CASE(file_view), CASE(file_write), CASE(file_close), CASE(comm_disconnect), CASE(comm_spawn), CASE(comm_connect),
    CASE(comm_accept), CASE(skipped),
    CASE(neighbours), CASE(ineighbours), CASE(counted), CASE(counted_busy), CASE(one_cause), CASE(finalize),
    CASE(healthy),
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    say_ready();
    snprintf(path, sizeof path, "%s.shared", argv[0]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    return 0;
}
