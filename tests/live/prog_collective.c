/*
 * A collective that one rank does not reach; the argument says which. Open MPI's own messages are no operations of the
 * user's, but explain why the others hang; what the user has posted himself is there all the same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "truth.h"

enum { TAG = 12, N_BEFORE = 3 };

static void barrier(MPI_Comm comm)
{
    MPI_Barrier(comm);
}

static void bcast(MPI_Comm comm)
{
    char buffer[4] = {0};

    MPI_Bcast(buffer, 4, MPI_CHAR, 0, comm);
}

static void ibarrier(MPI_Comm comm)
{
    MPI_Request request;

    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Part of MPI since 5.0, and before that an extension of Open MPI's under another name. */
static void persistent(MPI_Comm comm)
{
    int (*init)(MPI_Comm, MPI_Info, MPI_Request *);
    MPI_Request request;

    *(void **)&init = dlsym(RTLD_DEFAULT, "MPI_Barrier_init");
    if (!init)
        *(void **)&init = dlsym(RTLD_DEFAULT, "MPIX_Barrier_init");
    if (!init)
        truth_fail("there are no persistent collectives");
    init(comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

static void allreduce(MPI_Comm comm)
{
    int value = 1;

    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, comm);
    if (value != truth_size)
        truth_fail("the sum is wrong");
}

/* On a ring everybody is a neighbour of everybody if there are three. */
static void neighbor(MPI_Comm comm)
{
    int values[2];

    MPI_Neighbor_allgather(&truth_rank, 1, MPI_INT, values, 1, MPI_INT, comm);
}

/* The new communicator is not there before all have agreed on it, nor is it listed. */
static void dup(MPI_Comm comm)
{
    MPI_Comm copy;

    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&copy);
}

static void idup(MPI_Comm comm)
{
    MPI_Comm copy;
    MPI_Request request;

    MPI_Comm_idup(comm, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
}

static const struct variant {
    const char *name;
    void (*call)(MPI_Comm comm);
    const char *text;
    int n_nonblocking;        /* that it starts on its communicator; -1: that is Open MPI's business */
} variants[] = {
    {"barrier", barrier, "MPI_Barrier", 0},
    {"bcast", bcast, "MPI_Bcast", 0},
    {"ibarrier", ibarrier, "non-blocking collective", 1},
    {"persistent", persistent, "non-blocking collective", 1},
    {"allreduce", allreduce, "MPI_Allreduce", 0},
    {"neighbor", neighbor, "neighborhood collective", 0},
    {"dup", dup, "communicator creation", -1},
    {"idup", idup, "communicator creation", -1},
};

static const struct variant *find_variant(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof variants / sizeof *variants; i++)
        if (!strcmp(argv[1], variants[i].name))
            return &variants[i];
    truth_fail("the argument must name the collective to block in");
    return NULL;
}

int main(int argc, char **argv)
{
    const struct variant *variant;
    MPI_Comm comm;
    MPI_Request request;
    char buffer[4];
    int periodic = 1;

    truth_init(&argc, &argv);
    variant = find_variant(argc, argv);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &truth_size, &periodic, 0, &comm);
    MPI_Comm_set_name(comm, "steps");
    truth_communicator(comm, "steps");
    for (int i = 0; i < N_BEFORE; i++)
        ibarrier(comm);
    request = truth_irecv(comm, buffer, 4, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG);
    if (truth_rank == 0) {
        truth_nonblocking(comm, N_BEFORE);
        truth_park(TRUTH_SLEEPS);
        truth_wait(TRUTH_SLEEPS);
    } else {
        if (variant->n_nonblocking >= 0)
            truth_nonblocking(comm, N_BEFORE + variant->n_nonblocking);
        truth_internal(comm, variant->text);
        truth_park(TRUTH_BLOCKS);
    }
    variant->call(comm);
    MPI_Send(buffer, 4, MPI_CHAR, (truth_rank + 1) % truth_size, TAG, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    truth_finalize();
    return 0;
}
