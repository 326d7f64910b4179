/*
 * Jobs that hang, each for a reason of its own, and two that do not: prog_hang CASE. Each case is a function of its
 * name, which is where the stacks lead. tests/live/verdicts.py says what is to be found out about each.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ready.h"

enum { N_LARGE = 100000, N_FLOOD = 20000, N_CELLS = 2000, N_TASKS = 1 << 20 };

static char *program;
static int rank, size;
static double data[N_LARGE];

static void receive(int from, int tag, MPI_Comm communicator)
{
    MPI_Recv(data, 10, MPI_DOUBLE, from, tag, communicator, MPI_STATUS_IGNORE);
}

static void send(int to, int tag, MPI_Comm communicator)
{
    MPI_Send(data, 10, MPI_DOUBLE, to, tag, communicator);
}

static void compute_for_ever(void)
{
    for (volatile double x = 0;; x = x + 1)
        continue;
}

/* Everybody wants to receive first. */
static void ring(void)
{
    receive((rank + size - 1) % size, 7, MPI_COMM_WORLD);
    send((rank + 1) % size, 7, MPI_COMM_WORLD);
}

/*
 * The functions of MPI 4 for large counts, as they stand between a program and a library. Where the library has none,
 * up to Open MPI 5.0, its other ones do.
 */
int PMPI_Recv_c(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) __attribute__((weak));
int PMPI_Bcast_c(void *, MPI_Count, MPI_Datatype, int, MPI_Comm) __attribute__((weak));

int MPI_Recv_c(void *to, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status *status);
int MPI_Recv_c(void *to, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status *status)
{
    int rc = PMPI_Recv_c != NULL ? PMPI_Recv_c(to, n, type, from, tag, communicator, status)
                                 : MPI_Recv(to, (int)n, type, from, tag, communicator, status);

    return rc;
}

int MPI_Bcast_c(void *buffer, MPI_Count n, MPI_Datatype type, int root, MPI_Comm communicator);
int MPI_Bcast_c(void *buffer, MPI_Count n, MPI_Datatype type, int root, MPI_Comm communicator)
{
    int rc = PMPI_Bcast_c != NULL ? PMPI_Bcast_c(buffer, n, type, root, communicator)
                                  : MPI_Bcast(buffer, (int)n, type, root, communicator);

    return rc;
}

