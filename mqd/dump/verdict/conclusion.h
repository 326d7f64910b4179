/*
 * conclusion.h - what all conclusions share: the model, what follows from it, and the findings so far.
 */
#ifndef MQD_DUMP_VERDICT_CONCLUSION_H
#define MQD_DUMP_VERDICT_CONCLUSION_H

#include "mqd/dump/verdict/collective.h"
#include "mqd/dump/verdict/finding.h"
#include "mqd/dump/verdict/graph.h"
#include "mqd/dump/verdict/say.h"

/* The conclusions about jobs that have communicators in common. */
struct conclusion {
    struct verdict *verdict;
    const struct model *model;
    size_t first_finding;          /* index of the first finding about these jobs */
    const unsigned char *dies_at;  /* per node: the level of doubt at which it cannot go on any more */
    enum doubt doubt;              /* the level that is looked at now */
    const struct graph *graph;     /* the nodes that are dead at that level */
    const struct collectives *collectives; /* which ranks are in collective operations */
    bool *collective_told;          /* per collective: a finding is about it */
    bool *explained;               /* per rank: a finding says why it tests for what does not come, or waits for such */
    bool *told;                    /* per operation: a finding names it as one side of a near miss */
    bool *locked, *surely_locked;  /* per operation: as model_find_locked has found it, with and without ended parts */
    bool *needed;                  /* per operation: its rank does not go on without it; NULL: not looked at yet */
    struct near_miss_kind *kinds;  /* the kinds of near misses so far */
    size_t n_kinds, kind_room;
};

static inline bool lives(const struct conclusion *conclusion, size_t node)
{
    return conclusion->dies_at[node] > conclusion->doubt;
}

/* Adds a finding to the verdict and returns it. The pointer is valid until the next finding is added. */
struct finding *finding_add(struct conclusion *conclusion, enum finding_kind kind, bool certain);

/* Adds an operation that the finding rests on. */
void finding_add_evidence(const struct conclusion *conclusion, struct finding *finding, uint32_t operation);

/*
 * Add a rank's wait as evidence and as a detail; add as a detail where a rank is. All waits in collective operations on
 * one communicator are one detail, which counts the ranks.
 */
void finding_add_wait(const struct conclusion *conclusion, struct finding *finding, const struct wait *wait);
void finding_add_place(const struct conclusion *conclusion, struct finding *finding, uint32_t rank);

/* Return "Ranks 0-2 wait", "Rank 1", and "Rank 1 waits in MPI_Recv (ring.c:29) for ...", for free(). Ranks are ids. */
char *say_ranks(const struct conclusion *conclusion, const long *ids, size_t n, const char *one, const char *many);
char *say_subject(const struct conclusion *conclusion, long id);
char *say_rank_wait(const struct conclusion *conclusion, const struct wait *wait);

/* Replaces ids by ranks of jobs in all findings from this model. Ids are valid only as long as the model. */
void findings_name_jobs(struct conclusion *conclusion);

/* What is said of a rank. */
struct folded {
    long id;
    size_t order;                      /* as it was added */
    struct predicate predicate;        /* `rest` is NULL when it has been said */
};

/* Starts as zero; fold_say releases it. */
struct fold {
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
void fold_wait(struct fold *fold, const struct conclusion *conclusion, const struct wait *wait);

/*
 * Adds the sentences to the finding as details, each rank in exactly one of them: "Ranks 1-3 wait in MPI_Recv
 * (ring.c:29) for ...". Of many sentences the last one only says that it is similar with the remaining ranks.
 */
void fold_say(struct fold *fold, const struct conclusion *conclusion, struct finding *finding);

/* Adds to the finding, as fold_say does, where the ranks with these ids are, all of which are in the model. */
void fold_say_places(const struct conclusion *conclusion, struct finding *finding, const struct rank_set *ranks);

#endif
