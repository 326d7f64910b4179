/*
 * Communicators that Open MPI makes for itself, beside a user's: for windows, for a file, for partitioned
 * communication; the argument says which. The user's are duplicates of the same parent without names, made before and
 * after, and where those of a freed window were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

enum { TAG = 12, BYTES = 256, N_PARTITIONS = 4, PARTITION = 100000, N_DUPLICATES = 3 };

enum kind { GIVEN_MEMORY, ALLOCATED, DYNAMIC, SHARED, N_KINDS };

static MPI_Comm duplicates[N_DUPLICATES];

static void duplicate(int i)
{
    char key[32];

    MPI_Comm_dup(MPI_COMM_WORLD, &duplicates[i]);
    snprintf(key, sizeof key, "duplicate %d", i);
    truth_communicator(duplicates[i], key);
}

static void free_duplicates(void)
{
    for (int i = 0; i < N_DUPLICATES; i++)
        if (duplicates[i] != MPI_COMM_NULL)
            MPI_Comm_free(&duplicates[i]);
}

static void rest(void)
{
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Win windows[N_KINDS];

/* Without a network not every release has a component for each kind: MPI_WIN_NULL then. */
static void make_window(enum kind kind)
{
    static char memory[BYTES];
    void *given;
    int rc;

    if (kind == GIVEN_MEMORY)
        rc = MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[kind]);
    else if (kind == ALLOCATED)
        rc = MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &given, &windows[kind]);
    else if (kind == DYNAMIC)
        rc = MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &windows[kind]);
    else
        rc = MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &given, &windows[kind]);
    if (rc != MPI_SUCCESS && kind == SHARED)
        truth_fail("no window in shared memory");
    if (rc != MPI_SUCCESS)
        windows[kind] = MPI_WIN_NULL;
}

static void free_window(enum kind kind)
{
    if (windows[kind] != MPI_WIN_NULL)
        MPI_Win_free(&windows[kind]);
}

static void make_windows(void)
{
    int n = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int kind = 0; kind < N_KINDS; kind++)
        make_window((enum kind)kind);
    free_window(GIVEN_MEMORY);
    duplicate(1);
    free_window(SHARED);
    duplicate(2);
    make_window(SHARED);
    make_window(GIVEN_MEMORY);
    for (int kind = 0; kind < N_KINDS; kind++)
        n += windows[kind] != MPI_WIN_NULL;
    truth_made("a window", n, false);
    rest();
    for (int kind = 0; kind < N_KINDS; kind++)
        free_window((enum kind)kind);
}

static MPI_File open_file(const char *directory)
{
    char path[4096];
    MPI_File file;

    snprintf(path, sizeof path, "%s/data", directory);
    if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) != MPI_SUCCESS)
        truth_fail("cannot open a file");
    return file;
}

static void make_files(void)
{
    const char *directory = getenv("MQD_TRUTH_DIR");
    MPI_File file = open_file(directory);

    MPI_File_close(&file);
    duplicate(1);
    file = open_file(directory);
    duplicate(2);
    truth_made("a file", 1, false);
    rest();
    MPI_File_close(&file);
}

/*
 * On several nodes coll/han, in use since 5.0, has four communicators for each one on which there was a collective
 * operation, and two more for some operations.
 */
static void use_collectives(void)
{
    int one = 1, sum;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_INT, 0, duplicates[0]);
    duplicate(1);
    MPI_Barrier(duplicates[0]);
    duplicate(2);
    truth_made("collectives", TRUTH_SOME, false);
    rest();
}

/* Part of MPI since 4.0, which the header need not be of. */
typedef int init_function(void *buffer, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag,
                          MPI_Comm comm, MPI_Info info, MPI_Request *request);

static void *function(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    if (!found)
        truth_fail("there is no partitioned communication");
    return found;
}

/* Rank 1 waits for all partitions, of which rank 0 does not make the last ready; whoever makes MPI progress. */
static void communicate_partitioned(void)
{
    char *buffer = truth_alloc((size_t)N_PARTITIONS * PARTITION);
    init_function *init;
    int (*ready)(int partition, MPI_Request request);
    MPI_Request request;

    *(void **)&init = function(truth_rank == 0 ? "MPI_Psend_init" : "MPI_Precv_init");
    *(void **)&ready = function("MPI_Pready");
    init(buffer, N_PARTITIONS, PARTITION, MPI_CHAR, 1 - truth_rank, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    duplicate(1);
    duplicate(2);
    truth_made("partitioned communication", 2, truth_rank == 1);
    if (truth_rank == 0) {
        for (int i = 0; i + 1 < N_PARTITIONS; i++)
            ready(i, request);
        truth_park(TRUTH_PROGRESSES);
        truth_wait(TRUTH_PROGRESSES);
        ready(N_PARTITIONS - 1, request);
    } else {
        truth_park(TRUTH_BLOCKS);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(void);
    } variants[] = {{"windows", make_windows}, {"file", make_files}, {"collectives", use_collectives},
                  {"partitioned", communicate_partitioned}};
    void (*make)(void) = NULL;

    truth_init(&argc, &argv);
    for (size_t i = 0; argc == 2 && i < sizeof variants / sizeof *variants; i++)
        if (!strcmp(argv[1], variants[i].name))
            make = variants[i].make;
    if (!make)
        truth_fail("the argument must say what for Open MPI makes communicators");
    for (int i = 0; i < N_DUPLICATES; i++)
        duplicates[i] = MPI_COMM_NULL;
    duplicate(0);
    make();
    free_duplicates();
    truth_finalize();
    return 0;
}
