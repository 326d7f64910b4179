/*
 * truth.h - how a live test's program says what a listing of its message queues has to show.
 *
 * A program brings each rank into a known state by public MPI calls, states that state with the functions below, and
 * parks. truth_park writes $MQD_TRUTH_DIR/RANK.json, whole or not at all; the driver reads all of them, lists the
 * queues of the parked ranks, compares, and then creates $MQD_TRUTH_DIR/go, upon which the program completes what it
 * has begun and finalizes.
 *
 * What has no meaning in a state, or what no public call can know, is left out of the file and not compared:
 *   - desired_tag if any tag is wanted, actual_* of a receive that has matched nothing (or was cancelled);
 *   - the address of a message that lies in a buffer of Open MPI's: its content is compared instead, and so is the
 *     first part of a rendezvous message if any of it has come;
 *   - names of communicators that were given none;
 *   - the datatype of an operation of no elements, and that of an unexpected message, which carries none.
 * The order within a queue is the order of the calls here; sends are sorted by destination.
 *
 * All this holds for any PML, but for what the PMLs do differently where MPI lets them: the order in which a receive
 * from any source finds messages of several. What a PML does not keep is the business of who compares.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum truth_status { TRUTH_PENDING, TRUTH_MATCHED, TRUTH_COMPLETE };

enum truth_queue { TRUTH_SENDS, TRUTH_RECEIVES, TRUTH_UNEXPECTED, TRUTH_N_QUEUES };

/* What a rank does while its queues are read. Only a sleeping rank is known to have reached its state for good. */
enum truth_park { TRUTH_SLEEPS, TRUTH_PROGRESSES, TRUTH_BLOCKS };

/* One operation. Members that are not set are zero, which is their usual value. */
struct truth_op {
    MPI_Comm comm;
    int peer;              /* destination, or source asked for, or source of an unexpected message */
    int tag;
    const void *buffer;    /* the user's; for an unexpected message a copy of its content */
    int count;
    MPI_Datatype type;
    const char *kind;      /* "Send", "Ssend", "Bsend", "Rsend", "Recv"; NULL: not compared */
    enum truth_status status;
    bool persistent;
    bool freed;            /* MPI_Request_free has given its handle back */
    bool optional;         /* Open MPI may keep no request for it */
    bool cancelled;        /* a receive that is complete without a message */
    bool rendezvous;       /* an unexpected message of which no more than the beginning has come */
    bool found;            /* the message was or may have been there before its receive was posted */
    const void *pool;      /* a send whose data lie in this attached buffer */
    size_t pool_bytes;
    MPI_Request request;   /* its handle, whose value is the request's address; none if there is none any more */
    int actual_peer;       /* the message's, for a receive that is matched or complete */
    int actual_tag;
    size_t actual_bytes;
};

/*
 * MPI_Init (with MPI_THREAD_MULTIPLE if $MQD_TRUTH_THREADS is set); MPI_COMM_WORLD and MPI_COMM_SELF become part of
 * the truth. Ends the program with a message if $MQD_TRUTH_DIR is missing.
 */
void truth_init(int *argc, char ***argv);
extern int truth_rank, truth_size;

/* The communicator exists. Its key is the same on all its members and tells it apart from others. */
void truth_communicator(MPI_Comm comm, const char *key);

/* The operation is in that queue, after all that were stated before. */
void truth_state(enum truth_queue queue, struct truth_op op);

/* A receive from any source takes the message that arrived first, and not one source after the other as with ob1. */
bool truth_by_arrival(void);

/* The order of unexpected messages that is stated of it is known also of those from several sources. */
void truth_order_known(MPI_Comm comm);

/* This queue of the communicator depends on timing and is not compared. */
void truth_unknown(enum truth_queue queue, MPI_Comm comm);

/* Operations of Open MPI's own, whose text has this, must appear on this communicator if they are asked for. */
void truth_internal(MPI_Comm comm, const char *what);

/* This process has started so many nonblocking collective operations on the communicator. */
void truth_nonblocking(MPI_Comm comm, int n);

/*
 * Open MPI has made this many communicators for itself, or TRUTH_SOME: not listed, but if they are asked for, under
 * names that say what for ("a window"). `operations`: there are some on them, and each says so too.
 */
enum { TRUTH_SOME = -1 };
void truth_made(const char *purpose, int n, bool operations);

/* Writes the truth. A blocking call that is part of it follows, or truth_wait. */
void truth_park(enum truth_park park);

/* Waits, outside of MPI, until another rank has written its truth. */
void truth_await_parked(int rank);

/* Sleeps outside of MPI, or lets MPI progress and matches nothing, until the driver has seen enough. */
void truth_wait(enum truth_park park);

/* Lets MPI progress until the message has arrived; it is neither matched nor received. */
void truth_await_message(MPI_Comm comm, int source, int tag);

/* Lets MPI progress until the request is complete; it stays as it is. */
void truth_await_request(MPI_Request request);

/* Content that tells a message from others; truth_check ends the job if a buffer does not hold it. */
void truth_fill(void *buffer, size_t bytes, int source, int tag);
void truth_check(const void *buffer, size_t bytes, int source, int tag);

/* Zeroed memory, or the job ends. Freed by truth_finalize. */
void *truth_alloc(size_t bytes);

/* Frees what truth.c holds and calls MPI_Finalize. */
void truth_finalize(void);

/* Ends the job: the program could not come into its state. */
void truth_fail(const char *what);

#endif
