/*
 * Ranks that hang in a blocking call: the argument says in which one. Rank 0 alone sleeps, and releases the others.
 */
#include <string.h>

#include "truth.h"

enum { N_RECEIVES = 3, LARGE = 300000, SMALL = 8, TAG = 40, FIRST_TAG = 50 };

static char large[LARGE], small[SMALL], received[N_RECEIVES][SMALL];

struct variant {
    const char *name;
    bool sends, receives;   /* what the blocked ranks do */
    int bytes;
    void (*block)(void);
};

static void block_in_recv(void)
{
    truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = 0, .tag = TAG, .buffer = small,
                                                  .count = SMALL, .type = MPI_BYTE, .kind = "Recv"});
    truth_park(TRUTH_BLOCKS);
    MPI_Recv(small, SMALL, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    truth_check(small, SMALL, 0, TAG);
}

static void block_in_any(void)
{
    truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG,
                                                  .buffer = small, .count = SMALL, .type = MPI_BYTE, .kind = "Recv"});
    truth_park(TRUTH_BLOCKS);
    MPI_Recv(small, SMALL, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    truth_check(small, SMALL, 0, TAG);
}

/* Behind a receive that is posted, and for a message that only the probe matches. */
static void block_in_probing(const char *kind, int source, int tag, void (*take)(int source, int tag))
{
    MPI_Request requests[2];

    requests[0] = truth_irecv(MPI_COMM_WORLD, received[0], SMALL, MPI_BYTE, 0, FIRST_TAG);
    truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = source, .tag = tag, .type = MPI_BYTE,
                                                  .kind = kind});
    truth_park(TRUTH_BLOCKS);
    take(source, tag);
    MPI_Irecv(received[1], SMALL, MPI_BYTE, 0, FIRST_TAG + 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void probe(int source, int tag)
{
    MPI_Status status;

    MPI_Probe(source, tag, MPI_COMM_WORLD, &status);
    MPI_Recv(small, SMALL, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    truth_check(small, SMALL, 0, FIRST_TAG + 2);
}

static void mprobe(int source, int tag)
{
    MPI_Message message;

    MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(small, SMALL, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    truth_check(small, SMALL, 0, FIRST_TAG + 2);
}

static void block_in_probe(void)
{
    block_in_probing("Probe", 0, FIRST_TAG + 2, probe);
}

static void block_in_probe_any(void)
{
    block_in_probing("Probe", MPI_ANY_SOURCE, MPI_ANY_TAG, probe);
}

static void block_in_mprobe(void)
{
    block_in_probing("Mprobe", MPI_ANY_SOURCE, FIRST_TAG + 2, mprobe);
}

static void post_receives(MPI_Request *requests)
{
    for (int i = 0; i < N_RECEIVES; i++)
        requests[i] = truth_irecv(MPI_COMM_WORLD, received[i], SMALL, MPI_BYTE, 0, FIRST_TAG + i);
    truth_park(TRUTH_BLOCKS);
}

static void block_in_waitall(void)
{
    MPI_Request requests[N_RECEIVES];

    post_receives(requests);
    MPI_Waitall(N_RECEIVES, requests, MPI_STATUSES_IGNORE);
}

static void block_in_waitany(void)
{
    MPI_Request requests[N_RECEIVES];
    int index;

    post_receives(requests);
    for (int i = 0; i < N_RECEIVES; i++)
        MPI_Waitany(N_RECEIVES, requests, &index, MPI_STATUS_IGNORE);
}

static void block_in_waitsome(void)
{
    MPI_Request requests[N_RECEIVES];
    int n, indices[N_RECEIVES];

    post_receives(requests);
    for (int i = 0; i < N_RECEIVES; i += n)
        MPI_Waitsome(N_RECEIVES, requests, &n, indices, MPI_STATUSES_IGNORE);
}

static void block_in_wait(void)
{
    MPI_Request requests[N_RECEIVES];

    post_receives(requests);
    for (int i = N_RECEIVES; i-- > 0;)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void state_send(const char *kind, const char *buffer, int bytes)
{
    truth_state(TRUTH_SENDS, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = 0, .tag = TAG, .buffer = buffer,
                                               .count = bytes, .type = MPI_CHAR, .kind = kind});
    truth_park(TRUTH_BLOCKS);
}

static void block_in_ssend(void)
{
    truth_fill(small, SMALL, truth_rank, TAG);
    state_send("Ssend", small, SMALL);
    MPI_Ssend(small, SMALL, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
}

static void block_in_send(void)
{
    truth_fill(large, LARGE, truth_rank, TAG);
    state_send("Send", large, LARGE);
    MPI_Send(large, LARGE, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
}

static void block_in_sendrecv(void)
{
    truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = 0, .tag = TAG, .buffer = small,
                                                  .count = SMALL, .type = MPI_BYTE, .kind = "Recv"});
    truth_fill(large, LARGE, truth_rank, TAG);
    state_send("Send", large, LARGE);
    MPI_Sendrecv(large, LARGE, MPI_CHAR, 0, TAG, small, SMALL, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    truth_check(small, SMALL, 0, TAG);
}

static const struct variant variants[] = {
    {"recv", false, true, SMALL, block_in_recv},
    {"any", false, true, SMALL, block_in_any},
    {"waitall", false, false, SMALL, block_in_waitall},
    {"waitany", false, false, SMALL, block_in_waitany},
    {"waitsome", false, false, SMALL, block_in_waitsome},
    {"wait", false, false, SMALL, block_in_wait},
    {"probe", false, false, SMALL, block_in_probe},
    {"probe-any", false, false, SMALL, block_in_probe_any},
    {"mprobe", false, false, SMALL, block_in_mprobe},
    {"ssend", true, false, SMALL, block_in_ssend},
    {"send", true, false, LARGE, block_in_send},
    {"sendrecv", true, true, LARGE, block_in_sendrecv},
};

/* What rank 0 has not received, in the order in which a receive from any source would. */
static void park_releaser(const struct variant *variant)
{
    static char expected[LARGE];

    for (int source = 1; variant->sends && source < truth_size; source++) {
        char *content = truth_alloc((size_t)variant->bytes);

        truth_fill(expected, (size_t)variant->bytes, source, TAG);
        memcpy(content, expected, (size_t)variant->bytes);
        truth_await_message(MPI_COMM_WORLD, source, TAG);
        truth_state(TRUTH_UNEXPECTED, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = source, .tag = TAG,
                                                        .buffer = content, .count = variant->bytes, .type = MPI_BYTE,
                                                        .rendezvous = true});
    }
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
}

static void release(const struct variant *variant, int rank)
{
    if (variant->sends) {
        MPI_Recv(large, variant->bytes, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        truth_check(large, (size_t)variant->bytes, rank, TAG);
    }
    if (variant->receives) {
        truth_fill(small, SMALL, 0, TAG);
        MPI_Send(small, SMALL, MPI_BYTE, rank, TAG, MPI_COMM_WORLD);
    }
    for (int i = N_RECEIVES; !variant->sends && !variant->receives && i-- > 0;) {
        truth_fill(small, SMALL, 0, FIRST_TAG + i);
        MPI_Send(small, SMALL, MPI_BYTE, rank, FIRST_TAG + i, MPI_COMM_WORLD);
    }
}

static const struct variant *find_variant(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof variants / sizeof *variants; i++)
        if (!strcmp(argv[1], variants[i].name))
            return &variants[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct variant *variant;

    truth_init(&argc, &argv);
    variant = find_variant(argc, argv);
    if (!variant)
        truth_fail("the argument must name the call to block in");
    if (truth_rank > 0) {
        variant->block();
    } else {
        park_releaser(variant);
        for (int rank = 1; rank < truth_size; rank++)
            release(variant, rank);
    }
    truth_finalize();
    return 0;
}
