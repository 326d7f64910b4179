/*
 * mixed.c - a program of MPI whose parts have OpenMP runtimes of their own: a thread of gcc's region begins clang's in
 * it. It is compiled twice. Threads say what they do: see says.h.
 *
 * Both runtimes have functions like omp_get_thread_num, and the program gets gcc's: clang's is looked for.
 */
#include <stdlib.h>
#include <unistd.h>

typedef int number_function(void);
typedef void tell_function(int number, int size, int level, const char *state, const void *object, int line);

void inner(number_function *number, tell_function *tell);

static void rest(void)
{
    for (;;)
        pause();
}

#ifdef INNER

void inner(number_function *number, tell_function *tell)
{
#pragma omp parallel num_threads(3)
    {
        if (number() == 2) {
            tell(2, 3, 1, "work_parallel", NULL, __LINE__);
            rest();
        }
        tell(number(), 3, 1, "wait_barrier_explicit", NULL, __LINE__);
#pragma omp barrier
        rest();
    }
}

#else

#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <omp.h>

#include "says.h"

int main(int n, char **arguments)
{
    void *library = dlopen("libomp.so.5", RTLD_NOW | RTLD_NOLOAD);
    number_function *number = library != NULL ? (number_function *)dlsym(library, "omp_get_thread_num") : NULL;
    int level;

    if (n != 2 || number == NULL || MPI_Init_thread(&n, &arguments, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return 1;
    told = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            inner(number, say);
        say(0, 2, 1, "wait_barrier_explicit", NULL, __LINE__);
#pragma omp barrier
        rest();
    }
    return 0;
}

#endif
