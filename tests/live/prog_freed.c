/*
 * Objects that the program has freed while operations are pending: a communicator with operations, handles of requests,
 * datatypes of operations of no elements. With the argument "kept" the communicator is freed in the end: not every PML
 * holds it as long as there are operations.
 */
#include <string.h>

#include "truth.h"

enum { LARGE = 200000, SMALL = 16, ASKED = 5, FREED, NOTHING, UNASKED, LAST };

/* All of them wait; the messages do so at the sender. */
static void state(enum truth_queue queue, MPI_Comm comm, int peer, int tag, const void *buffer, int count,
                  const char *kind)
{
    truth_state(queue, (struct truth_op){.comm = comm, .peer = peer, .tag = tag, .buffer = buffer, .count = count,
                                         .type = MPI_BYTE, .kind = kind, .rendezvous = true,
                                         .freed = queue != TRUTH_UNEXPECTED && (tag == FREED || tag == LAST)});
}

/* The receive of no elements keeps its datatype alive, the send does not. */
static void exchange_nothing(MPI_Comm comm, int left, int right, char *buffer, MPI_Request *request)
{
    MPI_Datatype type;

    MPI_Type_vector(3, 2, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(buffer, 0, type, left, NOTHING, comm, request);
    state(TRUTH_RECEIVES, comm, left, NOTHING, buffer, 0, "Recv");
    MPI_Issend(buffer, 0, type, right, UNASKED, comm, request + 1);
    state(TRUTH_SENDS, comm, right, UNASKED, buffer, 0, "Ssend");
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    static char asked[SMALL], freed[SMALL], nothing[SMALL], large[LARGE], received[LARGE];
    bool kept = argc > 1 && !strcmp(argv[1], "kept");
    MPI_Comm comm, handle;
    MPI_Request requests[3], request;
    int left, right;

    truth_init(&argc, &argv);
    if (truth_size < 2)
        truth_fail("needs 2 ranks at least");
    left = (truth_rank + truth_size - 1) % truth_size;
    right = (truth_rank + 1) % truth_size;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "freed");
    truth_communicator(comm, "freed");
    requests[0] = truth_irecv(comm, asked, SMALL, MPI_BYTE, left, ASKED);
    MPI_Irecv(freed, SMALL, MPI_BYTE, left, FREED, comm, &request);
    state(TRUTH_RECEIVES, comm, left, FREED, freed, SMALL, "Recv");
    MPI_Request_free(&request);
    exchange_nothing(comm, left, right, nothing, requests + 1);
    truth_fill(large, LARGE, truth_rank, LAST);
    MPI_Isend(large, LARGE, MPI_BYTE, right, LAST, comm, &request);
    state(TRUTH_SENDS, comm, right, LAST, large, LARGE, "Send");
    MPI_Request_free(&request);
    truth_await_message(comm, left, UNASKED);
    truth_await_message(comm, left, LAST);
    /* Whoever sleeps does not send: a message may wait for its connection. */
    MPI_Barrier(MPI_COMM_WORLD);
    state(TRUTH_UNEXPECTED, comm, left, UNASKED, nothing, 0, NULL);
    truth_fill(received, LARGE, left, LAST);
    state(TRUTH_UNEXPECTED, comm, left, LAST, received, LARGE, NULL);
    truth_park(TRUTH_SLEEPS);
    /* The requests keep the object: with another copy of the handle Open MPI still takes it. */
    handle = comm;
    if (!kept)
        MPI_Comm_free(&handle);
    truth_wait(TRUTH_SLEEPS);
    MPI_Send(large, SMALL, MPI_BYTE, right, ASKED, comm);
    MPI_Send(large, SMALL, MPI_BYTE, right, FREED, comm);
    MPI_Send(nothing, 0, MPI_INT, right, NOTHING, comm);
    MPI_Recv(nothing, 0, MPI_INT, left, UNASKED, comm, MPI_STATUS_IGNORE);
    MPI_Recv(received, LARGE, MPI_BYTE, left, LAST, comm, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    if (kept)
        MPI_Comm_free(&handle);
    truth_finalize();
    return 0;
}
