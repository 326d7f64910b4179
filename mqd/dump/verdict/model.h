/*
 * model.h - what verdicts are concluded from: ranks, messages, and who waits for what.
 */
#ifndef MQD_DUMP_VERDICT_MODEL_H
#define MQD_DUMP_VERDICT_MODEL_H

#include <stdint.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/verdict/call.h"
#include "mqd/dump/verdict/rank_claim.h"

enum { PEER_ANY = -1, PEER_UNKNOWN = -2, TAG_ANY = -1 };

struct communicator_slot {
    uint32_t hash;
    uint32_t position;             /* in an array that belongs to the caller */
    uint32_t next;                 /* of the same head, and one; 0: it is the last */
};

/* A zeroed index is empty. */
struct communicator_index {
    struct communicator_slot *slots;
    size_t n, room;
    uint32_t *heads;               /* a slot, and one; 0: none */
    size_t n_heads;                /* a power of two, or 0 */
};

/* What an internal operation is for, as far as the debug DLL tells. */
enum purpose {
    PURPOSE_UNKNOWN,
    PURPOSE_NONBLOCKING,   /* a nonblocking operation */
    PURPOSE_CALL,          /* a function of MPI's, but for these: */
    PURPOSE_BARRIER,
    PURPOSE_FROM_ROOT      /* the message comes from the root on its way down: its receiver has sent nothing before */
};

/* An operation, and what follows from its facts. */
struct operation {
    uint32_t rank;                             /* index in the model */
    int class;                                 /* an mqs_op_class */
    const struct communicator *communicator;   /* of that rank's listing */
    const struct queued *said;
    long peer;                                 /* the id of source or destination; PEER_ANY, PEER_UNKNOWN */
    long tag;                                  /* TAG_ANY only for receives */
    bool internal;                             /* the MPI library's own */
    bool collective;                           /* of these, part of a collective operation */
    bool waited;                               /* a thread is known to wait for it */
    bool persistent, freed;
    bool probe;                                /* it waits for a message, and does not receive it */
    bool needs_receiver;                       /* a send that only the receiver can complete */
    bool travels;                              /* a send whose message may not have arrived */
    bool truncated;
    bool vague;                                /* its peer or its tag is not known: it may match anything */
    enum purpose purpose;
    bool nonblocking;                          /* part of an operation as nonblocking collective calls start it */
};

/* Which ranks are presumed inert. Each level includes those before. */
enum doubt {
    DOUBT_NONE,            /* none: all do, sooner or later, what others wait for */
    DOUBT_STOPPED,         /* a rank that is stopped */
    DOUBT_STUCK,           /* a rank that is stuck in the kernel */
    DOUBT_POLLING,         /* a rank that only tests for messages, before one of them comes */
    DOUBT_BUSY,            /* a busy rank, unless it has moved */
    DOUBT_ABSENT,          /* a rank of which nothing is known */
    N_DOUBTS
};

enum phase {
    PHASE_UNKNOWN,         /* too little is known */
    PHASE_BUSY,            /* it may get on by itself */
    PHASE_BLOCKED,
    PHASE_FINALIZED,       /* it is in MPI_Finalize, and in no other MPI function there; or past it */
    PHASE_ENDED
};

struct model_rank {
    const struct witness *witness;
    size_t job;                                /* index in the model */
    long id;                                   /* what tells it from all others: its job's base and its rank */
    enum phase phase;
    bool once;                                 /* there is no second look, as of a core */
    bool inferred;                             /* that it is this rank, or that it has ended */
    bool past_finalize;                        /* not in MPI_Finalize any more */
    const struct call *call;                   /* where it waits or polls, or what it does instead; NULL: not known */
    enum call_kind kind;                       /* of a blocked rank's call */
    bool guessed;                              /* which operations it waits for is not certain */
    bool in_hidden;                            /* it is in a call whose operation is not listed */
    bool polls;                                /* busy: it tests for messages; its waits are for these */
    bool aside;                                /* it polls, and is outside of MPI: whether it tests is not known */
    bool unclear;                              /* busy: it stays in a call of MPI, and it is not known why */
    bool proved_idle;                          /* it is proved to have done nothing since the look before */
    bool has_vague[N_QUEUES];                  /* such an operation, which is not complete */
    size_t first_operation, n_operations;
    uint32_t parts;                            /* the first virtual node of a part of it, and one; 0: it has none */
    const struct communicator **communicators; /* by unique id */
    size_t n_communicators;
    size_t first_communicator;                 /* the number of those of all ranks before */
};

