/*
 * Requests whose memory has been used thousands of times, completed out of order, so that their places in memory say
 * nothing about the order in which they were posted. The argument is how many are pending in the end.
 */
#include <stdlib.h>

#include "truth.h"

enum { N_ROUNDS = 40, IN_FLIGHT = 24, MAX_PENDING = 64, BYTES = 64, LARGE = 100000, FIRST_TAG = 100, LARGE_TAG = 500 };

static char buffers[MAX_PENDING][LARGE], incoming[MAX_PENDING][BYTES];
static MPI_Request sends[MAX_PENDING], receives[MAX_PENDING];
static int pending, other;

/* 7 has no factor in common with IN_FLIGHT and differs from what most free lists would do. */
static int shuffled(int i, int n)
{
    while (n % 7 == 0)
        n++;
    return i * 7 % n;
}

/* Both ranks send what the other waits for, in another order than it was asked for. */
static void exchange(void)
{
    MPI_Request requests[IN_FLIGHT];
    char in[IN_FLIGHT][BYTES], out[BYTES];

    for (int i = 0; i < IN_FLIGHT; i++)
        MPI_Irecv(in[i], BYTES, MPI_BYTE, other, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < IN_FLIGHT; i++) {
        int tag = shuffled(i, IN_FLIGHT);

        truth_fill(out, BYTES, truth_rank, tag);
        MPI_Send(out, BYTES, MPI_BYTE, other, tag, MPI_COMM_WORLD);
    }
    for (int i = IN_FLIGHT; i-- > 0;) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        truth_check(in[i], BYTES, other, i);
    }
}

static void post(int i)
{
    MPI_Irecv(incoming[i], BYTES, MPI_BYTE, i % 5 ? other : MPI_ANY_SOURCE, FIRST_TAG + i, MPI_COMM_WORLD,
              &receives[i]);
}

static void send(int i)
{
    truth_fill(buffers[i], LARGE, truth_rank, LARGE_TAG + i);
    MPI_Isend(buffers[i], LARGE, MPI_BYTE, other, LARGE_TAG + i, MPI_COMM_WORLD, &sends[i]);
}

static bool goes_first(int i)
{
    return i % 3 == 1;
}

static void receive_large(int i)
{
    char *in = truth_alloc(LARGE);
    MPI_Request request;

    MPI_Irecv(in, LARGE, MPI_BYTE, other, LARGE_TAG + i, MPI_COMM_WORLD, &request);
    while (request != MPI_REQUEST_NULL) {
        int flag;

        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Test(&sends[i], &flag, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
    truth_check(in, LARGE, other, LARGE_TAG + i);
}

static void satisfy(int i)
{
    char out[BYTES];

    truth_fill(out, BYTES, truth_rank, FIRST_TAG + i);
    MPI_Send(out, BYTES, MPI_BYTE, other, FIRST_TAG + i, MPI_COMM_WORLD);
}

static void check_incoming(int i)
{
    MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
    truth_check(incoming[i], BYTES, other, FIRST_TAG + i);
}

/* Posts all, completes every third from the end on, and posts those again. */
static void settle(void)
{
    for (int i = 0; i < pending; i++) {
        post(i);
        send(i);
    }
    for (int i = pending; i-- > 0;)
        if (goes_first(i)) {
            satisfy(i);
            check_incoming(i);
            receive_large(i);
        }
    for (int i = pending; i-- > 0;)
        if (goes_first(i)) {
            post(i);
            send(i);
        }
}

static void state_one(int i)
{
    truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = i % 5 ? other : MPI_ANY_SOURCE,
                                                  .tag = FIRST_TAG + i, .buffer = incoming[i], .count = BYTES,
                                                  .type = MPI_BYTE, .kind = "Recv", .request = receives[i]});
    truth_state(TRUTH_SENDS, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = other, .tag = LARGE_TAG + i,
                                               .buffer = buffers[i], .count = LARGE, .type = MPI_BYTE,
                                               .kind = "Send", .request = sends[i]});
}

static void state_unexpected(int i)
{
    char *content = truth_alloc(LARGE);

    truth_fill(content, LARGE, other, LARGE_TAG + i);
    truth_state(TRUTH_UNEXPECTED, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = other, .tag = LARGE_TAG + i,
                                                    .buffer = content, .count = LARGE, .type = MPI_BYTE,
                                                    .rendezvous = true});
}

static void state_all(void)
{
    for (int i = 0; i < pending; i++)
        if (!goes_first(i)) {
            state_one(i);
            state_unexpected(i);
        }
    for (int i = pending; i-- > 0;)
        if (goes_first(i)) {
            state_one(i);
            state_unexpected(i);
        }
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    other = 1 - truth_rank;
    pending = argc > 1 ? atoi(argv[1]) : IN_FLIGHT;
    if (truth_size != 2 || pending < 1 || pending > MAX_PENDING)
        truth_fail("needs 2 ranks and 1 to 64 operations");
    for (int round = 0; round < N_ROUNDS; round++)
        exchange();
    settle();
    for (int i = 0; i < pending; i++)
        truth_await_message(MPI_COMM_WORLD, other, LARGE_TAG + i);
    state_all();
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int i = 0; i < pending; i++) {
        satisfy(i);
        receive_large(i);
        check_incoming(i);
    }
    truth_finalize();
    return 0;
}
