/*
 * Messages that have arrived and that nobody has asked for: short, empty, long and too long to come without being
 * asked for, from several ranks (the receiver among them) on several communicators. With the argument "rotated", a few
 * were received from any source, which with ob1 changes the rank that such a receive looks at first; and one was taken
 * out of the queue by a matched probe.
 */
#include <string.h>

#include "truth.h"

enum { TINY = 1, EMPTY, SHORT, LONG, PROBED, LAST, SHORT_BYTES = 600, LONG_BYTES = 100000, N_COMMS = 3, N_TAKEN = 2 };

static const struct message {
    int tag, bytes;
} messages[] = {{TINY, 40},   {EMPTY, 0},         {TINY, 41},     {SHORT, SHORT_BYTES}, {LONG, LONG_BYTES},
                {PROBED, 80}, {LONG, LONG_BYTES}, {TINY, 42},     {EMPTY, 0},           {LAST, 8}};

enum { N_MESSAGES = sizeof messages / sizeof *messages };

static MPI_Comm comms[N_COMMS];
static bool rotated;

static bool is_long(int i)
{
    return messages[i].bytes == LONG_BYTES;
}

static void *content(int i, int source)
{
    void *buffer = truth_alloc((size_t)messages[i].bytes + 1);

    truth_fill(buffer, (size_t)messages[i].bytes, source, messages[i].tag);
    return buffer;
}

/* Communicators by turns. The short ones have left when they are sent; a long one waits for its receiver. */
static void send_all(MPI_Request *requests)
{
    for (int i = 0, n = 0; i < N_MESSAGES; i++)
        for (int c = 0; c < N_COMMS; c++) {
            int rank, receiver = c == N_COMMS - 1 ? truth_size - 1 : 0, bytes = messages[i].bytes;
            void *buffer;

            MPI_Comm_rank(comms[c], &rank);
            buffer = content(i, rank);
            if (!is_long(i)) {
                MPI_Send(buffer, bytes, MPI_BYTE, receiver, messages[i].tag, comms[c]);
                continue;
            }
            MPI_Isend(buffer, bytes, MPI_BYTE, receiver, messages[i].tag, comms[c], &requests[n++]);
            truth_state(TRUTH_SENDS, (struct truth_op){.comm = comms[c], .peer = receiver, .tag = messages[i].tag,
                                                       .buffer = buffer, .count = bytes, .type = MPI_BYTE,
                                                       .kind = "Send"});
        }
}

struct taken {
    bool gone[64][N_MESSAGES]; /* the messages of each source that are not left */
    int next_source;    /* where a receive from any source looks first */
    bool probed;
    int probed_source;
    MPI_Message message;
};

static void receive(MPI_Comm comm, int source, int i, MPI_Message *message)
{
    char *buffer = truth_alloc(LONG_BYTES);
    MPI_Status status;
    int count;

    if (message)
        MPI_Mrecv(buffer, LONG_BYTES, MPI_BYTE, message, &status);
    else
        MPI_Recv(buffer, LONG_BYTES, MPI_BYTE, source, messages[i].tag, comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (count != messages[i].bytes)
        truth_fail("a message has another length than it was sent with");
    truth_check(buffer, (size_t)messages[i].bytes, status.MPI_SOURCE, messages[i].tag);
}

/* The first of the messages with a tag that are left of a source. */
static int first_left(const struct taken *taken, int source, int tag)
{
    for (int i = 0; i < N_MESSAGES; i++)
        if (messages[i].tag == tag && !taken->gone[source][i])
            return i;
    truth_fail("a message was received that there was not");
    return 0;
}

/* Where sources take turns, each receive from any source finds another source than the one before. */
static void take_some(MPI_Comm comm, struct taken *taken)
{
    char first[64];
    int found = 0, count;

    for (int n = 0; n < N_TAKEN; n++) {
        MPI_Status status;
        int i;

        MPI_Recv(first, sizeof first, MPI_BYTE, MPI_ANY_SOURCE, TINY, comm, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        i = first_left(taken, status.MPI_SOURCE, TINY);
        if (count != messages[i].bytes || (i > 0 && !truth_by_arrival()))
            truth_fail("a receive from any source did not find the message that comes first");
        truth_check(first, (size_t)count, status.MPI_SOURCE, TINY);
        taken->gone[status.MPI_SOURCE][i] = true;
        taken->next_source = (status.MPI_SOURCE + 1) % truth_size;
    }
    taken->probed_source = taken->next_source;
    MPI_Improbe(taken->probed_source, PROBED, comm, &found, &taken->message, MPI_STATUS_IGNORE);
    if (!found)
        truth_fail("a message that had arrived was not found");
    taken->probed = true;
}

static bool is_left(const struct taken *taken, int source, int i)
{
    return !taken->gone[source][i] &&
           !(taken->probed && source == taken->probed_source && messages[i].tag == PROBED);
}

static void state_left(MPI_Comm comm, const struct taken *taken)
{
    for (int n = 0; n < truth_size; n++) {
        int source = (taken->next_source + n) % truth_size;

        for (int i = 0; i < N_MESSAGES; i++)
            if (is_left(taken, source, i))
                truth_state(TRUTH_UNEXPECTED, (struct truth_op){
                    .comm = comm, .peer = source, .tag = messages[i].tag, .buffer = content(i, source),
                    .count = messages[i].bytes, .type = MPI_BYTE, .rendezvous = is_long(i),
                    .status = is_long(i) ? TRUTH_PENDING : TRUTH_COMPLETE});
    }
}

static void receive_left(MPI_Comm comm, struct taken *taken)
{
    if (taken->probed)
        receive(comm, taken->probed_source, 5, &taken->message);
    for (int source = 0; source < truth_size; source++)
        for (int i = 0; i < N_MESSAGES; i++)
            if (is_left(taken, source, i))
                receive(comm, source, i, NULL);
}

static void be_receiver(void)
{
    struct taken taken[N_COMMS] = {{.next_source = 1}};

    for (int c = 0; c < N_COMMS; c++) {
        for (int source = 0; source < truth_size; source++)
            truth_await_message(comms[c], source, LAST);
        taken[c].next_source = 1;
        if (rotated)
            take_some(comms[c], &taken[c]);
        state_left(comms[c], &taken[c]);
    }
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int c = 0; c < N_COMMS; c++)
        receive_left(comms[c], &taken[c]);
}

int main(int argc, char **argv)
{
    MPI_Request requests[N_MESSAGES * N_COMMS];

    truth_init(&argc, &argv);
    if (truth_size < 3 || truth_size > 64)
        truth_fail("needs 3 to 64 ranks");
    rotated = argc > 1 && !strcmp(argv[1], "rotated");
    for (int i = 0; i < N_MESSAGES * N_COMMS; i++)
        requests[i] = MPI_REQUEST_NULL;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_set_name(comms[1], "results");
    MPI_Comm_split(MPI_COMM_WORLD, 0, truth_size - truth_rank, &comms[2]);
    truth_communicator(comms[1], "results");
    truth_communicator(comms[2], "reversed");
    send_all(requests);
    if (truth_rank == 0) {
        be_receiver();
    } else {
        truth_park(TRUTH_SLEEPS);
        truth_wait(TRUTH_SLEEPS);
    }
    MPI_Waitall(N_MESSAGES * N_COMMS, requests, MPI_STATUSES_IGNORE);
    for (int c = 1; c < N_COMMS; c++)
        MPI_Comm_free(&comms[c]);
    truth_finalize();
    return 0;
}
