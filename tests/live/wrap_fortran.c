/*
 * A wrapper of MPI for Fortran: it calls MPI, and counts the call afterwards. With WRAP_SLEEP it takes more time before
 * that than any test has.
 */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

extern volatile long wrap_n_calls;
volatile long wrap_n_calls;

void pmpi_recv_(void *to, int *n, int *type, int *from, int *tag, int *communicator, int *status, int *error);

void mpi_recv_(void *to, int *n, int *type, int *from, int *tag, int *communicator, int *status, int *error);
void mpi_recv_(void *to, int *n, int *type, int *from, int *tag, int *communicator, int *status, int *error)
{
#if defined WRAP_SLEEP
    sleep(3600);
#endif
    pmpi_recv_(to, n, type, from, tag, communicator, status, error);
    wrap_n_calls++;
}
