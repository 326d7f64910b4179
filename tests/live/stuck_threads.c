/*
 * stuck_threads.c - programs of two ranks whose threads are why they hang, and healthy ones. The first argument says
 * which; what mqdump says of each is in stuck_threads.py.
 */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

omp_lock_t faces, cells;
omp_nest_lock_t outer, inner;
pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static volatile int n_ready;
static int rank;
static double value;

/* Returns when so many have called it. */
static void meet(int n)
{
    __atomic_add_fetch(&n_ready, 1, __ATOMIC_SEQ_CST);
    while (n_ready < n)
        usleep(1000);
}

static void receive(int tag)
{
    MPI_Recv(&value, 1, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barrier(void)
{
    if (rank == 1)
        receive(6);
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 3)
            receive(5);
#pragma omp barrier
        if (omp_get_thread_num() == 3)
            puts("done");
    }
}

static void locks(void)
{
    if (rank == 0) {
        omp_init_lock(&faces);
        omp_init_lock(&cells);
#pragma omp parallel num_threads(2)
        {
            omp_lock_t *first = omp_get_thread_num() == 0 ? &cells : &faces;

            omp_set_lock(first);
            meet(2);
            omp_set_lock(first == &cells ? &faces : &cells);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void nest_locks(void)
{
    if (rank == 0) {
        omp_init_nest_lock(&outer);
        omp_init_nest_lock(&inner);
#pragma omp parallel num_threads(2)
        {
            omp_nest_lock_t *first = omp_get_thread_num() == 0 ? &outer : &inner;

            omp_set_nest_lock(first);
            meet(2);
            omp_set_nest_lock(first == &outer ? &inner : &outer);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A barrier in MPI is for all threads, and the other rank's threads come to it. */
static void critical(void)
{
    if (rank == 0) {
#pragma omp parallel num_threads(4)
        {
            if (omp_get_thread_num() != 2)
                while (n_ready == 0)
                    usleep(1000);
#pragma omp critical(update)
            {
                n_ready = 1;
                receive(5);
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void exchange(void)
{
    n_ready = 1;
    receive(5);
}

static void task(void)
{
    if (rank == 0) {
#pragma omp parallel num_threads(4)
        {
            if (omp_get_thread_num() == 1) {
#pragma omp task
                exchange();
                while (n_ready == 0)
                    usleep(1000);
#pragma omp taskwait
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each rank has a second thread in MPI, and only the first one may be there. */
static void wrong(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 1)
            receive(5);
        if (omp_get_thread_num() == 0)
            receive(6);
    }
}

static void ends(void)
{
    if (rank == 0) {
#pragma omp parallel num_threads(4)
        {
            if (omp_get_thread_num() == 2)
                pthread_exit(NULL);
#pragma omp barrier
            value += 1;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *lock_both(void *first)
{
    pthread_mutex_lock(first);
    meet(2);
    pthread_mutex_lock(first == &left ? &right : &left);
    return NULL;
}

static void mutexes(void)
{
    pthread_t threads[2];

    if (rank == 0) {
#pragma omp parallel num_threads(2)
        value += 1;
        pthread_create(&threads[0], NULL, lock_both, &left);
        pthread_create(&threads[1], NULL, lock_both, &right);
        pthread_join(threads[0], NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Loops, tasks, locks, sections and regions inside of others, with MPI between and within. */
static void healthy(void)
{
    double all = 0, sum = 0, cellsum[64] = {0};

    omp_init_lock(&faces);
    omp_init_nest_lock(&outer);
    for (long step = 0;; step++) {
#pragma omp parallel for num_threads(4) schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < 2000; i++)
            sum += cellsum[i % 64] + i;
#pragma omp parallel num_threads(4)
        {
#pragma omp critical(update)
            value += 1;
            omp_set_lock(&faces);
            value += 1;
            omp_unset_lock(&faces);
            omp_set_nest_lock(&outer);
            value += 1;
            omp_unset_nest_lock(&outer);
#pragma omp single
            for (int i = 0; i < 8; i++) {
#pragma omp task
                cellsum[i] += 1;
            }
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            MPI_Sendrecv(&value, 1, MPI_DOUBLE, 1 - rank, 7, &all, 1, MPI_DOUBLE, 1 - rank, 7, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
#pragma omp barrier
#pragma omp taskgroup
            {
#pragma omp task
                cellsum[8 + omp_get_thread_num()] += 1;
            }
        }
        if (step % 16 == rank)
            usleep(2000);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum = 0;
    }
}

/* Another thread than the main one has initialised MPI, and may call it. */
static void elsewhere(void)
{
    receive(5);
}

struct test_case {
    const char *name;
    void (*run)(void);
    int level;
};

static void *execute(void *argument)
{
    const struct test_case *one = argument;
    int provided;

    MPI_Init_thread(NULL, NULL, one->level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    one->run();
    MPI_Finalize();
    return NULL;
}

int main(int argc, char **argv)
{
    static struct test_case cases[] = {
        {"barrier", barrier, MPI_THREAD_MULTIPLE},       {"locks", locks, MPI_THREAD_MULTIPLE},
        {"nest_locks", nest_locks, MPI_THREAD_MULTIPLE}, {"critical", critical, MPI_THREAD_MULTIPLE},
        {"task", task, MPI_THREAD_MULTIPLE},             {"wrong", wrong, MPI_THREAD_FUNNELED},
        {"ends", ends, MPI_THREAD_MULTIPLE},             {"mutexes", mutexes, MPI_THREAD_MULTIPLE},
        {"healthy", healthy, MPI_THREAD_FUNNELED},       {"at_once", wrong, MPI_THREAD_SERIALIZED},
        {"elsewhere", elsewhere, MPI_THREAD_FUNNELED}};

    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
        pthread_t thread;

        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        if (cases[i].run != elsewhere)
            execute(&cases[i]);
        else if (pthread_create(&thread, NULL, execute, &cases[i]) == 0)
            pthread_join(thread, NULL);
        return 0;
    }
    return 2;
}
