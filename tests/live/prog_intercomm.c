/*
 * Operations between two groups: the communicator's size, rank and group are the own group's, every peer is a rank in
 * the other one.
 */
#include "truth.h"

enum { LARGE = 150000, SMALL = 16, CREATE_TAG = 3, ASKED = 10, EARLY, LONG, LAST };

static MPI_Comm half, inter;
static int remote_size, local_rank, partner;

static void create(void)
{
    int lower = truth_rank < (truth_size + 1) / 2;

    MPI_Comm_split(MPI_COMM_WORLD, lower, truth_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? (truth_size + 1) / 2 : 0, CREATE_TAG, &inter);
    MPI_Comm_set_name(inter, "between the halves");
    truth_communicator(half, lower ? "lower" : "upper");
    truth_communicator(inter, "inter");
    MPI_Comm_rank(inter, &local_rank);
    MPI_Comm_remote_size(inter, &remote_size);
    partner = remote_size - 1 - local_rank;
}

static void expect(int tag, int bytes, bool rendezvous)
{
    char *content = truth_alloc((size_t)bytes);

    truth_fill(content, (size_t)bytes, partner, tag);
    truth_state(TRUTH_UNEXPECTED, (struct truth_op){.comm = inter, .peer = partner, .tag = tag, .buffer = content,
                                                    .count = bytes, .type = MPI_BYTE, .rendezvous = rendezvous,
                                                    .status = rendezvous ? TRUTH_PENDING : TRUTH_COMPLETE});
}

static void send(int tag, int bytes)
{
    char *content = truth_alloc((size_t)bytes);

    truth_fill(content, (size_t)bytes, local_rank, tag);
    MPI_Send(content, bytes, MPI_BYTE, partner, tag, inter);
}

static void receive(int tag, int bytes)
{
    char *buffer = truth_alloc((size_t)bytes);

    MPI_Recv(buffer, bytes, MPI_BYTE, partner, tag, inter, MPI_STATUS_IGNORE);
    truth_check(buffer, (size_t)bytes, partner, tag);
}

int main(int argc, char **argv)
{
    static char asked[2][SMALL], large[LARGE];
    MPI_Request requests[3];

    truth_init(&argc, &argv);
    if (truth_size < 2 || truth_size % 2)
        truth_fail("needs an even number of ranks");
    create();
    requests[0] = truth_irecv(inter, asked[0], SMALL, MPI_BYTE, partner, ASKED);
    requests[1] = truth_irecv(inter, asked[1], SMALL, MPI_BYTE, MPI_ANY_SOURCE, ASKED);
    send(EARLY, SMALL);
    truth_fill(large, LARGE, local_rank, LONG);
    MPI_Isend(large, LARGE, MPI_BYTE, partner, LONG, inter, &requests[2]);
    truth_state(TRUTH_SENDS, (struct truth_op){.comm = inter, .peer = partner, .tag = LONG, .buffer = large,
                                               .count = LARGE, .type = MPI_BYTE, .kind = "Send",
                                               .request = requests[2]});
    send(LAST, SMALL);
    truth_await_message(inter, partner, LAST);
    expect(EARLY, SMALL, false);
    expect(LONG, LARGE, true);
    expect(LAST, SMALL, false);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    send(ASKED, SMALL);
    send(ASKED, SMALL);
    receive(EARLY, SMALL);
    receive(LONG, LARGE);
    receive(LAST, SMALL);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    truth_check(asked[0], SMALL, partner, ASKED);
    truth_check(asked[1], SMALL, partner, ASKED);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    truth_finalize();
    return 0;
}
