/*
 * A second job, started by the first: its process has a rank in communicators that both share, and none in the first
 * job's MPI_COMM_WORLD. Only the first job is listed.
 */
#include "truth.h"

enum { BYTES = 16, ASKED = 5, UNASKED };

static void exchange(MPI_Comm comm, int peer, int rank)
{
    char buffer[BYTES];

    truth_fill(buffer, BYTES, rank, ASKED);
    MPI_Send(buffer, BYTES, MPI_BYTE, peer, ASKED, comm);
}

static void be_child(MPI_Comm parent)
{
    char buffer[BYTES];
    MPI_Comm both;
    int rank;

    MPI_Intercomm_merge(parent, 1, &both);
    MPI_Comm_rank(both, &rank);
    truth_fill(buffer, BYTES, rank, UNASKED);
    for (int peer = 0; peer < rank; peer++)
        MPI_Send(buffer, BYTES, MPI_BYTE, peer, UNASKED, both);
    truth_wait(TRUTH_SLEEPS);
    for (int peer = 0; peer < rank; peer++) {
        exchange(both, peer, rank);
        exchange(parent, peer, 0);
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&parent);
}

static void be_parent(MPI_Comm children)
{
    char buffers[2][BYTES], content[BYTES], received[BYTES];
    MPI_Comm both;
    MPI_Request requests[2];

    MPI_Intercomm_merge(children, 0, &both);
    MPI_Comm_set_name(children, "to the other job");
    MPI_Comm_set_name(both, "both jobs");
    truth_communicator(children, "children");
    truth_communicator(both, "both");
    requests[0] = truth_irecv(both, buffers[0], BYTES, MPI_BYTE, truth_size, ASKED);
    requests[1] = truth_irecv(children, buffers[1], BYTES, MPI_BYTE, 0, ASKED);
    truth_await_message(both, truth_size, UNASKED);
    truth_fill(content, BYTES, truth_size, UNASKED);
    truth_state(TRUTH_UNEXPECTED, (struct truth_op){.comm = both, .peer = truth_size, .tag = UNASKED,
                                                    .buffer = content, .count = BYTES, .type = MPI_BYTE,
                                                    .status = TRUTH_COMPLETE});
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    truth_check(buffers[0], BYTES, truth_size, ASKED);
    truth_check(buffers[1], BYTES, 0, ASKED);
    MPI_Recv(received, BYTES, MPI_BYTE, truth_size, UNASKED, both, MPI_STATUS_IGNORE);
    truth_check(received, BYTES, truth_size, UNASKED);
    MPI_Comm_free(&both);
    MPI_Comm_free(&children);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;

    truth_init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        be_child(parent);
    } else {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        be_parent(children);
    }
    truth_finalize();
    return 0;
}
