/*
 * conclusion.h - what all conclusions share: the model, what follows from it, and the findings so far.
 */
#ifndef MQD_DUMP_VERDICT_CONCLUSION_H
#define MQD_DUMP_VERDICT_CONCLUSION_H

#include "mqd/dump/verdict/attendance.h"
#include "mqd/dump/verdict/finding.h"
#include "mqd/dump/verdict/graph.h"

/* The conclusions about jobs that have communicators in common. */
struct conclusion {
    struct verdict *verdict;
    const struct model *model;
    size_t first_finding;          /* index of the first finding about these jobs */
    const unsigned char *dies_at;  /* per node: the level of doubt at which it cannot go on any more */
    enum doubt doubt;              /* the level that is looked at now */
    const struct graph *graph;     /* the nodes that are dead at that level */
    const struct attendances *attendances; /* which ranks are in collective operations */
    bool *gathering_told;          /* per gathering: a finding is about it */
    bool *explained;               /* per rank: a finding says why it tests for what does not come, or waits for such */
    bool *told;                    /* per operation: a finding names it as one side of a near miss */
    bool *locked, *surely_locked;  /* per operation: as model_find_locked has found it, with and without ended parts */
    bool *needed;                  /* per operation: its rank does not go on without it; NULL: not looked at yet */
    struct near_miss_sort *sorts;  /* the kinds of near misses so far */
    size_t n_sorts, sort_room;
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

#endif
