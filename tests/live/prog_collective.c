/*
 * A barrier that one rank does not reach. Open MPI's own messages are no operations of the user's, but explain why the
 * others hang; what the user has posted himself is there all the same.
 */
#include "truth.h"

enum { TAG = 12 };

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Request request;
    char buffer[4];

    truth_init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "steps");
    truth_communicator(comm, "steps");
    request = truth_irecv(comm, buffer, 4, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG);
    if (truth_rank == 0) {
        truth_park(TRUTH_SLEEPS);
        truth_wait(TRUTH_SLEEPS);
    } else {
        truth_internal(comm);
        truth_park(TRUTH_BLOCKS);
    }
    MPI_Barrier(comm);
    MPI_Send(buffer, 4, MPI_CHAR, (truth_rank + 1) % truth_size, TAG, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    truth_finalize();
    return 0;
}
