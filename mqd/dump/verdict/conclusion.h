/*
 * conclusion.h - what all conclusions share: the analysis, and the findings so far.
 */
#ifndef MQD_DUMP_VERDICT_CONCLUSION_H
#define MQD_DUMP_VERDICT_CONCLUSION_H

#include "mqd/dump/verdict/analysis.h"
#include "mqd/dump/verdict/finding.h"

/* The conclusions about jobs that have communicators in common. */
struct conclusion {
    struct verdict *verdict;
    const struct analysis_part *part;
    const struct model *model;     /* the part's; so these: */
    const unsigned char *dies_at;  /* per node: the level of doubt at which it cannot go on any more */
    const struct collectives *collectives; /* which ranks are in collective operations */
    size_t first_finding;          /* index of the first finding about these jobs */
    const struct graph *graph;     /* the nodes that are dead at no doubt; in a pattern of groups at its level */
    enum doubt doubt;              /* the level of the pattern that is looked for now */
    bool is_only_possible;         /* nothing that it finds is certain */
    bool *collective_told;         /* per collective: a finding is about it */
    bool *explained;               /* per rank: a finding says why it tests for what does not come, or waits for such */
    bool all_show_why;             /* no rank does nothing because of a stop or of the kernel: others may wait for such,
                                      and the graph does not show it */
    uint32_t component;            /* of the graph: where a pattern of groups is looked for */
    bool *told;                    /* per operation: a finding names it as one side of a near miss */
    unsigned char *locked;         /* per operation: as model_find_locked has found it */
};

/* Can the node still get on at this level of doubt? */
static inline bool lives(const struct conclusion *conclusion, size_t node)
{
    return conclusion->dies_at[node] > conclusion->doubt;
}

/* Does it get on if those do that are presumed inert at this level of doubt and at none below, and only then? */
static inline bool rests_on_doubt(const struct conclusion *conclusion, size_t node)
{
    return conclusion->dies_at[node] == conclusion->doubt;
}

/* A rank that is in the model. */
static inline const struct model_rank *rank_of(const struct conclusion *conclusion, long id)
{
    return &conclusion->model->ranks[model_find_rank(conclusion->model, id)];
}

/*
 * A finding in the making, which is certain if the pattern allows that. Its sets of ranks are in any order.
 * finding_keep takes it into the verdict, and returns whether it has: not if it is about no rank.
 */
struct finding finding_of(const struct conclusion *conclusion, enum claim claim, bool certain);
bool finding_keep(struct conclusion *conclusion, struct finding *finding);

/*
 * Add an operation that the finding rests on; one that it is about, with its communicator; a rank's wait as a fact, and
 * its operation as evidence.
 */
void finding_add_evidence(const struct conclusion *conclusion, struct finding *finding, uint32_t operation);
void finding_set_operation(const struct conclusion *conclusion, struct finding *finding, uint32_t operation);
void finding_add_wait(const struct conclusion *conclusion, struct finding *finding, const struct wait *wait);

/* Marks the ranks of a set that the model has, each at its index. */
void ranks_mark(const struct model *model, const struct rank_set *set, bool *marks);

/*
 * Add a note; one about these ranks, if there are any; and the same, and that the verdict is unclear of them. Sets of
 * ranks are taken over.
 */
void note_add(const struct conclusion *conclusion, enum note_kind kind, struct facts facts);
void note_ranks(const struct conclusion *conclusion, enum note_kind kind, struct rank_set who);
void note_unclear(const struct conclusion *conclusion, enum note_kind kind, struct rank_set who);

/* What all findings from this part have from their facts: ranks of each job, and communicators. */
void findings_finish(struct conclusion *conclusion);

/* The patterns. */
#define PATTERN(function, ...) void function(struct conclusion *conclusion);
#include "mqd/dump/verdict/patterns.def"
#undef PATTERN

#endif
