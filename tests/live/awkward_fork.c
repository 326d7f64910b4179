/*
 * A rank that makes a copy of itself, which keeps the memory that it had then. The copy says of itself what the rank
 * knew, under a rank that is higher by the size of the job. With the argument "exec" the copy becomes another program,
 * and says so in $MQD_TRUTH_DIR/exec.RANK.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

static void run_another_program(void)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/exec.%d", getenv("MQD_TRUTH_DIR"), truth_rank);
    file = fopen(path, "w");
    if (!file || fprintf(file, "%ld", (long)getpid()) < 0 || fclose(file))
        _exit(2);
    execlp("sleep", "sleep", "1000", (char *)NULL);
    _exit(2);
}

static void be_the_copy(bool exec)
{
    if (exec)
        run_another_program();
    truth_rank += truth_size;
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    _exit(0);
}

int main(int argc, char **argv)
{
    int buffers[2][4];
    MPI_Request requests[2];
    pid_t copy;

    truth_init(&argc, &argv);
    requests[0] = truth_irecv(MPI_COMM_WORLD, buffers[0], 4, MPI_INT, MPI_ANY_SOURCE, 5);
    copy = fork();
    if (copy < 0)
        truth_fail("cannot fork");
    if (copy == 0)
        be_the_copy(argc > 1 && !strcmp(argv[1], "exec"));
    requests[1] = truth_irecv(MPI_COMM_WORLD, buffers[1], 4, MPI_INT, MPI_ANY_SOURCE, 6);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    if (argc > 1)
        kill(copy, SIGKILL);
    waitpid(copy, NULL, 0);
    for (int i = 0; i < 2; i++) {
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    truth_finalize();
    return 0;
}
