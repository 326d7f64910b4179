/*
 * hybrid.c - a program of MPI and OpenMP whose threads hang in the way that is asked for.
 *
 * Before a thread stops to get on it says what it does: see says.h.
 */
#include <fcntl.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "says.h"

omp_lock_t faces;
omp_nest_lock_t cells;
static volatile int started;

#define TELL(state, object) \
    say(omp_get_thread_num(), omp_get_num_threads(), omp_get_level(), state, object, __LINE__)

/*
 * Compilers leave out a barrier directly before the end of a region, or have no frame of the function whose last call it
 * is, as of other functions.
 */
static void go_on(void)
{
    started = 1;
}

static void rest(void)
{
    for (;;)
        pause();
}

static void await_start(void)
{
    while (!started)
        usleep(1000);
}

static void barrier(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 3) {
            TELL("work_parallel", NULL);
            rest();
        }
        TELL("wait_barrier_explicit", NULL);
#pragma omp barrier
    }
}

static void implicit(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 1) {
            TELL("work_parallel", NULL);
            rest();
        }
        TELL("wait_barrier_implicit_parallel", NULL);
    }
}

static void lock(void)
{
    omp_init_lock(&faces);
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 2) {
            omp_set_lock(&faces);
            TELL("work_parallel", NULL);
            started = 1;
            rest();
        }
        await_start();
        TELL("wait_lock", &faces);
        omp_set_lock(&faces);
        go_on();
    }
}

static void nest_lock(void)
{
    omp_init_nest_lock(&cells);
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_nest_lock(&cells);
            omp_set_nest_lock(&cells);
            TELL("work_parallel", NULL);
            started = 1;
            rest();
        }
        await_start();
        TELL("wait_lock", &cells);
        omp_set_nest_lock(&cells);
        go_on();
    }
}

static void critical(void)
{
#pragma omp parallel num_threads(4)
    {
        while (omp_get_thread_num() != 0 && !started)
            usleep(1000);
        if (omp_get_thread_num() != 0)
            TELL("wait_critical", NULL);
#pragma omp critical
        {
            TELL("work_parallel", NULL);
            started = 1;
            rest();
        }
    }
}

static void critical_named(void)
{
#pragma omp parallel num_threads(4)
    {
        while (omp_get_thread_num() != 0 && !started)
            usleep(1000);
        if (omp_get_thread_num() != 0)
            TELL("wait_critical", NULL);
#pragma omp critical(update)
        {
            TELL("work_parallel", NULL);
            started = 1;
            rest();
        }
    }
}

static void work_in_task(void)
{
    TELL("work_parallel", NULL);
    started = 1;
    rest();
}

static void taskwait(void)
{
#pragma omp parallel num_threads(4)
    {
        TELL("wait_barrier_implicit_workshare", NULL);
#pragma omp single
        {
#pragma omp task
            work_in_task();
            await_start();
            TELL("wait_taskwait", NULL);
#pragma omp taskwait
        }
        go_on();
    }
}

static void taskgroup(void)
{
#pragma omp parallel num_threads(4)
    {
        TELL("wait_barrier_implicit_workshare", NULL);
#pragma omp single
        {
#pragma omp taskgroup
            {
#pragma omp task
                work_in_task();
                await_start();
                TELL("wait_taskgroup", NULL);
            }
        }
        go_on();
    }
}

static void depend(void)
{
    int x = 0;

#pragma omp parallel num_threads(4)
    {
        TELL("wait_barrier_implicit_workshare", NULL);
#pragma omp single
        {
#pragma omp task depend(out : x)
            work_in_task();
            await_start();
            TELL("wait_taskwait", NULL);
#pragma omp task depend(in : x) if (0)
            x++;
        }
        go_on();
    }
}

static void inner(int outer)
{
#pragma omp parallel num_threads(3)
    {
        if (outer == 1 && omp_get_thread_num() == 2) {
            TELL("work_parallel", NULL);
            rest();
        }
        if (outer == 0)
            TELL("work_parallel", NULL);
        while (outer == 0)
            pause();
        TELL("wait_barrier_explicit", NULL);
#pragma omp barrier
    }
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#if __GNUC__ < 11 && !defined(__clang__)
    omp_set_nested(1);
#endif
#pragma omp parallel num_threads(2)
    inner(omp_get_thread_num());
}

