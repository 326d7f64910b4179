/*
 * dump_job.h - a job made by hand, as mqdump finds it: listings, calls and witnesses, which a test may change.
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
};
extern struct dump_job job;

/* A job of n ranks, all in MPI_COMM_WORLD and at some computation. */
void job_start(size_t n);
void job_end(void);

struct communicator *job_communicator_of(size_t rank, mqs_taddr_t id);

/*
 * Makes two jobs of one that has just been started, "a" and "b": the second begins with that process, and its ranks
 * begin with 0.
 */
void job_split(size_t first);

/* Gives a communicator its peers, so many processes of either job: it is an intercommunicator then, or a mixed one. */
void job_set_peers(size_t rank, mqs_taddr_t id, bool inter, const size_t *processes, size_t n);

/* A communicator of n ranks; no group: that of MPI_COMM_WORLD. */
struct communicator *job_add_communicator(size_t rank, mqs_taddr_t id, const char *name, const int *group, int n);

/* A thread's call, the main thread is thread 0; the main thread's alone. */
void job_set_call(size_t rank, size_t thread, const char *function, const char *place);
void job_in(size_t rank, const char *function);

/*
 * A posted receive, a send that waits for its receiver, and an eager message that nobody has asked for. Peers are ranks
 * in the communicator. What is returned is there until the next operation is added to the same queue.
 */
mqs_pending_operation *job_receive(size_t rank, mqs_taddr_t id, long from, long tag);
mqs_pending_operation *job_send(size_t rank, mqs_taddr_t id, const char *kind, long to, long tag);
mqs_pending_operation *job_message(size_t rank, mqs_taddr_t id, long from, long tag);

/* What else the DLL tells of one of them. */
struct mqd_operation_description *job_facts(const mqs_pending_operation *operation);

/* A receive that a thread is known to wait for. */
void job_mark_waited(const mqs_pending_operation *operation);

#endif
