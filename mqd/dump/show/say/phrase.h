/*
 * phrase.h - ranks, where they are, and what they wait for, as parts of sentences.
 */
#ifndef MQD_DUMP_SHOW_SAY_PHRASE_H
#define MQD_DUMP_SHOW_SAY_PHRASE_H

#include "mqd/dump/verdict/finding.h"
#include "mqd/dump/verdict/model.h"

/* The caller releases all texts with free(). Names of the target are in them as they are. */

/*
 * "rank 3", where several jobs are looked at together "rank 3 of job 4711", where ranks are on several machines "rank 3
 * on n02"; and several: "ranks 0-2,5 wait", "ranks 0-3 on n[01-02] wait".
 */
char *say_rank(const struct model *model, long id);
char *say_rank_set(const struct model *model, const struct rank_set *ids, const char *one, const char *many);

/* Words of the name of an enumerator or a fact. */
char *say_name(const char *name);

/* "job 4711", "job 4711 of user 1000" if other users' jobs have that name, "a job without a name". */
char *say_job(const struct model_job *job);

/* " of job 4711 of user 1000"; without the job if that is "" or NULL, and without the user below 0. */
char *say_of_job(const char *job, long user);

/* Makes the first letter a capital, and returns the text. */
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

/* " (ring.c:29)", " (called from exchange+0x5c)": from where MPI was called; "" if that is not known. */
char *say_place(const struct call *call);

/* Where a signal killed a rank, " in memcpy, called from exchange (halo.c:30)"; "" if that is not known. */
char *say_fault(const struct call *call);

/*
 * What an operation is about: "a message from rank 0 with tag 1 on MPI_COMM_WORLD (room for 800 bytes)"; on a Cartesian
 * communicator "a message from its neighbour +x, rank 6 (3,1), with tag 1 on grid".
 */
char *say_operation(const struct model *model, const struct operation *operation);

/* "10 x MPI_DOUBLE (80 bytes)", "80 bytes" where the datatype is not known. Is it? */
char *say_elements(const struct operation *operation);
bool has_elements(const struct operation *operation);

/*
 * How the processes of a communicator are arranged: "Cartesian 4 x 2, periodic in x, this rank at (2,1)", the last only
 * `with_place`; "Cartesian" if its dimensions do not fit its size and rank; "a graph", "a distributed graph", or "".
 * Dimensions are "x", "y", "z", "dimension 3".
 */
char *say_topology(const struct arrangement *arrangement, long size, long rank, bool with_place);

/*
 * What a call waits for: "waits in MPI_Recv (ring.c:29) for a message from rank 0 with tag 1 on MPI_COMM_WORLD". "a
 * message" where no operation is known. Of a call that polls: "tests in MPI_Test (ring.c:29) for ...". Of a rank that
 * may be between two tests: "is outside of MPI, in relax (solver.c:80), with a request for ...".
 */
struct predicate say_wait(const struct model *model, const struct wait *wait);

/* The rank that waits: "rank 1"; if it waits for a neighbour on a Cartesian communicator "rank 5 (2,1)". */
char *say_waiting_rank(const struct model *model, const struct wait *wait);

/* The same as a sentence about the rank: "Rank 1 waits in MPI_Recv (ring.c:29) for ...". */
char *say_rank_wait(const struct model *model, const struct wait *wait);

/* "has started 2 nonblocking operations on MPI_COMM_WORLD" */
struct predicate say_started(const struct communicator *communicator, unsigned long n);

/* "nonblocking collective operation number 3"; 0: "a nonblocking collective operation" */
char *say_nonblocking(unsigned long number);

#endif