/* Operations by up to four numbers, for finding those that agree in the first of them. */
struct key {
    int64_t numbers[4];
    uint32_t operation;
};
struct keys {
    struct key *keys;
    size_t n, room;
};

/*
 * Nodes are ranks, by their index, and after them virtual nodes: each stands for any of several ranks, or for all of
 * them.
 */
enum { NODE_LIVE = -1, NODE_NEVER = -2, NODE_ABSENT = -3 };

/* What a call on a window waits for. */
enum window_need {
    NEEDS_CALL,            /* that the peer calls a function */
    NEEDS_ONE_CALL,        /* that one of those calls MPI_Win_complete which MPI_Win_post has named */
    NEEDS_LOCK,            /* that it gives back a lock */
    NEEDS_SOME_LOCK,       /* the same, where it is not known which lock the call is for */
    NEEDS_ASKED_LOCK,      /* the same, if it has the lock: it has asked for it */
    NEEDS_PRESENCE         /* that it is in MPI */
};
struct window_wait {
    long peer;                                 /* the id of the rank that is waited for */
    enum window_need need;
    const struct window *window;
    const char *function;                      /* to be called */
    long owner;                                /* the id of the rank whose memory is locked */
    bool exclusive, peer_is_exclusive;         /* the lock that is wanted, and the one that the peer has */
};

struct wait {
    uint32_t condition;
    int64_t target;                            /* a node, or NODE_LIVE: it comes; NODE_NEVER: it cannot come;
                                                  NODE_ABSENT: nothing is known of whom it should come from */
    uint32_t operation;                        /* UINT32_MAX: none */
    long peer;                                 /* the id of the rank that is waited for; PEER_ANY: any of several */
    struct window_wait *in_window;             /* of a call on a window; else NULL */
};
struct condition {
    uint32_t owner;                            /* node */
    bool all;                                  /* every wait must be satisfied, else one */
    unsigned char counts_below;                /* this level of doubt */
    size_t n_waits;
    const struct call *call;                   /* that waits; NULL: of a virtual node */
};

/* A job among those that have communicators in common. */
struct model_job {
    const char *name;                          /* "" if it has none */
    long user;                                 /* whose it is, if the name alone does not tell jobs apart; else -1 */
    long base;                                 /* the id of its rank 0 */
    long n_ids;                                /* that it has, at least as many as ranks */
    long world_size;                           /* of its MPI_COMM_WORLD; 0: not known */
    size_t first_rank, n_ranks;                /* of the model */
    bool has_number;                           /* Open MPI's for it is known: */
    unsigned long number;
};

/*
 * A node that stands for any of several ranks: those that can send to a rank on a communicator. Or for a rank's part of
 * a nonblocking collective operation, which gets on while the rank waits for something else.
 */
struct virtual_node {
    size_t rank;
    const struct communicator *communicator;
    bool is_part;
    uint32_t operation;                        /* one of a part */
    uint32_t next;                             /* the next part of the rank, and one; 0: it is the last */
};

