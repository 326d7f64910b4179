/*
 * Sends in all modes that nobody has received yet, to several destinations in turn. Rank 0 sends; the others let the
 * messages arrive and receive them only when they are told to go on.
 */
#include <string.h>

#include "truth.h"

enum { LARGE = 200000, MEDIUM = 1000, BLOCKS = 12500, MAX_REQUESTS = 256 };

/* In the order in which they are sent to each destination. */
enum tag { STANDARD = 1, SYNCHRONOUS, EMPTY, BUFFERED, BUFFERED_AND_LEFT, READY, EAGER, TINY, SCATTERED, TWIN, LAST };

enum { GO_TAG = LAST + 1, TWINS = 3 };

static const struct message {
    enum tag tag;
    int bytes;
    bool rendezvous;
} messages[] = {
    {STANDARD, LARGE, true},          {SYNCHRONOUS, 40, true}, {EMPTY, 0, true},    {BUFFERED, LARGE, true},
    {BUFFERED_AND_LEFT, LARGE, true}, {EAGER, MEDIUM, false},  {TINY, 4, false},    {SCATTERED, 8 * BLOCKS, true},
    {TWIN, LARGE, true},              {TWIN, LARGE, true},     {TWIN, LARGE, true}, {LAST, 8, false},
};

enum { N_MESSAGES = sizeof messages / sizeof *messages, SCATTERED_BYTES = BLOCKS * 16 };

static MPI_Comm comms[2];
static MPI_Datatype scattered;
static MPI_Request requests[MAX_REQUESTS];
static int n_requests;
static char *attached;
static size_t attached_bytes;

static void *content(int bytes, enum tag tag)
{
    void *buffer = truth_alloc((size_t)bytes + 1);

    truth_fill(buffer, (size_t)bytes, 0, (int)tag);
    return buffer;
}

/* Every other pair of ints; what arrives is the ints in a row. */
static void *scattered_content(void)
{
    int *row = content(8 * BLOCKS, SCATTERED), *buffer = truth_alloc(SCATTERED_BYTES);

    for (int i = 0; i < BLOCKS; i++)
        memcpy(&buffer[4 * i], &row[2 * i], 8);
    return buffer;
}

static void state(MPI_Comm comm, int to, enum tag tag, const void *buffer, int count, MPI_Datatype type,
                  const char *kind, enum truth_status status)
{
    bool buffered = tag == BUFFERED || tag == BUFFERED_AND_LEFT;

    truth_state(TRUTH_SENDS, (struct truth_op){.comm = comm, .peer = to, .tag = (int)tag, .buffer = buffer,
                                               .count = count, .type = type, .kind = kind, .status = status,
                                               .optional = tag == TINY, .pool = buffered ? attached : NULL,
                                               .pool_bytes = attached_bytes});
}

static MPI_Request *next_request(void)
{
    if (n_requests == MAX_REQUESTS)
        truth_fail("too many ranks");
    return &requests[n_requests++];
}

static void send_modes(MPI_Comm comm, int to)
{
    char *standard = content(LARGE, STANDARD), *synchronous = content(40, SYNCHRONOUS), *empty = content(0, EMPTY);
    char *buffered = content(LARGE, BUFFERED), *left = content(LARGE, BUFFERED_AND_LEFT);

    MPI_Isend(standard, LARGE / 4, MPI_INT, to, STANDARD, comm, next_request());
    state(comm, to, STANDARD, standard, LARGE / 4, MPI_INT, "Send", TRUTH_PENDING);
    MPI_Issend(synchronous, 5, MPI_DOUBLE, to, SYNCHRONOUS, comm, next_request());
    state(comm, to, SYNCHRONOUS, synchronous, 5, MPI_DOUBLE, "Ssend", TRUTH_PENDING);
    MPI_Issend(empty, 0, MPI_DOUBLE, to, EMPTY, comm, next_request());
    state(comm, to, EMPTY, empty, 0, MPI_DOUBLE, "Ssend", TRUTH_PENDING);
    MPI_Ibsend(buffered, LARGE, MPI_BYTE, to, BUFFERED, comm, next_request());
    state(comm, to, BUFFERED, buffered, LARGE, MPI_BYTE, "Bsend", TRUTH_PENDING);
    MPI_Bsend(left, LARGE, MPI_BYTE, to, BUFFERED_AND_LEFT, comm);
    state(comm, to, BUFFERED_AND_LEFT, left, LARGE, MPI_BYTE, "Bsend", TRUTH_PENDING);
}

