/*
 * Jobs in which all wait for rank 2, which does something else than MPI: prog_states CASE. tests/live/states.py says
 * what is to be found out about each. With LIBRARY it is the library that one of the cases calls.
 */
#define _GNU_SOURCE
#ifdef LIBRARY
void use_library(void);
void use_library(void)
{
    for (volatile double x = 0;; x = x + 1)
        continue;
}
#else
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ready.h"

void use_library(void);

enum { TAG = 7, N_THREADS = 4 };

static void sleep_for_ever(void)
{
    const struct timespec hour = {.tv_sec = 3600};

    for (;;)
        nanosleep(&hour, NULL);
}

static void compute_for_ever(void)
{
    for (volatile double x = 0;; x = x + 1)
        continue;
}

/* Nobody writes. */
static void read_for_ever(void)
{
    int ends[2];
    char byte;

    if (pipe(ends) == 0 && read(ends[0], &byte, 1) < 0)
        perror("read");
}

static sigset_t signals;

/* The parent waits in the kernel, uninterruptibly, for its child to end. The test says when: it has found the ranks. */
static void wait_for_child(void)
{
    int number;

    sigwait(&signals, &number);
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
}

/* All threads but one wait in a barrier. */
static void leave_out_barrier(void)
{
#pragma omp parallel num_threads(N_THREADS)
    {
        if (omp_get_thread_num() == 0)
            sleep_for_ever();
#pragma omp barrier
    }
}

/* All threads but one wait for a lock. */
static void keep_lock(void)
{
#pragma omp parallel num_threads(N_THREADS)
    {
#pragma omp critical
        sleep_for_ever();
    }
}

/* Two processes that find each other by a port, whose name is in a file, wait for each other. */
static void receive_from(MPI_Comm other)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, 0, TAG, other, MPI_STATUS_IGNORE);
}

static void accept_one(const char *path)
{
    char port[MPI_MAX_PORT_NAME], other_path[4096];
    MPI_Comm other;
    FILE *file;

    MPI_Open_port(MPI_INFO_NULL, port);
    snprintf(other_path, sizeof other_path, "%s.new", path);
    file = fopen(other_path, "w");
    if (file == NULL || fputs(port, file) < 0 || fclose(file) != 0 || rename(other_path, path) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    receive_from(other);
}

static void connect_one(const char *path)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;
    FILE *file;

    while ((file = fopen(path, "r")) == NULL)
        nanosleep(&pause, NULL);
    if (fgets(port, sizeof port, file) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fclose(file);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    receive_from(other);
}

#define CASE(name, function) {name, function}
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE("sleeps", sleep_for_ever), CASE("computes", compute_for_ever), CASE("reads", read_for_ever),
    CASE("stuck", wait_for_child),  CASE("barrier", leave_out_barrier), CASE("lock", keep_lock),
    CASE("library", use_library),
};

int main(int argc, char **argv)
{
    int rank, size, level, value = 0;

    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    say_ready();
    if (argc > 2)
        (strcmp(argv[1], "accepts") == 0 ? accept_one : connect_one)(argv[2]);
    for (size_t i = 0; rank == 2 && i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, TAG, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
#endif
