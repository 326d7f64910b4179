/*
 * Operations of every kind of request that the PML cm has: thin and heavy ones, sends and receives, pending, complete
 * and cancelled. Synchronous sends that nobody receives stay pending on one communicator, receives on a second one. On
 * a third one messages arrive.
 */
#include "truth.h"

enum { N_RECEIVES = 9, N_SENDS = 7, BYTES = 800, OFFSET = 40 };

static MPI_Comm sending, receiving, arriving;
static MPI_Datatype behind, apart;
static char buffers[N_RECEIVES + N_SENDS + 2][BYTES];
static MPI_Request requests[N_RECEIVES + N_SENDS + 2];
static int n_requests, left, right;

/* Contiguous data that begin some bytes behind the buffer, and data with gaps. */
static void create_types(void)
{
    int length = 6;
    MPI_Aint offset = OFFSET;

    MPI_Type_create_hindexed(1, &length, &offset, MPI_INT, &behind);
    MPI_Type_vector(4, 2, 5, MPI_SHORT, &apart);
    MPI_Type_commit(&behind);
    MPI_Type_commit(&apart);
}

static void create_communicators(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &sending);
    MPI_Comm_split(MPI_COMM_WORLD, 0, truth_size - truth_rank, &receiving);
    MPI_Comm_dup(MPI_COMM_WORLD, &arriving);
    truth_communicator(sending, "sending");
    truth_communicator(receiving, "receiving");
    truth_communicator(arriving, "arriving");
    left = (truth_rank + truth_size - 1) % truth_size;
    right = (truth_rank + 1) % truth_size;
}

static struct truth_op next_send(const char *kind, int tag, int count, MPI_Datatype type)
{
    return (struct truth_op){.comm = sending, .peer = right, .tag = tag, .buffer = buffers[n_requests],
                             .count = count, .type = type, .kind = kind};
}

static void state_next(enum truth_queue queue, struct truth_op op)
{
    op.request = requests[n_requests++];
    truth_state(queue, op);
}

static void send_synchronous(int tag, int count, MPI_Datatype type)
{
    struct truth_op op = next_send("Ssend", tag, count, type);

    MPI_Issend(op.buffer, count, type, right, tag, sending, &requests[n_requests]);
    state_next(TRUTH_SENDS, op);
}

static void send_persistent(int tag, int count)
{
    struct truth_op op = next_send("Ssend", tag, count, MPI_DOUBLE);

    op.persistent = true;
    MPI_Ssend_init(op.buffer, count, MPI_DOUBLE, right, tag, sending, &requests[n_requests]);
    MPI_Start(&requests[n_requests]);
    state_next(TRUTH_SENDS, op);
}

static void send_complete(int tag, int count)
{
    struct truth_op op = next_send("Send", tag, count, MPI_INT);

    op.status = TRUTH_COMPLETE;
    MPI_Isend(op.buffer, count, MPI_INT, right, tag, sending, &requests[n_requests]);
    truth_await_request(requests[n_requests]);
    state_next(TRUTH_SENDS, op);
}

static void start_sends(void)
{
    send_synchronous(11, 5, MPI_INT);
    send_synchronous(12, 2, behind);
    send_synchronous(13, 3, apart);
    send_synchronous(14, 0, MPI_BYTE);
    send_synchronous(0, 7, MPI_CHAR);
    send_persistent(15, 20);
    send_complete(16, 8);
}

static void receive(int source, int tag, int count, MPI_Datatype type)
{
    requests[n_requests] = truth_irecv(receiving, buffers[n_requests], count, type, source, tag);
    n_requests++;
}

static void receive_persistent(int source, int tag)
{
    struct truth_op op = {.comm = receiving, .peer = source, .tag = tag, .buffer = buffers[n_requests], .count = 9,
                          .type = MPI_DOUBLE, .kind = "Recv", .persistent = true};

    MPI_Recv_init(buffers[n_requests], 9, MPI_DOUBLE, source, tag, receiving, &requests[n_requests]);
    MPI_Start(&requests[n_requests]);
    state_next(TRUTH_RECEIVES, op);
}

static void start_receives(void)
{
    receive(0, 21, 5, MPI_INT);
    receive(truth_size - 1, 22, 2, behind);
    receive(MPI_ANY_SOURCE, 23, 3, apart);
    receive(1, MPI_ANY_TAG, 0, MPI_BYTE);
    receive(MPI_ANY_SOURCE, MPI_ANY_TAG, 7, MPI_CHAR);
    receive(1, 0, 1, MPI_INT);
    receive(0, 0, 1, MPI_INT);
    receive_persistent(1, 24);
    receive_persistent(MPI_ANY_SOURCE, MPI_ANY_TAG);
}

/* A receive that has its message, and one that was cancelled; both are not waited for yet. */
static void end_receives(void)
{
    struct truth_op op = {.comm = arriving, .peer = left, .tag = 31, .buffer = buffers[n_requests], .count = 10,
                          .type = MPI_INT, .kind = "Recv", .status = TRUTH_COMPLETE, .actual_peer = left,
                          .actual_tag = 31, .actual_bytes = 6 * sizeof(int)};
    int values[6] = {0};

    MPI_Irecv(buffers[n_requests], 10, MPI_INT, left, 31, arriving, &requests[n_requests]);
    MPI_Send(values, 6, MPI_INT, right, 31, arriving);
    truth_await_request(requests[n_requests]);
    state_next(TRUTH_RECEIVES, op);
    op = (struct truth_op){.comm = arriving, .peer = left, .tag = 32, .buffer = buffers[n_requests], .count = 10,
                           .type = MPI_INT, .kind = "Recv", .status = TRUTH_COMPLETE, .cancelled = true};
    MPI_Irecv(buffers[n_requests], 10, MPI_INT, left, 32, arriving, &requests[n_requests]);
    MPI_Cancel(&requests[n_requests]);
    truth_await_request(requests[n_requests]);
    state_next(TRUTH_RECEIVES, op);
}

static void receive_all_sends(void)
{
    static const int tags[N_SENDS] = {11, 12, 13, 14, 0, 15, 16};
    char data[BYTES];

    for (int i = 0; i < N_SENDS; i++)
        MPI_Recv(data, BYTES, MPI_BYTE, left, tags[i], sending, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    create_types();
    create_communicators();
    start_receives();
    end_receives();
    MPI_Barrier(MPI_COMM_WORLD);
    start_sends();
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int i = 0; i < N_RECEIVES; i++)
        MPI_Cancel(&requests[i]);
    receive_all_sends();
    MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n_requests; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    MPI_Type_free(&behind);
    MPI_Type_free(&apart);
    MPI_Comm_free(&sending);
    MPI_Comm_free(&receiving);
    MPI_Comm_free(&arriving);
    truth_finalize();
    return 0;
}
