/*
 * Communicators of all kinds and many of them: predefined ones renamed, names of every length and with every character
 * that could disturb a listing, a topology, freed ones whose places were taken by others.
 */
#include <stdio.h>
#include <string.h>

#include "truth.h"

enum { N_MANY = 70, FREED_FROM = 20, FREED_TO = 30, TAG = 4 };

static MPI_Comm many[N_MANY];

static void create(int i, const char *what)
{
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Comm_split(MPI_COMM_WORLD, truth_rank % (i % 3 + 1), truth_rank, &many[i]);
    snprintf(name, sizeof name, "%s %d", what, i);
    if (i % 4)
        MPI_Comm_set_name(many[i], name);
}

/* As many colours as split them: the key says which of the disjoint communicators this is. */
static void state(int i)
{
    char key[32];

    snprintf(key, sizeof key, "many %d.%d", i, truth_rank % (i % 3 + 1));
    truth_communicator(many[i], key);
}

int main(int argc, char **argv)
{
    static const char odd[] = "tab\there, %s %n \"quoted\" \\ gr\xc3\xbc\xc3\x9f" "e \x01";
    int periods = 1;
    char longest[MPI_MAX_OBJECT_NAME];
    char buffer[2];
    MPI_Comm ring, odd_comm, long_comm;
    MPI_Request request;

    truth_init(&argc, &argv);
    MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
    MPI_Comm_set_name(MPI_COMM_SELF, "me");
    MPI_Cart_create(MPI_COMM_WORLD, 1, &truth_size, &periods, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    truth_communicator(ring, "ring");
    MPI_Comm_dup(MPI_COMM_SELF, &odd_comm);
    MPI_Comm_set_name(odd_comm, odd);
    truth_communicator(odd_comm, "odd");
    MPI_Comm_dup(MPI_COMM_WORLD, &long_comm);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    MPI_Comm_set_name(long_comm, longest);
    truth_communicator(long_comm, "long");
    for (int i = 0; i < N_MANY; i++)
        create(i, "first");
    for (int i = FREED_FROM; i < FREED_TO; i++)
        MPI_Comm_free(&many[i]);
    for (int i = FREED_FROM; i < FREED_TO; i++)
        create(i, "second");
    for (int i = 0; i < N_MANY; i++)
        state(i);
    request = truth_irecv(many[N_MANY - 1], buffer, 2, MPI_CHAR, 0, TAG);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < N_MANY; i++)
        MPI_Comm_free(&many[i]);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&odd_comm);
    MPI_Comm_free(&long_comm);
    truth_finalize();
    return 0;
}
