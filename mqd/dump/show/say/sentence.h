/*
 * sentence.h - sentences about findings: the first one, notes, and those about many ranks, of whom the same is said once.
 */
#ifndef MQD_DUMP_SHOW_SAY_SENTENCE_H
#define MQD_DUMP_SHOW_SAY_SENTENCE_H

#include "mqd/dump/show/say/phrase.h"
#include "mqd/dump/verdict/analysis.h"
#include "mqd/dump/verdict/finding.h"

/* The sentences about a finding beside the first one. Further ones than one wants to read are dropped. */
struct sentences {
    char **texts;
    size_t n, room;
};
void sentences_add(struct sentences *sentences, char *text);
bool sentences_are_full(const struct sentences *sentences);

/* What is said of a rank. */
struct folded {
    long id;
    size_t order;                      /* as it was added */
    struct predicate predicate;
};

/* Starts with its part; fold_say releases it. */
struct fold {
    const struct analysis_part *part;
    struct folded *lines;
    size_t n, room;
    size_t *collectives;               /* of those who wait in collective operations */
    size_t n_collectives, collective_room;
};

/* Adds what is said of a rank, after its name, and takes it over. Of each rank only what is added first is said. */
void fold_add(struct fold *fold, long id, struct predicate predicate);

/*
 * Adds what a rank waits for. The owner of the wait must be a rank. All waits in collective operations on one
 * communicator are one sentence, which counts the ranks.
 */
void fold_wait(struct fold *fold, const struct wait *wait);

/* Adds where ranks are, those of them that are in the model. */
void fold_places(struct fold *fold, const struct rank_set *ranks);

/*
 * Adds the sentences to the details, each rank in exactly one of them: "Ranks 1-3 wait in MPI_Recv (ring.c:29) for
 * ...". Of many sentences the last one only says that it is similar with the remaining ranks.
 */
void fold_say(struct fold *fold, struct sentences *sentences);

/* The collective in which a rank waits; SIZE_MAX: it is no wait in a collective operation. */
size_t collective_of_wait(const struct analysis_part *part, const struct wait *wait);

/* "3 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 1 is missing." */
char *say_collective(const struct analysis_part *part, size_t collective);

/* Of a finding that others were not joined with; and of a note, NULL if it says more than one thing. For free(). */
char *say_claim(const struct facts *facts);
char *say_note(const struct note *note);

/* The threads that the facts name, of FACT_THREAD or FACT_ENDED_THREAD, for free(). */
size_t *threads_of(const struct facts *facts, enum fact_kind kind, size_t *n);

/* "0 -> 3 -> 0": the hops among the facts; "" if there are none. */
char *say_hops(const struct facts *facts);

#endif
