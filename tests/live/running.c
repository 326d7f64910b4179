/*
 * running.c - a program of MPI and OpenMP that does not hang: it does the same over and over again, so that a look
 * finds its threads in the midst of what the runtime does. When it begins with that it makes a file.
 */
#include <fcntl.h>
#include <mpi.h>
#include <omp.h>
#include <string.h>

static volatile double result;

/* More for some threads, so that the others wait for them. */
static void compute(void)
{
    double sum = 0;

    for (int i = 0; i < 1000 * (1 + omp_get_thread_num() % 3); i++)
        sum += i;
    result = sum;
}

static void inner(int n)
{
#pragma omp parallel num_threads(n)
    {
        compute();
#pragma omp barrier
        compute();
    }
}

static void nested(void)
{
    static int n;

    n++;
#pragma omp parallel num_threads(4)
    compute();
#pragma omp parallel num_threads(2 + n % 2)
    {
        compute();
        inner(1 + (n + omp_get_thread_num()) % 3);
        compute();
    }
}

static void loops(void)
{
    static double sum;

#pragma omp parallel num_threads(6)
    {
        for (int i = 0; i < 100; i++) {
            compute();
#pragma omp barrier
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 16; i++)
            compute();
#pragma omp single
        compute();
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 16; i++)
            sum += i;
    }
}

static void tasks(void)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        {
            for (int i = 0; i < 16; i++) {
#pragma omp task
                compute();
            }
#pragma omp taskwait
#pragma omp taskgroup
            for (int i = 0; i < 16; i++) {
#pragma omp task
                compute();
            }
#pragma omp task
            compute();
        }
        compute();
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {{"loops", loops}, {"nested", nested}, {"tasks", tasks}};

int main(int n, char **arguments)
{
    int level;

    if (n != 3 || MPI_Init_thread(&n, &arguments, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return 1;
    omp_set_max_active_levels(2);
    if (creat(arguments[2], 0600) < 0)
        return 1;
    for (size_t i = 0;; i = (i + 1) % (sizeof kinds / sizeof *kinds))
        if (strcmp(kinds[i].name, arguments[1]) == 0)
            kinds[i].run();
}
