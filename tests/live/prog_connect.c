/*
 * Two halves of a job that find each other by a port: an intercommunicator that MPI_Comm_connect and MPI_Comm_accept
 * made, and one merged of it, whose ranks begin with the second half.
 */
#include "truth.h"

enum { BYTES = 16, TAG = 9, PORT_TAG = 3 };

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME], buffers[2][BYTES];
    MPI_Comm half, inter, merged;
    MPI_Request requests[2];
    int upper;

    truth_init(&argc, &argv);
    if (truth_size < 2 || truth_size % 2)
        truth_fail("needs an even number of ranks");
    upper = truth_rank >= truth_size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper, truth_rank, &half);
    truth_communicator(half, upper ? "upper" : "lower");
    if (truth_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, truth_size / 2, PORT_TAG, MPI_COMM_WORLD);
    } else if (truth_rank == truth_size / 2) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, PORT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (upper)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    MPI_Comm_set_name(inter, "by a port");
    truth_communicator(inter, "inter");
    MPI_Intercomm_merge(inter, !upper, &merged);
    MPI_Comm_set_name(merged, "both halves");
    truth_communicator(merged, "merged");
    requests[0] = truth_irecv(inter, buffers[0], BYTES, MPI_BYTE, truth_size / 2 - 1, TAG);
    requests[1] = truth_irecv(merged, buffers[1], BYTES, MPI_BYTE, 0, TAG);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int i = 0; i < 2; i++) {
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
    MPI_Comm_free(&half);
    truth_finalize();
    return 0;
}
