/*
 * Long messages that are matched, with most of the data still to come: both sides know of each other and neither can
 * go on. Rank 1 has the receiver's answer; rank 2 has not looked for it yet: it sleeps since before there was one.
 */
#include "truth.h"

enum { BYTES = 24 << 20, ROOM = BYTES + 1000, TAG = 5, MATCHED_TAG = 6, WARM_UP_TAG = 7, ARRIVED_TAG = 8 };

static MPI_Comm comm;

/* Connections are made at first use; from here on a message leaves at once. */
static void warm_up(void)
{
    int mine = truth_rank, theirs;

    for (int rank = 0; rank < truth_size; rank++)
        MPI_Sendrecv(&mine, 1, MPI_INT, rank, WARM_UP_TAG, &theirs, 1, MPI_INT, rank, WARM_UP_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* Both messages have arrived before their receives are posted, so these are matched at once. */
static void receive_both(void)
{
    static const int asked[][2] = {{1, TAG}, {MPI_ANY_SOURCE, MPI_ANY_TAG}};
    MPI_Request requests[2];
    char *buffers[2], answer = 0;

    truth_await_message(comm, 1, TAG);
    truth_await_message(comm, 2, TAG);
    MPI_Send(&answer, 1, MPI_CHAR, 2, ARRIVED_TAG, MPI_COMM_WORLD);
    truth_await_parked(2);
    for (int i = 0; i < 2; i++) {
        buffers[i] = truth_alloc(ROOM);
        MPI_Irecv(buffers[i], ROOM, MPI_CHAR, asked[i][0], asked[i][1], comm, &requests[i]);
        truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = comm, .peer = asked[i][0], .tag = asked[i][1],
                                                      .buffer = buffers[i], .count = ROOM, .type = MPI_CHAR,
                                                      .kind = "Recv", .status = TRUTH_MATCHED, .actual_peer = i + 1,
                                                      .actual_tag = TAG, .actual_bytes = BYTES,
                                                      .request = requests[i]});
    }
    MPI_Send(&answer, 1, MPI_CHAR, 1, MATCHED_TAG, MPI_COMM_WORLD);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int i = 0; i < 2; i++) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        truth_check(buffers[i], BYTES, i + 1, TAG);
    }
}

static void send_one(void)
{
    enum truth_park park = truth_rank == 1 ? TRUTH_PROGRESSES : TRUTH_SLEEPS;
    char *buffer = truth_alloc(BYTES), answer;
    MPI_Request request;

    truth_fill(buffer, BYTES, truth_rank, TAG);
    MPI_Isend(buffer, BYTES, MPI_CHAR, 0, TAG, comm, &request);
    truth_state(TRUTH_SENDS, (struct truth_op){.comm = comm, .peer = 0, .tag = TAG, .buffer = buffer, .count = BYTES,
                                               .type = MPI_CHAR, .kind = "Send", .request = request,
                                               .status = truth_rank == 1 ? TRUTH_MATCHED : TRUTH_PENDING});
    MPI_Recv(&answer, 1, MPI_CHAR, 0, truth_rank == 1 ? MATCHED_TAG : ARRIVED_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    truth_park(park);
    truth_wait(park);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    if (truth_size != 3)
        truth_fail("needs 3 ranks");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "long messages");
    truth_communicator(comm, "long");
    warm_up();
    if (truth_rank == 0)
        receive_both();
    else
        send_one();
    MPI_Comm_free(&comm);
    truth_finalize();
    return 0;
}
