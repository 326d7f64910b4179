/*
 * A ring that deadlocks. Rank 0 sends a token to its right neighbour; every other rank receives it from the left and
 * sends it on. Rank 0 counts its steps from 0, the others count from 1: the tags of the first message differ.
 */
#include <mpi.h>
#include <stdio.h>

enum { N_STEPS = 3, N_VALUES = 100 };

static double token[N_VALUES];

int main(int argc, char **argv)
{
    int rank, size, left, right;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;

    if (rank == 0) {
        for (int step = 0; step < N_STEPS; step++) {
            MPI_Ssend(token, N_VALUES, MPI_DOUBLE, right, step, MPI_COMM_WORLD);
            MPI_Recv(token, N_VALUES, MPI_DOUBLE, left, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        for (int step = 1; step <= N_STEPS; step++) {
            MPI_Recv(token, N_VALUES, MPI_DOUBLE, left, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Ssend(token, N_VALUES, MPI_DOUBLE, right, step, MPI_COMM_WORLD);
        }
    }

    printf("rank %d: the token has been round %d times\n", rank, N_STEPS);
    MPI_Finalize();
    return 0;
}