struct model {
    bool several_looks;                        /* not all ranks were looked at together */
    bool has_hosts;                            /* machines of ranks are to be named */
    struct model_job *jobs;
    size_t n_jobs;
    struct model_rank *ranks;                  /* by id */
    size_t n_ranks;
    bool *coming;                              /* of each communicator of each rank: as traffic_find has found; NULL:
                                                  nothing is */
    unsigned char *consistent;                 /* of the same: what traffic_is_consistent has found */
    bool moments_differ;                       /* a rank has received more than another one had sent: as traffic_find
                                                  has found */
    struct operation *operations;              /* of a rank in one piece, in the listing's order */
    size_t n_operations, operation_room;
    bool has_vague[N_QUEUES];                  /* some rank has */
    struct keys messages_by_source;            /* unexpected and unanswered: destination, communicator, source, tag */
    struct keys messages_by_tag;               /* destination, communicator, tag, source */
    struct keys messages_by_pair;            /* destination, source, tag, communicator */
    struct keys messages_sent;                 /* source, communicator, tag, destination */
    struct keys receives;                      /* rank, communicator, source, tag: posted, or matched to that message */
    struct keys parts;                         /* of nonblocking operations: communicator, tag, rank's index */
    struct virtual_node *virtuals;             /* a node of each */
    size_t n_virtuals, virtual_room;
    struct communicator_index anybody;         /* the nodes of these that are no parts, by their communicators */
    struct wait *waits;
    size_t n_waits, wait_room;
    struct condition *conditions;
    size_t n_conditions, condition_room;
    size_t n_blocking_waits, n_blocking_nodes; /* the first of all: those after them are of ranks that only test */
};

/*
 * Builds a model of jobs that have communicators in common. The claims are sorted by job and rank; no two are of one
 * rank.
 */
void model_build(struct model *model, const struct rank_claim *claims, size_t n);
void model_clear(struct model *model);

/* The index of a rank, or SIZE_MAX if there is no process for it. */
size_t model_find_rank(const struct model *model, long id);

/* The job of the rank with that id; and its rank in that job's MPI_COMM_WORLD. */
const struct model_job *model_job_of(const struct model *model, long id);
long model_world_rank(const struct model *model, long id);

/* The id of the peer with that number on a communicator of a rank; PEER_UNKNOWN if it is not known. */
long model_peer(const struct model *model, size_t rank, const struct communicator *communicator, long peer);

/*
 * Are a communicator of one rank and one of another the same? Open MPI uses its numbers again, so the members are
 * compared too.
 */
bool model_same_side(const struct model *model, size_t a, const struct communicator *of_a, size_t b,
                     const struct communicator *of_b);
bool model_same_communicator(const struct model *model, size_t a, const struct communicator *of_a, size_t b,
                             const struct communicator *of_b);

/* The rank's communicator of that id, NULL if it has none. */
const struct communicator *model_find_communicator(const struct model *model, size_t rank, mqs_taddr_t unique_id);

/* Where it is among those of all ranks; SIZE_MAX: the rank has none of that id. */
size_t model_communicator_place(const struct model *model, size_t rank, mqs_taddr_t unique_id);

/* The first key that agrees in the first n_numbers numbers, or keys->n. */
size_t keys_find(const struct keys *keys, const int64_t *numbers, size_t n_numbers);
bool keys_agree(const struct keys *keys, size_t i, const int64_t *numbers, size_t n_numbers);

/*
 * Add a condition of a node, and a wait to a condition, which is given by its index. The other arguments are members of
 * the structures. The index of the condition is returned.
 */
uint32_t model_add_condition(struct model *model, uint32_t owner, bool all, const struct call *call);
void model_add_wait(struct model *model, uint32_t condition, int64_t target, uint32_t operation, long peer);

/* The node that waits. */
static inline uint32_t model_owner(const struct model *model, const struct wait *wait)
{
    return model->conditions[wait->condition].owner;
}

static inline size_t model_n_nodes(const struct model *model)
{
    return model->n_ranks + model->n_virtuals;
}

void communicator_index_add(struct communicator_index *index, const struct communicator *communicator,
                            uint32_t position);
void communicator_index_clear(struct communicator_index *index);

/*
 * Returns the first slot, and the one after a slot, of those with a communicator that may be the same; NULL: there is
 * none. Whichever model_same_communicator says is the same is among them. A later one comes before an earlier one.
 */
const struct communicator_slot *communicator_index_first(const struct communicator_index *index,
                                                         const struct communicator *communicator);
const struct communicator_slot *communicator_index_next(const struct communicator_index *index,
                                                        const struct communicator_slot *slot);

#endif
