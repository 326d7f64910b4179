/*
 * A random but repeatable program, of which the argument is the seed. In each round all ranks send messages to each
 * other on several communicators, and receive some of those that have arrived; between that they post receives that
 * nothing matches, cancel some. Every rank keeps account of all, and so knows what must be left.
 */
#include <stdio.h>
#include <stdlib.h>

#include "truth.h"

enum {
    MAX_RANKS = 16, N_ROUNDS = 6, N_SENT = 60, N_RECEIVED = 36, N_POSTED = 4, N_TAGS = 4, ROOM = 100000,
    MAX_MESSAGES = N_ROUNDS * N_SENT, MAX_POSTED = N_ROUNDS * N_POSTED, MARKER = 1000, FIRST_UNMATCHED = 500
};
enum comm_kind { WORLD, REVERSED, DUPLICATE, INTER, N_COMMS };
enum fate { WAITS, CANCELLED, PERSISTENT, N_FATES };

struct message {
    enum comm_kind comm;
    int from, to, tag, bytes; /* ranks in MPI_COMM_WORLD */
    bool synchronous, received;
    char *content;            /* the sender's */
    MPI_Request request;
};

static MPI_Comm comms[N_COMMS], rounds;
static struct message messages[MAX_MESSAGES];
static int n_messages, half, last_found[N_COMMS][MAX_RANKS];
static MPI_Request posted[MAX_POSTED];
static int n_posted;
static unsigned long state;

static int random_below(int n)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (int)((state >> 33) % (unsigned long)n);
}

static bool stays_here(const struct message *message)
{
    return !message->synchronous && message->bytes < ROOM;
}

/* What a process is called on a communicator: on the last one by those of the other half. */
static int rank_on(enum comm_kind comm, int rank)
{
    switch (comm) {
    case REVERSED:
        return truth_size - 1 - rank;
    case INTER:
        return rank % half;
    default:
        return rank;
    }
}

/* Of the process of this rank, for one that receives; -1 if it is not among those it can hear. */
static int process_of(enum comm_kind comm, int receiver, int rank)
{
    switch (comm) {
    case REVERSED:
        return truth_size - 1 - rank;
    case INTER:
        return receiver < half ? rank + half : rank;
    default:
        return rank;
    }
}

static int n_sources(enum comm_kind comm)
{
    return comm == INTER ? half : truth_size;
}

static void create_communicators(void)
{
    MPI_Comm local;

    comms[WORLD] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, 0, truth_size - truth_rank, &comms[REVERSED]);
    MPI_Comm_dup(MPI_COMM_WORLD, &rounds);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[DUPLICATE]);
    MPI_Comm_split(MPI_COMM_WORLD, truth_rank < half, truth_rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, truth_rank < half ? half : 0, 5, &comms[INTER]);
    MPI_Comm_free(&local);
    MPI_Comm_set_name(comms[REVERSED], "reversed");
    MPI_Comm_set_name(comms[DUPLICATE], "duplicate");
    MPI_Comm_set_name(comms[INTER], "halves");
    MPI_Comm_set_name(rounds, "rounds");
    truth_communicator(rounds, "rounds");
    truth_communicator(comms[REVERSED], "reversed");
    truth_communicator(comms[DUPLICATE], "duplicate");
    truth_communicator(comms[INTER], "halves");
}

static struct message *new_message(void)
{
    static const int sizes[] = {0, 8, 200, 600, ROOM};
    struct message *message = &messages[n_messages++];

    message->comm = (enum comm_kind)random_below(N_COMMS);
    message->from = random_below(truth_size);
    message->to = random_below(truth_size);
    if (message->comm == INTER)
        message->to = message->to % half + (message->from < half ? half : 0);
    message->tag = random_below(N_TAGS);
    message->bytes = sizes[random_below(sizeof sizes / sizeof *sizes)];
    message->synchronous = random_below(4) == 0;
    return message;
}

static void send(struct message *message)
{
    int to = rank_on(message->comm, message->to);

    message->content = truth_alloc((size_t)message->bytes + 1);
    truth_fill(message->content, (size_t)message->bytes, message->from, message->tag);
    if (stays_here(message))
        MPI_Send(message->content, message->bytes, MPI_BYTE, to, message->tag, comms[message->comm]);
    else if (message->synchronous)
        MPI_Issend(message->content, message->bytes, MPI_BYTE, to, message->tag, comms[message->comm],
                   &message->request);
    else
        MPI_Isend(message->content, message->bytes, MPI_BYTE, to, message->tag, comms[message->comm],
                  &message->request);
}

