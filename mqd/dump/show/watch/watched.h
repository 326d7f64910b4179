/*
 * watched.h - what the history of several looks has: ranks and findings. See history.h.
 */
#ifndef MQD_DUMP_SHOW_WATCHED_H
#define MQD_DUMP_SHOW_WATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/record/witness.h"
#include "mqd/dump/verdict/finding.h"

/* What is known of a rank's movement, in the order in which people want to see them. */
enum rank_state {
    RANK_STANDS,           /* it has started nothing since: proved */
    RANK_SAME,             /* it was not seen to move; whether it has moved and come back is not known */
    RANK_UNKNOWN,          /* where it is could not be seen */
    RANK_NEW,              /* it was seen for the first time */
    RANK_MOVES,
    RANK_ENDED,            /* there is no such process any more */
    RANK_GONE,             /* it is in no list of ranks any more */
    N_RANK_STATES
};

struct watched_rank {
    char *key;             /* which rank it is, whatever its process */
    char *process;         /* which process */
    char *job;             /* "" if there is only one, or it has no name */
    char *host;            /* NULL: it is not to be named */
    long rank;             /* -1: unknown */
    pid_t pid;
    char *place;           /* where it is, or what is known of its end */
    bool in_mpi;
    bool place_changed;    /* of one that has not moved: looks since then have found it in several places */
    enum rank_state state;
    double since;          /* since when it is known to be so */
    enum rank_state before;        /* at the look before; N_RANK_STATES: it was not seen then */
    double stood;          /* of a rank that stood there, for how long it had until the look before */
    const struct witness *witness; /* of the latest look; NULL: it is not there any more */
};

struct watched_finding {
    enum finding_kind kind;
    char *title, *sentence;
    char *job;             /* these tell whether a later finding is the same */
    long user;
    long *ranks;
    size_t n_ranks;
    long *causes;          /* with them all ranks that can refute it */
    size_t n_causes;
    bool certain;
    double since;
    double went, lasted;   /* of one that is gone, or unseen: when, and for how long looks had it */
    bool came;             /* with the latest look */
    bool again;            /* the latest look shows it again, or one like it after its ranks have moved */
    bool stood;            /* of one that came again: it had been there in more than one look */
    bool unseen;           /* the latest look has not shown it, and nothing that refutes it */
    bool vanished;         /* the same, and the look before had it */
};

/* A zeroed history has no looks. Release it with history_clear. */
struct history {
    struct watched_rank *ranks;
    size_t n, room;
    size_t most;                       /* ranks in any look */
    struct watched_finding *findings;  /* of the latest look, in its order, and then those that it could not show */
    size_t n_findings, finding_room;
    struct watched_finding *gone;      /* the latest ones, the first one to go first */
    size_t n_gone, gone_room;
    size_t n_went;                     /* how many of them went with the latest look; they are the last ones */
    bool unclear;                      /* of the latest verdict */
    bool uncounted;                    /* a rank has shown that collective operations are not counted */
    size_t n_looks;
    double first, began, latest;       /* when the first one began, and when the latest one began and ended */
};

#endif
