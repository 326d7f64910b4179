/*
 * prog_latecomer LIBRARY FILE: ranks that wait for each other, of which the first notices that it was stopped, and maps
 * a library then; or, for "traced", has a child attach to it. It writes into a file for how many microseconds it has
 * stood still at most, as a number of 8 bytes, and when the other is done appends one byte.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

static const char *library;
static int file;

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void *beat(void *unused)
{
    uint64_t last = now(), longest = 0;

    for (;;) {
        uint64_t current = now();

        if (current - last > longest) {
            longest = current - last;
            if (pwrite(file, &longest, sizeof longest, 0) != (ssize_t)sizeof longest)
                return NULL;
        }
        last = current;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return unused;
}

static bool is_traced(void)
{
    pid_t parent = getpid();
    int attached[2];
    char byte;

    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    if (pipe(attached) != 0)
        return false;
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (ptrace(PTRACE_SEIZE, parent, NULL, NULL) != 0 && errno == EPERM)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (write(attached[1], "t", 1) == 1)
            pause();
        _exit(1);
    }
    return read(attached[0], &byte, 1) == 1;
}

/* A wait for events ends when the thread was stopped; most other system calls are continued. */
static void *notice(void *unused)
{
    int events = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;

    while (epoll_wait(events, &event, 1, -1) >= 0 || errno != EINTR)
        continue;
    if ((strcmp(library, "traced") == 0 ? is_traced() : dlopen(library, RTLD_NOW) != NULL) &&
        pwrite(file, "m", 1, sizeof(uint64_t)) != 1)
        return NULL;
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int rank, size, word = 0, given;

    if (argc != 3)
        return 2;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    library = argv[1];
    file = rank == 0 ? open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file >= 0 &&
        (pthread_create(&thread, NULL, beat, NULL) != 0 || pthread_create(&thread, NULL, notice, NULL) != 0))
        return 1;
    MPI_Recv(&word, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
