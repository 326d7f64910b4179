/*
 * posix.c - a program of MPI and POSIX threads, without OpenMP, whose threads wait for each other.
 *
 * Before a thread stops to get on it says what it does: see says.h. One that is in no team has the number -1.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include "says.h"

pthread_mutex_t faces = PTHREAD_MUTEX_INITIALIZER, cells = PTHREAD_MUTEX_INITIALIZER, again = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t inherits, robust;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_hold;

#define TELL(state, object) say(-1, 0, 0, state, object, __LINE__)

static void *faces_then_cells(void *nothing)
{
    pthread_setname_np(pthread_self(), "halo");
    pthread_mutex_lock(&faces);
    pthread_barrier_wait(&all_hold);
    TELL("wait_mutex", &cells);
    pthread_mutex_lock(&cells);
    return nothing;
}

static void *cells_then_faces(void *nothing)
{
    pthread_mutex_lock(&cells);
    pthread_barrier_wait(&all_hold);
    TELL("wait_mutex", &faces);
    pthread_mutex_lock(&faces);
    return nothing;
}

static void *the_same_again(void *nothing)
{
    pthread_mutex_lock(&again);
    TELL("wait_mutex", &again);
    pthread_mutex_lock(&again);
    return nothing;
}

static void *inherited(void *nothing)
{
    TELL("wait_mutex", &inherits);
    pthread_mutex_lock(&inherits);
    return nothing;
}

static void *robustly(void *nothing)
{
    TELL("wait_mutex", &robust);
    pthread_mutex_lock(&robust);
    return nothing;
}

static void *until_ready(void *nothing)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&own);
    TELL("wait_condition", &ready);
    pthread_cond_wait(&ready, &own);
    return nothing;
}

/* It gets on by itself. */
static void *for_a_day(void *nothing)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 24 * 60 * 60;
    pthread_mutex_lock(&own);
    TELL("none", NULL);
    pthread_cond_timedwait(&ready, &own, &end);
    return nothing;
}

static void make_mutex(pthread_mutex_t *mutex, int protocol, int robustness)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutexattr_setrobust(&attributes, robustness);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutex_lock(mutex);
}

int main(int n, char **arguments)
{
    static void *(*const functions[])(void *) = {faces_then_cells, cells_then_faces, the_same_again, inherited,
                                                 robustly,         until_ready,      for_a_day};
    pthread_t thread;
    int level;

    if (n != 2 || MPI_Init_thread(&n, &arguments, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return 1;
    told = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
    pthread_barrier_init(&all_hold, NULL, 2);
    make_mutex(&inherits, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
    make_mutex(&robust, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
    TELL("none", NULL);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (pthread_create(&thread, NULL, functions[i], NULL) != 0)
            return 1;
    for (;;)
        pause();
}
