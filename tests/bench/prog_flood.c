/*
 * Many short messages that nobody has asked for: every other rank sends its share to rank 0, which lets them arrive.
 * The argument is how many in all.
 */
#include <stdlib.h>

#include "tests/live/truth.h"

enum { BYTES = 16 };

static int n_messages;

static int sender_of(int i)
{
    return 1 + i % (truth_size - 1);
}

/* In the order of a receive from any source: one source after the other, of each as it sent them. */
static void state_all(void)
{
    for (int source = 1; source < truth_size; source++)
        for (int i = 0; i < n_messages; i++) {
            char *content;

            if (sender_of(i) != source)
                continue;
            content = truth_alloc(BYTES);
            truth_fill(content, BYTES, source, i);
            truth_state(TRUTH_UNEXPECTED, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = source, .tag = i,
                                                            .buffer = content, .count = BYTES, .type = MPI_BYTE,
                                                            .status = TRUTH_COMPLETE});
        }
}

static void receive_all(void)
{
    char buffer[BYTES];

    for (int i = n_messages - 1; i >= 0 && i >= n_messages - (truth_size - 1); i--)
        truth_await_message(MPI_COMM_WORLD, sender_of(i), i);
    state_all();
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int i = 0; i < n_messages; i++) {
        MPI_Recv(buffer, BYTES, MPI_BYTE, sender_of(i), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        truth_check(buffer, BYTES, sender_of(i), i);
    }
}

static void send_all(void)
{
    char content[BYTES];

    for (int i = 0; i < n_messages; i++) {
        if (sender_of(i) != truth_rank)
            continue;
        truth_fill(content, BYTES, truth_rank, i);
        MPI_Send(content, BYTES, MPI_BYTE, 0, i, MPI_COMM_WORLD);
    }
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    n_messages = argc == 2 ? atoi(argv[1]) : 0;
    if (truth_size < 2 || n_messages < 1)
        truth_fail("needs 2 ranks at least and a number of messages");
    if (truth_rank == 0)
        receive_all();
    else
        send_all();
    truth_finalize();
    return 0;
}
