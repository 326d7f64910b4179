/*
 * A wrapper of MPI, as profilers are: it is compiled for one of these ways.
 *   WRAP_PASS   calls MPI, and counts the call afterwards
 *   WRAP_TAIL   jumps to MPI's function, where that is optimised
 *   WRAP_SLEEP  takes its time before it calls MPI
 *   WRAP_MAP    counts too, and calls PMPI_Ssend for MPI_Send
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

extern volatile long wrap_n_calls;
volatile long wrap_n_calls;

#if defined WRAP_SLEEP
/* Not at the same time in all ranks. */
static void begin(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    nanosleep(&(struct timespec){0, 150000000 + now.tv_nsec % 300000000}, NULL);
}
#else
static void begin(void)
{
}
#endif

#if defined WRAP_TAIL
#define CALL(call) return call
#else
#define CALL(call)                                                                                                     \
    do {                                                                                                               \
        int rc = call;                                                                                                 \
                                                                                                                       \
        wrap_n_calls++;                                                                                                \
        return rc;                                                                                                     \
    } while (0)
#endif

int MPI_Recv(void *to, int n, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status *status)
{
    begin();
    CALL(PMPI_Recv(to, n, type, from, tag, communicator, status));
}

int MPI_Send(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm communicator)
{
    begin();
#if defined WRAP_MAP
    CALL(PMPI_Ssend(from, n, type, to, tag, communicator));
#else
    CALL(PMPI_Send(from, n, type, to, tag, communicator));
#endif
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    begin();
    CALL(PMPI_Wait(request, status));
}

int MPI_Gather(const void *from, int n_from, MPI_Datatype type_from, void *to, int n_to, MPI_Datatype type_to, int root,
               MPI_Comm communicator)
{
    begin();
    CALL(PMPI_Gather(from, n_from, type_from, to, n_to, type_to, root, communicator));
}
