/*
 * Datatypes and requests that programs seldom use: absolute addresses, negative lower bounds, no data at all, more
 * bytes than 32 bits count; ready and persistent requests between others. Rank 0 has asked for the messages and does
 * not come back to MPI; rank 1 sends them.
 */
#include <limits.h>
#include <string.h>

#include "truth.h"

enum { INTS = 50000, LARGE = INTS * 4, COUNT = 5, GO_TAG = 1 };

enum tag { ABSOLUTE = 10, NEGATIVE, NOTHING, READY, READY_AGAIN, READY_ANYWHERE, N_TAGS };

/* Sends for which there is no receive when they are made. */
enum late_tag { BUFFERED_AGAIN = 30, SYNCHRONOUS_AGAIN, BEYOND_32_BITS };

static MPI_Comm comm;
static MPI_Datatype absolute, negative, nothing, huge;
static int values[N_TAGS][INTS];
static char late[3][LARGE];

/* An int, and a place before it: the lower bound is where nothing lies. */
static void create_types(void)
{
    int length = INTS;
    MPI_Aint where;
    MPI_Datatype one;

    MPI_Get_address(values[ABSOLUTE - ABSOLUTE], &where);
    MPI_Type_create_hindexed(1, &length, &where, MPI_INT, &absolute);
    MPI_Type_set_name(absolute, "at an address");
    MPI_Type_create_resized(MPI_INT, -4096, 4096 + 4, &one);
    MPI_Type_create_resized(one, -4096, 4, &negative);
    MPI_Type_set_name(negative, "before its address");
    MPI_Type_free(&one);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_set_name(nothing, "nothing");
    MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &huge);
    MPI_Type_set_name(huge, "16 GiB");
    MPI_Type_commit(&absolute);
    MPI_Type_commit(&negative);
    MPI_Type_commit(&nothing);
    MPI_Type_commit(&huge);
}

/* What both sides of a message have: a buffer, a count and a datatype. */
static struct truth_op describe(int tag, const char *kind)
{
    struct truth_op op = {.comm = comm, .peer = 1, .tag = tag, .buffer = values[tag - ABSOLUTE], .count = INTS,
                          .type = MPI_INT, .kind = kind};

    if (tag == ABSOLUTE) {
        op.buffer = MPI_BOTTOM;
        op.count = 1;
        op.type = absolute;
    } else if (tag == NEGATIVE) {
        op.count = COUNT;
        op.type = negative;
    } else if (tag == NOTHING) {
        op.count = COUNT;
        op.type = nothing;
    }
    return op;
}

static MPI_Request receive(int tag, int source)
{
    struct truth_op op = describe(tag, "Recv");

    MPI_Irecv((void *)op.buffer, op.count, op.type, source, tag, comm, &op.request);
    op.peer = source;
    truth_state(TRUTH_RECEIVES, op);
    return op.request;
}

static MPI_Request start_receive(int tag, int source)
{
    struct truth_op op = describe(tag, "Recv");

    MPI_Recv_init((void *)op.buffer, op.count, op.type, source, tag, comm, &op.request);
    MPI_Start(&op.request);
    op.peer = source;
    op.persistent = true;
    truth_state(TRUTH_RECEIVES, op);
    return op.request;
}

/* Stated before the one below is posted: a persistent receive that is cancelled is complete, and not inactive. */
static MPI_Request cancel_one(void)
{
    static char buffer[8];
    MPI_Request request;

    MPI_Recv_init(buffer, 8, MPI_CHAR, MPI_ANY_SOURCE, 99, comm, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = comm, .peer = MPI_ANY_SOURCE, .tag = 99, .buffer = buffer,
                                                  .count = 8, .type = MPI_CHAR, .kind = "Recv", .persistent = true,
                                                  .status = TRUTH_COMPLETE, .cancelled = true, .request = request});
    return request;
}

static void check(int tag)
{
    size_t bytes = tag == NEGATIVE ? COUNT * sizeof(int) : tag == NOTHING ? 0 : LARGE;

    truth_check(values[tag - ABSOLUTE], bytes, 1, tag);
}