/* Sends that are complete before anybody waits for them. */
static void send_eagerly(MPI_Comm comm, int to)
{
    char *ready = content(24, READY), *eager = content(MEDIUM, EAGER), *tiny = content(4, TINY);
    MPI_Request *request = next_request();

    MPI_Irsend(ready, 24, MPI_CHAR, to, READY, comm, request);
    truth_await_request(*request);
    truth_state(TRUTH_SENDS, (struct truth_op){.comm = comm, .peer = to, .tag = READY, .buffer = ready, .count = 24,
                                               .type = MPI_CHAR, .kind = "Rsend", .status = TRUTH_COMPLETE,
                                               .optional = true});
    request = next_request();
    MPI_Isend(eager, MEDIUM, MPI_CHAR, to, EAGER, comm, request);
    truth_await_request(*request);
    state(comm, to, EAGER, eager, MEDIUM, MPI_CHAR, "Send", TRUTH_COMPLETE);
    request = next_request();
    MPI_Isend(tiny, 4, MPI_CHAR, to, TINY, comm, request);
    truth_await_request(*request);
    state(comm, to, TINY, tiny, 4, MPI_CHAR, "Send", TRUTH_COMPLETE);
}

static void send_the_rest(MPI_Comm comm, int to)
{
    void *pairs = scattered_content(), *last = content(8, LAST);

    MPI_Isend(pairs, 1, scattered, to, SCATTERED, comm, next_request());
    state(comm, to, SCATTERED, pairs, 1, scattered, "Send", TRUTH_PENDING);
    for (int i = 0; i < TWINS; i++) {
        void *twin = content(LARGE, TWIN);

        MPI_Isend(twin, LARGE / 8, MPI_LONG, to, TWIN, comm, next_request());
        state(comm, to, TWIN, twin, LARGE / 8, MPI_LONG, "Send", TRUTH_PENDING);
    }
    MPI_Send(last, 8, MPI_CHAR, to, LAST, comm);
}

static void send_all(void)
{
    int to, go, size;

    attached_bytes = (size_t)(truth_size - 1) * 4 * (LARGE + MPI_BSEND_OVERHEAD + 1000);
    attached = truth_alloc(attached_bytes);
    MPI_Buffer_attach(attached, (int)attached_bytes);
    for (int rank = 1; rank < truth_size; rank++)
        MPI_Recv(&go, 1, MPI_INT, rank, GO_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (to = truth_size - 1; to >= 1; to--)
        for (int c = 0; c < 2; c++)
            send_modes(comms[c], to);
    for (int c = 0; c < 2; c++)
        for (to = 1; to < truth_size; to++)
            send_eagerly(comms[c], to);
    for (to = truth_size - 1; to >= 1; to--)
        for (int c = 0; c < 2; c++)
            send_the_rest(comms[c], to);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&attached, &size);
}

static void receive_all(void)
{
    char *buffers[2];
    int go = 1;
    char *buffer = truth_alloc(LARGE);

    for (int c = 0; c < 2; c++) {
        buffers[c] = truth_alloc(24);
        MPI_Irecv(buffers[c], 24, MPI_CHAR, 0, READY, comms[c], &requests[c]);
        truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = comms[c], .peer = 0, .tag = READY, .kind = "Recv",
                                                      .buffer = buffers[c], .count = 24, .type = MPI_CHAR,
                                                      .status = TRUTH_COMPLETE, .actual_peer = 0,
                                                      .actual_tag = READY, .actual_bytes = 24});
    }
    MPI_Send(&go, 1, MPI_INT, 0, GO_TAG, MPI_COMM_WORLD);
    for (int c = 0; c < 2; c++) {
        truth_await_request(requests[c]);
        truth_await_message(comms[c], 0, LAST);
        for (int i = 0; i < N_MESSAGES; i++)
            truth_state(TRUTH_UNEXPECTED, (struct truth_op){
                .comm = comms[c], .peer = 0, .tag = (int)messages[i].tag, .count = messages[i].bytes,
                .buffer = content(messages[i].bytes, messages[i].tag), .type = MPI_BYTE,
                .rendezvous = messages[i].rendezvous,
                .status = messages[i].rendezvous ? TRUTH_PENDING : TRUTH_COMPLETE});
    }
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int c = 0; c < 2; c++) {
        MPI_Wait(&requests[c], MPI_STATUS_IGNORE);
        truth_check(buffers[c], 24, 0, READY);
        for (int i = 0; i < N_MESSAGES; i++) {
            MPI_Recv(buffer, LARGE, MPI_BYTE, 0, (int)messages[i].tag, comms[c], MPI_STATUS_IGNORE);
            truth_check(buffer, (size_t)messages[i].bytes, 0, (int)messages[i].tag);
        }
    }
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_set_name(comms[1], "sends");
    truth_communicator(comms[1], "dup");
    MPI_Type_vector(BLOCKS, 2, 4, MPI_INT, &scattered);
    MPI_Type_set_name(scattered, "every other pair");
    MPI_Type_commit(&scattered);
    if (truth_rank == 0)
        send_all();
    else
        receive_all();
    MPI_Type_free(&scattered);
    MPI_Comm_free(&comms[1]);
    truth_finalize();
    return 0;
}
