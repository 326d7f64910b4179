/*
 * Jobs that hang over single messages, or while they test for some, or at the end of MPI: prog_points CASE.
 * tests/live/points.py says what is to be found out about each.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ready.h"

static int rank, size;
static double data[100], more[100];

static void receive(int from, int tag, MPI_Comm communicator)
{
    MPI_Recv(data, 10, MPI_DOUBLE, from, tag, communicator, MPI_STATUS_IGNORE);
}

static void send(int to, int tag, MPI_Comm communicator)
{
    MPI_Send(data, 10, MPI_DOUBLE, to, tag, communicator);
}

/* Rank 0 has sent something, and ends in order. */
static void tag_finalize(void)
{
    if (rank == 0)
        send(1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        receive(0, 1, MPI_COMM_WORLD);
}

static void any_finalize(void)
{
    if (rank == 0)
        send(1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        receive(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD);
}

static void communicator_finalize(void)
{
    MPI_Comm ours;

    MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    MPI_Comm_set_name(ours, "ours");
    if (rank == 0)
        send(1, 5, ours);
    if (rank == 1)
        receive(0, 5, MPI_COMM_WORLD);
}

static void source_finalize(void)
{
    if (rank == 2)
        send(1, 5, MPI_COMM_WORLD);
    if (rank == 1)
        receive(0, 5, MPI_COMM_WORLD);
}

static void many_finalize(void)
{
    MPI_Request requests[2];

    if (rank == 0)
        return;
    MPI_Irecv(data, 10, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(more, 10, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Rank 1 would ask for the message next; that rank 0 waits for it too early is what is wrong. */
static void next_tag(void)
{
    if (rank == 0) {
        send(1, 2, MPI_COMM_WORLD);
        receive(1, 3, MPI_COMM_WORLD);
        send(1, 1, MPI_COMM_WORLD);
    } else {
        receive(0, 1, MPI_COMM_WORLD);
        receive(0, 2, MPI_COMM_WORLD);
        send(0, 3, MPI_COMM_WORLD);
    }
}

static void face_tag(void)
{
    if (rank == 0)
        MPI_Ssend(data, 10, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    else
        receive(0, 1, MPI_COMM_WORLD);
}

static int delete_attribute(MPI_Comm communicator, int key, void *value, void *unused)
{
    (void)communicator, (void)key, (void)value, (void)unused;
    receive(1, 6, MPI_COMM_WORLD);
    return MPI_SUCCESS;
}

/* The standard lets functions that are called in MPI_Finalize call MPI. */
static void callback(void)
{
    int key;

    if (rank == 0) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, data);
        return;
    }
    receive(0, 5, MPI_COMM_WORLD);
}

/* Rank 0 tests for tag 7 and gets tag 8. */
static void test_loop(void)
{
    MPI_Request request;
    int there = 0;

    if (rank == 1)
        send(0, 8, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Irecv(data, 10, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
        while (!there)
            MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void all_test(void)
{
    MPI_Request requests[2];
    int there = 0, n = 0, which[2];

    MPI_Irecv(data, 10, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(more, 10, MPI_DOUBLE, (rank + 1) % size, 8, MPI_COMM_WORLD, &requests[1]);
    while (!there && n == 0)
        if (rank % 2 == 0)
            MPI_Testall(2, requests, &there, MPI_STATUSES_IGNORE);
        else
            MPI_Testsome(2, requests, &n, which, MPI_STATUSES_IGNORE);
}

static void probe(void)
{
    if (rank == 0) {
        send(1, 8, MPI_COMM_WORLD);
        receive(1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Probe(0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void *sleep_for_ever(void *unused)
{
    (void)unused;
    for (;;)
        sleep(1);
    return NULL;
}

/* A thread that has nothing to do with MPI. */
static void helper(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, sleep_for_ever, NULL);
    receive((rank + size - 1) % size, 7, MPI_COMM_WORLD);
}

static void *thread_receives(void *tag)
{
    MPI_Recv(more, 10, MPI_DOUBLE, rank ^ 1, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void receivers(void)
{
    static int tag = 6;
    pthread_t thread;

    pthread_create(&thread, NULL, thread_receives, &tag);
    receive(rank ^ 1, 5, MPI_COMM_WORLD);
}

static void overtaking(void)
{
    MPI_Info info;
    MPI_Comm ours;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
    MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    MPI_Comm_set_info(ours, info);
    MPI_Comm_set_name(ours, "ours");
    receive((rank + size - 1) % size, 7, ours);
}

/* Every rank offers itself to a program that nobody starts. */
static void accept(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;

    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
}

#define CASE(name, level) {#name, name, MPI_THREAD_##level}
static const struct {
    const char *name;
    void (*run)(void);
    int level;
} cases[] = {
    CASE(tag_finalize, SINGLE), CASE(any_finalize, SINGLE), CASE(communicator_finalize, SINGLE),
    CASE(source_finalize, SINGLE), CASE(many_finalize, SINGLE), CASE(next_tag, SINGLE), CASE(face_tag, SINGLE),
    CASE(callback, SINGLE), CASE(test_loop, SINGLE), CASE(all_test, SINGLE), CASE(probe, SINGLE),
    CASE(helper, FUNNELED), CASE(receivers, MULTIPLE), CASE(overtaking, SINGLE), CASE(accept, SINGLE),
};

int main(int argc, char **argv)
{
    int provided;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && argc > 1; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        MPI_Init_thread(&argc, &argv, cases[i].level, &provided);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        say_ready();
        cases[i].run();
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "prog_points: no such case\n");
    return 2;
}
