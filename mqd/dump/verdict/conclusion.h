/*
 * conclusion.h - what all conclusions from one model share: the model, what follows from it, and the findings so far.
 */
#ifndef MQD_DUMP_VERDICT_CONCLUSION_H
#define MQD_DUMP_VERDICT_CONCLUSION_H

#include "mqd/dump/verdict/finding.h"
#include "mqd/dump/verdict/graph.h"

/* Jobs that have communicators in common, and what is found out about them. */
struct conclusion {
    struct verdict *verdict;
    const struct model *model;
    size_t first_finding;          /* of theirs */
    const bool *live;              /* of nodes: they can get on */
    const bool *live_without_busy;     /* of nodes: even if busy ranks do not do what others wait for */
    const bool *live_without_absent;   /* of nodes: even if those of which nothing is known do not either */
    const struct graph *graph;     /* of the others */
    bool *told;                    /* of operations: a finding has named it as what was missed, or what missed it */
    struct near_miss_sort *sorts;  /* of what was missed so far */
    size_t n_sorts, sort_room;
};

/* A new finding at the end of the verdict's; it moves when the next one is added. */
struct finding *finding_add(struct conclusion *conclusion, enum finding_kind kind, bool certain);

/* An operation that the finding rests on. */
void finding_add_evidence(const struct conclusion *conclusion, struct finding *finding, uint32_t operation);

/* A rank's wait as evidence and as a detail; where a rank is, as a detail. */
void finding_add_wait(const struct conclusion *conclusion, struct finding *finding, const struct wait *wait);
void finding_add_place(const struct conclusion *conclusion, struct finding *finding, uint32_t rank);

/* "Ranks 0-2 wait", "Rank 1", and "Rank 1 waits in MPI_Recv (ring.c:29) for ...", for free(). Ranks are ids. */
char *say_ranks(const struct conclusion *conclusion, const long *ids, size_t n, const char *one, const char *many);
char *say_subject(const struct conclusion *conclusion, long id);
char *say_rank_wait(const struct conclusion *conclusion, const struct wait *wait);

/* From ids, which mean something only while the model is there, to ranks of jobs, in all of its findings. */
void findings_name_jobs(struct conclusion *conclusion);

#endif