static void be_receiver(void)
{
    MPI_Request requests[N_TAGS - ABSOLUTE], cancelled, larger, ignored;
    static char room[8];
    int n = 0, go = 1;

    requests[n++] = start_receive(READY_AGAIN, 1);
    requests[n++] = receive(ABSOLUTE, 1);
    requests[n++] = start_receive(READY_ANYWHERE, MPI_ANY_SOURCE);
    requests[n++] = receive(NEGATIVE, MPI_ANY_SOURCE);
    cancelled = cancel_one();
    requests[n++] = receive(NOTHING, 1);
    MPI_Irecv(room, 8, MPI_CHAR, MPI_PROC_NULL, 3, comm, &ignored);
    larger = truth_irecv(comm, room, COUNT, huge, 0, BEYOND_32_BITS);
    requests[n++] = receive(READY, 1);
    MPI_Send(&go, 1, MPI_INT, 1, GO_TAG, MPI_COMM_WORLD);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    MPI_Cancel(&larger);
    MPI_Wait(&larger, MPI_STATUS_IGNORE);
    MPI_Wait(&cancelled, MPI_STATUS_IGNORE);
    MPI_Wait(&ignored, MPI_STATUS_IGNORE);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int tag = ABSOLUTE; tag < N_TAGS; tag++)
        check(tag);
    MPI_Request_free(&cancelled);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[2]);
    for (int i = 0; i < 2; i++)
        MPI_Recv(late[i], LARGE, MPI_BYTE, 1, BUFFERED_AGAIN + i, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++)
        truth_check(late[i], LARGE, 1, BUFFERED_AGAIN + i);
}

/* The same, on the side of the sender. */
static struct truth_op describe_send(int tag, const char *kind)
{
    struct truth_op op = describe(tag, kind);

    op.peer = 0;
    truth_fill(values[tag - ABSOLUTE], LARGE, 1, tag);
    return op;
}

static MPI_Request send(int tag, const char *kind,
                        int (*function)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))
{
    struct truth_op op = describe_send(tag, kind);

    function(op.buffer, op.count, op.type, 0, tag, comm, &op.request);
    truth_state(TRUTH_SENDS, op);
    return op.request;
}

static MPI_Request start_send(int tag, const char *kind,
                              int (*init)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))
{
    struct truth_op op = describe_send(tag, kind);

    init(op.buffer, op.count, op.type, 0, tag, comm, &op.request);
    MPI_Start(&op.request);
    op.persistent = true;
    truth_state(TRUTH_SENDS, op);
    return op.request;
}

static MPI_Request start_late(int tag, const char *kind, const void *pool, size_t pool_bytes,
                              int (*init)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))
{
    char *buffer = late[tag - BUFFERED_AGAIN];
    MPI_Request request;

    truth_fill(buffer, LARGE, 1, tag);
    init(buffer, LARGE, MPI_BYTE, 0, tag, comm, &request);
    MPI_Start(&request);
    truth_state(TRUTH_SENDS, (struct truth_op){.comm = comm, .peer = 0, .tag = tag, .buffer = buffer, .count = LARGE,
                                               .type = MPI_BYTE, .kind = kind, .persistent = true, .pool = pool,
                                               .pool_bytes = pool_bytes, .request = request});
    return request;
}

static void be_sender(void)
{
    size_t attached_bytes = 2 * (LARGE + MPI_BSEND_OVERHEAD);
    char *attached = truth_alloc(attached_bytes);
    MPI_Request requests[8];
    int n = 0, go, size;

    MPI_Buffer_attach(attached, (int)attached_bytes);
    MPI_Recv(&go, 1, MPI_INT, 0, GO_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    requests[n++] = send(READY, "Rsend", MPI_Irsend);
    requests[n++] = start_send(READY_AGAIN, "Rsend", MPI_Rsend_init);
    requests[n++] = start_late(BUFFERED_AGAIN, "Bsend", attached, attached_bytes, MPI_Bsend_init);
    requests[n++] = send(ABSOLUTE, "Send", MPI_Isend);
    requests[n++] = send(NEGATIVE, "Ssend", MPI_Issend);
    requests[n++] = start_late(SYNCHRONOUS_AGAIN, "Ssend", NULL, 0, MPI_Ssend_init);
    requests[n++] = send(NOTHING, "Ssend", MPI_Issend);
    requests[n++] = start_send(READY_ANYWHERE, "Rsend", MPI_Rsend_init);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&attached, &size);
    MPI_Request_free(&requests[1]);
    MPI_Request_free(&requests[2]);
    MPI_Request_free(&requests[5]);
    MPI_Request_free(&requests[7]);
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    if (truth_size != 2)
        truth_fail("needs 2 ranks");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "mixed");
    truth_communicator(comm, "mixed");
    create_types();
    if (truth_rank == 0)
        be_receiver();
    else
        be_sender();
    MPI_Type_free(&absolute);
    MPI_Type_free(&negative);
    MPI_Type_free(&nothing);
    MPI_Type_free(&huge);
    MPI_Comm_free(&comm);
    truth_finalize();
    return 0;
}
