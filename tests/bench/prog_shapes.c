/*
 * Jobs that hang, or do not, in ways that many ranks can: prog_shapes SHAPE. make_record.py makes the records of large
 * jobs from those of small ones of these.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static int data[16];

static void receive_from(int source)
{
    MPI_Recv(data, 16, MPI_INT, source, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute(void)
{
    for (;;)
        pause();
}

/* Everybody waits for the left neighbour. */
static void ring(void)
{
    receive_from((rank + size - 1) % size);
}

/* Two and two wait for each other. */
static void pairs(void)
{
    receive_from(rank ^ 1);
}

/* Everybody but rank 0, who computes, waits for the left neighbour. */
static void chain(void)
{
    if (rank == 0)
        compute();
    else
        receive_from(rank - 1);
}

/* Rank 0 does not come to a collective operation, but waits for a message. */
static void missing(void)
{
    if (rank == 0)
        receive_from(size - 1);
    else
        MPI_Bcast(data, 16, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Of each two of a communicator of their own one does not come to a barrier. */
static void halves(void)
{
    MPI_Comm two;

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &two);
    MPI_Comm_set_name(two, "two");
    if (rank % 2 == 0)
        MPI_Barrier(two);
    else
        receive_from(rank - 1);
}

/* Everybody waits for anybody. */
static void anybody(void)
{
    receive_from(MPI_ANY_SOURCE);
}

/* Everybody computes, and has a receive and an early message. */
static void healthy(void)
{
    MPI_Request receive, send;

    MPI_Irecv(data, 16, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &receive);
    MPI_Issend(data, 0, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD, &send);
    compute();
}

/* Rank 0 does not come to a barrier. */
static void barrier(void)
{
    if (rank == 0)
        compute();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One rank calls another collective operation than the others. */
static void wrong(void)
{
    if (rank == size / 4)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allreduce(data, data + 8, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compute();
}

/* Rank 1 sends messages that rank 0 lets arrive, and does not ask for. The last one shows that they are there. */
static void flood(void)
{
    enum { N_MESSAGES = 1200 };

    for (int i = 0; rank == 1 && i < N_MESSAGES; i++)
        MPI_Send(data, 4, MPI_INT, 0, i < N_MESSAGES - 1 ? 7 : 8, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Probe(1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute();
}

static const struct {
    const char *name;
    void (*run)(void);
} shapes[] = {{"ring", ring},       {"pairs", pairs},     {"chain", chain},
              {"missing", missing}, {"halves", halves},   {"anybody", anybody}, {"healthy", healthy},
              {"barrier", barrier}, {"flood", flood},     {"wrong", wrong}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc == 2 && i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(argv[1], shapes[i].name) == 0)
            shapes[i].run();
    fprintf(stderr, "usage: prog_shapes SHAPE\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
}
