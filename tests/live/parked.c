/*
 * A rank that says who it is and waits for ever, with a receive that nobody sends to and a message to itself that it
 * does not receive. With "fork" it has a child that waits too; with "spawn" it starts a second job with one rank.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Whole or not at all: a file of another name, renamed. */
static void say(const char *name, int rank, long child)
{
    const char *directory = getenv("MQD_TRUTH_DIR");
    char path[4096], partial[4096 + 16];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s%d.json", directory, name, rank);
    snprintf(partial, sizeof partial, "%s.%ld", path, (long)getpid());
    file = fopen(partial, "w");
    if (file == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fprintf(file, "{\"pid\": %ld, \"child\": %ld}\n", (long)getpid(), child);
    if (fclose(file) != 0 || rename(partial, path) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static long fork_child(void)
{
    pid_t child = fork();

    while (child == 0) {
        sleep(1);
        /* Whoever ends the rank does not know of it. */
        if (getppid() == 1)
            _exit(0);
    }
    return child;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rank, received[16], sent[16] = {1};
    MPI_Request requests[2];
    MPI_Comm parent, children;
    long child = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (strcmp(what, "fork") == 0)
        child = fork_child();
    if (strcmp(what, "spawn") == 0)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Irecv(received, 16, MPI_INT, MPI_ANY_SOURCE, 5 + rank, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(sent, 16, MPI_INT, rank, 77, MPI_COMM_WORLD, &requests[1]);
    say(parent != MPI_COMM_NULL ? "spawned" : "", rank, child);
    for (;;)
        pause();
}
