/*
 * Communicators of all kinds and many of them: predefined ones renamed, names of every length and with every character
 * that could disturb a listing, a topology, freed ones whose places were taken by others.
 */
#include <stdio.h>
#include <string.h>

#include "truth.h"

enum { N_MANY = 70, FREED_FROM = 20, FREED_TO = 30, TAG = 4, N_TOPOLOGIES = 5 };

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

static void name_in_two_bytes(MPI_Comm *comm, char *name, int first, const char *key)
{
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    for (int i = first; i < MPI_MAX_OBJECT_NAME - 1; i++)
        name[i] = (i - first) % 2 ? '\xa9' : '\xc3';
    MPI_Comm_set_name(*comm, name);
    truth_communicator(*comm, key);
}

/* Each from the one before, where that makes sense. */
static void create_topologies(MPI_Comm *comms)
{
    const int rows[2] = {2, truth_size / 2}, periods[2] = {0, 1}, remain[2] = {0, 1};
    int left = (truth_rank + truth_size - 1) % truth_size, right = (truth_rank + 1) % truth_size;
    int *index = truth_alloc((size_t)truth_size * sizeof *index);
    int *edges = truth_alloc((size_t)truth_size * sizeof *edges);
    const int reversed[2] = {truth_size - 1, 0}, weight = 1;
    MPI_Group world, group;

    for (int i = 0; i < truth_size; i++) {
        index[i] = i + 1;
        edges[i] = truth_size - 1 - i;
    }
    MPI_Cart_create(MPI_COMM_WORLD, 2, rows, periods, 1, &comms[0]);
    MPI_Cart_sub(comms[0], remain, &comms[1]);
    MPI_Graph_create(MPI_COMM_WORLD, truth_size, index, edges, 0, &comms[2]);
    MPI_Dist_graph_create_adjacent(comms[2], 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &comms[3]);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, reversed, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comms[4]);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void state_topologies(MPI_Comm *comms)
{
    static const char *const names[] = {"grid", "row", "graph", "neighbours", "first and last"};
    int rank;
    char key[32];

    for (int i = 0; i < N_TOPOLOGIES; i++) {
        if (comms[i] == MPI_COMM_NULL)
            continue;
        MPI_Comm_set_name(comms[i], names[i]);
        MPI_Comm_rank(comms[0], &rank);
        snprintf(key, sizeof key, "%s %d", names[i], i == 1 ? rank / (truth_size / 2) : 0);
        truth_communicator(comms[i], key);
    }
}

int main(int argc, char **argv)
{
    static const char odd[] = "tab\there, %s %n \"quoted\" \\ gr\xc3\xbc\xc3\x9f" "e \x01";
    int periods = 1;
    char longest[MPI_MAX_OBJECT_NAME];
    char buffer[2], odd_key[32];
    MPI_Comm ring, odd_comm, long_comm, whole_comm, cut_comm, topologies[N_TOPOLOGIES];
    MPI_Request request;

    truth_init(&argc, &argv);
    MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
    MPI_Comm_set_name(MPI_COMM_SELF, "me");
    MPI_Cart_create(MPI_COMM_WORLD, 1, &truth_size, &periods, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    truth_communicator(ring, "ring");
    create_topologies(topologies);
    state_topologies(topologies);
    MPI_Comm_dup(MPI_COMM_SELF, &odd_comm);
    MPI_Comm_set_name(odd_comm, odd);
    snprintf(odd_key, sizeof odd_key, "odd %d", truth_rank);
    truth_communicator(odd_comm, odd_key);
    MPI_Comm_dup(MPI_COMM_WORLD, &long_comm);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    MPI_Comm_set_name(long_comm, longest);
    truth_communicator(long_comm, "long");
    /* Characters of two bytes: the last one ends with the name, or is cut in two by Open MPI. */
    name_in_two_bytes(&whole_comm, longest, 1, "whole");
    name_in_two_bytes(&cut_comm, longest, 0, "cut");
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
    for (int i = 0; i < N_TOPOLOGIES; i++)
        if (topologies[i] != MPI_COMM_NULL)
            MPI_Comm_free(&topologies[i]);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&odd_comm);
    MPI_Comm_free(&long_comm);
    MPI_Comm_free(&whole_comm);
    MPI_Comm_free(&cut_comm);
    truth_finalize();
    return 0;
}
