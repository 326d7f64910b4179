/*
 * Receives that are complete, but that nobody has waited for: shorter messages than buffers, empty ones, one that was
 * too long, one cancelled; and between them some that are still pending.
 */
#include "truth.h"

enum { N_MESSAGES = 8, ROOM = 400, GO_TAG = 99, PENDING_TAG = 70, CANCELLED_TAG = 71 };

/* What rank 0 asks of message i, which comes from rank `source` with tag i. */
static const struct message {
    int source, asked_source, asked_tag, sent, room;
} messages[N_MESSAGES] = {
    {1, 1, 0, 40, ROOM},
    {1, MPI_ANY_SOURCE, 1, 300, 300},
    {2, 2, MPI_ANY_TAG, 0, ROOM},
    {1, 1, 3, 0, 0},
    {2, 2, 4, 399, ROOM},
    {2, 2, 5, 200, 80},
    {3, 3, 6, 1, ROOM},
    {3, MPI_ANY_SOURCE, MPI_ANY_TAG, 77, ROOM},
};

static char buffers[N_MESSAGES][ROOM], pending_buffer[ROOM], cancelled_buffer[ROOM];
static MPI_Request requests[N_MESSAGES], pending, cancelled;

static void receive(int i, bool late)
{
    const struct message *message = &messages[i];

    if ((i == N_MESSAGES - 1) != late)
        return;
    MPI_Irecv(buffers[i], message->room, MPI_BYTE, message->asked_source, message->asked_tag, MPI_COMM_WORLD,
              &requests[i]);
    truth_state(TRUTH_RECEIVES,
                (struct truth_op){.comm = MPI_COMM_WORLD, .peer = message->asked_source, .tag = message->asked_tag,
                                  .buffer = buffers[i], .count = message->room, .type = MPI_BYTE, .kind = "Recv",
                                  .status = TRUTH_COMPLETE, .actual_peer = message->source, .actual_tag = i,
                                  .actual_bytes = (size_t)message->sent, .request = requests[i],
                                  .found = late});
}

static void cancel_one(void)
{
    MPI_Irecv(cancelled_buffer, ROOM, MPI_BYTE, 1, CANCELLED_TAG, MPI_COMM_WORLD, &cancelled);
    MPI_Cancel(&cancelled);
    truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = 1, .tag = CANCELLED_TAG,
                                                  .buffer = cancelled_buffer, .count = ROOM, .type = MPI_BYTE,
                                                  .kind = "Recv", .status = TRUTH_COMPLETE, .cancelled = true,
                                                  .request = cancelled});
}

/* The last message is matched by a receive of everything, which is posted when all others have their message. */
static void receive_all(void)
{
    int rank, go = 1;

    for (int i = 0; i < N_MESSAGES; i++) {
        receive(i, false);
        if (i == 3)
            pending = truth_irecv(MPI_COMM_WORLD, pending_buffer, ROOM, MPI_BYTE, 2, PENDING_TAG);
        if (i == 5)
            cancel_one();
    }
    for (rank = 1; rank <= 3; rank++)
        MPI_Send(&go, 1, MPI_INT, rank, GO_TAG, MPI_COMM_WORLD);
    for (int i = 0; i < N_MESSAGES - 1; i++)
        truth_await_request(requests[i]);
    truth_await_message(MPI_COMM_WORLD, messages[N_MESSAGES - 1].source, N_MESSAGES - 1);
    receive(N_MESSAGES - 1, true);
    truth_await_request(requests[N_MESSAGES - 1]);
}

static void check_all(void)
{
    MPI_Status status;
    int count;

    for (int i = 0; i < N_MESSAGES; i++) {
        bool truncated = messages[i].sent > messages[i].room;
        int error = MPI_Wait(&requests[i], &status);

        if ((error != MPI_SUCCESS) != truncated)
            truth_fail("a receive ended otherwise than it should");
        /* What is received of a message that was too long is up to the PML. */
        if (truncated)
            continue;
        MPI_Get_count(&status, MPI_BYTE, &count);
        if (count != messages[i].sent)
            truth_fail("a message has another length than it was sent with");
        truth_check(buffers[i], (size_t)messages[i].sent, messages[i].source, i);
    }
    MPI_Wait(&cancelled, MPI_STATUS_IGNORE);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    truth_check(pending_buffer, ROOM, 2, PENDING_TAG);
}

static void send_all(void)
{
    char content[ROOM];
    int go;

    MPI_Recv(&go, 1, MPI_INT, 0, GO_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < N_MESSAGES; i++) {
        if (messages[i].source != truth_rank)
            continue;
        truth_fill(content, (size_t)messages[i].sent, truth_rank, i);
        MPI_Send(content, messages[i].sent, MPI_BYTE, 0, i, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    char content[ROOM];

    truth_init(&argc, &argv);
    if (truth_size < 4)
        truth_fail("needs 4 ranks");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (truth_rank == 0)
        receive_all();
    else if (truth_rank <= 3)
        send_all();
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    if (truth_rank == 2) {
        truth_fill(content, ROOM, 2, PENDING_TAG);
        MPI_Send(content, ROOM, MPI_BYTE, 0, PENDING_TAG, MPI_COMM_WORLD);
    }
    if (truth_rank == 0)
        check_all();
    truth_finalize();
    return 0;
}
