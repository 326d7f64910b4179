/*
 * Communicators made from a group of a session (5.0 and later), which have no parent: each process has its own number
 * for them, what is the same on all is an id that Open MPI gets elsewhere. And what comes of them: a duplicate and
 * parts. Compiled with the headers of an older release, too, so that the functions are looked up when the program
 * runs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "truth.h"

enum { BYTES = 24, LARGE = 200000, ASKED = 5, EARLY, LONG, LAST };

typedef struct ompi_instance_t *session;

static MPI_Comm from_group, duplicate, part;

static void *function(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    if (!found)
        truth_fail("this MPI has no sessions");
    return found;
}

static session create(void)
{
    int (*init)(MPI_Info, MPI_Errhandler, session *);
    int (*group_of)(session, const char *, MPI_Group *);
    int (*create_from)(MPI_Group, const char *, MPI_Info, MPI_Errhandler, MPI_Comm *);
    MPI_Comm own;
    MPI_Group group;
    session session;

    *(void **)&init = function("MPI_Session_init");
    *(void **)&group_of = function("MPI_Group_from_session_pset");
    *(void **)&create_from = function("MPI_Comm_create_from_group");
    /* The ranks have different numbers of communicators already, so that the slots differ. */
    for (int i = 0; i < truth_rank; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &own);
        truth_communicator(own, "own");
    }
    init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    group_of(session, "mpi://WORLD", &group);
    if (create_from(group, "ompi-mqd", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &from_group) != MPI_SUCCESS)
        truth_fail("no communicator from a group");
    MPI_Group_free(&group);
    MPI_Comm_set_name(from_group, "from a group");
    truth_communicator(from_group, "from");
    MPI_Comm_dup(from_group, &duplicate);
    MPI_Comm_set_name(duplicate, "its duplicate");
    truth_communicator(duplicate, "duplicate");
    MPI_Comm_split(from_group, truth_rank % 2, -truth_rank, &part);
    MPI_Comm_set_name(part, truth_rank % 2 ? "odd part" : "even part");
    truth_communicator(part, truth_rank % 2 ? "odd" : "even");
    return session;
}

static void send(MPI_Comm comm, int tag, int bytes, MPI_Request *request)
{
    int rank, size, right;
    char *content = truth_alloc((size_t)bytes);

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    right = (rank + 1) % size;
    truth_fill(content, (size_t)bytes, rank, tag);
    MPI_Isend(content, bytes, MPI_BYTE, right, tag, comm, request);
    if (bytes == LARGE)
        truth_state(TRUTH_SENDS, (struct truth_op){.comm = comm, .peer = right, .tag = tag, .buffer = content,
                                                   .count = bytes, .type = MPI_BYTE, .kind = "Send",
                                                   .request = *request});
}

static void expect(MPI_Comm comm, int tag, int bytes)
{
    int rank, size, left;
    char *content = truth_alloc((size_t)bytes);

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    left = (rank + size - 1) % size;
    truth_await_message(comm, left, tag);
    truth_fill(content, (size_t)bytes, left, tag);
    truth_state(TRUTH_UNEXPECTED, (struct truth_op){.comm = comm, .peer = left, .tag = tag, .buffer = content,
                                                    .count = bytes, .type = MPI_BYTE, .rendezvous = bytes == LARGE,
                                                    .status = bytes == LARGE ? TRUTH_PENDING : TRUTH_COMPLETE});
}

static void take(MPI_Comm comm, int tag, int bytes)
{
    char *content = truth_alloc((size_t)bytes);

    MPI_Recv(content, bytes, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static char asked[3][BYTES];
    int (*finalize)(session *);
    MPI_Request requests[6], answers[3];
    session session;

    truth_init(&argc, &argv);
    if (truth_size < 4)
        truth_fail("needs 4 ranks at least");
    *(void **)&finalize = function("MPI_Session_finalize");
    session = create();
    MPI_Comm comms[] = {from_group, duplicate, part};
    for (int i = 0; i < 3; i++) {
        answers[i] = truth_irecv(comms[i], asked[i], BYTES, MPI_BYTE, MPI_ANY_SOURCE, ASKED);
        send(comms[i], EARLY, BYTES, &requests[2 * i]);
        send(comms[i], LONG, LARGE, &requests[2 * i + 1]);
    }
    for (int i = 0; i < 3; i++) {
        expect(comms[i], EARLY, BYTES);
        expect(comms[i], LONG, LARGE);
        MPI_Wait(&requests[2 * i], MPI_STATUS_IGNORE);
    }
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    for (int i = 0; i < 3; i++) {
        MPI_Request request;

        send(comms[i], ASKED, BYTES, &request);
        take(comms[i], EARLY, BYTES);
        take(comms[i], LONG, LARGE);
        MPI_Wait(&requests[2 * i + 1], MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&answers[i], MPI_STATUS_IGNORE);
        MPI_Comm_free(&comms[i]);
    }
    finalize(&session);
    truth_finalize();
    return 0;
}
