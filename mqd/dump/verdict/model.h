/*
 * model.h - what verdicts are concluded from: ranks, messages, and who waits for what.
 */
#ifndef MQD_DUMP_VERDICT_MODEL_H
#define MQD_DUMP_VERDICT_MODEL_H

#include <stdint.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/verdict/call.h"
#include "mqd/dump/verdict/rank_claim.h"

struct threads;

enum { PEER_ANY = -1, PEER_UNKNOWN = -2, TAG_ANY = -1 };

/* What an internal operation is for, as far as the debug DLL tells. */
enum purpose {
    PURPOSE_UNKNOWN,
    PURPOSE_NONBLOCKING,   /* an operation as nonblocking collective calls start it: part of a collective one */
    PURPOSE_CALL,          /* a function of MPI's, but for these: */
    PURPOSE_BARRIER,
    PURPOSE_FROM_ROOT      /* the message comes from the root on its way down: its receiver has sent nothing before */
};

/* An operation, and what follows from its facts. */
struct operation {
    uint32_t rank;                             /* index in the model */
    uint32_t number;                           /* of the communicator, see struct model */
    int class;                                 /* an mqs_op_class */
    enum purpose purpose;
    const struct communicator *communicator;   /* of that rank's listing */
    const struct queued *said;
    long peer;                                 /* the id of source or destination; PEER_ANY, PEER_UNKNOWN */
    long tag;                                  /* TAG_ANY only for receives */
    bool internal;                             /* the MPI library's own */
    bool collective;                           /* of these, part of a collective operation */
    bool probe;                                /* it waits for a message, and does not receive it */
    bool truncated;
    bool vague;                                /* its peer or its tag is not known: it may match anything */
    bool needed;                               /* its rank is known not to go on without it */
    int64_t part_node;                         /* of the first open one of a part: its virtual node; 0: it has none */
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
    long world;                                /* its rank in that job */
    long id;                                   /* what tells it from all others: its job's base and its rank */
    enum phase phase;
    bool once;                                 /* there is no second look, as of a core, or of one that is held */
    bool halted;                               /* it is stopped, and not by a debugger in which it was read: what it
                                                  seems to wait for may be there */
    bool kept;                                 /* it is stopped in each look, while others can run */
    bool inferred;                             /* that it is this rank, or that it has ended */
    bool past_finalize;                        /* not in MPI_Finalize any more */
    uint32_t n_in_mpi, n_outside, n_unknown;   /* threads by the states of their calls */
    uint32_t n_idle, n_running;                /* those in MPI that do not run; all that do, and wait for no thread */
    struct threads *threads;                   /* what they wait for in the process; NULL: for nothing that is known */
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
    size_t first_waiting, n_waiting;           /* of a blocked rank: its calls */
    uint32_t n_conditions;
    size_t first_place, n_places;              /* its communicators, by unique id */
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

/* A call in MPI of a blocked rank, and what it waits for, as far as its rank and windows show. */
struct waiting_call {
    const struct call *call;
    uint32_t *operations;                      /* indices */
    size_t n, room;
    struct window_wait *in_windows;            /* of a call on windows */
    size_t n_in_windows, window_room;
    bool all;                                  /* every one must end, else one of them at least */
    bool guessed;                              /* which ones it waits for is not certain */
};
void waiting_call_clear(struct waiting_call *waiting);

struct wait {
    uint32_t condition;
    uint32_t operation;                        /* UINT32_MAX: none */
    int64_t target;                            /* a node, or NODE_LIVE: it comes; NODE_NEVER: it cannot come;
                                                  NODE_ABSENT: nothing is known of whom it should come from */
    long peer;                                 /* the id of the rank that is waited for; PEER_ANY: any of several */
    const struct window_wait *in_window;       /* of a call on a window; else NULL */
};
struct condition {
    uint32_t owner;                            /* node */
    bool all;                                  /* every wait must be satisfied, else one */
    unsigned char counts_below;                /* this level of doubt */
    size_t n_waits;
    const struct call *call;                   /* that waits; NULL: of a virtual node */
};

/*
 * A node that stands for any of several ranks: those that can send to a rank on a communicator. Or for a rank's part of
 * a nonblocking collective operation, which gets on while the rank waits for something else.
 */
struct virtual_node {
    size_t rank;
    const struct communicator *communicator;
    bool is_part;
    uint32_t operation;                        /* the first one of a part */
};

/* A communicator that a rank has; of an intercommunicator one side. */
struct place {
    const struct communicator *communicator;
    uint32_t rank;
    uint32_t number;                           /* of the communicator; NO_NUMBER: its members are not known */
    size_t job;                                /* the rank's */
    bool coming;                               /* as traffic_find has found */
    unsigned char consistent;                  /* what traffic_is_consistent has found */
};

/* All that have the same one. */
struct model_communicator {
    size_t first, n;                           /* members, by rank */
    uint32_t number;                           /* of the side of an intercommunicator that comes first; else its own */
    int64_t anybody;                           /* the node for a message from any of its peers; NODE_LIVE: none yet */
};
enum { NO_NUMBER = UINT32_MAX };

struct model {
    bool several_looks;                        /* not all ranks were looked at together */
    int n_looks;                               /* numbers of looks are below it */
    bool has_once;                             /* of some there is no second look */
    bool has_hosts;                            /* machines of ranks are to be named */
    struct model_job *jobs;
    size_t n_jobs;
    struct model_rank *ranks;                  /* by id */
    size_t n_ranks;
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
    struct place *places;                      /* of a rank in one piece */
    size_t n_places;
    struct place **members;                    /* those with a number, by communicator and rank */
    struct model_communicator *communicators;  /* their numbers are the positions */
    size_t n_communicators;
    struct waiting_call *waiting;              /* of a rank in one piece */
    size_t n_waiting, waiting_room;
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

/* The rank's communicator of that id, NULL if it has none. */
struct place *model_find_place(const struct model *model, size_t rank, mqs_taddr_t unique_id);
const struct communicator *model_find_communicator(const struct model *model, size_t rank, mqs_taddr_t unique_id);

/*
 * Are a communicator of one rank and one of another the same? Open MPI uses its numbers again, and all that one
 * MPI_Comm_split makes have the same, so the members are compared too.
 */
bool model_same_communicator(const struct model *model, size_t a, const struct communicator *of_a, size_t b,
                             const struct communicator *of_b);

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

/* The operation that a wait is for; NULL: it is for none. */
static inline const struct operation *model_operation(const struct model *model, const struct wait *wait)
{
    return wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;
}

/* The rank that a node is, or a part of; SIZE_MAX: it stands for any of several, or is none. */
static inline size_t model_rank_of(const struct model *model, int64_t node)
{
    size_t at = (size_t)node;

    if (node < 0 || at < model->n_ranks)
        return node < 0 ? SIZE_MAX : at;
    return model->virtuals[at - model->n_ranks].is_part ? model->virtuals[at - model->n_ranks].rank : SIZE_MAX;
}

static inline size_t model_n_nodes(const struct model *model)
{
    return model->n_ranks + model->n_virtuals;
}

#endif
