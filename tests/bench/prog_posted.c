/*
 * Many posted receives on many communicators: rank 0 has them, evenly spread, posted to one communicator and the next.
 * Rank 1 sends what they wait for when the listing has been taken. The arguments are how many of each.
 */
#include <stdlib.h>

#include "tests/live/truth.h"

enum { BYTES = 8 };

static MPI_Comm *comms;
static int n_comms, n_receives;

static void post_all(void)
{
    char(*buffers)[BYTES] = truth_alloc((size_t)n_receives * BYTES);
    MPI_Request *requests = truth_alloc((size_t)n_receives * sizeof *requests);

    for (int i = 0; i < n_receives; i++)
        requests[i] = truth_irecv(comms[i % n_comms], buffers[i], BYTES, MPI_BYTE, 1, i);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    MPI_Waitall(n_receives, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n_receives; i++)
        truth_check(buffers[i], BYTES, 1, i);
}

static void send_all(void)
{
    char content[BYTES];

    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int i = 0; i < n_receives; i++) {
        truth_fill(content, BYTES, 1, i);
        MPI_Send(content, BYTES, MPI_BYTE, 0, i, comms[i % n_comms]);
    }
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    n_comms = argc == 3 ? atoi(argv[1]) : 0;
    n_receives = argc == 3 ? atoi(argv[2]) : 0;
    if (truth_size != 2 || n_comms < 1 || n_receives < 1)
        truth_fail("needs 2 ranks, a number of communicators and a number of receives");
    comms = truth_alloc((size_t)n_comms * sizeof *comms);
    comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < n_comms; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        truth_communicator(comms[i], "dup");
    }
    if (truth_rank == 0)
        post_all();
    else
        send_all();
    for (int i = 1; i < n_comms; i++)
        MPI_Comm_free(&comms[i]);
    truth_finalize();
    return 0;
}
