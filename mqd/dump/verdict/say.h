/*
 * say.h - findings as sentences.
 */
#ifndef MQD_DUMP_VERDICT_SAY_H
#define MQD_DUMP_VERDICT_SAY_H

#include "mqd/dump/verdict/model.h"

/* The caller releases all texts with free(). Names of the target are in them as they are. */

/*
 * "rank 3", where several jobs are looked at together "rank 3 of job 4711", where ranks are on several machines "rank 3
 * on n02"; and several: "ranks 0-2,5 wait", "ranks 0-3 on n[01-02] wait".
 */
char *say_rank(const struct model *model, long id);
char *say_rank_set(const struct model *model, const long *ids, size_t n, const char *one, const char *many);

/* "job 4711", "job 4711 of user 1000" if other users' jobs have that name, "a job without a name". */
char *say_job(const struct model_job *job);

/* Makes the first letter a capital. */
char *say_capital(char *text);

/* "MPI_COMM_WORLD", or what stands for a name. */
char *say_communicator(const struct communicator *communicator);

/* What is said of one rank or of several: "is in MPI_Recv", "are in MPI_Recv". */
enum verb { VERB_IS, VERB_HAS, VERB_WAITS, VERB_TESTS, VERB_NOT_LOOKED_AT };
struct predicate {
    enum verb verb;
    char *rest;                    /* begins with what is between them, " in MPI_Recv"; for free() */
};
const char *verb_form(enum verb verb, size_t n);

/* "Rank 1 is in MPI_Recv", releasing the predicate. */
char *say_predicate(const char *who, struct predicate predicate);

/* What keeps a stopped rank from running: "is stopped by a signal, and goes on with SIGCONT". */
struct predicate say_stop(const struct model_rank *rank);

/* Where a rank is: "is in MPI_Recv (ring.c:29)", "is outside of MPI, in relax (solver.c:80)". */
struct predicate say_where(const struct model_rank *rank);

/* Where a signal killed a rank, " in memcpy, called from exchange (halo.c:30)"; "" if that is not known. */
char *say_fault(const struct call *call);

/* What an operation is about: "a message from rank 0 with tag 1 on MPI_COMM_WORLD (room for 800 bytes)". */
char *say_operation(const struct model *model, const struct operation *operation);

/*
 * What a call waits for: "waits in MPI_Recv (ring.c:29) for a message from rank 0 with tag 1 on MPI_COMM_WORLD". "a
 * message" where no operation is known. Of a call that polls: "tests in MPI_Test (ring.c:29) for ...". Of a rank that
 * may be between two tests: "is outside of MPI, in relax (solver.c:80), with a request for ...".
 */
struct predicate say_wait(const struct model *model, const struct wait *wait);

/* "has started 2 nonblocking operations on MPI_COMM_WORLD" */
struct predicate say_started(const struct communicator *communicator, unsigned long n);

#endif
