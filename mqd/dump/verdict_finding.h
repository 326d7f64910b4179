/*
 * verdict_finding.h - findings as they are put together.
 */
#ifndef MQD_DUMP_VERDICT_FINDING_H
#define MQD_DUMP_VERDICT_FINDING_H

#include "mqd/dump/verdict_graph.h"

/* A growing set of ranks, as ids. */
struct rank_set {
    long *ranks;
    size_t n, room;
};
void rank_set_add(struct rank_set *set, long rank);

/* The jobs of one family, on which findings are made. */
struct bench {
    struct verdict *verdict;
    const struct model *model;
    size_t first_finding;          /* of theirs */
    const bool *live;              /* of nodes: they can get on */
    const struct graph *graph;     /* of the others */
    bool *told;                    /* of operations: a finding has named it as what was missed, or what missed it */
    struct miss_sort *sorts;       /* of what was missed so far */
    size_t n_sorts, sort_room;
};

/* A new finding at the end of the verdict's; it moves when the next one is added. */
struct finding *finding_add(struct bench *bench, enum finding_kind kind, bool certain);
void finding_free(struct finding *finding);

/* What it is about. Texts and sets of ranks are taken over; beyond a number that one wants to read, details are not. */
void finding_add_detail(struct finding *finding, char *text);
void finding_put_first(struct finding *finding, char *text);
void finding_add_evidence(const struct bench *bench, struct finding *finding, uint32_t operation);
void finding_set_communicator(struct finding *finding, const struct communicator *communicator);
void finding_set_ranks(struct finding *finding, struct rank_set ranks);
void finding_set_causes(struct finding *finding, struct rank_set causes);

/* A rank's wait as evidence and as a detail; where a rank is, as a detail. */
void finding_add_wait(const struct bench *bench, struct finding *finding, const struct wait *wait);
void finding_add_place(const struct bench *bench, struct finding *finding, uint32_t rank);

void verdict_add_note(struct verdict *verdict, char *text);

/* "Ranks 0-2 wait", "Rank 1", and "Rank 1 waits in MPI_Recv (ring.c:29) for ...", for free(). Ranks are ids. */
char *say_ranks(const struct bench *bench, const long *ids, size_t n, const char *one, const char *many);
char *say_subject(const struct bench *bench, long id);
char *say_rank_wait(const struct bench *bench, const struct wait *wait);

/* Does it follow from what one rank shows? */
bool finding_is_of_one_rank(const struct finding *finding);

/* From ids, which only mean something as long as there is the model, to ranks of jobs, in all findings of the bench. */
void findings_name_jobs(struct bench *bench);

/* Puts all findings in order, and makes one of those that are too many of a kind. */
void findings_order(struct verdict *verdict);

/*
 * Findings about one operation of the program's own that a group of ranks keeps from coming: the message that comes
 * nearest or, in a group that also waits in collective operations, that there is none; certain if the group certainly
 * waits for itself. Those at the same place are put together by misses_finish.
 */
void misses_find(struct bench *bench, const struct wait *wait, bool collective, bool certain);
void misses_finish(struct bench *bench);

/* Findings about a group of ranks that waits for itself. */
void conclude_group(struct bench *bench, uint32_t component);

/*
 * Calls only possible what was concluded from ranks that were looked at once, from the finding `first` on, if it cannot
 * be told whether there were messages on their way; and a note if what they say is of different moments.
 */
void doubt_findings(struct bench *bench, size_t first);
void note_moments(struct bench *bench);

/* Findings about ranks that were killed by an error of their own. */
void conclude_crashes(struct bench *bench);

/* Findings about the queues of single ranks. */
void conclude_truncated(struct bench *bench);
void conclude_floods(struct bench *bench);

#endif
