/*
 * questions.c - a program that has objects of MPI of some kinds, and says in a file what they are: its own rank, their
 * handles, and those in an array of requests. Then it waits until it is told to go on.
 *
 *     mpirun -n 4 questions
 *
 * The file is $MQD_TRUTH_DIR/RANK.json.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <mpi.h>

/* The ABI of MPI 5.0 has its own integers for handles. */
#ifdef MPI_ABI_VERSION
typedef int MPI_Fint;
#define MPI_Request_c2f MPI_Request_toint
#define MPI_Comm_c2f MPI_Comm_toint
#endif

#define VALUE(handle) ((unsigned long)(uintptr_t)(handle))

enum { N_REQUESTS = 8 };

static MPI_Comm grid, gone;
static MPI_Datatype column;
static MPI_Win heights;
static MPI_File file;
static MPI_Op op;
static MPI_Info info;
static MPI_Request requests[N_REQUESTS];
static MPI_Fint integers[N_REQUESTS];
static int buffers[N_REQUESTS][16], not_mpi[64], key;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)n;
    (void)type;
}

static void make_objects(const char *directory, int rank)
{
    int dims[] = {2, 2}, periods[] = {1, 0};
    char path[4096];
    void *base;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_set_name(grid, "grid");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(grid, key, not_mpi);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &gone);
    MPI_Type_vector(3, 2, 5, MPI_FLOAT, &column);
    MPI_Type_set_name(column, "column");
    MPI_Type_commit(&column);
    MPI_Win_allocate(512, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &heights);
    MPI_Win_set_name(heights, "heights");
    snprintf(path, sizeof path, "%s/file.%d", directory, rank);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Op_create(add, 0, &op);
    MPI_Info_create(&info);
    MPI_Info_set(info, "a key", "two\nlines");
    MPI_Info_set(info, "another", "x\" = \"y\\");
}

/* Of the receive that is complete the program has not asked. Nobody else has sent anything. */
static void start_requests(int rank)
{
    int done = 0;

    requests[0] = MPI_REQUEST_NULL;
    MPI_Irecv(buffers[1], 10, MPI_INT, (rank + 1) % 4, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv_init(buffers[2], 3, MPI_INT, 0, 8, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(buffers[3], 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &requests[3]);
    MPI_Send(&rank, 1, MPI_INT, rank, 9, MPI_COMM_WORLD);
    while (!done)
        MPI_Request_get_status(requests[3], &done, MPI_STATUS_IGNORE);
    MPI_Irecv(buffers[4], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, grid, &requests[4]);
    requests[5] = requests[0];
    requests[6] = (MPI_Request)(void *)not_mpi;
    requests[7] = (MPI_Request)(void *)MPI_COMM_WORLD;
    for (int i = 0; i < 6; i++)
        integers[i] = MPI_Request_c2f(requests[i]);
    integers[6] = 987654;
    integers[7] = -1;
}

static void tell(const char *directory, int rank, unsigned long gone_value)
{
    char path[4096], now[4096 + 8];
    int coords[2];
    FILE *to;

    MPI_Cart_coords(grid, rank, 2, coords);
    snprintf(path, sizeof path, "%s/%d.json", directory, rank);
    snprintf(now, sizeof now, "%s.now", path);
    to = fopen(now, "w");
    fprintf(to, "{\"pid\":%d,\"grid\":\"%#lx\",\"grid_fortran\":%d,\"world\":\"%#lx\",\"gone\":\"%#lx\","
                "\"column\":\"%#lx\",\"op\":\"%#lx\",\"add\":\"%#lx\",\"requests\":\"%#lx\",\"integers\":\"%#lx\","
                "\"request\":\"%#lx\",\"coordinates\":[%d,%d],\"key\":%d,\"attribute\":\"%#lx\",\"info\":\"%#lx\","
                "\"no_message\":\"%#lx\"}\n",
            (int)getpid(), VALUE(grid), (int)MPI_Comm_c2f(grid), VALUE(MPI_COMM_WORLD), gone_value, VALUE(column),
            VALUE(op), VALUE(add), VALUE(requests), VALUE(integers), VALUE(requests[1]), coords[0], coords[1], key,
            VALUE(not_mpi), VALUE(info), VALUE(MPI_MESSAGE_NULL));
    fclose(to);
    rename(now, path);
}

int main(int argc, char **argv)
{
    const char *directory = getenv("MQD_TRUTH_DIR");
    unsigned long gone_value;
    char go[4096];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_objects(directory, rank);
    gone_value = VALUE(gone);
    MPI_Comm_free(&gone);
    start_requests(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    tell(directory, rank, gone_value);
    snprintf(go, sizeof go, "%s/go", directory);
    while (access(go, F_OK) != 0)
        usleep(10000);
    _exit(0);
}
