/*
 * fold.h - sentences about many ranks: those of which the same is to be said are in one sentence.
 */
#ifndef MQD_DUMP_VERDICT_FOLD_H
#define MQD_DUMP_VERDICT_FOLD_H

#include "mqd/dump/verdict/conclusion.h"

/* What is said of a rank. */
struct folded {
    long id;
    size_t order;                      /* as it was added */
    char *text;
};

/* Starts as zero; fold_say releases it. */
struct fold {
    struct folded *lines;
    size_t n, room;
    size_t *gatherings;                /* of those who wait in collective operations */
    size_t n_gatherings, gathering_room;
};

/* Adds what is said of a rank, after its name, and takes it over. Of each rank only what is added first is said. */
void fold_add(struct fold *fold, long id, char *text);

/*
 * Adds what a rank waits for. The owner of the wait must be a rank. All waits in collective operations on one
 * communicator are one sentence, which counts the ranks.
 */
void fold_wait(struct fold *fold, const struct conclusion *conclusion, const struct wait *wait);

/*
 * Adds the sentences to the finding as details, each rank in exactly one of them: "Ranks 1-3 wait in MPI_Recv
 * (ring.c:29) for ...". Of many sentences the last one only says that it is similar with the remaining ranks.
 */
void fold_say(struct fold *fold, const struct conclusion *conclusion, struct finding *finding);

/* Adds to the finding, as fold_say does, where the ranks with these ids are, all of which are in the model. */
void fold_say_places(const struct conclusion *conclusion, struct finding *finding, const struct rank_set *ranks);

#endif