/* When these have been received, everything that was sent before has arrived. */
static void send_markers(void)
{
    MPI_Request requests[N_COMMS * MAX_RANKS];
    int n = 0;

    for (int comm = 0; comm < N_COMMS; comm++)
        for (int i = 0; i < n_sources(comm); i++)
            MPI_Isend(NULL, 0, MPI_BYTE, i, MARKER, comms[comm], &requests[n++]);
    for (int comm = 0; comm < N_COMMS; comm++)
        for (int i = 0; i < n_sources(comm); i++)
            MPI_Recv(NULL, 0, MPI_BYTE, i, MARKER, comms[comm], MPI_STATUS_IGNORE);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* From which of n sources, which may be any if it is known which that takes. */
static int random_source(int n)
{
    int source = random_below(n), any = random_below(2) == 0;

    return any && !truth_by_arrival() ? MPI_ANY_SOURCE : source;
}

/* The first message from a process that has this tag, or any. */
static struct message *first_from(enum comm_kind comm, int from, int to, int tag)
{
    for (int i = 0; i < n_messages; i++) {
        struct message *message = &messages[i];

        if (message->comm == comm && message->from == from && message->to == to && !message->received &&
            (tag == MPI_ANY_TAG || tag == message->tag))
            return message;
    }
    return NULL;
}

/* What a receive finds, in turn from the source after the last that one from any source found. */
static struct message *find(enum comm_kind comm, int to, int source, int tag)
{
    int n = n_sources(comm);

    if (source != MPI_ANY_SOURCE)
        return first_from(comm, process_of(comm, to, source), to, tag);
    for (int i = 1; i <= n; i++) {
        int rank = (last_found[comm][to] + i) % n;
        struct message *message = first_from(comm, process_of(comm, to, rank), to, tag);

        if (message) {
            last_found[comm][to] = rank;
            return message;
        }
    }
    return NULL;
}

static void receive(const struct message *message, int source, int tag, bool by_probe)
{
    char *buffer = truth_alloc(ROOM);
    MPI_Message handle;
    MPI_Request request;
    MPI_Status status;
    int count, arrived = 0;

    if (by_probe) {
        while (!arrived)
            MPI_Improbe(source, tag, comms[message->comm], &arrived, &handle, MPI_STATUS_IGNORE);
        MPI_Imrecv(buffer, ROOM, MPI_BYTE, &handle, &request);
    } else {
        MPI_Irecv(buffer, ROOM, MPI_BYTE, source, tag, comms[message->comm], &request);
    }
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (count != message->bytes || status.MPI_TAG != message->tag ||
        status.MPI_SOURCE != rank_on(message->comm, message->from))
        truth_fail("another message was received than should have been");
    truth_check(buffer, (size_t)count, message->from, message->tag);
}

/* Receives go on in the same order everywhere, so that nobody waits for somebody who waits for him. */
static void receive_some(void)
{
    for (int i = 0; i < N_RECEIVED; i++) {
        enum comm_kind comm = (enum comm_kind)random_below(N_COMMS);
        int to = random_below(truth_size), source = random_source(n_sources(comm)), tag = random_below(N_TAGS);
        bool by_probe = random_below(3) == 0;
        struct message *message;

        if (random_below(3) == 0)
            tag = MPI_ANY_TAG;
        message = find(comm, to, source, tag);
        if (!message)
            continue;
        message->received = true;
        if (message->to == truth_rank && message->from == truth_rank && !stays_here(message)) {
            receive(message, source, tag, by_probe);
            MPI_Wait(&message->request, MPI_STATUS_IGNORE);
        } else if (message->to == truth_rank) {
            receive(message, source, tag, by_probe);
        } else if (message->from == truth_rank && !stays_here(message)) {
            MPI_Wait(&message->request, MPI_STATUS_IGNORE);
        }
    }
}

/* Receives that nothing matches, by their tags. */
static void post(void)
{
    static char buffers[MAX_POSTED][8];

    for (int i = 0; i < N_POSTED; i++) {
        enum comm_kind comm = (enum comm_kind)random_below(N_COMMS);
        enum fate fate = (enum fate)random_below(N_FATES);
        int source = random_below(3) == 0 ? MPI_ANY_SOURCE : random_below(n_sources(comm));
        struct truth_op op = {.comm = comms[comm], .peer = source, .tag = FIRST_UNMATCHED + n_posted, .count = 8,
                              .buffer = buffers[n_posted], .type = MPI_BYTE, .kind = "Recv"};
        MPI_Request *request = &posted[n_posted++];

        op.persistent = fate == PERSISTENT;
        if (op.persistent) {
            MPI_Recv_init((void *)op.buffer, 8, MPI_BYTE, source, op.tag, op.comm, request);
            MPI_Start(request);
        } else {
            MPI_Irecv((void *)op.buffer, 8, MPI_BYTE, source, op.tag, op.comm, request);
        }
        op.request = *request;
        if (fate == CANCELLED) {
            MPI_Cancel(request);
            MPI_Wait(request, MPI_STATUS_IGNORE);
            continue;
        }
        truth_state(TRUTH_RECEIVES, op);
    }
}

static void state_sends(void)
{
    for (int i = 0; i < n_messages; i++) {
        const struct message *message = &messages[i];

        if (message->from == truth_rank && !message->received && !stays_here(message))
            truth_state(TRUTH_SENDS, (struct truth_op){
                .comm = comms[message->comm], .peer = rank_on(message->comm, message->to), .tag = message->tag,
                .buffer = message->content, .count = message->bytes, .type = MPI_BYTE, .request = message->request,
                .kind = message->synchronous ? "Ssend" : "Send"});
    }
}

static void state_unexpected(const struct message *message)
{
    char *content = truth_alloc((size_t)message->bytes + 1);
    bool eager = stays_here(message);

    truth_fill(content, (size_t)message->bytes, message->from, message->tag);
    truth_state(TRUTH_UNEXPECTED, (struct truth_op){
        .comm = comms[message->comm], .peer = rank_on(message->comm, message->from), .tag = message->tag,
        .buffer = content, .count = message->bytes, .type = MPI_BYTE, .rendezvous = !eager,
        .status = eager ? TRUTH_COMPLETE : TRUTH_PENDING});
}

static void state_all_unexpected(enum comm_kind comm)
{
    int n = n_sources(comm);

    for (int i = 1; i <= n; i++) {
        int source = (last_found[comm][truth_rank] + i) % n;

        for (int m = 0; m < n_messages; m++)
            if (messages[m].comm == comm && messages[m].to == truth_rank && !messages[m].received &&
                rank_on(comm, messages[m].from) == source)
                state_unexpected(&messages[m]);
    }
}

static void finish(void)
{
    for (int i = 0; i < n_messages; i++) {
        struct message *message = &messages[i];

        if (message->received)
            continue;
        if (message->to == truth_rank)
            receive(message, rank_on(message->comm, message->from), message->tag, false);
        if (message->from == truth_rank && !stays_here(message))
            MPI_Wait(&message->request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < n_posted; i++)
        if (posted[i] != MPI_REQUEST_NULL) {
            MPI_Cancel(&posted[i]);
            MPI_Wait(&posted[i], MPI_STATUS_IGNORE);
            if (posted[i] != MPI_REQUEST_NULL)
                MPI_Request_free(&posted[i]);
        }
    for (int i = 0; i < N_COMMS; i++)
        if (comms[i] != MPI_COMM_WORLD)
            MPI_Comm_free(&comms[i]);
    MPI_Comm_free(&rounds);
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    half = truth_size / 2;
    if (argc != 2 || truth_size % 2 || truth_size > MAX_RANKS)
        truth_fail("needs a seed, and an even number of ranks, 16 at most");
    state = strtoul(argv[1], NULL, 10);
    create_communicators();
    for (int round = 0; round < N_ROUNDS; round++) {
        post();
        for (int i = 0; i < N_SENT; i++) {
            struct message *message = new_message();

            if (message->from == truth_rank)
                send(message);
        }
        send_markers();
        receive_some();
        /* What comes next is not for receives of this round. A barrier may itself receive from any source. */
        MPI_Barrier(rounds);
    }
    state_sends();
    for (int comm = 0; comm < N_COMMS; comm++)
        state_all_unexpected((enum comm_kind)comm);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    finish();
    truth_finalize();
    return 0;
}
