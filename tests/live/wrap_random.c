/*
 * A library that stands between a program and MPI, as profilers do, and takes its time in some calls: as one that
 * writes its trace out. MQD_WRAP_SEED starts its random numbers.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ONE_IN = 6, LEAST_MS = 200, MOST_MS = 1500 };

static void take_time(void)
{
    static unsigned random;
    const char *seed = getenv("MQD_WRAP_SEED");
    struct timespec left;
    unsigned ms;

    if (random == 0)
        random = (seed != NULL ? (unsigned)atoi(seed) : 1) * 2654435761u + (unsigned)getpid();
    random = random * 1103515245u + 12345;
    if ((random >> 16) % ONE_IN != 0)
        return;
    ms = LEAST_MS + (random >> 8) % (MOST_MS - LEAST_MS);
    left = (struct timespec){ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0)
        continue;
}

/* Name, parameters, arguments. */
#define WRAPPED(name, parameters, arguments)                                                                          \
    int MPI_##name parameters                                                                                         \
    {                                                                                                                 \
        int status;                                                                                                   \
                                                                                                                      \
        take_time();                                                                                                  \
        status = PMPI_##name arguments;                                                                               \
        return status;                                                                                                \
    }

WRAPPED(Send, (const void *b, int n, MPI_Datatype t, int r, int tag, MPI_Comm c), (b, n, t, r, tag, c))
WRAPPED(Ssend, (const void *b, int n, MPI_Datatype t, int r, int tag, MPI_Comm c), (b, n, t, r, tag, c))
WRAPPED(Recv, (void *b, int n, MPI_Datatype t, int r, int tag, MPI_Comm c, MPI_Status *s), (b, n, t, r, tag, c, s))
WRAPPED(Wait, (MPI_Request *r, MPI_Status *s), (r, s))
WRAPPED(Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
WRAPPED(Probe, (int r, int tag, MPI_Comm c, MPI_Status *s), (r, tag, c, s))
WRAPPED(Barrier, (MPI_Comm c), (c))
WRAPPED(Bcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c), (b, n, t, r, c))
WRAPPED(Reduce, (const void *b, void *in, int n, MPI_Datatype t, MPI_Op o, int r, MPI_Comm c), (b, in, n, t, o, r, c))
WRAPPED(Allreduce, (const void *b, void *in, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, in, n, t, o, c))
WRAPPED(Gather, (const void *b, int n, MPI_Datatype t, void *in, int m, MPI_Datatype u, int r, MPI_Comm c),
        (b, n, t, in, m, u, r, c))
WRAPPED(Win_fence, (int a, MPI_Win w), (a, w))
WRAPPED(Finalize, (void), ())