/* Rank 3 waits for a message, the others for rank 3. */
static void largecount(void)
{
    if (rank == 3)
        MPI_Recv_c(data, 10, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast_c(data, 10, MPI_DOUBLE, 3, MPI_COMM_WORLD);
    if (rank == 0)
        send(3, 7, MPI_COMM_WORLD);
}

/* Both of a pair want to send first. */
static void ssend(void)
{
    MPI_Ssend(data, 10, MPI_DOUBLE, rank ^ 1, 7, MPI_COMM_WORLD);
    receive(rank ^ 1, 7, MPI_COMM_WORLD);
}

/* The same with messages that are too large to leave without a receiver. */
static void rendezvous(void)
{
    MPI_Send(data, N_LARGE, MPI_DOUBLE, rank ^ 1, 7, MPI_COMM_WORLD);
    MPI_Recv(data, N_LARGE, MPI_DOUBLE, rank ^ 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tag(void)
{
    if (rank == 0)
        send(1, 5, MPI_COMM_WORLD);
    if (rank == 1)
        receive(0, 6, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Ours is a copy of MPI_COMM_WORLD: what is sent on one is not received on the other. */
static void communicator(void)
{
    MPI_Comm ours;

    MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    MPI_Comm_set_name(ours, "ours");
    if (rank == 0)
        send(1, 5, ours);
    if (rank == 1)
        receive(0, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 3 sends to rank 1 of "others", which is rank 2, and means rank 1 of MPI_COMM_WORLD. */
static void subrank(void)
{
    MPI_Comm part;

    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);
    MPI_Comm_set_name(part, rank == 0 ? "first" : "others");
    if (rank == 3)
        send(1, 5, part);
    if (rank == 1)
        receive(2, 5, part);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 3 wants something that it is to get after the barrier only. */
static void missing(void)
{
    if (rank == 3)
        receive(0, 9, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        send(3, 9, MPI_COMM_WORLD);
}

/* The same the other way round: nobody takes what rank 3 sends. */
static void unreceived(void)
{
    if (rank == 3)
        MPI_Ssend(data, 10, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void collectives(void)
{
    if (rank < 2)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allreduce(data, data + N_LARGE / 2, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void flood(void)
{
    if (rank == 0)
        for (int i = 0; i < N_FLOOD; i++)
            MPI_Send(&i, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    if (rank == 1) {
        receive(0, 4, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The error is returned, but nobody looks. */
static void truncated(void)
{
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        MPI_Irecv(data, 10, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(data, 20, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
    if (rank == 1)
        receive(0, 6, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void computing(void)
{
    if (rank == 2)
        compute_for_ever();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Somebody kills rank 2. */
static void crashed(void)
{
    if (rank == 2)
        compute_for_ever();
    receive(2, 5, MPI_COMM_WORLD);
}

/* Rank 2 does not come back from a library that ends programs. */
static void exited(void)
{
    if (rank == 2)
        _exit(3);
    receive(2, 5, MPI_COMM_WORLD);
}

/* The same, and nobody waits for it as yet. */
static void early(void)
{
    if (rank == 2)
        _exit(3);
    compute_for_ever();
}

static volatile sig_atomic_t may_stumble;

static void let_stumble(int signal)
{
    (void)signal;
    may_stumble = 1;
}

__attribute__((noinline)) static void stumble(double *nowhere)
{
    while (!may_stumble)
        continue;
    *nowhere = 1;
}

/* Rank 2 runs into an error of its own, when it is told to. */
static void segfault(void)
{
    signal(SIGUSR1, let_stumble);
    if (rank == 2)
        stumble((double *)8);
    receive(2, 5, MPI_COMM_WORLD);
}

static void finalized(void)
{
    if (rank == 1)
        receive(0, 5, MPI_COMM_WORLD);
}

static void intercomm(void)
{
    MPI_Comm half, both;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 11, &both);
    MPI_Comm_set_name(both, "both");
    receive(rank / 2, 5, both);
}

/* A job and one that it has started: each rank wants to hear from the same rank of the other one first. */
static void spawn(void)
{
    MPI_Comm other;

    MPI_Comm_get_parent(&other);
    if (other == MPI_COMM_NULL)
        MPI_Comm_spawn(program, (char *[]){"spawn", NULL}, size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    MPI_Comm_set_name(other, "other job");
    receive(rank, 5, other);
}

/* The same, in one communicator of both: the parents are its lower ranks, and wait for the children's barrier. */
static void merged(void)
{
    MPI_Comm other, all;
    int child;

    MPI_Comm_get_parent(&other);
    child = other != MPI_COMM_NULL;
    if (!child)
        MPI_Comm_spawn(program, (char *[]){"merged", NULL}, size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(other, child, &all);
    MPI_Comm_set_name(all, "all");
    if (child)
        receive(0, 5, all);
    MPI_Barrier(all);
}

static void waitall(void)
{
    MPI_Request requests[2];

    MPI_Irecv(data, 10, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data + 10, 10, MPI_DOUBLE, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void any(void)
{
    receive(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD);
}

static void probe(void)
{
    MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void self(void)
{
    if (rank == 1)
        MPI_Ssend(data, 10, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Ranks 0 and 1 think that 0 has the data, the others that 3 has. */
static void root(void)
{
    MPI_Bcast(data, N_LARGE, MPI_DOUBLE, rank < 2 ? 0 : 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One asks again and again, the others wait for it. */
static void polling(void)
{
    int there = 0;

    while (rank == 0 && !there)
        MPI_Iprobe(1, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    receive(0, 5, MPI_COMM_WORLD);
}

static void *thread_receives(void *unused)
{
    (void)unused;
    receive(rank ^ 1, 5, MPI_COMM_WORLD);
    return NULL;
}

/* The main thread waits for another one, which waits for a message. */
static void threads(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, thread_receives, NULL);
    pthread_join(thread, NULL);
}

/* Thread 1 waits for a message that the main thread would send, if it were not busy. */
static void one_thread_busy(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, thread_receives, NULL);
    compute_for_ever();
}

/* Jacobi steps on a ring of ranks, with every tenth residual, for as long as one lets it. */
static void stencil(void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double *old = data + 1, *new = data + N_CELLS + 4, sum, total;

    for (int step = 0;; step++) {
        MPI_Request requests[4];

        MPI_Irecv(&old[-1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&old[N_CELLS], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&old[N_CELLS - 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&old[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        sum = 0;
        for (int i = 0; i < N_CELLS; i++) {
            new[i] = (old[i - 1] + old[i + 1]) / 2;
            sum += new[i] - old[i];
        }
        memcpy(old, new, N_CELLS * sizeof *old);
        if (step % 10 == 0)
            MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (step % 1000 == 0)
            MPI_Sendrecv(data, N_LARGE / 4, MPI_DOUBLE, right, 3, data + N_LARGE / 2, N_LARGE / 4, MPI_DOUBLE, left, 3,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 0 hands out tasks of different lengths to whoever asks. */
static void workers(void)
{
    int task = 0;

    for (int i = 0; i < N_TASKS; i++) {
        if (rank == 0) {
            MPI_Status status;

            MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            task = i;
            MPI_Ssend(&task, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        } else {
            MPI_Send(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&task, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (volatile int k = 0; k < task % 97 * 3000; k = k + 1)
                continue;
        }
    }
}

#define CASE(name) {#name, name}
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(ring), CASE(ssend), CASE(rendezvous), CASE(tag), CASE(communicator), CASE(subrank), CASE(missing),
    CASE(largecount), CASE(unreceived), CASE(collectives), CASE(flood), CASE(truncated), CASE(computing), CASE(crashed),
    CASE(segfault), CASE(exited), CASE(early), CASE(finalized), CASE(intercomm), CASE(spawn), CASE(merged), CASE(waitall), CASE(any),
    CASE(probe), CASE(self), CASE(root), CASE(polling), CASE(threads), CASE(one_thread_busy), CASE(stencil),
    CASE(workers),
};

int main(int argc, char **argv)
{
    int level;

    program = argv[0];
    MPI_Init_thread(&argc, &argv, getenv("MQD_THREADS") != NULL ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    say_ready();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    return 0;
}
