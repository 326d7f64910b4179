/*
 * Threads that all block at once, each on a communicator of its own, so that it does not matter who came first: in
 * receives, probes, waits and sends. Rank 0 alone sleeps, and releases them.
 */
#include <pthread.h>
#include <stdio.h>

#include "truth.h"

enum { BYTES = 32, LARGE = 300000, TAG = 7, N_KINDS = 6 };

struct thread {
    pthread_t id;
    MPI_Comm comm;
    char buffer[LARGE];
};

static void *receive(void *context)
{
    struct thread *thread = context;

    MPI_Recv(thread->buffer, BYTES, MPI_BYTE, 0, TAG, thread->comm, MPI_STATUS_IGNORE);
    return NULL;
}

static void *receive_any(void *context)
{
    struct thread *thread = context;

    MPI_Recv(thread->buffer, BYTES, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, thread->comm, MPI_STATUS_IGNORE);
    return NULL;
}

static void *probe(void *context)
{
    struct thread *thread = context;

    MPI_Probe(0, TAG, thread->comm, MPI_STATUS_IGNORE);
    return receive(context);
}

static void *mprobe(void *context)
{
    struct thread *thread = context;
    MPI_Message message;

    MPI_Mprobe(0, TAG, thread->comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(thread->buffer, BYTES, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return NULL;
}

static void *wait_for_receive(void *context)
{
    struct thread *thread = context;
    MPI_Request request;

    MPI_Irecv(thread->buffer, BYTES, MPI_BYTE, 0, TAG, thread->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return NULL;
}

static void *send(void *context)
{
    struct thread *thread = context;

    MPI_Ssend(thread->buffer, LARGE, MPI_BYTE, 0, TAG, thread->comm);
    return NULL;
}

static const struct kind {
    void *(*run)(void *context);
    const char *text;
    enum truth_queue queue;
    int peer, tag, count;
} kinds[N_KINDS] = {
    {receive, "Recv", TRUTH_RECEIVES, 0, TAG, BYTES},
    {receive_any, "Recv", TRUTH_RECEIVES, MPI_ANY_SOURCE, MPI_ANY_TAG, BYTES},
    {probe, "Probe", TRUTH_RECEIVES, 0, TAG, 0},
    {mprobe, "Mprobe", TRUTH_RECEIVES, 0, TAG, 0},
    {wait_for_receive, "Recv", TRUTH_RECEIVES, 0, TAG, BYTES},
    {send, "Ssend", TRUTH_SENDS, 0, TAG, LARGE},
};

static void block(struct thread *threads)
{
    for (int i = 0; i < N_KINDS; i++) {
        const struct kind *kind = &kinds[i];

        truth_state(kind->queue, (struct truth_op){.comm = threads[i].comm, .peer = kind->peer, .tag = kind->tag,
                                                   .buffer = kind->count ? threads[i].buffer : NULL,
                                                   .count = kind->count, .type = MPI_BYTE, .kind = kind->text});
    }
    truth_park(TRUTH_BLOCKS);
    for (int i = 0; i < N_KINDS; i++)
        if (pthread_create(&threads[i].id, NULL, kinds[i].run, &threads[i]))
            truth_fail("no thread");
    for (int i = 0; i < N_KINDS; i++)
        pthread_join(threads[i].id, NULL);
}

static void release(struct thread *threads, int rank)
{
    for (int i = 0; i < N_KINDS; i++)
        if (kinds[i].queue == TRUTH_SENDS)
            MPI_Recv(threads[i].buffer, LARGE, MPI_BYTE, rank, TAG, threads[i].comm, MPI_STATUS_IGNORE);
        else
            MPI_Send(threads[i].buffer, BYTES, MPI_BYTE, rank, TAG, threads[i].comm);
}

int main(int argc, char **argv)
{
    static struct thread threads[N_KINDS];
    char key[32];
    int provided;

    truth_init(&argc, &argv);
    MPI_Query_thread(&provided);
    if (provided != MPI_THREAD_MULTIPLE)
        truth_fail("threads may not call MPI at the same time");
    for (int i = 0; i < N_KINDS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
        snprintf(key, sizeof key, "thread %d", i);
        MPI_Comm_set_name(threads[i].comm, key);
        truth_communicator(threads[i].comm, key);
        if (truth_rank == 0)
            truth_unknown(TRUTH_UNEXPECTED, threads[i].comm);
    }
    if (truth_rank > 0) {
        block(threads);
    } else {
        truth_park(TRUTH_SLEEPS);
        truth_wait(TRUTH_SLEEPS);
        for (int rank = 1; rank < truth_size; rank++)
            release(threads, rank);
    }
    for (int i = 0; i < N_KINDS; i++)
        MPI_Comm_free(&threads[i].comm);
    truth_finalize();
    return 0;
}