static void single(void)
{
#pragma omp parallel num_threads(4)
    {
        TELL("wait_barrier_implicit_workshare", NULL);
#pragma omp single
        {
            TELL("work_parallel", NULL);
            rest();
        }
        go_on();
    }
}

static void ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(4)
    for (int i = 0; i < 4; i++) {
        TELL("wait_ordered", NULL);
#pragma omp ordered
        {
            TELL("work_parallel", NULL);
            rest();
        }
    }
}

static void sections(void)
{
#pragma omp parallel num_threads(4)
    {
        TELL("wait_barrier_implicit_workshare", NULL);
#pragma omp sections
        {
#pragma omp section
            {
                TELL("work_parallel", NULL);
                rest();
            }
#pragma omp section
            usleep(1);
        }
        go_on();
    }
}

static void idle(void)
{
#pragma omp parallel num_threads(4)
    TELL("idle", NULL);
    TELL("work_serial", NULL);
    rest();
}

static void loop(void)
{
#pragma omp parallel num_threads(4)
    {
        TELL("wait_barrier_implicit_workshare", NULL);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 4; i++)
            if (i == 0) {
                TELL("work_parallel", NULL);
                rest();
            }
        go_on();
    }
}

static void *region_of_thread(void *nothing)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            TELL("work_parallel", NULL);
            rest();
        }
        TELL("wait_barrier_explicit", NULL);
#pragma omp barrier
    }
    return nothing;
}

static void pthreads(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, region_of_thread, NULL) != 0)
            abort();
    say(-1, 0, 0, "none", NULL, __LINE__);
    rest();
}

static void ends(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 2) {
            TELL("ended", NULL);
            pthread_exit(NULL);
        }
        TELL("wait_barrier_explicit", NULL);
#pragma omp barrier
    }
}

static void cancel(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0) {
            TELL("work_parallel", NULL);
            rest();
        }
        TELL("wait_barrier_implicit_parallel", NULL);
#pragma omp cancel parallel
    }
}

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

static void mutex(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 1) {
            pthread_mutex_lock(&shared);
            TELL("work_parallel", NULL);
            started = 1;
            rest();
        }
        await_start();
        TELL("wait_mutex", &shared);
        pthread_mutex_lock(&shared);
        go_on();
    }
}

/* The last thread of the team waits for a message, the others for that thread. */
static void message(void)
{
    int number;

#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 3) {
            TELL("work_parallel", NULL);
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        TELL("wait_barrier_explicit", NULL);
#pragma omp barrier
    }
}

static void *hold(void *name)
{
    prctl(PR_SET_NAME, name);
    pthread_mutex_lock(&shared);
    say(-1, 0, 0, "work_serial", NULL, __LINE__);
    started = 1;
    rest();
    return name;
}

static void *await_mutex(void *name)
{
    prctl(PR_SET_NAME, name);
    await_start();
    say(-1, 0, 0, "wait_mutex", &shared, __LINE__);
    pthread_mutex_lock(&shared);
    return name;
}

/* Threads of no team, which have names. */
static void posix(void)
{
    static char names[][8] = {"writer", "io-0", "io-1"};
    pthread_t thread;

    for (int i = 0; i < 3; i++)
        if (pthread_create(&thread, NULL, i == 0 ? hold : await_mutex, names[i]) != 0)
            abort();
    rest();
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {
    {"barrier", barrier}, {"implicit", implicit}, {"lock", lock}, {"nest_lock", nest_lock}, {"critical", critical},
    {"critical_named", critical_named}, {"taskwait", taskwait}, {"taskgroup", taskgroup}, {"depend", depend},
    {"nested", nested}, {"single", single}, {"ordered", ordered}, {"sections", sections}, {"idle", idle},
    {"loop", loop}, {"pthreads", pthreads}, {"ends", ends}, {"cancel", cancel}, {"mutex", mutex},
    {"message", message}, {"posix", posix},
};

int main(int n, char **arguments)
{
    int level;

    if (n != 3 || MPI_Init_thread(&n, &arguments, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
        return 1;
    told = open(arguments[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, arguments[1]) == 0)
            kinds[i].run();
    return MPI_Finalize();
}
