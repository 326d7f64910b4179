/*
 * dump_job.h - a job that a test makes: the listings, calls and witnesses that mqdump would have. A test may change
 * them.
 */
#ifndef DUMP_JOB_H
#define DUMP_JOB_H

#include "mqd/dump/verdict/verdict.h"

enum { WORLD = 0, ANY = -1 };

struct dump_job {
    size_t n_ranks;
    struct listing *listings;
    struct calls *calls;
    struct witness *witnesses;
    struct texts *texts;           /* of its operations */
};
extern struct dump_job job;

/* A job of n ranks, all in MPI_COMM_WORLD and at some computation. */
void job_start(size_t n);
void job_end(void);

/* A job in which each rank waits in MPI_Recv for a message with tag 7 from the rank before. */
void job_start_ring(size_t n);

/* MPI is not there any more in the process of a rank, or nobody could read it. */
void job_forget(size_t rank);

struct communicator *job_communicator_of(size_t rank, mqs_taddr_t id);

/*
 * Makes two jobs of one that has just been started, "a" and "b": the second begins with that process, and its ranks
 * begin with 0.
 */
void job_split(size_t first);

/*
 * Gives a communicator n peers, processes of either job. It becomes an intercommunicator, or a communicator with
 * members of both jobs.
 */
void job_set_peers(size_t rank, mqs_taddr_t id, bool inter, const size_t *processes, size_t n);

/* Adds a communicator of n ranks. Without a group it has that of MPI_COMM_WORLD. */
struct communicator *job_add_communicator(size_t rank, mqs_taddr_t id, const char *name, const int *group, int n);

/* Set the call of a thread; the main thread is thread 0. The second one is for the main thread only. */
void job_set_call(size_t rank, size_t thread, const char *function, const char *place);
void job_in(size_t rank, const char *function);

/*
 * Add a posted receive, a send that waits for its receiver, or an unexpected eager message. Peers are ranks in the
 * communicator. The result is valid until the next operation is added to the same queue.
 */
struct queued *job_receive(size_t rank, mqs_taddr_t id, long from, long tag);
struct queued *job_send(size_t rank, mqs_taddr_t id, const char *kind, long to, long tag);
struct queued *job_message(size_t rank, mqs_taddr_t id, long from, long tag);

/*
 * Makes it a job whose messages nobody counts, and whose blocking standard sends and matched blocking receives are not
 * listed, as with the PML ucx. Comes before operations are added: receives have numbers then.
 */
void job_use_ucx(void);

/* Adds a message that names the request of a send. */
struct queued *job_message_of(struct queued *send, size_t sender);

/* Returns a text for an operation, that lives as long as the job. */
const char *job_text(const char *text);

/* Marks a receive as one that a thread is known to wait for. */
void job_mark_waited(struct queued *operation);

#endif
