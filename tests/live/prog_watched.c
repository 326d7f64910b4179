/*
 * A job that hangs until a file appears, goes on until another one does, and ends: prog_watched HANG_END JOB_END.
 * Each rank that comes where it waits makes the file HANG_END.RANK. At first all ranks but the first wait for the
 * rank before them, and the first one for the last. The first one goes on when the file is there; then all of them
 * exchange messages all the time. With more arguments nothing hangs.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
}

static void say_ready(const char *path)
{
    char own[4096];

    snprintf(own, sizeof own, "%s.%d", path, rank);
    close(open(own, O_WRONLY | O_CREAT, 0666));
}

static void compute_until(const char *path)
{
    while (access(path, F_OK) != 0)
        nap();
}

static void wait_for_neighbour(void)
{
    int token = 0;

    MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wake_neighbour(void)
{
    int token = 0;

    MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
}

static void exchange_until(const char *path)
{
    int is_over = 0;

    while (!is_over) {
        int own = rank == 0 && access(path, F_OK) == 0;

        nap();
        MPI_Allreduce(&own, &is_over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    say_ready(argv[1]);
    if (argc == 3 && rank == 0) {
        compute_until(argv[1]);
        wake_neighbour();
    } else if (argc == 3) {
        wait_for_neighbour();
        if (rank < size - 1)
            wake_neighbour();
    }
    exchange_until(argv[argc > 3 ? 2 : argc - 1]);
    MPI_Finalize();
    return 0;
}
