/*
 * Receives that wait for messages: every kind of source and tag, several datatypes and communicators, posted in turn
 * to one communicator and the next.
 */
#include "truth.h"

enum { N_COMMS = 6, N_KINDS = 4, N_ROUNDS = 2, MAX_REQUESTS = N_COMMS * N_KINDS * N_ROUNDS, BUFFER_DOUBLES = 4096 };

static MPI_Comm comms[N_COMMS];
static MPI_Datatype types[6];
static double buffers[MAX_REQUESTS][BUFFER_DOUBLES];
static MPI_Request requests[MAX_REQUESTS];
static int n_requests;

/* The whole job, this process, a named duplicate, an unnamed one, the ranks turned round, and every other rank. */
static void create_communicators(void)
{
    comms[0] = MPI_COMM_WORLD;
    comms[1] = MPI_COMM_SELF;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
    MPI_Comm_set_name(comms[2], "halo \"50%\" \\ exchange");
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[3]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, truth_size - truth_rank, &comms[4]);
    MPI_Comm_set_name(comms[4], "reversed");
    MPI_Comm_split(MPI_COMM_WORLD, truth_rank % 2 ? MPI_UNDEFINED : 0, truth_rank, &comms[5]);
    truth_communicator(comms[2], "named");
    truth_communicator(comms[3], "unnamed");
    truth_communicator(comms[4], "reversed");
    truth_communicator(comms[5], "subset");
}

static void create_types(void)
{
    types[0] = MPI_INT;
    MPI_Type_contiguous(3, MPI_DOUBLE, &types[1]);
    MPI_Type_contiguous(7, MPI_FLOAT, &types[2]);
    MPI_Type_set_name(types[2], "particle");
    MPI_Type_vector(4, 2, 5, MPI_SHORT, &types[3]);
    types[4] = MPI_BYTE;
    types[5] = MPI_DOUBLE;
    for (int i = 1; i <= 3; i++)
        MPI_Type_commit(&types[i]);
}

/* Kinds: both given, any source, any tag, any of both. */
static void post(MPI_Comm comm, int kind, int i)
{
    static const int counts[] = {5, 1, 2, 3, 0, 1000};
    int rank, size, left, source, tag;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    left = (rank + size - 1) % size;
    source = kind & 1 ? MPI_ANY_SOURCE : left;
    tag = kind & 2 ? MPI_ANY_TAG : 10 + i;
    requests[n_requests++] = truth_irecv(comm, buffers[i], counts[i % 6], types[i % 6], source, tag);
}

/* All are cancelled, and each communicator still works. */
static void complete(void)
{
    int cancelled;
    MPI_Status status;

    for (int i = 0; i < n_requests; i++) {
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], &status);
        MPI_Test_cancelled(&status, &cancelled);
        if (!cancelled)
            truth_fail("a receive that nobody sent to could not be cancelled");
    }
    for (int i = 0; i < N_COMMS; i++) {
        int rank, sum, size;

        if (comms[i] == MPI_COMM_NULL)
            continue;
        MPI_Comm_rank(comms[i], &rank);
        MPI_Comm_size(comms[i], &size);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
        if (sum != size * (size - 1) / 2)
            truth_fail("a communicator no longer works");
        if (i >= 2)
            MPI_Comm_free(&comms[i]);
    }
    for (int i = 1; i <= 3; i++)
        MPI_Type_free(&types[i]);
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    create_communicators();
    create_types();
    for (int round = 0, i = 0; round < N_ROUNDS; round++)
        for (int kind = 0; kind < N_KINDS; kind++)
            for (int comm = 0; comm < N_COMMS; comm++)
                post(comms[comm], kind, i++);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    complete();
    truth_finalize();
    return 0;
}
