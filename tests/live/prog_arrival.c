/*
 * Messages that have arrived in an order that is known, although they are from several ranks: each is sent when rank 0,
 * which receives none of them, has seen the one before.
 */
#include "truth.h"

enum { GO_TAG = 99, SHORT = 100, LONG = 100000, N_COMMS = 2, N_TURNS = 12 };

static MPI_Comm comms[N_COMMS];

/* Sources, communicators and sizes change at different steps. */
static int source_of(int turn)
{
    static const int order[] = {2, 1, 2, 3, 0, 1, 3};

    return order[turn % 7];
}

static int bytes_of(int turn)
{
    return turn % 5 == 2 ? LONG : SHORT + turn;
}

static MPI_Request send(int turn)
{
    char *content = truth_alloc((size_t)bytes_of(turn));
    MPI_Comm comm = comms[turn % N_COMMS];
    MPI_Request request;

    truth_fill(content, (size_t)bytes_of(turn), truth_rank, turn);
    MPI_Isend(content, bytes_of(turn), MPI_BYTE, 0, turn, comm, &request);
    truth_state(TRUTH_SENDS, (struct truth_op){.comm = comm, .peer = 0, .tag = turn, .buffer = content,
                                               .count = bytes_of(turn), .type = MPI_BYTE, .kind = "Send",
                                               .request = request, .optional = bytes_of(turn) != LONG,
                                               .status = bytes_of(turn) == LONG ? TRUTH_PENDING : TRUTH_COMPLETE});
    return request;
}

static void state_arrived(int turn)
{
    int source = source_of(turn);
    char *content = truth_alloc((size_t)bytes_of(turn));
    bool is_long = bytes_of(turn) == LONG;

    truth_fill(content, (size_t)bytes_of(turn), source, turn);
    truth_state(TRUTH_UNEXPECTED, (struct truth_op){.comm = comms[turn % N_COMMS], .peer = source, .tag = turn,
                                                    .buffer = content, .count = bytes_of(turn), .type = MPI_BYTE,
                                                    .rendezvous = is_long,
                                                    .status = is_long ? TRUTH_PENDING : TRUTH_COMPLETE});
}

/* As they have arrived; or one source after the other, the receiver itself being the last. */
static void state_all(void)
{
    for (int n = 1; n <= (truth_by_arrival() ? 1 : truth_size); n++)
        for (int turn = 0; turn < N_TURNS; turn++)
            if (truth_by_arrival() || source_of(turn) == n % truth_size)
                state_arrived(turn);
}

static void take_turns(MPI_Request *requests)
{
    int go = 1;

    for (int turn = 0; turn < N_TURNS; turn++) {
        int source = source_of(turn);

        if (truth_rank != 0 && source == truth_rank)
            MPI_Recv(&go, 1, MPI_INT, 0, GO_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (truth_rank == 0 && source != 0)
            MPI_Send(&go, 1, MPI_INT, source, GO_TAG, MPI_COMM_WORLD);
        if (source == truth_rank)
            requests[turn] = send(turn);
        if (truth_rank == 0)
            truth_await_message(comms[turn % N_COMMS], source, turn);
    }
}

static void receive_all(void)
{
    char *buffer = truth_alloc(LONG);

    for (int turn = 0; turn < N_TURNS; turn++) {
        MPI_Recv(buffer, LONG, MPI_BYTE, source_of(turn), turn, comms[turn % N_COMMS], MPI_STATUS_IGNORE);
        truth_check(buffer, (size_t)bytes_of(turn), source_of(turn), turn);
    }
}

int main(int argc, char **argv)
{
    MPI_Request requests[N_TURNS];

    truth_init(&argc, &argv);
    if (truth_size != 4)
        truth_fail("needs 4 ranks");
    for (int turn = 0; turn < N_TURNS; turn++)
        requests[turn] = MPI_REQUEST_NULL;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_set_name(comms[1], "by turns");
    truth_communicator(comms[1], "dup");
    for (int c = 0; c < N_COMMS; c++)
        truth_order_known(comms[c]);
    take_turns(requests);
    if (truth_rank == 0)
        state_all();
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    if (truth_rank == 0)
        receive_all();
    MPI_Waitall(N_TURNS, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&comms[1]);
    truth_finalize();
    return 0;
}
